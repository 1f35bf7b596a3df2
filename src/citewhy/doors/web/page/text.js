// The middle region: the text of one file, with its marks.

import { goTo, goToSentence, nameOf } from "./actions.js";
import { M } from "./messages.js";
import { marksOf } from "./model.js";
import { blocksOf, looksOf, sentenceAt, sentencesOf, stretches } from "./render.js";
import { keep, set, state } from "./store.js";
import { h, html, useEffect, useLayoutEffect, useMemo, useRef } from "./vendor/preact.js";

const names = { heading: "heading", code: "code", preamble: "code preamble", comment: "comment", item: "item", directive: "directive", text: "" };

/** Blocks with keys that stay the same when the text around them changes. */
function keyed(text, name) {
  const seen = new Map();
  return blocksOf(text, name).map((block) => {
    const content = text.slice(block.start, block.end);
    const nth = seen.get(content) || 0;
    seen.set(content, nth + 1);
    return { ...block, content, key: `${nth} ${content}`, looks: looksOf(text, block, name).map((look) => ({ ...look, start: look.start - block.start, end: look.end - block.start })) };
  });
}

/** One block as elements: its looks within its marks. All offsets are within the block. */
function drawn(block, pieces, current) {
  const out = [];
  const looked = (from, to) => {
    const parts = [];
    let at = from;
    for (const { start, end, look } of block.looks) {
      if (end <= at || start >= to) continue;
      const [first, last] = [Math.max(start, at), Math.min(end, to)];
      if (first > at) parts.push(block.content.slice(at, first));
      parts.push(h("span", { class: `look-${look}` }, block.content.slice(first, last)));
      at = last;
    }
    if (at < to) parts.push(block.content.slice(at, to));
    return parts;
  };
  let at = 0;
  for (const { start, end, mark, first, here } of pieces) {
    if (start > at) out.push(...looked(at, start));
    const done = mark ? mark.settled || mark.chosen.length > 0 : false;
    const classes = [mark && `mark ${mark.kind}`, mark?.remarks.length && mark.kind !== "remark" && "remarked", done && "done", mark?.id === current && "current", here && "here"];
    out.push(
      h(
        "span",
        {
          class: classes.filter(Boolean).join(" "),
          ...(mark && { "data-mark": mark.id }),
          ...(mark && first && { role: "button", tabindex: mark.id === current ? 0 : -1, "aria-label": `${nameOf(mark)}: ${block.content.slice(start, end)}`, "aria-current": mark.id === current ? "true" : null }),
          ...(mark?.chosen.length && end === mark.end - block.start && { "data-chosen": mark.chosen.length }),
        },
        looked(start, end),
      ),
    );
    at = end;
  }
  if (at < block.content.length) out.push(...looked(at, block.content.length));
  return out;
}

/** The stretches within a block, with the sentence in focus where no mark is. */
function within(block, all, here) {
  const pieces = [];
  for (const piece of all) {
    if (piece.end <= block.start || piece.start >= block.end) continue;
    pieces.push({ ...piece, start: Math.max(piece.start, block.start) - block.start, end: Math.min(piece.end, block.end) - block.start });
  }
  if (!here || here.end <= block.start || here.start >= block.end) return pieces;
  const [from, to] = [Math.max(here.start, block.start) - block.start, Math.min(here.end, block.end) - block.start];
  const out = [];
  let at = from;
  for (const piece of pieces) {
    if (piece.end <= from || piece.start >= to) {
      out.push(piece);
      continue;
    }
    if (piece.start > at) out.push({ start: at, end: piece.start, here: true });
    out.push({ ...piece, here: true });
    at = piece.end;
  }
  if (at < to) out.push({ start: at, end: to, here: true });
  return out.sort((one, other) => one.start - other.start);
}

/** The stretch of the text that the suggestions are for. */
function hereOf() {
  if (state.at) return state.at;
  const mark = state.model.marks.get(state.current);
  return mark?.kind === "open" && mark.sentence ? { file: mark.file, ...mark.sentence } : null;
}

export function Text() {
  const { model, file: name, kinds, current, scrollTo } = state;
  const file = model.byName.get(name);
  const scroller = useRef();
  const cache = useRef({ name: null, vnodes: new Map() });
  const blocks = useMemo(() => keyed(file.text, name), [file.text, name]);
  const all = useMemo(() => stretches(marksOf(model, name, kinds)), [model, name, kinds]);
  const here = hereOf();
  const anchor = useAnchor(scroller, name);

  if (cache.current.name !== name) cache.current = { name, vnodes: new Map() };
  const before = cache.current.vnodes;
  const vnodes = new Map();
  const children = blocks.map((block) => {
    const pieces = within(block, all, here?.file === name ? here : null);
    const sign = `${block.start}|${pieces.map(({ start, end, mark, here }) => `${start},${end},${mark ? `${nameOf(mark)}${mark.kind}${mark.remarks.length}${mark.chosen.length}${mark.id === current}` : ""}${here}`).join(";")}`;
    const known = before.get(block.key);
    const vnode =
      known?.sign === sign
        ? known.vnode
        : h(
            block.kind === "heading" ? `h${Math.min(block.level + 2, 6)}` : "div",
            { key: block.key, class: `block ${names[block.kind]}`, "data-start": block.start },
            drawn(block, pieces, current),
          );
    vnodes.set(block.key, { sign, vnode });
    return vnode;
  });
  cache.current.vnodes = vnodes;

  useLayoutEffect(() => anchor.restore());
  useEffect(() => {
    if (!scrollTo || scrollTo.file !== name) return;
    state.scrollTo = null;
    show(scroller.current, scrollTo);
  }, [scrollTo, name]);

  return html`<div
    class="text"
    id="text"
    ref=${scroller}
    tabindex="0"
    role="document"
    aria-label=${`${M.draft}: ${name}`}
    onClick=${(event) => clicked(event, scroller.current, blocks)}
    onKeyDown=${pressed}
    onScroll=${anchor.note}
  >
    <article class="paper" lang="">${children}</article>
  </div>`;
}

