// The region beside the text: what fits the place in focus, or what the search found.

import {
  askNow, closeSearch, currentAnswer, currentMark, filter, filtered, find, keepPaper, nameOf, reject, settle, step, toggle,
} from "./actions.js";
import { Problem } from "./api.js";
import { M } from "./messages.js";
import { set, state } from "./store.js";
import { html, useEffect, useState } from "./vendor/preact.js";

export function Suggestions() {
  if (state.search) return html`<${Found} />`;
  if (!state.model) return null;
  return html`<${Place} />`;
}

// A place --------------------------------------------------------------------------------------------------

function Place() {
  const mark = currentMark();
  const answer = currentAnswer();
  useEffect(() => void askNow());
  if (!mark && !state.at) {
    return html`<div class="pane-empty"><p>${state.model.counts.open ? M.pickPlace : M.noPlaces}</p><${Progress} /><${Steps} /></div>`;
  }
  return html`
    <header class="place-head">
      <div class="place-line">
        <h2 class="place-name" tabindex="-1" id="place-name">${mark ? nameOf(mark) : M.sentenceHere}</h2>
        <${Steps} />
      </div>
      <p class="where">${whereOf(mark)}</p>
      <${Sentence} mark=${mark} />
      ${mark?.kind === "claim" && html`<p class="claim-why">${M.claimSure(Math.round(mark.probability * 100))}${mark.reasons?.length ? `: ${mark.reasons.join("; ")}` : ""}</p>`}
      ${mark?.note && mark.note !== "TODO" && html`<p class="note">${M.note(mark.note)}</p>`}
      ${mark?.remarks.map((text) => html`<p class="remark-text">${text}</p>`)}
    </header>
    ${mark?.kind !== "remark" && html`<${Asking} mark=${mark} /><${Listed} mark=${mark} answer=${answer} /><${Foot} mark=${mark} />`}
  `;
}

function whereOf(mark) {
  const { model } = state;
  if (mark) return [mark.section, M.line(mark.line, mark.file)].filter(Boolean).join(" · ");
  const text = model.byName.get(state.at.file).text.slice(0, state.at.start);
  return M.line(text.split("\n").length, state.at.file);
}

/** The author's sentence, with the place in it. */
function Sentence({ mark }) {
  if (!mark) return html`<blockquote class="sentence">${state.at.text}</blockquote>`;
  if (!mark.sentence) return null;
  const { text } = state.model.byName.get(mark.file);
  const { start, end } = mark.sentence;
  if (mark.kind === "claim" || mark.start < start || mark.end > end + 1) {
    return html`<blockquote class="sentence">${flat(text.slice(start, end)) || mark.sentence.text}</blockquote>`;
  }
  return html`<blockquote class="sentence">${flat(text.slice(start, mark.start))}<mark>${text.slice(mark.start, mark.end)}</mark>${flat(text.slice(mark.end, end))}</blockquote>`;
}

const flat = (text) => text.replace(/\s+/g, " ");

function Steps() {
  return html`<div class="steps">
    <button type="button" class="icon" aria-label=${M.previous} title=${`${M.previous} (p)`} onClick=${() => step(-1)}>↑</button>
    <button type="button" class="icon" aria-label=${M.next} title=${`${M.next} (n)`} onClick=${() => step(1)}>↓</button>
  </div>`;
}

function Progress() {
  const { answers, model, busy } = state;
  const total = model.counts.open + model.counts.claim;
  if (!busy || !total) return null;
  return html`<p class="progress">${M.answered(Math.min(answers.size, total), total)}</p>`;
}

