// A draft as the page shows it: its files, and the marks on them in the order in which they are read.

import { Points } from "./points.js";

/** What the server tells of a draft, with offsets as JavaScript counts. */
export function modelOf(draft) {
  const files = draft.files.map((file) => ({ ...file, points: new Points(file.text) }));
  const byName = new Map(files.map((file, index) => [file.name, { ...file, index }]));
  const converted = (place) => {
    const file = byName.get(place.file);
    if (!file) return null;
    const of = ({ start, end }) => ({ start: file.points.units(start), end: file.points.units(end) });
    return { ...place, ...of(place), sentence: place.sentence && { ...place.sentence, ...of(place.sentence) } };
  };

  const places = draft.places.map(converted).filter(Boolean).map((place) => ({ ...place, kind: "open", sub: place.kind, remarks: [] }));
  const claims = (draft.claims || [])
    .map(converted)
    .filter(Boolean)
    .map((claim) => ({
      chosen: [],
      rejected: [],
      settled: false,
      ...claim,
      reasons: claim.reasons.map((reason) => reason.text || reason),
      kind: "claim",
      sub: "claim",
      remarks: [],
      sentence: claim.sentence || { start: claim.start, end: claim.end, text: claim.text },
    }));
  const remarks = [];
  const general = []; // remarks without a place in the text
  for (const given of draft.remarks || []) {
    const remark = given.start == null ? lineOf(given, byName) : converted(given);
    if (!remark) {
      general.push([given.file, given.line && `line ${given.line}`, given.text].filter(Boolean).join(": "));
      continue;
    }
    const on = places.find(({ file, start, end }) => file === remark.file && start < remark.end && remark.start < end);
    if (on) on.remarks.push(remark.text);
    else {
      remarks.push({ id: `remark ${remark.file} ${remark.line} ${remark.kind}`, ...remark, kind: "remark", sub: remark.kind, remarks: [remark.text], chosen: [], rejected: [] });
    }
  }

  const order = [...places, ...claims, ...remarks].sort(
    (one, other) => byName.get(one.file).index - byName.get(other.file).index || one.start - other.start,
  );
  const marks = new Map(order.map((mark) => [mark.id, mark]));
  const counts = { open: places.length, claim: claims.length, remark: remarks.length + places.filter((place) => place.remarks.length).length };
  const numbers = new Map();
  for (const kind of ["open", "claim", "remark"]) {
    order.filter((mark) => mark.kind === kind).forEach((mark, index) => numbers.set(mark.id, index + 1));
  }
  const papers = draft.papers || {};
  return { ...draft, dropped: draft.path == null, general, files, byName, order, marks, counts, numbers, papers, totals: { open: places.length, claim: claims.length, remark: remarks.length } };
}

/** A remark on a line, as one on a stretch of it. */
function lineOf(remark, byName) {
  const file = byName.get(remark.file);
  if (!file || !remark.line) return null;
  let start = 0;
  for (let line = 1; line < remark.line; line++) start = file.text.indexOf("\n", start) + 1;
  const end = file.text.indexOf("\n", start);
  const line = file.text.slice(start, end < 0 ? undefined : end);
  if (!line.trim()) return null;
  return { ...remark, start: start + line.search(/\S/), end: start + line.trimEnd().length };
}

/** The marks of a file, those first that win where two overlap. */
export function marksOf(model, name, kinds) {
  const rank = { open: 0, remark: 1, claim: 2 };
  return model.order.filter((mark) => mark.file === name && kinds[mark.kind]).sort((one, other) => rank[one.kind] - rank[other.kind]);
}

/** All papers that the author has accepted: [{paper, mark}], in the order of the text. */
export function collectedOf(model) {
  if (!model) return [];
  return model.order.flatMap((mark) =>
    (mark.chosen || []).map((id) => ({ mark, paper: model.papers[id] || { id, title: id, authors: [], year: null, venue: "", unknown: true } })),
  );
}

/** "Vaswani and Shazeer 2017": a paper in a few words. */
export function shortName(paper) {
  const family = (name) => (name.includes(",") ? name.split(",")[0] : name.trim().split(/\s+/).at(-1) || "");
  const [first, second, ...more] = (paper.authors || []).map(family);
  const names = !first ? paper.title.slice(0, 24) : more.length ? `${first} et al.` : second ? `${first} & ${second}` : first;
  return `${names}${paper.year ? ` ${paper.year}` : ""}`;
}
