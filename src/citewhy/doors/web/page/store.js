// What the page knows, who wants to hear of changes, and what of it a reload keeps.

const KEPT = "citewhy.state";

/** Settings and the place in the work, which survive a reload. */
const lasting = {
  draft: null, // {id, path, name}
  file: null,
  current: null, // id of a mark
  at: null, // a sentence without a mark: {file, start, end}, in UTF-16 units
  view: "draft", // or "pictures"
  pane: "draft", // the region that a narrow window shows: outline, draft, suggestions
  sidebar: true,
  filters: {},
  kinds: { open: true, claim: true, remark: true },
  kept: [], // papers of the search that were kept
  unselected: [], // ids of collected papers that are not exported
  theme: "auto",
  size: 100,
  keys: true,
  scroll: {}, // file → scrolled to
};

export const state = {
  ...lasting,
  model: null,
  answers: new Map(), // id of a mark → its suggestions
  asked: new Map(), // a question of the author's own → its answer, "waiting" or a Problem
  question: {}, // id of a mark → another question for it
  amount: {}, // id of a mark → how many suggestions are asked for
  busy: false,
  online: true,
  search: null, // {q, busy, result, problem}
  dialog: null, // open, preview, help, token
  drafts: null,
  edit: null, // {busy, preview, problem}
  pictures: {},
  library: null,
  notice: null, // {text, hint, action}
  said: "",
  dragging: false,
};

const listeners = new Set();
let waiting = false;

export function onChange(listener) {
  listeners.add(listener);
}

/** Changes the state; those who listen hear of it once, soon. */
export function set(patch) {
  Object.assign(state, patch);
  if (waiting) return;
  waiting = true;
  const tell = () => {
    waiting = false;
    for (const listener of listeners) listener();
  };
  if (document.visibilityState === "visible") requestAnimationFrame(tell);
  else setTimeout(tell);
}

/** Tells a screen reader. The same sentence twice is said twice. */
export function say(text) {
  set({ said: state.said === text ? `${text}\u00a0` : text });
}

export function keep() {
  const kept = Object.fromEntries(Object.keys(lasting).map((name) => [name, state[name]]));
  localStorage.setItem(KEPT, JSON.stringify(kept));
}

export function restore() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) || "{}");
    for (const name of Object.keys(lasting)) if (name in kept) state[name] = kept[name];
  } catch {
    localStorage.removeItem(KEPT);
  }
}