/** Another question, and the filters. */
function Asking({ mark }) {
  const key = mark ? mark.id : "at";
  const asked = state.question[key] || "";
  const [text, setText] = useState(asked);
  const { filters } = state;
  const on = Object.keys(filters).length;
  useEffect(() => setText(asked), [key, asked]);
  const ask = (event) => {
    event.preventDefault();
    set({ question: { ...state.question, [key]: text.trim() } });
  };
  const field = (name, label, props = {}) => html`<label>
    <span>${label}</span>
    <input value=${filters[name] || ""} onChange=${(event) => filter({ [name]: event.target.value.trim() })} ...${props} />
  </label>`;
  const choice = (name, label, options) => html`<label>
    <span>${label}</span>
    <select value=${filters[name] || Object.keys(options)[0]} onChange=${(event) => filter({ [name]: event.target.value })}>
      ${Object.entries(options).map(([value, shown]) => html`<option value=${value}>${shown}</option>`)}
    </select>
  </label>`;
  return html`
    <div class="asking">
      <form class="ask" onSubmit=${ask}>
        <input id="ask" aria-label=${M.askElse} placeholder=${M.askElse} value=${text} onInput=${(event) => setText(event.target.value)} />
        ${text.trim() !== asked && html`<button type="submit">${M.ask}</button>`}
        ${asked && text.trim() === asked && html`<button type="button" onClick=${() => set({ question: { ...state.question, [key]: "" } })}>${M.askAgain}</button>`}
      </form>
      <details class="filters" open=${state.filtersOpen} onToggle=${(event) => (state.filtersOpen = event.currentTarget.open)}>
        <summary id="filters">${on ? M.filtersOn(on) : M.filters}</summary>
        <div class="filter-fields">
          <div class="years">
            ${field("from", `${M.year}: ${M.from.toLowerCase()}`, { type: "number", min: 1500, max: 2100, inputmode: "numeric" })}
            ${field("to", M.to, { type: "number", min: 1500, max: 2100, inputmode: "numeric" })}
          </div>
          ${field("venue", M.venue)} ${field("author", M.author)} ${choice("intent", M.intent, M.intents)} ${choice("only", M.only, M.onlys)}
          ${on > 0 && html`<button type="button" onClick=${() => filter(Object.fromEntries(Object.keys(filters).map((name) => [name, ""])))}>${M.clear}</button>`}
        </div>
      </details>
    </div>
  `;
}

const FIRST = 5;

function Listed({ mark, answer }) {
  const key = mark ? mark.id : "at";
  const [more, setMore] = useState(null);
  if (mark?.settled) return html`<p class="pane-note">${M.settledHere}</p>`;
  if (answer === "waiting") return html`<div class="waiting" role="status"><p>${M.asking}</p><${Progress} /><div class="bone"></div><div class="bone"></div></div>`;
  if (answer instanceof Problem) return html`<${Fault} problem=${answer} />`;
  if (!answer) return null;
  const papers = filtered(answer.suggestions, mark);
  const shown = more === key ? papers : papers.slice(0, FIRST);
  const accepted = (mark?.chosen || []).filter((id) => !papers.some((paper) => paper.id === id)).map((id) => state.model.papers[id]).filter(Boolean);
  return html`
    ${answer.preliminary && html`<p class="pane-note preliminary" role="status">${M.preliminary}</p>`}
    ${!papers.length && html`<p class="pane-note">${answer.suggestions.length ? M.noneLeft : M.noSuggestions}</p>`}
    <ol class="suggestions" aria-label=${M.suggestions}>
      ${accepted.map((paper) => html`<${Suggestion} key=${`accepted ${paper.id}`} paper=${paper} mark=${mark} />`)}
      ${shown.map((paper, index) => html`<${Suggestion} key=${`${key} ${paper.id}`} paper=${paper} mark=${mark} number=${index + 1} preliminary=${answer.preliminary} />`)}
    </ol>
    ${papers.length > shown.length && html`<button type="button" class="more" onClick=${() => setMore(key)}>${M.moreSuggestions} (${papers.length - shown.length})</button>`}
  `;
}

