// Pictures, each with a table of the same content beside it.

import { goTo, goToOffset, loadPicture } from "./actions.js";
import { Problem } from "./api.js";
import { M } from "./messages.js";
import { shortName } from "./model.js";
import { state } from "./store.js";
import { Fault } from "./suggestions.js";
import {
  extent, forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, max, scaleBand, scaleLinear, scaleSqrt,
} from "./vendor/d3.js";
import { html, useEffect, useMemo, useRef, useState } from "./vendor/preact.js";

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

function Table({ heads, rows }) {
  return html`<table>
    <thead><tr>${heads.map((head, nth) => html`<th scope="col" class=${nth ? "" : "first"}>${head}</th>`)}</tr></thead>
    <tbody>${rows.map((cells) => html`<tr>${cells.map((cell, nth) => (nth ? html`<td>${cell}</td>` : html`<th scope="row">${cell}</th>`))}</tr>`)}</tbody>
  </table>`;
}

/** Where a paper of a picture is in the text, as a function that goes there; null if nowhere. */
function wayTo(item) {
  const place = item.place ?? item.places?.find(({ place }) => place)?.place;
  if (place && state.model.marks.has(place)) return () => goTo(place);
  const cited = item.places?.[0] || state.model.references.find(({ key }) => key === item.key)?.cited?.[0];
  const file = cited && state.model.byName.get(cited.file);
  return file ? () => goToOffset(cited.file, file.points.units(cited.start)) : null;
}

function Way({ item, children }) {
  const way = wayTo(item);
  return way ? html`<button type="button" class="link" onClick=${way} title=${M.goTo(item.title)}>${children}</button>` : html`<span>${children}</span>`;
}

// The references over the years --------------------------------------------------------------------------------

