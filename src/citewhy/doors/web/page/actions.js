// What the author does on the page, and what the server tells: all changes of the state.

import { Problem, call, events, request, save } from "./api.js";
import { M } from "./messages.js";
import { modelOf } from "./model.js";
import { keep, say, set, state } from "./store.js";

/** Shows a fault as the server's sentence. A missing key asks for it. */
export function failed(error) {
  if (error.name === "AbortError") return;
  if (!(error instanceof Problem)) console.error(error);
  if (error.status === 401) set({ dialog: "token" });
  else set({ notice: { text: error.status === 0 ? M.offline : error.message || M.fault, hint: error.hint, bad: true } });
}

const guarded =
  (action) =>
  async (...given) => {
    try {
      return await action(...given);
    } catch (error) {
      failed(error);
    }
  };

const at = (path = "") => `/drafts/${encodeURIComponent(state.model.id)}${path}`;

// Opening ----------------------------------------------------------------------------------------------------

export const listDrafts = guarded(async () => set({ drafts: await call("/drafts") }));

export const loadLibrary = guarded(async () => set({ library: await call("/library") }));

export const openPath = guarded(async (path) => opened(await call("/drafts", { method: "POST", json: { path } }), path));

export const openText = guarded(async (name, text) => opened(await call("/drafts", { method: "POST", json: { files: { [name]: text } } }), name));

export const openFiles = guarded(async (files) => {
  const body = new FormData();
  for (const [name, file] of files) body.append("file", file, name);
  set({ notice: { text: M.opening(files[0][0]) } });
  opened(await call("/drafts", { method: "POST", body }), files[0][0]);
});

/** Opens again the draft that was open before a reload or a restart of the server. */
export async function reopen({ id, path }) {
  try {
    follow(await call(`/drafts/${encodeURIComponent(id)}`));
  } catch (error) {
    if (error.status !== 404) failed(error);
    else if (path) {
      try {
        follow(await call("/drafts", { method: "POST", json: { path } }));
      } catch (again) {
        failed(again);
        set({ dialog: "open" });
      }
    } else {
      set({ notice: { text: M.gone, bad: true }, dialog: "open", draft: null });
      listDrafts();
    }
  }
}

/** Opens the draft that the server was started with. */
export const begin = guarded(async (id) => opened(await call(`/drafts/${encodeURIComponent(id)}`), M.draft));

function opened(draft, name) {
  set({ current: null, at: null, question: {}, asked: new Map(), answers: new Map(), file: null, filters: {}, scroll: {}, kept: [], unselected: [], pictures: {}, view: "draft", pane: "draft", dialog: null, edit: null, search: null });
  set({ notice: null });
  follow(draft);
  say(M.opened(name));
  const first = state.model.order.find((mark) => mark.kind === "open");
  if (first) goTo(first.id, { show: false });
}

// Following --------------------------------------------------------------------------------------------------

let following = null;

function follow(draft) {
  set({ busy: true });
  show(draft);
  following?.abort();
  following = new AbortController();
  listen(draft.id, following.signal);
}

function show(draft) {
  const model = modelOf(draft);
  const name = draft.path || draft.root || M.untitled;
  const file = model.byName.has(state.file) ? state.file : (model.files.find((one) => one.name === draft.root) || model.files[0])?.name;
  const answers = new Map([...state.answers].filter(([id]) => model.marks.has(id)));
  const current = model.marks.has(state.current) ? state.current : inItsPlace(model);
  model.papers = { ...papersKnown(), ...model.papers };
  set({ model, file, answers, current, draft: { id: draft.id, path: draft.path, name }, edit: state.dialog === "preview" ? state.edit : null });
  document.title = `${name} – ${M.name}`;
  keep();
}

/** The papers that the page has seen, by id. */
function papersKnown() {
  const seen = [...state.answers.values()].flatMap(({ suggestions }) => suggestions);
  return Object.fromEntries([...Object.values(state.model?.papers || {}), ...state.kept, ...seen].map((paper) => [paper.id, paper]));
}