function Foot({ mark }) {
  if (!mark) return null;
  const rejected = mark.rejected.map((id) => state.model.papers[id] || { id, title: id });
  return html`<footer class="place-foot">
    <button type="button" aria-pressed=${mark.settled} onClick=${() => settle()}>${M.settle}</button>
    <button type="button" onClick=${() => step(1)}>${M.next}</button>
    ${rejected.length > 0 && html`<details class="rejected">
      <summary>${M.rejectedHere(rejected.length)}</summary>
      <ul>
        ${rejected.map((paper) => html`<li>${paper.title} <button type="button" class="quiet" onClick=${() => reject(paper, { back: true })}>${M.restore}</button></li>`)}
      </ul>
    </details>`}
  </footer>`;
}

export function Fault({ problem }) {
  return html`<div class="fault" role="alert"><p>${problem.message || M.offline}</p>${problem.hint && html`<p class="hint">${problem.hint}</p>`}</div>`;
}

// A paper ----------------------------------------------------------------------------------------------------

function Suggestion({ paper, mark, number, preliminary }) {
  const chosen = mark?.chosen.includes(paper.id);
  const placed = mark && mark.kind !== "remark";
  return html`<li class=${`suggestion ${chosen ? "chosen" : ""}`} tabindex="-1" data-paper=${paper.id}>
    <${Title} paper=${paper} number=${number} />
    ${"probability" in paper && !preliminary && html`<${Sure} p=${paper.probability} />`}
    <${Why} paper=${paper} />
    <${PassageOf} paper=${paper} />
    <${More} paper=${paper} />
    <div class="act">
      ${placed
        ? html`<${Accept} paper=${paper} chosen=${chosen} />
            <button type="button" class="quiet" onClick=${() => reject(paper)}>${M.reject}<${Unseen} paper=${paper} /></button>`
        : html`<${Keep} paper=${paper} />`}
    </div>
  </li>`;
}

/** Which paper a button is for, for those who do not see where it stands. */
const Unseen = ({ paper }) => html`<span class="unseen">: ${paper.title}</span>`;

function Accept({ paper, chosen }) {
  return html`<button type="button" class="accept" aria-pressed=${chosen} onClick=${() => toggle(paper)}>${chosen ? `✓ ${M.accepted}` : M.accept}<${Unseen} paper=${paper} /></button>`;
}

function Keep({ paper }) {
  const kept = state.kept.some(({ id }) => id === paper.id);
  return html`<button type="button" class="quiet" aria-pressed=${kept} onClick=${() => keepPaper(paper)}>${kept ? `✓ ${M.kept}` : M.keep}<${Unseen} paper=${paper} /></button>`;
}

function Title({ paper, number }) {
  const some = paper.authors.length > 4 ? paper.authors.slice(0, 3) : paper.authors;
  const rest = paper.authors.length - some.length;
  return html`
    <h3 class="title">${number && number < 10 && html`<span class="number" aria-hidden="true">${number}</span>`}${paper.title}</h3>
    <p class="by" title=${rest > 0 ? paper.authors.join(", ") : null}>
      ${some.join(", ")}${rest > 0 ? ` ${M.authorsMore(rest)}` : ""}${some.length ? " · " : ""}<span class="year">${paper.year ?? M.noYear}</span>${paper.venue ? html` · <span class="venue">${paper.venue}</span>` : ""}
    </p>
  `;
}

function Sure({ p }) {
  const level = p == null ? 0 : Math.max(0.02, p);
  return html`<div class="sure">
    <svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="6" rx="3" /><rect class="fill" width=${level * 100} height="6" rx="3" /></svg>
    <span class="words">${M.sure(p)}</span> <span class="percent">${M.percent(p)}</span>
  </div>`;
}

function Why({ paper }) {
  if (!paper.reasons) return null;
  return html`<ul class="why" aria-label=${M.why}>
    ${paper.reasons.length ? paper.reasons.map(({ kind, text }) => html`<li class=${`reason-${kind}`}>${text}</li>`) : html`<li>${M.noReasons}</li>`}
  </ul>`;
}

