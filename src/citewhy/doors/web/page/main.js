// The page: its head, its three regions, and what happens when it is opened.

import { begin, closeSearch, download, find, learnPapers, listDrafts, loadLibrary, openFiles, preview, reopen, undo } from "./actions.js";
import { takeToken } from "./api.js";
import { Dialogs } from "./dialogs.js";
import { droppedFiles } from "./drop.js";
import { onKey } from "./keys.js";
import { M } from "./messages.js";
import { collectedOf } from "./model.js";
import { Outline } from "./outline.js";
import { Pictures } from "./pictures.js";
import { keep, onChange, restore, set, state } from "./store.js";
import { Suggestions } from "./suggestions.js";
import { Text } from "./text.js";
import { html, render, useEffect, useState } from "./vendor/preact.js";

function App() {
  const { model, view, pane, sidebar } = state;
  return html`
    <a class="skip" href="#text" onClick=${(event) => { event.preventDefault(); document.querySelector("#text")?.focus(); }}>${M.skip}</a>
    <${Head} />
    <main class=${`regions view-${view} pane-${pane} ${sidebar ? "" : "no-sidebar"} ${state.search ? "searching" : ""}`}>
      <aside class="outline" aria-label=${M.outline}><${Outline} /></aside>
      <section class="draft" aria-label=${view === "pictures" ? M.pictures : M.draft}>
        ${view === "pictures" ? html`<${Pictures} />` : model ? html`<${Text} />` : html`<p class="pane-note">${M.noDraft}</p>`}
      </section>
      <section class="beside" aria-label=${M.suggestions}><${Suggestions} /></section>
    </main>
    ${model && html`<${Panes} />`}
    <${Notice} />
    <${Dialogs} />
    <div class="unseen" role="status" aria-live="polite" id="said">${state.said}</div>
    ${state.dragging && html`<div class="dropping"><p>${M.dropHere}</p></div>`}
  `;
}

function Head() {
  const { model, view, draft, library } = state;
  const collected = collectedOf(model).length;
  const views = () => {
    set({ view: view === "pictures" ? "draft" : "pictures", pane: "draft" });
    keep();
  };
  return html`<header class="head">
    <div class="brand">
      <button type="button" class="icon burger" aria-label=${M.outline} aria-expanded=${state.sidebar} onClick=${() => { set({ sidebar: !state.sidebar }); keep(); }}>☰</button>
      <h1><span>${M.name}</span>${draft && model && html`<span class="draft-name">${draft.name}</span>`}</h1>
    </div>
    <${Search} />
    <div class="tools">
      <button type="button" onClick=${() => { listDrafts(); set({ dialog: "open" }); }}>${M.open}</button>
      <button type="button" aria-pressed=${view === "pictures"} onClick=${views}>${M.pictures}</button>
      ${model?.undoable && html`<button type="button" onClick=${undo}>${M.undo}</button>`}
      ${model?.dropped && html`<button type="button" onClick=${download}>${M.download}</button>`}
      <button type="button" class="primary" disabled=${!model} onClick=${preview}>${M.preview}${collected ? html` <span class="badge">${collected}</span>` : ""}</button>
      <${Display} />
      <button type="button" class="icon" aria-label=${M.keysTitle} title="?" onClick=${() => set({ dialog: "help" })}>?</button>
    </div>
    ${library && html`<p class="unseen">${M.library(library.library, library.papers)}</p>`}
  </header>`;
}

function Search() {
  const [text, setText] = useState(state.search?.q || "");
  const go = (event) => {
    event.preventDefault();
    find(text);
  };
  return html`<form class="search" role="search" onSubmit=${go}>
    <input id="find" type="search" aria-label=${M.find} placeholder=${M.findPlaceholder} value=${text} onInput=${(event) => { setText(event.target.value); if (!event.target.value) closeSearch(); }} />
  </form>`;
}

