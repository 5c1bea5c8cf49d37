// tables.mjs ROWS.parquet ROWS.csv ROWS.jsonl - the same rows in three files, read by DuckDB and by hyparquet. Prints TAP.
import { DuckDBInstance } from "@duckdb/node-api";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { readFileSync } from "node:fs";

const [parquet, csv, jsonl] = process.argv.slice(2);
let n = 0, bad = 0;
function check(text, ok, why = "") {
  n++;
  if (!ok) bad++;
  console.log(`${ok ? "ok" : "not ok"} ${n} - ${text}${ok ? "" : ": " + why}`);
}
const plain = (v) => JSON.stringify(v, (_, x) => (typeof x === "bigint" ? x.toString() : x));

const reports = readFileSync(jsonl, "utf8").trim().split("\n").map((l) => JSON.parse(l));
const duck = await (await DuckDBInstance.create(":memory:")).connect();
const ask = async (q) => (await duck.runAndReadAll(q)).getRowObjectsJson();

// DuckDB: Parquet
const rows = await ask(`select * from '${parquet}'`);
check("DuckDB reads as many rows as there are reports", rows.length === reports.length, `${rows.length} of ${reports.length}`);
const names = Object.keys(rows[0]);
const wrong = rows.findIndex((r, k) => {
  const j = reports[k];
  return r.key !== j.key || Number(r.number) !== j.number || r.split !== j.split ||
    names.some((c) => c in j.metrics && r[c] !== j.metrics[c].value) ||
    Object.keys(j.metrics).some((m) => r[m] === null) || Number(r.grid_x) !== j.launch.grid[0] ||
    (r.launch !== null && plain(JSON.parse(r.launch).args) !== plain(j.launch.args));
});
check("every value is the report's", wrong < 0, `row ${wrong}: ${plain(rows[wrong])}`);

// The statistics of the column chunks must be of use: DuckDB leaves out groups by them.
const most = Math.max(...reports.map((r) => r.metrics.time_us.value));
const top = await ask(`select count(*) as n from '${parquet}' where time_us >= ${most}`);
check("a filter by the largest time finds it", Number(top[0].n) >= 1, plain(top));
const nulls = await ask(`select sum(stats_null_count::int) as n from parquet_metadata('${parquet}') where path_in_schema = 'shared_conflict_ways'`);
check("nulls are counted", Number(nulls[0].n) === reports.filter((r) => !("shared_conflict_ways" in r.metrics)).length, plain(nulls));

// DuckDB: CSV, the same table
const cells = await ask(`select * from read_csv('${csv}', header=true, all_varchar=true)`);
check("DuckDB reads the CSV file", cells.length === rows.length && Object.keys(cells[0]).join() === names.join(), `${cells.length} rows`);
const off = cells.findIndex((r, k) => names.some((c) => {
  const a = r[c], b = rows[k][c];
  return a === null ? b !== null : typeof b === "number" ? Number(a) !== b : a !== String(b);
}));
check("CSV and Parquet hold the same", off < 0, `row ${off}: ${plain(cells[off])} ${plain(rows[off])}`);

// hyparquet
const file = await asyncBufferFromFile(parquet);
const meta = await parquetMetadataAsync(file);
check("hyparquet finds the writer's name", /^warpwise version /.test(meta.created_by), meta.created_by);
const own = await parquetReadObjects({ file, compressors });
const miss = own.findIndex((r, k) => names.some((c) => {
  const a = r[c] ?? null, b = rows[k][c];
  return typeof a === "bigint" ? a.toString() !== b : a !== b;
}));
check("hyparquet reads what DuckDB reads", own.length === rows.length && miss < 0, `row ${miss}: ${plain(own[miss])} ${plain(rows[miss])}`);
process.exit(bad ? 1 : 0);