/** Keeps what is at the top of the region where it is when the text changes, and where a reload finds it. */
function useAnchor(scroller, name) {
  const top = useRef({ element: null, at: 0, name: null });
  const timer = useRef(0);
  const note = () => {
    const box = scroller.current;
    const edge = box.getBoundingClientRect().top;
    const probe = document.elementFromPoint(box.getBoundingClientRect().left + box.clientWidth / 2, edge + 12)?.closest(".block");
    top.current = { element: probe, at: probe ? probe.getBoundingClientRect().top - edge : 0, name };
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      const first = probe?.dataset.start;
      if (first) {
        state.scroll = { ...state.scroll, [name]: box.scrollTop };
        keep();
      }
    }, 300);
  };
  useLayoutEffect(() => {
    scroller.current.scrollTop = state.scroll[name] || 0;
    note();
  }, [name]);
  const restore = () => {
    const { element, at, name: noted } = top.current;
    if (noted !== name || !element?.isConnected) return;
    const box = scroller.current;
    const moved = element.getBoundingClientRect().top - box.getBoundingClientRect().top - at;
    if (Math.abs(moved) > 1) box.scrollTop += moved;
  };
  return { note, restore };
}

/** Scrolls to an offset, if it is not in sight. */
function show(box, { offset, focus }) {
  const blocks = [...box.querySelectorAll(".block")];
  let block = null;
  for (const one of blocks) {
    if (Number(one.dataset.start) > offset) break;
    block = one;
  }
  const target = box.querySelector(".mark.current") || box.querySelector(".here") || block;
  if (!target) return;
  const inSight = (element) => {
    const { top, bottom } = element.getBoundingClientRect();
    const edge = box.getBoundingClientRect();
    return top > edge.top + 40 && bottom < edge.bottom - 40;
  };
  const shown = target.contains(block) || block?.contains(target) ? target : block;
  if (!inSight(shown)) {
    shown.scrollIntoView({ block: "center" });
    // Blocks out of sight have a guessed height; once they are drawn, the target may have moved.
    requestAnimationFrame(() => !inSight(shown) && shown.scrollIntoView({ block: "center" }));
  }
  if (focus) (shown.matches("[tabindex]") ? shown : box).focus({ preventScroll: true });
}

function offsetAt(event, box) {
  let node, offset;
  if (document.caretPositionFromPoint) {
    const position = document.caretPositionFromPoint(event.clientX, event.clientY);
    if (!position) return null;
    [node, offset] = [position.offsetNode, position.offset];
  } else {
    const range = document.caretRangeFromPoint?.(event.clientX, event.clientY);
    if (!range) return null;
    [node, offset] = [range.startContainer, range.startOffset];
  }
  const block = (node.nodeType === Node.TEXT_NODE ? node.parentElement : node).closest?.(".block");
  if (!block || !box.contains(block)) return null;
  if (node.nodeType !== Node.TEXT_NODE) return Number(block.dataset.start);
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  let before = 0;
  for (let text = walker.nextNode(); text && text !== node; text = walker.nextNode()) before += text.length;
  return Number(block.dataset.start) + before + offset;
}

function clicked(event, box, blocks) {
  if (String(getSelection())) return;
  const marked = event.target.closest("[data-mark]");
  if (marked) return goTo(marked.dataset.mark);
  const offset = offsetAt(event, box);
  if (offset == null) return;
  const { model, file } = state;
  const near = model.order.find((mark) => mark.file === file && mark.sentence && state.kinds[mark.kind] && mark.sentence.start <= offset && offset < mark.sentence.end);
  if (near) return goTo(near.id);
  const block = blocks.find(({ start, end }) => start <= offset && offset <= end);
  if (!block || !["text", "item"].includes(block.kind)) return;
  goToSentence(file, ...sentenceAt(model.byName.get(file).text, block, offset));
  if (matchMedia("(max-width: 759px)").matches) set({ pane: "suggestions" });
}

function pressed(event) {
  if ((event.key === "Enter" || event.key === " ") && event.target.dataset.mark) {
    event.preventDefault();
    goTo(event.target.dataset.mark);
    setTimeout(() => document.querySelector("#place-name")?.focus(), 50);
  }
}

/** Goes to the next or previous sentence of the file. */
export function stepSentence(direction) {
  if (!state.model) return;
  const text = state.model.byName.get(state.file).text;
  const here = hereOf() || state.model.marks.get(state.current) || { file: state.file, start: -1, end: -1 };
  const at = here.file === state.file ? here.start : -1;
  const sentences = blocksOf(text, state.file)
    .filter(({ kind }) => kind === "text" || kind === "item")
    .flatMap((block) => sentencesOf(text, block));
  const next = direction > 0 ? sentences.find(([start]) => start > at) : sentences.findLast(([start, end]) => start < at && end <= Math.max(at, 0));
  if (!next) return;
  const [start, end] = next;
  const mark = state.model.order.find((one) => one.file === state.file && state.kinds[one.kind] && one.kind !== "remark" && one.start >= start && one.start < end);
  if (mark) goTo(mark.id, { show: false });
  else {
    goToSentence(state.file, start, end);
    set({ scrollTo: { file: state.file, offset: start } });
  }
}
