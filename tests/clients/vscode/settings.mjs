// settings.mjs PROGRAM EXTENSION - the extension's manifest against the server's own table of settings and commands. Prints TAP.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [program, extension] = process.argv.slice(2);
const told = execFileSync(program, ["lsp", "--schema"], { encoding: "utf8" });
const schema = JSON.parse(told).properties;
const { contributes: c } = JSON.parse(readFileSync(join(extension, "package.json"), "utf8"));
const own = ["path", "liveReport", "buildCommand", "trace.server"]; // the server knows nothing of these
let n = 0, bad = 0;
function list(what, wrong) {
  n++;
  if (wrong.length > 0) bad++;
  console.log(`${wrong.length > 0 ? "not ok" : "ok"} ${n} - ${what}${wrong.length > 0 ? `: ${wrong.join("; ")}` : ""}`);
}

const ours = Object.fromEntries(Object.entries(c.configuration.properties).map(([name, v]) => [name.replace(/^warpwise\./, ""), v]));
list("each of the server's settings is one of the extension", Object.keys(schema).filter((name) => name !== "$schema" && !(name in ours)));
list("and the other way round", Object.keys(ours).filter((name) => !own.includes(name) && !(name in schema)));
list("with the same type, values and limits", Object.keys(ours).filter((name) => name in schema).flatMap((name) =>
  ["type", "items", "enum", "minimum", "maximum"].filter((m) => JSON.stringify(ours[name][m]) !== JSON.stringify(schema[name][m])).map((m) => `${name}.${m}`)));
list("the schema of .warpwise.json is the program's (warpwise lsp --schema > editors/vscode/schema.json)", readFileSync(join(extension, "schema.json"), "utf8") === told ? [] : ["they differ"]);

const commands = c.commands.map((x) => x.command);
const used = [...c.keybindings, ...Object.values(c.menus).flat()].map((x) => x.command).filter(Boolean);
for (const w of c.walkthroughs) for (const s of w.steps) used.push(...[...s.description.matchAll(/command:(warpwise\.\w+)/g)].map((m) => m[1]));
list("keys, menus and the walkthrough use commands that exist", used.filter((x) => !commands.includes(x)));
const files = ["media/icon.png", ...c.walkthroughs.flatMap((w) => w.steps.map((s) => s.media.markdown)), ...c.grammars.map((g) => g.path), ...c.languages.flatMap((l) => l.configuration ?? [])];
list("files that the manifest names exist", files.filter((f) => !existsSync(join(extension, f))));
const pictures = [...readFileSync(join(extension, "README.md"), "utf8").matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map((m) => m[1]);
list("pictures of the README exist", pictures.length === 0 ? ["there is none"] : pictures.filter((f) => !existsSync(join(extension, f))));
console.log(`1..${n}`);
process.exit(bad ? 1 : 0);