function Display() {
  const change = (patch) => {
    set(patch);
    dress();
    keep();
  };
  return html`<details class="display">
    <summary aria-label=${M.settings} title=${M.settings}>Aa</summary>
    <div class="popup">
      <fieldset>
        <legend>${M.theme}</legend>
        ${Object.entries(M.themes).map(([theme, label]) => html`<label class="check"><input type="radio" name="theme" checked=${state.theme === theme} onChange=${() => change({ theme })} /> ${label}</label>`)}
      </fieldset>
      <div class="row" role="group" aria-label=${M.textSize}>
        <button type="button" aria-label=${M.smaller} disabled=${state.size <= 70} onClick=${() => change({ size: state.size - 10 })}>A−</button>
        <span>${state.size}%</span>
        <button type="button" aria-label=${M.larger} disabled=${state.size >= 200} onClick=${() => change({ size: state.size + 10 })}>A+</button>
      </div>
    </div>
  </details>`;
}

/** The regions as tabs, where the window is too narrow for all of them. */
function Panes() {
  const panes = [["outline", M.outlineOf], ["draft", M.draft], ["suggestions", M.suggestions]];
  return html`<nav class="panes" aria-label=${M.regions}>
    ${panes.map(([pane, label]) => html`<button type="button" aria-current=${state.pane === pane ? "true" : null} onClick=${() => { set({ pane }); keep(); }}>${label}</button>`)}
  </nav>`;
}

function Notice() {
  const { notice, online } = state;
  useEffect(() => {
    if (!notice || notice.bad || notice.undo) return;
    const timer = setTimeout(() => state.notice === notice && set({ notice: null }), 6000);
    return () => clearTimeout(timer);
  }, [notice]);
  if (!online) return html`<div class="notice bad" role="alert"><p>${M.offline}</p></div>`;
  if (!notice || (notice.bad && state.dialog)) return null;
  return html`<div class=${`notice ${notice.bad ? "bad" : ""}`} role=${notice.bad ? "alert" : "status"}>
    <p>${notice.text}${notice.hint ? html` <span class="hint">${notice.hint}</span>` : ""}</p>
    ${notice.undo && state.model?.undoable && html`<button type="button" onClick=${undo}>${M.undo}</button>`}
    <button type="button" class="icon" aria-label=${M.close} onClick=${() => set({ notice: null })}>×</button>
  </div>`;
}

/** Colours and the size of text. */
function dress() {
  document.documentElement.dataset.theme = state.theme;
  document.documentElement.style.fontSize = `${state.size}%`;
}

function listenForDrops() {
  let inside = 0;
  const files = (event) => event.dataTransfer?.types.includes("Files");
  addEventListener("dragenter", (event) => files(event) && ++inside && set({ dragging: true }));
  addEventListener("dragleave", (event) => files(event) && --inside <= 0 && set({ dragging: false }));
  addEventListener("dragover", (event) => files(event) && event.preventDefault());
  addEventListener("drop", async (event) => {
    if (!files(event)) return;
    event.preventDefault();
    inside = 0;
    set({ dragging: false });
    const dropped = await droppedFiles(event.dataTransfer);
    if (dropped.length) openFiles(dropped);
  });
}

async function start() {
  const named = takeToken();
  restore();
  dress();
  const root = document.querySelector("#app");
  const draw = () => {
    render(html`<${App} />`, root);
    document.documentElement.dataset.state = state.model && !state.busy ? "ready" : "busy";
  };
  root.textContent = "";
  onChange(draw);
  onChange(learnPapers);
  draw();
  addEventListener("keydown", onKey);
  addEventListener("hashchange", () => {
    takeToken();
    location.reload();
  });
  listenForDrops();
  loadLibrary();
  if (named && named !== state.draft?.id) await begin(named);
  else if (state.draft) await reopen(state.draft);
  else {
    await listDrafts();
    if (state.dialog !== "token") set({ dialog: "open" });
  }
}

start();