/** Asks for accepted and rejected papers that the page has not seen since it was loaded. */
export async function learnPapers() {
  const { model, busy } = state;
  if (!model || busy) return;
  const seen = papersKnown();
  const wanted = model.order.flatMap((mark) => [...mark.chosen, ...mark.rejected]);
  for (const id of new Set(wanted)) {
    if (model.papers[id] || learnPapers.asked.has(id)) continue;
    learnPapers.asked.add(id);
    const paper = seen[id] || (await call(`/papers/${encodeURIComponent(id)}`).catch(() => null));
    if (paper) set({ model: { ...state.model, papers: { ...state.model.papers, [id]: paper } } });
  }
}
learnPapers.asked = new Set();

/** The place after the current one, which the draft has no longer. */
function inItsPlace(model) {
  const order = state.model?.id === model.id ? state.model.order : [];
  const gone = order.findIndex(({ id }) => id === state.current);
  return gone < 0 ? null : (order.slice(gone).find(({ id }) => model.marks.has(id))?.id ?? null);
}

/** Reads the draft's events as long as it is open, and begins again when the server comes back. */
async function listen(id, signal) {
  for (let wait = 500; !signal.aborted; wait = Math.min(wait * 2, 8000)) {
    try {
      for await (const { event, data } of events(`/drafts/${encodeURIComponent(id)}/events?k=10`, signal)) {
        wait = 500;
        if (!state.online) set({ online: true, notice: null });
        if (event === "state") changed(data);
        else if (event === "answer") answered(data);
        else if (event === "done") set({ busy: false });
        else if (event === "problem") set({ notice: { text: data.detail || data.title, hint: data.hint, bad: true }, busy: false });
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error.status === 404) return reopen(state.draft);
      if (error.status === 401) return failed(error);
    }
    if (signal.aborted) return;
    if (!navigator.onLine || state.online) set({ online: false });
    await new Promise((go) => setTimeout(go, wait));
  }
}

/** A state of the draft: a new one, or the same with more that is known of it. */
function changed(draft) {
  const before = state.model;
  if (draft.id !== before?.id) return;
  set({ busy: true });
  if (draft.claims === null && draft.revision === before.revision) return;
  show(draft.claims === null ? { ...draft, claims: before.claims } : draft);
  if (draft.revision === before.revision) return;
  set({ asked: new Map(), pictures: {} });
  if ( draft.files.some((file) => before.byName.get(file.name)?.text !== file.text)) say(M.changed);
  if (state.dialog === "preview") preview();
}

function answered(answer) {
  if (answer.id) set({ answers: new Map(state.answers).set(answer.id, answer) });
}

// Places -----------------------------------------------------------------------------------------------------

export const currentMark = () => state.model?.marks.get(state.current) || null;

/** The marks that the text shows, in its order. */
const shown = () => state.model.order.filter((mark) => state.kinds[mark.kind]);

export function goTo(id, { show = true, focus = false } = {}) {
  const mark = state.model?.marks.get(id);
  if (!mark) return;
  set({ current: id, at: null, file: mark.file, view: "draft", search: null, scrollTo: { file: mark.file, offset: mark.start, focus } });
  if (show) set({ pane: matchMedia("(max-width: 759px)").matches ? "suggestions" : state.pane });
  keep();
}

export function goToOffset(file, offset) {
  set({ file, view: "draft", pane: "draft", scrollTo: { file, offset } });
  keep();
}

/** Goes to a sentence of the text that has no mark. */
export function goToSentence(file, start, end) {
  const model = state.model.byName.get(file);
  set({ current: null, file, at: { file, start, end, text: model.text.slice(start, end).replace(/\s+/g, " ") }, search: null });
  keep();
}