function Years({ references, suggestions, items }) {
  const years = [...new Set([...Object.keys(references), ...Object.keys(suggestions)])].map(Number).sort((a, b) => a - b);
  if (!years.length) return html`<${Picture} id="years" title=${M.pictureYears} table=${null}><p class="pane-note">${M.pictureEmpty}</p><//>`;
  const [from, to] = extent(years);
  const all = Array.from({ length: to - from + 1 }, (_, nth) => from + nth);
  const sum = (of) => Object.values(of).reduce((total, n) => total + n, 0);
  const high = max(all, (year) => (references[year] || 0) + (suggestions[year] || 0));
  const [width, height, left, bottom] = [720, 260, 34, 26];
  const x = scaleBand(all, [left, width - 6]).padding(all.length > 60 ? 0.1 : 0.25);
  const y = scaleLinear([0, high], [height - bottom, 10]).nice();
  const label = Math.ceil(all.length / 12);
  const legend = html`<p class="legend"><span class="swatch reference"></span> ${M.references} <span class="swatch suggestion"></span> ${M.suggestionsFew}</p>`;
  const rows = years.toReversed().map((year) => {
    const papers = (items || []).filter((item) => item.year === year);
    return [year, references[year] || 0, suggestions[year] || 0, html`${papers.map((item, nth) => html`${nth ? "; " : ""}<${Way} item=${item}>${item.title}<//>`)}`];
  });
  return html`<${Picture} id="years" title=${M.pictureYears} legend=${legend} table=${html`<${Table} heads=${[M.year, M.references, M.suggestionsFew, M.papers]} rows=${rows} />`}>
    <svg viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${M.pictureYearsAlt(sum(references), sum(suggestions), from, to)}>
      <${Hatch} />
      ${y.ticks(Math.min(5, high)).filter(Number.isInteger).map((tick) => html`<g class="axis"><line x1=${left} x2=${width - 6} y1=${y(tick)} y2=${y(tick)} /><text x=${left - 6} y=${y(tick) + 4} text-anchor="end">${tick}</text></g>`)}
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

const [WIDE, HIGH] = [1000, 680];

/** Positions of the papers; the same for the same papers, because d3's simulation has its own random numbers. */
function laidOut(nodes, edges) {
  const size = scaleSqrt([1, max(nodes, ({ cited }) => cited) || 1], [5, 14]);
  const placed = nodes.map((node) => ({ ...node, r: node.kind === "suggestion" ? 6 : size(Math.max(1, node.cited)) }));
  const links = edges.map(([source, target, weight]) => ({ source, target, weight }));
  const crowd = Math.min(1, 60 / nodes.length);
  const simulation = forceSimulation(placed)
    .force("link", forceLink(links).distance(({ weight }) => 30 + 70 * (1 - weight)).strength(({ weight }) => 0.1 + 0.5 * weight))
    .force("charge", forceManyBody().strength(-60 - 340 * crowd).distanceMax(420))
    .force("collide", forceCollide(({ r }) => r + 4 + 12 * crowd))
    .force("x", forceX(0).strength(0.05))
    .force("y", forceY(0).strength(0.08))
    .stop();
  simulation.tick(nodes.length > 150 ? 220 : 300);
  const [left, right] = extent(placed, ({ x }) => x);
  const [top, bottom] = extent(placed, ({ y }) => y);
  const margin = 44;
  const scale = Math.min((WIDE - 2 * margin) / (right - left || 1), (HIGH - 2 * margin) / (bottom - top || 1), 2.4);
  for (const node of placed) {
    node.x = WIDE / 2 + (node.x - (left + right) / 2) * scale;
    node.y = HIGH / 2 + (node.y - (top + bottom) / 2) * scale;
  }
  return { placed, links };
}

/** The names that fit without covering each other or a paper, of the papers that are cited most first. */
function named(placed, zoom) {
  const [high, letter] = [15 / zoom, 6.6 / zoom];
  const boxes = placed.map(({ x, y, r }) => [x - r, y - r, x + r, y + r]);
  const out = new Map();
  const order = placed.map((_, nth) => nth).sort((a, b) => placed[b].cited - placed[a].cited || placed[a].x - placed[b].x);
  for (const nth of order) {
    const node = placed[nth];
    const text = shortName(node);
    const wide = text.length * letter;
    const gap = node.r / 1 + 3 / zoom;
    for (const [left, top, anchor] of [
      [node.x + gap, node.y - high / 2, "start"],
      [node.x - gap - wide, node.y - high / 2, "end"],
      [node.x - wide / 2, node.y + node.r + 2 / zoom, "middle"],
      [node.x - wide / 2, node.y - node.r - high - 2 / zoom, "middle"],
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

function Map_({ nodes, edges, sections }) {
  const { placed, links } = useMemo(() => laidOut(nodes, edges), [nodes, edges]);
  const [zoom, setZoom] = useState({ k: 1, x: WIDE / 2, y: HIGH / 2 });
  const names = useMemo(() => named(placed, zoom.k), [placed, zoom.k]);
  const drag = useRef(null);
  const svg = useRef();
  const colour = (node) => {
    const nth = sections.indexOf(node.sections[0]);
    return nth < 0 ? "none" : nth % COLOURS;
  };
  const count = nodes.filter(({ kind }) => kind === "reference").length;
  if (!nodes.length) return html`<${Picture} id="map" title=${M.pictureMap} table=${null}><p class="pane-note">${M.pictureEmpty}</p><//>`;
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
    ${sections.filter((section) => nodes.some((node) => node.sections[0] === section)).map((section) => html`<li><span class=${`dot section-${sections.indexOf(section) % COLOURS}`}></span>${section || M.noSection}</li>`)}
    <li><span class="dot ring"></span>${M.suggestion}</li>
  </ul>`;
  const rows = nodes
    .toSorted((one, other) => one.kind.localeCompare(other.kind) || other.cited - one.cited)
    .map((node) => [html`<${Way} item=${node}>${node.title}<//>`, shortName(node), node.kind === "reference" ? M.reference : M.suggestion, node.cited, node.sections.join(", ")]);
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
      aria-label=${M.pictureMapAlt(count, nodes.length - count)}
      onPointerDown=${(event) => (drag.current = { ...zoom, at: [event.clientX, event.clientY] })}
      onPointerMove=${move}
      onPointerUp=${() => (drag.current = null)}
      onPointerLeave=${() => (drag.current = null)}
    >
      <g class="edges">${links.map(({ source, target, weight }) => html`<line x1=${source.x} y1=${source.y} x2=${target.x} y2=${target.y} stroke-opacity=${0.15 + 0.5 * weight} stroke-width=${1 / zoom.k ** 0.5} />`)}</g>
      <g class="nodes">
        ${placed.map((node) => {
          const way = wayTo(node);
          return html`<circle
            class=${`node ${node.kind} section-${colour(node)} ${way ? "way" : ""}`}
            cx=${node.x} cy=${node.y} r=${node.r / zoom.k ** 0.5}
            onClick=${way}
          ><title>${`${node.title} (${shortName(node)})${node.sections.length ? ` – ${node.sections.join(", ")}` : ""}`}</title></circle>`;
        })}
      </g>
      <g class="names" aria-hidden="true">${[...names].map(([, { text, x, y, anchor }]) => html`<text x=${x} y=${y} text-anchor=${anchor} font-size=${12 / zoom.k}>${text}</text>`)}</g>
    </svg>
  <//>`;
}

// The library --------------------------------------------------------------------------------------------------

function Shape({ years, venues, papers, ...shares }) {
  const counted = Object.entries(years).map(([year, n]) => [Number(year), n]).sort(([a], [b]) => a - b);
  const [from, to] = extent(counted, ([year]) => year);
  const [width, height, left, bottom] = [720, 200, 44, 24];
  const chart = counted.length > 0 && (() => {
    const all = Array.from({ length: to - from + 1 }, (_, nth) => from + nth);
    const x = scaleBand(all, [left, width - 6]).padding(all.length > 60 ? 0.1 : 0.2);
    const y = scaleLinear([0, max(counted, ([, n]) => n)], [height - bottom, 8]).nice();
    const label = Math.ceil(all.length / 12);
    return html`<svg viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${`${M.years}. ${M.pictureShapeAlt(papers)}`}>
      ${y.ticks(4).filter(Number.isInteger).map((tick) => html`<g class="axis"><line x1=${left} x2=${width - 6} y1=${y(tick)} y2=${y(tick)} /><text x=${left - 6} y=${y(tick) + 4} text-anchor="end">${tick}</text></g>`)}
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
    <h3>${M.years}</h3>${chart}
    <h3>${M.venues}</h3><${Bars} rows=${top.map(([name, n]) => [name, n, n.toLocaleString("en")])} most=${max(top, ([, n]) => n) || 1} label=${M.venues} />
    <h3>${M.coverage}</h3><${Bars} rows=${coverage.map(([label, n]) => [label, n, percent(n, papers)])} most=${papers || 1} label=${M.coverage} />
  <//>`;
}

const percent = (n, of) => (of ? `${Math.round((100 * n) / of)}%` : "0%");

/** Bars that lie, with their names above them, so that long names fit. */
function Bars({ rows, most, label }) {
  const high = 30;
  return html`<svg class="bars" viewBox=${`0 0 720 ${Math.max(1, rows.length) * high}`} role="img" aria-label=${label}>
    ${rows.map(([name, n, shown], nth) => html`<g>
      <text x="0" y=${nth * high + 12}>${name.length > 96 ? `${name.slice(0, 95)}…` : name || "—"}</text>
      <text x="720" y=${nth * high + 12} text-anchor="end">${shown}</text>
      <rect class="bar-track" x="0" width="720" y=${nth * high + 17} height="6" rx="3" />
      <rect class="bar-reference" x="0" width=${Math.max(1, (720 * n) / most)} y=${nth * high + 17} height="6" rx="3" />
    </g>`)}
  </svg>`;
}
