// Bundles the vendored libraries into the page's folder, with their licences: `make web`.
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const target = new URL("../src/citewhy/doors/web/page/vendor/", import.meta.url).pathname;

const { metafile } = await build({
  entryPoints: ["preact.mjs", "d3.mjs"],
  outdir: target,
  bundle: true,
  format: "esm",
  minify: true,
  target: "es2022",
  legalComments: "none",
  metafile: true,
});

const packages = new Set();
for (const input of Object.keys(metafile.inputs)) {
  const found = input.match(/^node_modules\/([^/]+)\//);
  if (found) packages.add(found[1]);
}

const licences = [...packages].sort().map((name) => {
  const { version, license } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
  const text = readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim();
  return `${name} ${version} (${license})\n\n${text}\n`;
});
writeFileSync(`${target}LICENCES.txt`, licences.join(`\n${"-".repeat(80)}\n\n`));

// axe-core is for the tests alone.
const tests = new URL("../tests/doors/web/page/vendor/", import.meta.url).pathname;
copyFileSync("node_modules/axe-core/axe.min.js", `${tests}axe.min.js`);
copyFileSync("node_modules/axe-core/LICENSE", `${tests}axe-LICENSE.txt`);
