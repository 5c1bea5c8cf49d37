// find.ts - where the warpwise program is, and where its sources are; knows nothing of VS Code, so that plain node can test it.
//
// Order: the setting, the program that came with the extension, PATH, the open folders and what is beside them. Nothing is run from a folder that is not trusted.
import * as fs from "node:fs";
import * as path from "node:path";

export interface Places {
  setting: string; // warpwise.path, "" where it is not set
  own: string; // the extension's folder: bundle/ in it is the program with all it needs, where the extension was made for this kind of machine
  folders: string[]; // open folders
  env: NodeJS.ProcessEnv;
  trusted: boolean; // programs of the open folders may be run
}

export interface Found {
  file: string;
  how: string; // for the log: which of the places it was
}

const program = process.platform === "win32" ? "warpwise.exe" : "warpwise";

function runs(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

function expand(setting: string, p: Places): string {
  const home = p.env.HOME ?? p.env.USERPROFILE ?? "";
  let s = setting.replace(/^~(?=$|[\\/])/, home).replace(/\$\{userHome\}/g, home);
  s = s.replace(/\$\{workspaceFolder\}/g, p.folders[0] ?? "").replace(/\$\{env:(\w+)\}/g, (_, name: string) => p.env[name] ?? "");
  return path.isAbsolute(s) || p.folders.length === 0 ? s : path.join(p.folders[0], s);
}

/** The program, or what was wrong with the setting, or nothing. A setting that names nothing is an error: the user meant that one. */
export function findProgram(p: Places): Found | { wrong: string } | undefined {
  if (p.setting !== "") {
    const named = expand(p.setting, p);
    const inside = path.join(named, program);
    if (runs(named)) return { file: named, how: "setting warpwise.path" };
    if (runs(inside)) return { file: inside, how: "setting warpwise.path" };
    return { wrong: named };
  }
  const carried = path.join(p.own, "bundle", "bin", program);
  if (p.own !== "" && runs(carried)) return { file: carried, how: "came with the extension" };
  for (const dir of (p.env.PATH ?? "").split(path.delimiter)) {
    if (dir !== "" && path.isAbsolute(dir) && runs(path.join(dir, program))) return { file: path.join(dir, program), how: "PATH" };
  }
  if (!p.trusted) return undefined;
  for (const folder of p.folders) {
    for (const dir of [folder, path.dirname(folder)]) {
      for (const below of [".", "build", "warpwise", "warpwise/build"]) {
        const file = path.join(dir, below, program);
        if (runs(file)) return { file, how: dir === folder ? "the open folder" : "beside the open folder" };
      }
    }
  }
  return undefined;
}

/** A checkout of Warpwise's sources among the open folders, above them or beside them. */
export function findSources(folders: string[]): string | undefined {
  for (const folder of folders) {
    for (let dir = folder; ; dir = path.dirname(dir)) {
      if (isSources(dir)) return dir;
      if (isSources(path.join(dir, "warpwise"))) return path.join(dir, "warpwise");
      if (dir === path.dirname(dir)) break;
    }
  }
  return undefined;
}

export function isSources(dir: string): boolean {
  return ["Makefile", "src/main.c", "src/predict", "gpus"].every((name) => fs.existsSync(path.join(dir, name)));
}
