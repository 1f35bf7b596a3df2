// What opens over the page: opening a draft, the preview of the edit, the keys, and the question for the key.

import { download, openFiles, openPath, openText, preview, undo, write } from "./actions.js";
import { setToken } from "./api.js";
import { M } from "./messages.js";
import { keep, set, state } from "./store.js";
import { Fault } from "./suggestions.js";
import { html, useEffect, useRef, useState } from "./vendor/preact.js";

export function Dialogs() {
  const { dialog } = state;
  if (dialog === "open") return html`<${Opening} />`;
  if (dialog === "preview") return html`<${Preview} />`;
  if (dialog === "help") return html`<${Keys} />`;
  if (dialog === "token") return html`<${Token} />`;
  return null;
}

function Dialog({ title, wide, children, closable = true }) {
  const ref = useRef();
  useEffect(() => {
    const before = document.activeElement;
    ref.current.showModal();
    return () => before?.isConnected && before.focus?.();
  }, []);
  const close = () => set({ dialog: null, notice: null });
  return html`<dialog ref=${ref} class=${wide ? "wide" : ""} aria-labelledby="dialog-title" onCancel=${(event) => { event.preventDefault(); if (closable) close(); }}>
    <header><h2 id="dialog-title">${title}</h2>${closable && html`<button type="button" class="icon" aria-label=${M.close} onClick=${close}>×</button>`}</header>
    ${state.notice?.bad && html`<${Fault} problem=${{ message: state.notice.text, hint: state.notice.hint }} />`}
    ${children}
  </dialog>`;
}

function Opening() {
  const { drafts } = state;
  const [path, setPath] = useState("");
  const [text, setText] = useState("");
  const [kind, setKind] = useState("tex");
  const chooser = useRef();
  const kinds = { tex: "LaTeX", md: "Markdown", qmd: "Quarto", typ: "Typst", org: "Org", txt: "Text" };
  const go = (action) => (event) => {
    event.preventDefault();
    action();
  };
  return html`<${Dialog} title=${M.openTitle} closable=${!!state.model}>
    ${drafts && html`<section>
      <h3>${M.openHere(drafts.folder)}</h3>
      ${drafts.drafts.length === 0 && html`<p class="pane-note">${M.openNone}</p>`}
      <ul class="drafts">
        ${drafts.drafts.map((draft) => html`<li><button type="button" onClick=${() => openPath(draft.path)}><span>${draft.path}</span><small>${draft.format}</small></button></li>`)}
      </ul>
    </section>`}
    <form class="row" onSubmit=${go(() => path.trim() && openPath(path.trim()))}>
      <label><span>${M.openPath}</span><input value=${path} placeholder=${M.openPathHint} onInput=${(event) => setPath(event.target.value)} /></label>
      <button type="submit">${M.open}</button>
    </form>
    <p class="drop">
      ${M.openDrop} <button type="button" onClick=${() => chooser.current.click()}>${M.openChoose}</button>
      <input ref=${chooser} type="file" multiple hidden accept=".tex,.bib,.bbl,.md,.qmd,.rmd,.typ,.org,.txt,.yaml,.yml,.json,.zip" aria-label=${M.openChoose} onChange=${(event) => event.target.files.length && openFiles([...event.target.files].map((file) => [file.name, file]))} />
    </p>
    <form class="paste" onSubmit=${go(() => text.trim() && openText(`pasted.${kind}`, text))}>
      <label><span>${M.openPaste}</span><textarea rows="4" value=${text} onInput=${(event) => setText(event.target.value)}></textarea></label>
      <div class="row">
        <label><span>${M.openPasteName}</span><select value=${kind} onChange=${(event) => setKind(event.target.value)}>${Object.entries(kinds).map(([name, label]) => html`<option value=${name}>${label}</option>`)}</select></label>
        <button type="submit">${M.openPasted}</button>
      </div>
    </form>
  <//>`;
}

// The edit ---------------------------------------------------------------------------------------------------

