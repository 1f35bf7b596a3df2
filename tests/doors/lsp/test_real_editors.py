"""Neovim and Emacs with the language server, without a screen; skipped where they are not installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tuning_draft import tuning_draft

NEOVIM = r"""
vim.cmd("edit paper.tex")
local id = vim.lsp.start_client({ name = "citewhy", cmd = vim.g.server, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(0, id)
local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 100000)
  for _, answer in pairs(answers or {}) do
    return answer.result
  end
end
vim.wait(100000, function() return #vim.diagnostic.get(0) > 0 end)
local said = {}
for _, one in ipairs(vim.diagnostic.get(0)) do
  table.insert(said, one.message)
end
vim.api.nvim_win_set_cursor(0, { 5, #"We tune the weights by minimum error rate training \\cite{" })
local at = vim.lsp.util.make_position_params(0, "utf-16")
local completed = ask("textDocument/completion", at)
local labels = {}
for _, item in ipairs(completed.items) do
  table.insert(labels, item.label)
end
at.context = { diagnostics = {} }
at.range = { start = at.position, ["end"] = at.position }
local actions = ask("textDocument/codeAction", at)
vim.lsp.util.apply_workspace_edit(actions[1].edit, "utf-16")
local line = vim.api.nvim_buf_get_lines(0, 4, 5, false)[1]
vim.api.nvim_win_set_cursor(0, { 3, #"Quality is measured automatically \\cite{pa" })
local hover = ask("textDocument/hover", vim.lsp.util.make_position_params(0, "utf-16"))
local result = { diagnostics = said, labels = labels, line = line, hover = hover.contents.value }
vim.fn.writefile({ vim.fn.json_encode(result) }, "result.json")
vim.lsp.stop_client(id)
vim.cmd("qall!")
"""

EMACS = r"""
(require 'eglot)
(require 'json)
(find-file "paper.tex")
(latex-mode)
(setq eglot-connect-timeout 100 jsonrpc-default-request-timeout 100 eglot-sync-connect t)
(eglot '(latex-mode) (cons 'transient default-directory) 'eglot-lsp-server server-command "latex")
(let ((until (+ (float-time) 100)))
  (while (and (not (flymake-diagnostics)) (< (float-time) until))
    (flymake-start)
    (accept-process-output nil 0.2)))
(let ((server (eglot-current-server)) (said (mapcar #'flymake-diagnostic-text (flymake-diagnostics))) labels)
  (goto-char (point-min))
  (search-forward "training \\cite{")
  (let ((completed (jsonrpc-request server :textDocument/completion (eglot--TextDocumentPositionParams))))
    (setq labels (mapcar (lambda (item) (plist-get item :label)) (plist-get completed :items))))
  (let* ((place (plist-get (eglot--TextDocumentPositionParams) :position))
         (actions (jsonrpc-request server :textDocument/codeAction
                   (append (eglot--TextDocumentPositionParams)
                           (list :range (list :start place :end place) :context (list :diagnostics []))))))
    (eglot--apply-workspace-edit (plist-get (aref actions 0) :edit)))
  (let ((line (buffer-substring-no-properties (line-beginning-position) (line-end-position))))
    (goto-char (point-min))
    (search-forward "\\cite{pa")
    (let ((hover (jsonrpc-request server :textDocument/hover (eglot--TextDocumentPositionParams))))
      (write-region
       (json-encode (list :diagnostics (vconcat said) :labels (vconcat labels) :line line
                          :hover (plist-get (plist-get hover :contents) :value)))
       nil "result.json"))))
(eglot-shutdown (eglot-current-server))
(set-buffer-modified-p nil)
(kill-emacs 0)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tuning_draft(tmp_path / "draft")


SERVER = [sys.executable, "-m", "citewhy", "lsp"]


def result_of(command: list[str], folder: Path) -> dict[str, Any]:
    """Runs an editor, which writes what it got into a file."""
    home = {**os.environ, "HOME": str(folder.parent), "TERM": "dumb"}
    done = subprocess.run(command, cwd=folder, env=home, capture_output=True, timeout=300, check=False)
    assert (folder / "result.json").exists(), (done.stdout + done.stderr).decode(errors="replace")
    loaded: dict[str, Any] = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    return loaded


def holds(result: dict[str, Any]) -> None:
    (said,) = result["diagnostics"]
    assert said.endswith("A citation is open.")
    assert sorted(result["labels"]) == ["och03", "papineni02"]
    assert result["line"] == r"We tune the weights by minimum error rate training \cite{och03}."
    assert "BLEU" in result["hover"]


@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed")
def test_neovim(folder: Path) -> None:
    (folder / "test.lua").write_text(NEOVIM, encoding="utf-8")
    server = json.dumps(SERVER)
    command = ["nvim", "--headless", "--clean", "--cmd", f"let g:server = {server}", "-c", "luafile test.lua"]
    holds(result_of(command, folder))


def has_eglot() -> bool:
    if shutil.which("emacs") is None:
        return False
    asked = ["emacs", "--batch", "--eval", "(package-initialize)", "--eval", "(require 'eglot)"]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not has_eglot(), reason="Emacs with eglot is not installed")
def test_emacs(folder: Path) -> None:
    words = " ".join(json.dumps(word) for word in SERVER)
    start = f"(package-initialize)\n(setq server-command '({words}))\n"
    (folder / "test.el").write_text(start + EMACS, encoding="utf-8")
    holds(result_of(["emacs", "--batch", "-l", "test.el"], folder))