export function step(direction, { open = false, focus = false } = {}) {
  if (!state.model) return;
  const marks = shown();
  const from = marks.findIndex(({ id }) => id === state.current);
  const fits = (mark) => !open || (!mark.settled && !mark.chosen.length && mark.kind !== "remark");
  let next = -1;
  if (from >= 0) {
    for (let index = from + direction; index >= 0 && index < marks.length; index += direction) {
      if (fits(marks[index])) {
        next = index;
        break;
      }
    }
  } else {
    const here = state.at || { file: state.file, start: 0 };
    const order = (mark) => state.model.byName.get(mark.file).index - state.model.byName.get(here.file).index || mark.start - here.start;
    next = direction > 0 ? marks.findIndex((mark) => fits(mark) && order(mark) >= 0) : marks.findLastIndex((mark) => fits(mark) && order(mark) < 0);
  }
  if (next < 0) return say(direction > 0 ? M.said.end : M.said.start);
  const pane = state.pane;
  goTo(marks[next].id, { show: pane === "suggestions", focus });
  const mark = marks[next];
  say(`${nameOf(mark)}. ${mark.sentence?.text || mark.remarks.join(" ")}`);
}

export function nameOf(mark) {
  const { model } = state;
  const done = mark.settled ? M.state.settled : mark.chosen?.length ? M.state.chosen(mark.chosen.length) : "";
  const kind = mark.sub === "undefined" ? M.kind.undefined : M.kind[mark.kind];
  return M.markName(kind, model.numbers.get(mark.id), model.totals[mark.kind], done);
}

// Suggestions ------------------------------------------------------------------------------------------------

const FEW = 30;
const MANY = 100;

/** What the author asks for the current place beyond its own sentence; null if nothing. */
export function wishOf(mark) {
  const key = mark ? mark.id : "at";
  const { only, intent, from, to, venue, author } = state.filters;
  const text = state.question[key] || "";
  const wish = { k: state.amount[key] || FEW };
  if (text) wish.text = text;
  if (only && only !== "all") wish.only = only;
  if (intent) wish.intent = intent;
  if (from || to || venue || author) wish.k = MANY; // these are filtered here
  if (Object.keys(wish).length === 1 && wish.k === FEW && mark && !state.amount[key]) return null;
  if (mark) return { place: mark.id, ...wish };
  const file = state.model.byName.get(state.at.file);
  return { at: { file: state.at.file, offset: file.points.points(state.at.start) }, ...wish };
}

/** The answer for the current place: a PlaceAnswer, a Problem, "waiting", or null. */
export function currentAnswer() {
  const mark = currentMark();
  if (!mark && !state.at) return null;
  if (mark?.kind === "remark") return null;
  const wish = wishOf(mark);
  if (!wish) return state.answers.get(mark.id) || (state.busy ? "waiting" : null);
  return state.asked.get(JSON.stringify(wish)) || "waiting";
}

/** Asks what is wished and not known yet. */
export async function askNow() {
  const mark = currentMark();
  if ((!mark && !state.at) || mark?.kind === "remark") return;
  const wish = wishOf(mark) || (state.busy || state.answers.has(mark.id) ? null : { place: mark.id });
  if (!wish) return;
  const name = JSON.stringify(wish);
  if (state.asked.has(name)) return;
  const put = (value) => set({ asked: new Map(state.asked).set(name, value) });
  state.asked.set(name, "waiting");
  try {
    const answer = await (mark ? call(at("/suggest"), { method: "POST", json: wish }) : askSentence(wish));
    put(answer);
    if (!wishOf(mark)) answered(answer);
  } catch (error) {
    put(error);
    failed(error);
  }
}

/** The papers for a sentence of the text that has no mark. */
async function askSentence({ at: where, ...wish }) {
  try {
    return await call(at("/suggest"), { method: "POST", json: { at: where, ...wish } });
  } catch (error) {
    if (error.status !== 404) throw error;
    return call("/suggest", { method: "POST", json: { text: state.at.text, ...wish } });
  }
}