function Preview() {
  const { edit, model } = state;
  const shown = edit?.preview;
  useEffect(() => {
    if (!edit) preview();
  }, []);
  return html`<${Dialog} title=${M.previewTitle} wide>
    ${edit?.problem && html`<${Fault} problem=${edit.problem} />`}
    ${edit?.busy && !shown && html`<p class="pane-note">${M.asking}</p>`}
    ${shown && shown.files.length === 0 && html`<p class="pane-note">${M.previewNone}</p>`}
    ${shown && shown.files.length > 0 && html`<p class="pane-note">${M.previewSum(shown.places.length, shown.files.length)}</p>`}
    ${shown?.left?.map(({ place, why }) => html`<p class="remark-text">${M.leftOpen(model.marks.get(place)?.line, why)}</p>`)}
    <div class="diffs">
      ${shown?.files.map((file) => html`<${Diff} key=${file.file} ...${file} />`)}
    </div>
    <footer>
      <button type="button" onClick=${() => set({ dialog: null })}>${M.cancel}</button>
      ${model.dropped && html`<button type="button" onClick=${download}>${M.download}</button>`}
      ${model.undoable && html`<button type="button" onClick=${undo}>${M.undo}</button>`}
      <button type="button" class="primary" disabled=${!shown?.files.length || edit.busy} onClick=${write}>${M.write}</button>
    </footer>
  <//>`;
}

/** A unified diff: the lines as they are, and of a changed line what changes. */
function Diff({ file, diff }) {
  const lines = diff.split("\n").filter((line) => !/^(---|\+\+\+) /.test(line));
  const [added, removed] = ["+", "-"].map((sign) => lines.filter((line) => line.startsWith(sign)).length);
  const out = [];
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index];
    if (line.startsWith("-")) {
      const olds = run(lines, index, "-");
      const news = run(lines, index + olds.length, "+");
      olds.forEach((old, nth) => out.push(row("-", old, news[nth])));
      news.forEach((fresh, nth) => out.push(row("+", fresh, olds[nth])));
      index += olds.length + news.length - 1;
    } else if (line.startsWith("+")) out.push(row("+", line.slice(1)));
    else if (line.startsWith("@@")) out.push(html`<span class="hunk">${line.replace(/^@@ -(\d+).*@@.*/, "line $1")}</span>`);
    else if (line) out.push(row(" ", line.slice(1)));
  }
  return html`<section class="diff" aria-label=${M.diffOf(file)}>
    <h3>${file} <small>+${added} −${removed}</small></h3>
    <pre tabindex="0" role="region" aria-label=${M.diffOf(file)}>${out}</pre>
  </section>`;
}

function run(lines, from, sign) {
  const out = [];
  for (let index = from; index < lines.length && lines[index].startsWith(sign); index++) out.push(lines[index].slice(1));
  return out;
}

function row(sign, line, other) {
  const names = { "-": "removed", "+": "added", " ": "same" };
  const spoken = sign === " " ? null : html`<span class="unseen">${M[names[sign]]}: </span>`;
  let parts = line;
  if (other !== undefined) {
    let from = 0;
    while (from < line.length && from < other.length && line[from] === other[from]) from++;
    let to = 0;
    while (to < line.length - from && to < other.length - from && line.at(-1 - to) === other.at(-1 - to)) to++;
    const end = line.length - to;
    if (end > from) parts = html`${line.slice(0, from)}<mark>${line.slice(from, end)}</mark>${line.slice(end)}`;
  }
  return html`<span class=${`line ${names[sign]}`}><span class="sign" aria-hidden="true">${sign === "-" ? "−" : sign}</span>${spoken}<span>${parts}</span></span>`;
}

// Keys, the key ----------------------------------------------------------------------------------------------

function Keys() {
  return html`<${Dialog} title=${M.keysTitle}>
    <label class="check"><input type="checkbox" checked=${state.keys} onChange=${() => { set({ keys: !state.keys }); keep(); }} /> ${M.keysOn}</label>
    <dl class="keys">
      ${M.keys.map(([keys, what]) => html`<div><dt>${keys.split(" ").map((key) => (key === "…" ? " … " : html`<kbd>${key}</kbd>`))}</dt><dd>${what}</dd></div>`)}
    </dl>
  <//>`;
}

function Token() {
  const [text, setText] = useState("");
  const go = (event) => {
    event.preventDefault();
    setToken(text);
    location.reload();
  };
  return html`<${Dialog} title=${M.tokenTitle} closable=${false}>
    <p>${M.tokenText}</p>
    <form class="row" onSubmit=${go}>
      <label><span>${M.tokenField}</span><input autofocus value=${text} onInput=${(event) => setText(event.target.value)} /></label>
      <button type="submit" class="primary">${M.tokenGo}</button>
    </form>
  <//>`;
}