function PassageOf({ paper }) {
  const passage = paper.passages?.[0];
  if (!passage) return null;
  return html`<figure class="passage">
    <blockquote>${passage.before && html`<span class="around">${passage.before} </span>`}<span class="hit">${passage.text}</span>${passage.after && html`<span class="around"> ${passage.after}</span>`}</blockquote>
    <figcaption>${[M.passage, passage.section].filter(Boolean).join(" · ")}</figcaption>
  </figure>`;
}

const origin = (paper) =>
  paper.own ? M.origins.own : paper.in_bibliography ? M.origins.bibliography : M.origins.library(paper.library || "");

function More({ paper }) {
  const [open, setOpen] = useState(false);
  const links = linksOf(paper);
  return html`<div class="about">
    ${"in_bibliography" in paper && html`<span class="origin">${M.origin} ${origin(paper)}${paper.key ? html` · <code>${paper.key}</code>` : ""}</span>`}
    ${links.map(([what, href]) => html`<a href=${href} target="_blank" rel="noopener noreferrer" aria-label=${M.linkNew(what, paper.title)}>${what}</a>`)}
    <details class="abstract" open=${open} onToggle=${(event) => setOpen(event.currentTarget.open)}>
      <summary>${M.abstract}</summary>
      ${open && html`<p>${paper.abstract || M.noAbstract}</p>`}
    </details>
  </div>`;
}

/** Links that the author may follow; nothing is fetched from them. */
function linksOf({ doi, url }) {
  const links = [];
  const arxiv = `${doi || ""} ${url || ""}`.match(/arxiv[./:](?:org\/(?:abs|pdf)\/)?(\d{4}\.\d{4,5}|[a-z-]+\/\d{7})/i);
  if (doi && /^10\.\d{4,}\//.test(doi)) links.push([M.doi, `https://doi.org/${encodeURI(doi)}`]);
  if (arxiv) links.push([M.arxiv, `https://arxiv.org/abs/${arxiv[1]}`]);
  else if (/^https?:\/\//i.test(url || "")) links.push([M.web, url]);
  return links;
}

// What the search found --------------------------------------------------------------------------------------

function Found() {
  const { q, busy, result, problem } = state.search;
  const mark = currentMark();
  const total = result?.fitting ?? result?.papers.length ?? 0;
  return html`
    <header class="place-head">
      <div class="place-line">
        <h2 class="place-name" id="place-name" tabindex="-1">${result ? (result.papers.length ? M.found(q, Math.max(total, result.papers.length)) : M.foundNone(q)) : M.asking}</h2>
        <button type="button" class="quiet" onClick=${closeSearch}>${M.closeSearch}</button>
      </div>
      ${result?.corrected && result.corrected !== q && result.corrected !== result.text && html`<p class="where">${M.corrected(result.corrected)}</p>`}
    </header>
    ${problem && html`<${Fault} problem=${problem} />`}
    <ol class=${`suggestions ${busy ? "busy" : ""}`} aria-label=${M.find}>
      ${result?.papers.map((paper) => html`<${FoundPaper} key=${paper.id} paper=${paper} mark=${mark} />`)}
    </ol>
    ${result && result.papers.length < total && html`<button type="button" class="more" onClick=${() => find(q, result.papers.length)}>${M.more}</button>`}
  `;
}

function FoundPaper({ paper, mark }) {
  const chosen = mark?.chosen?.includes(paper.id);
  return html`<li class=${`suggestion ${chosen ? "chosen" : ""}`} tabindex="-1" data-paper=${paper.id}>
    <${Title} paper=${paper} />
    <${More} paper=${paper} />
    <div class="act">
      ${mark && mark.kind !== "remark" && html`<${Accept} paper=${paper} chosen=${!!chosen} />`}
      <${Keep} paper=${paper} />
    </div>
  </li>`;
}

