// Pictures, each with a table of the same content beside it.

import { goTo, goToOffset, loadPicture } from "./actions.js";
import { Problem } from "./api.js";
import { M } from "./messages.js";
import { shortName } from "./model.js";
import { state } from "./store.js";
import { Fault } from "./suggestions.js";
import {
  extent, forceCollide, forceSimulation, forceX, forceY, max, rollups, scaleBand, scaleLinear, scaleSqrt,
} from "./vendor/d3.js";
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./vendor/preact.js";

export function Pictures() {
  const { model, pictures } = state;
  const wanted = model ? ["years", "map", "shape"] : ["shape"];
  useEffect(() => wanted.forEach(loadPicture));
  const drawn = { years: Years, map: Map_, shape: Shape };
  return html`<div class="pictures" tabindex="0" role="region" aria-label=${M.pictures}>
    ${!model && html`<p class="pane-note">${M.picturesNone}</p>`}
    ${wanted.map((name) => html`<${Loaded} key=${name} value=${pictures[name]} drawn=${drawn[name]} />`)}
  </div>`;
}

function Loaded({ value, drawn: Drawn }) {
  if (!value || value === "waiting") return html`<div class="waiting"><div class="bone tall"></div></div>`;
  if (value instanceof Problem || value instanceof Error) return html`<${Fault} problem=${value} />`;
  return html`<${Drawn} ...${value} />`;
}

/** A picture with its title, and its table beside it. */
function Picture({ id, title, hint, legend, table, children }) {
  return html`<section class="picture" id=${`picture-${id}`} aria-labelledby=${`title-${id}`}>
    <h2 id=${`title-${id}`}>${title}</h2>
    ${hint && html`<p class="hint">${hint}</p>`}
    ${legend}
    <div class="picture-row">
      <figure>${children}</figure>
      <div class="table" tabindex="0" role="region" aria-label=${M.table(title)}>${table}</div>
    </div>
  </section>`;
}

