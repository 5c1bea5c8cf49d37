// validate.mjs FILE... : each against CycloneDX's own schema of its version; prints what is wrong.
import { readFileSync } from "node:fs";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";

let bad = 0;
for (const file of process.argv.slice(2)) {
  const errors = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(readFileSync(file, "utf8"));
  if (errors !== null) {
    console.log(file, JSON.stringify(errors).slice(0, 800));
    bad = 1;
  }
}
process.exit(bad);