/** The suggestions of an answer that the filters leave. */
export function filtered(suggestions, mark) {
  const { only, from, to, venue, author } = state.filters;
  const has = (text, part) => text.toLocaleLowerCase().includes(part.trim().toLocaleLowerCase());
  return suggestions.filter(
    (paper) =>
      !mark?.rejected?.includes(paper.id) &&
      (!from || (paper.year ?? -1) >= Number(from)) &&
      (!to || (paper.year ?? 1e4) <= Number(to)) &&
      (!venue || has(paper.venue || "", venue)) &&
      (!author || paper.authors.some((name) => has(name, author))) &&
      (!only || only === "all" || (only === "mine") === paper.in_bibliography),
  );
}

export function filter(patch) {
  set({ filters: Object.fromEntries(Object.entries({ ...state.filters, ...patch }).filter(([, value]) => value && value !== "all")) });
  keep();
}

/** Puts what the server answered for a place into the model, at once. */
function replaced(id, patch, papers = {}) {
  const { model } = state;
  const marks = new Map(model.marks);
  marks.set(id, { ...marks.get(id), ...patch });
  const order = model.order.map((mark) => marks.get(mark.id));
  set({ model: { ...model, marks, order, papers: { ...model.papers, ...papers } } });
}

async function choose(mark, body, papers) {
  const { chosen, rejected, settled } = mark;
  replaced(mark.id, "settled" in body ? { settled: body.settled } : { chosen: body.papers, settled: false }, papers);
  try {
    await call(at("/choose"), { method: "POST", json: { place: mark.id, ...body } });
  } catch (error) {
    replaced(mark.id, { chosen, rejected, settled });
    failed(error);
    return;
  }
  if (body.papers) await askBeside(mark.id).catch(failed);
}

/** Beside what is accepted for a place, the papers that go with it are the other suggestions; what is accepted
 * stays where it stands. */
async function askBeside(id) {
  const before = state.answers.get(id);
  if (!before?.suggestions) return;
  const answer = await call(at("/suggest"), { method: "POST", json: { place: id } });
  const accepted = state.model?.marks.get(id)?.chosen;
  if (!accepted || state.answers.get(id) !== before) return;
  const others = answer.suggestions.filter((paper) => !accepted.includes(paper.id));
  const kept = before.suggestions.map((paper) => (accepted.includes(paper.id) ? paper : others.shift()));
  answered({ ...answer, suggestions: [...kept.filter(Boolean), ...others] });
}

/** Accepts a paper for the current place, or takes it back. */
export async function toggle(paper, mark = currentMark()) {
  if (!mark || mark.kind === "remark") return keepPaper(paper);
  const has = mark.chosen.includes(paper.id);
  say(has ? M.said.takenBack(paper.title) : M.said.accepted(paper.title));
  await choose(mark, { papers: has ? mark.chosen.filter((id) => id !== paper.id) : [...mark.chosen, paper.id] }, { [paper.id]: paper });
}

export async function settle(mark = currentMark()) {
  if (!mark || mark.kind === "remark") return;
  say(mark.settled ? M.said.unsettled : M.said.settled);
  await choose(mark, { settled: !mark.settled });
}

export async function reject(paper, { back = false } = {}, mark = currentMark()) {
  if (!mark) return;
  const rejected = back ? mark.rejected.filter((id) => id !== paper.id) : [...mark.rejected, paper.id];
  const before = { rejected: mark.rejected, chosen: mark.chosen };
  if (!back) say(M.said.rejected(paper.title));
  replaced(mark.id, { rejected, chosen: mark.chosen.filter((id) => back || id !== paper.id) }, { [paper.id]: paper });
  try {
    await call(at("/reject"), { method: back ? "DELETE" : "POST", json: { place: mark.id, paper: paper.id } });
  } catch (error) {
    replaced(mark.id, before);
    failed(error);
  }
}

