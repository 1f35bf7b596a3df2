import assert from "node:assert/strict";
import { test } from "node:test";

import { executable, options, SELECTOR, startError } from "../dist/settings.mjs";

const usual = { command: "citewhy", libraries: [], claims: false };

test("the server is the command that the settings name", () => {
  assert.deepEqual(executable(usual), { command: "citewhy", args: ["lsp"] });
  assert.equal(executable({ ...usual, command: " /venv/bin/citewhy " }).command, "/venv/bin/citewhy");
  assert.equal(executable({ ...usual, command: "" }).command, "citewhy");
});

test("empty names are no libraries", () => {
  assert.deepEqual(options({ ...usual, libraries: ["papers", " "], claims: true }), {
    libraries: ["papers"],
    claims: true,
  });
});

test("a command that is not there is a sentence that says what to do", () => {
  const sentence = startError({ ...usual, command: "citewhyy" }, new Error("spawn citewhyy ENOENT"));
  assert.match(sentence, /“citewhyy” is not there; install it .*citewhy\.command/);
  assert.match(startError(usual, new Error("exit 2")), /did not start \(exit 2\)/);
  assert.match(startError(usual, "odd"), /odd/);
});

test("drafts and bibliographies are served, and nothing else", () => {
  const languages = SELECTOR.flatMap((one) => ("language" in one ? [one.language] : []));
  assert.ok(languages.includes("latex") && languages.includes("bibtex") && !languages.includes("python"));
});