/** How wide a picture is, in pixels: it is drawn for that width, so that its letters have the size of the page's. */
function useWidth() {
  const ref = useRef();
  const [width, setWidth] = useState(640);
  useLayoutEffect(() => {
    const measure = () => ref.current && setWidth(Math.max(240, Math.round(ref.current.clientWidth)));
    const observer = new ResizeObserver(measure);
    observer.observe(ref.current);
    measure();
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}

function Table({ heads, rows }) {
  return html`<table>
    <thead><tr>${heads.map((head, nth) => html`<th scope="col" class=${nth ? "" : "first"}>${head}</th>`)}</tr></thead>
    <tbody>${rows.map((cells) => html`<tr>${cells.map((cell, nth) => (nth ? html`<td>${cell}</td>` : html`<th scope="row">${cell}</th>`))}</tr>`)}</tbody>
  </table>`;
}

/** Where a paper of a picture is in the text, as a function that goes there; null if nowhere. */
function wayTo(item) {
  const { model } = state;
  const place = (item.places || [item.place]).find((id) => model.marks.has(id));
  if (place) return () => goTo(place);
  const { file: name, line } = item.lines?.[0] || {};
  const cited = model.references.find(({ key }) => item.key && key === item.key)?.cited[0];
  const file = model.byName.get(name ?? cited?.file);
  if (!file) return null;
  return () => goToOffset(file.name, name == null ? file.points.units(cited.start) : lineStart(file.text, line));
}

function lineStart(text, line) {
  let start = 0;
  for (let at = 1; at < line; at++) start = text.indexOf("\n", start) + 1;
  return start;
}

function Way({ item, children }) {
  const way = wayTo(item);
  return way ? html`<button type="button" class="link" onClick=${way} title=${M.goTo(item.title)}>${children}</button>` : html`<span>${children}</span>`;
}

// The references over the years --------------------------------------------------------------------------------

function Years({ papers }) {
  const dated = papers.filter(({ year }) => year != null);
  const counts = (of) => Object.fromEntries(rollups(of, (all) => all.length, ({ year }) => year));
  const references = counts(dated.filter(({ place }) => place == null));
  const suggestions = counts(dated.filter(({ place }) => place != null));
  const [box, width] = useWidth();
  const years = [...new Set(dated.map(({ year }) => year))].sort((a, b) => a - b);
  if (!years.length) return html`<${Picture} id="years" title=${M.pictureYears} table=${null}><p class="pane-note">${M.pictureEmpty}</p><//>`;
  const [from, to] = extent(years);
  const all = Array.from({ length: to - from + 1 }, (_, nth) => from + nth);
  const sum = (of) => Object.values(of).reduce((total, n) => total + n, 0);
  const high = max(all, (year) => (references[year] || 0) + (suggestions[year] || 0));
  const [height, left, bottom, end] = [260, 30, 26, 14];
  const x = scaleBand(all, [left, width - end]).padding(all.length > 60 ? 0.1 : 0.25);
  const y = scaleLinear([0, high], [height - bottom, 10]).nice();
  const label = Math.ceil((all.length * 44) / width);
  const legend = html`<ul class="legend"><li><span class="swatch"></span>${M.references}</li><li><span class="swatch hatched"></span>${M.suggestionsFew}</li></ul>`;
  const rows = years.toReversed().map((year) => {
    const these = dated.filter((item) => item.year === year);
    return [year, M.yearCounts(references[year] || 0, suggestions[year] || 0), html`<ul class="titles">${these.map((item) => html`<li><${Way} item=${item}>${item.title}<//></li>`)}</ul>`];
  });
  return html`<${Picture} id="years" title=${M.pictureYears} legend=${legend} table=${html`<${Table} heads=${[M.year, M.number, M.papers]} rows=${rows} />`}>
    <svg ref=${box} viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${M.pictureYearsAlt(sum(references), sum(suggestions), from, to)}>
      <${Hatch} />
      ${y.ticks(Math.min(5, high)).filter(Number.isInteger).map((tick) => html`<g class="axis"><line x1=${left} x2=${width - end} y1=${y(tick)} y2=${y(tick)} /><text x=${left - 6} y=${y(tick) + 4} text-anchor="end">${tick}</text></g>`)}
      ${all.map((year, nth) => {
        const n = references[year] || 0;
        const m = suggestions[year] || 0;
        return html`<g>
          ${n > 0 && html`<rect class="bar-reference" x=${x(year)} width=${x.bandwidth()} y=${y(n)} height=${y(0) - y(n)}><title>${`${year}: ${n} ${M.references}`}</title></rect>`}
          ${m > 0 && html`<rect class="bar-suggestion" x=${x(year)} width=${x.bandwidth()} y=${y(n + m)} height=${y(n) - y(n + m)}><title>${`${year}: ${m} ${M.suggestionsFew}`}</title></rect>`}
          ${(to - year) % label === 0 && html`<text class="axis-label" x=${x(year) + x.bandwidth() / 2} y=${height - 8} text-anchor="middle">${year}</text>`}
        </g>`;
      })}
    </svg>
  <//>`;
}

const Hatch = () => html`<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="6" height="6" class="hatch-ground" /><line x1="0" y1="0" x2="0" y2="6" class="hatch-line" /></pattern></defs>`;

// The map of what the draft cites ------------------------------------------------------------------------------

const WIDE = 1000;
const NARROW = 480; // pixels of a picture that is drawn upright, with room for its names

/** The papers where the server put them, moved apart so that none covers another. The same papers are always
 * drawn alike: d3's simulation has its own random numbers. */
function laidOut(papers, HIGH) {
  const size = scaleSqrt([1, max(papers, ({ cited }) => cited) || 1], [6, 14]);
  const margin = 40;
  const [x, y] = ["x", "y"].map((name, nth) => scaleLinear(extent(papers, (paper) => paper[name]), [margin, [WIDE, HIGH][nth] - margin]));
  const placed = papers.map((paper) => ({ ...paper, r: paper.cited ? size(paper.cited) : 6, home: [x(paper.x), y(paper.y)], x: x(paper.x), y: y(paper.y) }));
  const room = 3 + 14 * Math.min(1, 60 / papers.length);
  forceSimulation(placed)
    .force("x", forceX(({ home }) => home[0]).strength(0.12))
    .force("y", forceY(({ home }) => home[1]).strength(0.12))
    .force("collide", forceCollide(({ r }) => r + room).iterations(2))
    .stop()
    .tick(150);
  for (const node of placed) {
    node.x = Math.max(margin / 2, Math.min(WIDE - margin / 2, node.x));
    node.y = Math.max(margin / 2, Math.min(HIGH - margin / 2, node.y));
  }
  return placed;
}

/** The names that fit without covering each other or a paper, of the papers that are cited most first. */
function named(placed, HIGH, fine, zoom) {
  const [high, letter] = [15 / fine, 6.7 / fine];
  const size = (node) => node.r / zoom ** 0.5;
  const boxes = placed.map((node) => [node.x - size(node), node.y - size(node), node.x + size(node), node.y + size(node)]);
  const out = new Map();
  const order = placed.map((_, nth) => nth).sort((a, b) => placed[b].cited - placed[a].cited || placed[a].x - placed[b].x);
  for (const nth of order) {
    const node = placed[nth];
    const text = shortName(node);
    const wide = text.length * letter;
    const r = size(node);
    const gap = r + 4 / fine;
    for (const [left, top, anchor] of [
      [node.x + gap, node.y - high / 2, "start"],
      [node.x - gap - wide, node.y - high / 2, "end"],
      [node.x - wide / 2, node.y + r + 2 / fine, "middle"],
      [node.x - wide / 2, node.y - r - high - 2 / fine, "middle"],
    ]) {
      const box = [left, top, left + wide, top + high];
      if (box[0] < 2 || box[2] > WIDE - 2 || box[1] < 2 || box[3] > HIGH - 2) continue;
      if (boxes.some((other, at) => at !== nth && box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) continue;
      boxes.push(box);
      out.set(nth, { text, x: anchor === "start" ? left : anchor === "end" ? left + wide : left + wide / 2, y: top + high * 0.76, anchor });
      break;
    }
  }
  return out;
}

const COLOURS = 8;

/** The sections that have a colour of their own: where there are more than colours, those with most papers. */
function coloured(papers) {
  const counts = new Map();
  for (const { sections: [first], cited } of papers) if (first !== undefined) counts.set(first, (counts.get(first) || 0) + (cited ? 1 : 0));
  const all = [...counts.keys()];
  return all.length <= COLOURS ? all : all.sort((one, other) => counts.get(other) - counts.get(one)).slice(0, COLOURS - 1);
}

function Map_({ papers }) {
  const [svg, width] = useWidth();
  const HIGH = width < NARROW ? 1250 : 680;
  const placed = useMemo(() => laidOut(papers, HIGH), [papers, HIGH]);
  const sections = useMemo(() => coloured(papers), [papers]);
  const others = papers.some(({ sections: [first] }) => first !== undefined && !sections.includes(first));
  const [zoom, setZoom] = useState({ k: 1, x: WIDE / 2, y: HIGH / 2 });
  useEffect(() => setZoom({ k: 1, x: WIDE / 2, y: HIGH / 2 }), [HIGH]);
  const fine = (zoom.k * width) / WIDE; // pixels of the window for one of the picture
  const names = useMemo(() => named(placed, HIGH, fine, zoom.k), [placed, fine]);
  const drag = useRef(null);
  const colour = (node) => {
    const nth = sections.indexOf(node.sections[0]);
    return nth < 0 ? "none" : nth;
  };
  const kind = ({ cited }) => (cited ? "reference" : "suggestion");
  const count = papers.filter(({ cited }) => cited).length;
  if (!papers.length) return html`<${Picture} id="map" title=${M.pictureMap} table=${null}><p class="pane-note">${M.pictureEmpty}</p><//>`;
  const [w, h] = [WIDE / zoom.k, HIGH / zoom.k];
  const held = (k, x, y) => ({ k, x: Math.max(WIDE / k / 2, Math.min(WIDE - WIDE / k / 2, x)), y: Math.max(HIGH / k / 2, Math.min(HIGH - HIGH / k / 2, y)) });
  const by = (factor) => setZoom(({ k, x, y }) => held(Math.max(1, Math.min(6, k * factor)), x, y));
  const move = (event) => {
    if (!drag.current) return;
    const unit = w / svg.current.getBoundingClientRect().width;
    const [x, y] = [drag.current.x - (event.clientX - drag.current.at[0]) * unit, drag.current.y - (event.clientY - drag.current.at[1]) * unit];
    setZoom(held(zoom.k, x, y));
  };
  const legend = html`<ul class="legend sections">
    ${sections.map((section, nth) => html`<li><span class=${`dot section-${nth}`}></span>${section || M.noSection}</li>`)}
    ${others && html`<li><span class="dot section-none"></span>${M.otherSections}</li>`}
    <li><span class="dot ring"></span>${M.suggestion}</li>
  </ul>`;
  const rows = papers
    .toSorted((one, other) => other.cited - one.cited)
    .map((node) => [html`<${Way} item=${node}>${node.title}<//>`, shortName(node), node.cited ? M.reference : M.suggestion, node.cited, node.sections.join(", ")]);
  return html`<${Picture} id="map" title=${M.pictureMap} hint=${M.pictureMapHint} legend=${legend} table=${html`<${Table} heads=${[M.paper, M.author, M.kindOf, M.cited, M.sections]} rows=${rows} />`}>
    <div class="map-tools">
      <button type="button" class="icon" aria-label=${M.zoomIn} onClick=${() => by(1.5)}>+</button>
      <button type="button" class="icon" aria-label=${M.zoomOut} onClick=${() => by(1 / 1.5)} disabled=${zoom.k <= 1}>−</button>
      <button type="button" onClick=${() => setZoom({ k: 1, x: WIDE / 2, y: HIGH / 2 })} disabled=${zoom.k <= 1}>${M.zoomReset}</button>
    </div>
    <svg
      ref=${svg}
      class="map"
      viewBox=${`${zoom.x - w / 2} ${zoom.y - h / 2} ${w} ${h}`}
      role="img"
      aria-label=${M.pictureMapAlt(count, papers.length - count)}
      onPointerDown=${(event) => (drag.current = { ...zoom, at: [event.clientX, event.clientY] })}
      onPointerMove=${move}
      onPointerUp=${() => (drag.current = null)}
      onPointerLeave=${() => (drag.current = null)}
    >
      <g class="nodes">
        ${placed.map((node) => {
          const way = wayTo(node);
          return html`<circle
            class=${`node ${kind(node)} section-${colour(node)} ${way ? "way" : ""}`}
            cx=${node.x} cy=${node.y} r=${node.r / zoom.k ** 0.5}
            onClick=${way}
          ><title>${`${node.title} (${shortName(node)})${node.sections.length ? ` – ${node.sections.join(", ")}` : ""}`}</title></circle>`;
        })}
      </g>
      <g class="names" aria-hidden="true">${[...names].map(([, { text, x, y, anchor }]) => html`<text x=${x} y=${y} text-anchor=${anchor} font-size=${12 / fine}>${text}</text>`)}</g>
    </svg>
  <//>`;
}

// The library --------------------------------------------------------------------------------------------------

function Shape({ years, venues, papers, ...shares }) {
  const counted = Object.entries(years).map(([year, n]) => [Number(year), n]).sort(([a], [b]) => a - b);
  const [from, to] = extent(counted, ([year]) => year);
  const [box, width] = useWidth();
  const [height, left, bottom, end] = [200, 44, 24, 16];
  const chart = counted.length > 0 && (() => {
    const all = Array.from({ length: to - from + 1 }, (_, nth) => from + nth);
    const x = scaleBand(all, [left, width - end]).padding(all.length > 60 ? 0.1 : 0.2);
    const y = scaleLinear([0, max(counted, ([, n]) => n)], [height - bottom, 8]).nice();
    const label = Math.ceil((all.length * 44) / width);
    return html`<svg viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${`${M.years}. ${M.pictureShapeAlt(papers)}`}>
      ${y.ticks(4).filter(Number.isInteger).map((tick) => html`<g class="axis"><line x1=${left} x2=${width - end} y1=${y(tick)} y2=${y(tick)} /><text x=${left - 6} y=${y(tick) + 4} text-anchor="end">${tick}</text></g>`)}
      ${counted.map(([year, n]) => html`<rect class="bar-reference" x=${x(year)} width=${x.bandwidth()} y=${y(n)} height=${y(0) - y(n)}><title>${`${year}: ${n}`}</title></rect>`)}
      ${all.filter((year) => (to - year) % label === 0).map((year) => html`<text class="axis-label" x=${x(year) + x.bandwidth() / 2} y=${height - 6} text-anchor="middle">${year}</text>`)}
    </svg>`;
  })();
  const top = venues.slice(0, 12);
  const coverage = Object.entries(M.coverageOf).filter(([name]) => name in shares).map(([name, label]) => [label, shares[name]]);
  const table = html`
    <${Table} heads=${[M.coverage, M.papers, M.share]} rows=${[[M.papers, papers, ""], ...coverage.map(([label, n]) => [label, n, percent(n, papers)])]} />
    <${Table} heads=${[M.venue, M.papers]} rows=${venues.slice(0, 50)} />
    <${Table} heads=${[M.year, M.papers]} rows=${counted.toReversed()} />
  `;
  return html`<${Picture} id="shape" title=${`${M.pictureShape}: ${papers.toLocaleString("en")} ${M.papers.toLowerCase()}`} table=${table}>
    <h3 ref=${box}>${M.years}</h3>${chart}
    <h3>${M.venues}</h3><${Bars} rows=${top.map(([name, n]) => [name, n, n.toLocaleString("en")])} most=${max(top, ([, n]) => n) || 1} width=${width} label=${M.venues} />
    <h3>${M.coverage}</h3><${Bars} rows=${coverage.map(([label, n]) => [label, n, percent(n, papers)])} most=${papers || 1} width=${width} label=${M.coverage} />
  <//>`;
}

const percent = (n, of) => (of ? `${Math.round((100 * n) / of)}%` : "0%");

const shortened = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** Bars that lie, with their names above them, so that long names fit. */
function Bars({ rows, most, width, label }) {
  const high = 30;
  return html`<svg class="bars" viewBox=${`0 0 ${width} ${Math.max(1, rows.length) * high}`} role="img" aria-label=${label}>
    ${rows.map(([name, n, shown], nth) => html`<g>
      <text x="0" y=${nth * high + 12}>${shortened(name, width / 7 - 6) || "—"}</text>
      <text x=${width} y=${nth * high + 12} text-anchor="end">${shown}</text>
      <rect class="bar-track" x="0" width=${width} y=${nth * high + 17} height="6" rx="3" />
      <rect class="bar-reference" x="0" width=${n && Math.max(1, (width * n) / most)} y=${nth * high + 17} height="6" rx="3" />
    </g>`)}
  </svg>`;
}