// Finding and keeping ----------------------------------------------------------------------------------------

let finding = null;

export async function find(q, offset = 0) {
  finding?.abort();
  if (!q.trim()) return set({ search: null });
  finding = new AbortController();
  const before = offset ? state.search?.result : null;
  set({ search: { q, busy: true, result: before || state.search?.result || null }, pane: matchMedia("(max-width: 759px)").matches ? "suggestions" : state.pane, view: "draft" });
  try {
    const result = await call(`/find?q=${encodeURIComponent(q)}&k=20&offset=${offset}`, { signal: finding.signal });
    if (before) result.papers = [...before.papers, ...result.papers];
    set({ search: { q, busy: false, result } });
    say(M.found(q, result.fitting ?? result.papers.length));
  } catch (error) {
    if (error.name === "AbortError") return;
    set({ search: { q, busy: false, result: null, problem: error } });
    if (error.status === 401) failed(error);
  }
}

export function closeSearch() {
  finding?.abort();
  set({ search: null });
}

export function keepPaper(paper) {
  const has = state.kept.some(({ id }) => id === paper.id);
  set({ kept: has ? state.kept.filter(({ id }) => id !== paper.id) : [...state.kept, paper] });
  keep();
}

export function select(id) {
  const has = state.unselected.includes(id);
  set({ unselected: has ? state.unselected.filter((one) => one !== id) : [...state.unselected, id] });
  keep();
}

export const exportAs = guarded(async (format, ids) => {
  const papers = ids.map(encodeURIComponent).join(",");
  await save(await request(at(`/export?format=${format}&papers=${papers}`), { accept: "*/*" }), `citewhy.${{ bibtex: "bib", ris: "ris", csl: "json" }[format]}`);
  say(M.said.exported(ids.length));
});

// The edit ---------------------------------------------------------------------------------------------------

export async function preview() {
  if (!state.model) return;
  const { dialog, edit } = state;
  const problem = dialog === "preview" ? edit?.problem : undefined; // what the author has not read yet stays
  set({ dialog: "preview", edit: { busy: true, preview: edit?.preview, problem } });
  try {
    const shown = await call(at("/edit"));
    set({ edit: { preview: shown, problem: state.edit?.problem } }); // also one that came meanwhile
  } catch (error) {
    set({ edit: { problem: error } });
  }
}

export async function write() {
  const { preview } = state.edit || {};
  if (!preview?.files.length || state.edit.busy) return;
  set({ edit: { ...state.edit, busy: true } });
  try {
    const edit = await call(at("/edit"), { method: "POST", json: { revision: preview.revision } });
    const written = edit.files.map(({ file }) => file);
    set({ dialog: null, edit: null, notice: { text: written.length ? M.written(written) : M.nothingWritten, undo: true } });
    say(M.written(written));
    await refresh();
  } catch (error) {
    set({ edit: { preview, problem: error } });
  }
}

export const undo = guarded(async () => {
  const { restored } = await call(at("/edit"), { method: "DELETE" });
  set({ notice: { text: M.restored(restored) } });
  say(M.restored(restored));
  await refresh();
});

export const download = guarded(async () => {
  await save(await request(at("/download"), { accept: "*/*" }), "draft.zip");
});

async function refresh() {
  const draft = await call(at());
  show(draft.claims === null ? { ...draft, claims: state.model.claims } : draft);
}

// Pictures ---------------------------------------------------------------------------------------------------

export async function loadPicture(name) {
  if (state.pictures[name]) return;
  set({ pictures: { ...state.pictures, [name]: "waiting" } });
  const put = (value) => set({ pictures: { ...state.pictures, [name]: value } });
  try {
    put(await call(name === "shape" ? "/library/shape" : at(`/picture/${name}`)));
  } catch (error) {
    put(error);
    if (error.status === 401) failed(error);
  }
}
