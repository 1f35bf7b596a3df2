// The keyboard: single keys, which the list under ? explains and can switch off.

import { closeSearch, currentMark, preview, reject, settle, step, toggle, undo, write, currentAnswer, filtered, listDrafts } from "./actions.js";
import { set, state } from "./store.js";
import { stepSentence } from "./text.js";

const typing = (element) => element.matches?.("input:not([type=checkbox]), textarea, select, [contenteditable]");

const focused = () => document.activeElement?.closest?.(".suggestion");

/** The paper of the suggestion in focus. */
function paperInFocus() {
  const id = focused()?.dataset.paper;
  if (!id) return null;
  const answer = currentAnswer();
  return [...(state.search?.result?.papers || []), ...(answer?.suggestions || []), ...Object.values(state.model?.papers || {})].find((paper) => paper.id === id) || null;
}

function moveSuggestion(direction) {
  const all = [...document.querySelectorAll(".suggestion")];
  const at = all.indexOf(focused());
  const next = all[at < 0 ? 0 : at + direction];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function toRegion(pane, selector) {
  set({ pane, view: pane === "draft" ? "draft" : state.view, sidebar: pane === "outline" ? true : state.sidebar });
  setTimeout(() => document.querySelector(selector)?.focus(), 30);
}

const actions = {
  n: () => step(1, { focus: !!document.activeElement?.closest?.(".text") }),
  p: () => step(-1, { focus: !!document.activeElement?.closest?.(".text") }),
  N: () => step(1, { open: true, focus: !!document.activeElement?.closest?.(".text") }),
  "]": () => stepSentence(1),
  "[": () => stepSentence(-1),
  j: () => moveSuggestion(1),
  k: () => moveSuggestion(-1),
  x: () => {
    const paper = paperInFocus();
    if (!paper || !currentMark()) return;
    moveSuggestion(1);
    reject(paper);
  },
  a: () => {
    const details = focused()?.querySelector(".abstract");
    if (details) details.open = !details.open;
  },
  c: () => settle(),
  e: () => document.querySelector("#ask")?.focus(),
  f: () => {
    const details = document.querySelector(".filters");
    if (!details) return;
    details.open = true;
    details.querySelector("input")?.focus();
  },
  "/": () => document.querySelector("#find")?.focus(),
  v: () => state.model && preview(),
  u: () => state.model?.undoable && undo(),
  g: () => set({ view: state.view === "pictures" ? "draft" : "pictures", pane: "draft" }),
  o: () => {
    listDrafts();
    set({ dialog: "open" });
  },
  t: () => toRegion("outline", ".files button[aria-current]"),
  d: () => toRegion("draft", ".mark.current[tabindex], .text"),
  s: () => toRegion("suggestions", "#place-name"),
  "?": () => set({ dialog: "help" }),
};

export function onKey(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const { target, key } = event;
  if (state.dialog) {
    if (key === "w" && state.dialog === "preview" && state.keys) write();
    return;
  }
  if (key === "Escape") {
    if (typing(target)) target.blur();
    else if (state.search) closeSearch();
    else if (state.notice) set({ notice: null });
    return;
  }
  if (typing(target) || !state.keys) return;
  if (key === "Enter" && target.matches?.(".suggestion")) {
    const paper = paperInFocus();
    if (paper) toggle(paper);
    event.preventDefault();
    return;
  }
  if (/^[1-9]$/.test(key) && !state.search) {
    const answer = currentAnswer();
    const mark = currentMark();
    const paper = answer?.suggestions && filtered(answer.suggestions, mark)[Number(key) - 1];
    if (paper) toggle(paper, mark);
    return;
  }
  if (Object.hasOwn(actions, key)) {
    event.preventDefault();
    actions[key]();
  }
}
