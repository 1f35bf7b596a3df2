// The left region: files, outline, what is underlined, and what is collected.

import { exportAs, goTo, goToOffset, keepPaper, preview, select, toggle } from "./actions.js";
import { M } from "./messages.js";
import { collectedOf, shortName } from "./model.js";
import { keep, set, state } from "./store.js";
import { html } from "./vendor/preact.js";

export function Outline() {
  const { model } = state;
  if (!model) return null;
  return html`<${Kinds} /><${Files} /><${Collected} /><${General} />`;
}

function Kinds() {
  const { kinds, model } = state;
  return html`<fieldset class="kinds">
    <legend>${M.showing}</legend>
    ${Object.entries(M.kinds).map(([kind, label]) => html`<label>
      <input type="checkbox" checked=${kinds[kind]} onChange=${() => { set({ kinds: { ...kinds, [kind]: !kinds[kind] } }); keep(); }} />
      <span class=${`mark ${kind} sample`}>${model.counts[kind]}</span> <span>${label}</span>
    </label>`)}
  </fieldset>`;
}

/** Remarks that belong to no place of the text, and those on the library. */
function General() {
  const texts = [...state.model.general, ...(state.model.library?.remarks || [])];
  if (!texts.length) return null;
  return html`<details class="general"><summary>${M.generalRemarks(texts.length)}</summary><ul>${texts.map((text) => html`<li>${text}</li>`)}</ul></details>`;
}

function Files() {
  const { model, file } = state;
  const count = (name) => model.order.filter((mark) => mark.kind === "open" && mark.file === name && !mark.settled && !mark.chosen.length).length;
  return html`<nav class="files" aria-label=${M.outline}>
    <h2>${model.files.length > 1 ? M.files : M.outlineOf}</h2>
    <ul>
      ${model.files.map((one) => html`<li>
        <button type="button" class="file" aria-current=${one.name === file ? "true" : null} onClick=${() => goToOffset(one.name, 0)}>
          <span class="file-name">${one.name}</span>${count(one.name) > 0 && html`<span class="count" title=${M.kinds.open}>${count(one.name)}</span>`}
        </button>
        ${one.name === file && html`<ul class="sections">
          ${one.outline.map(({ title, level, offset }) => html`<li class=${`level-${Math.min(level, 5)}`}>
            <button type="button" onClick=${() => goToOffset(one.name, one.points.units(offset))}>${title || "…"}</button>
          </li>`)}
        </ul>`}
      </li>`)}
    </ul>
  </nav>`;
}

function Collected() {
  const { model, kept, unselected } = state;
  const collected = collectedOf(model);
  const accepted = new Set(collected.map(({ paper }) => paper.id));
  const rest = kept.filter(({ id }) => !accepted.has(id));
  const ids = [...new Set([...accepted, ...rest.map(({ id }) => id)])].filter((id) => !unselected.includes(id));
  const row = (paper, mark) => html`<li>
    <input type="checkbox" aria-label=${M.select(paper.title)} checked=${!unselected.includes(paper.id)} onChange=${() => select(paper.id)} />
    ${mark
      ? html`<button type="button" class="to" title=${paper.title} onClick=${() => goTo(mark.id)}>${shortName(paper)}<small>${M.collectedFor(mark.section)}</small></button>`
      : html`<span class="to" title=${paper.title}>${shortName(paper)}<small>${M.kept}</small></span>`}
    <button type="button" class="icon" aria-label=${M.removePaper(paper.title)} title=${M.remove} onClick=${() => (mark ? toggle(paper, mark) : keepPaper(paper))}>×</button>
  </li>`;
  return html`<section class="collected" aria-label=${M.collected}>
    <h2>${M.collected}${collected.length + rest.length > 0 ? ` (${collected.length + rest.length})` : ""}</h2>
    ${collected.length + rest.length === 0
      ? html`<p class="pane-note">${M.collectedNone}</p>`
      : html`<ul>${collected.map(({ paper, mark }) => row(paper, mark))}${rest.map((paper) => row(paper, null))}</ul>
          <div class="exports" role="group" aria-label=${M.exportAs}>
            ${Object.entries(M.formats).map(([format, label]) => html`<button type="button" disabled=${!ids.length} onClick=${() => exportAs(format, ids)}>${label}</button>`)}
            ${collected.length > 0 && html`<button type="button" class="primary" onClick=${preview}>${M.preview}</button>`}
          </div>`}
  </section>`;
}
