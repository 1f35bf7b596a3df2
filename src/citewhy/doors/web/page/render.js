// Light rendering: where the blocks of a draft's text are, and which stretches of them are what. Nothing is
// added to the text and nothing is left out; all that this decides is how a stretch looks.

const LEVELS = { part: 1, chapter: 1, title: 1, section: 2, subsection: 3, subsubsection: 4, paragraph: 5 };

const RAW =
  "verbatim|lstlisting|minted|equation|align|gather|multline|eqnarray|displaymath|tabular|tabularx|tikzpicture|algorithm|algorithmic|array";

const LATEX = {
  heading: /^\s*\\(part|chapter|section|subsection|subsubsection|paragraph|title)\*?\s*[[{]/,
  begins: /^\s*(\\(begin|end|item|bibitem|caption|centering|maketitle|tableofcontents|input|include|label|bibliography|bibliographystyle|appendix|newpage|clearpage)\b|%)/,
  comment: /^\s*%/,
  raw: new RegExp(`^\\s*\\\\begin\\{((?:${RAW})\\*?)\\}`),
  tokens: [
    ["comment", /(?<!\\)%.*/],
    ["math", /\$\$[^]*?\$\$|\$(?:\\[^]|[^$\\])+\$|\\\([^]*?\\\)|\\\[[^]*?\\\]/],
    ["cite", /\\[a-zA-Z]*cite[a-zA-Z]*\*?(?:\s*\[[^\]]*\]){0,2}(?:\s*\{[^{}]*\})?/],
    ["em", /\\(?:emph|textit|textsl)\{[^{}]*\}/, /^(\\\w+\{)([^]*)(\})$/],
    ["strong", /\\(?:textbf)\{[^{}]*\}/, /^(\\\w+\{)([^]*)(\})$/],
    ["code", /\\(?:texttt|url)\{[^{}]*\}/, /^(\\\w+\{)([^]*)(\})$/],
    ["command", /\\(?:label|ref|eqref|autoref|[cC]ref|pageref|begin|end|input|include)\*?\{[^{}]*\}/],
    ["command", /\\[a-zA-Z@]+\*?|\\[^a-zA-Z]|[{}~]/],
  ],
};

const MARKDOWN = {
  heading: /^(#{1,6})\s+\S/,
  begins: /^\s*([-*+]\s|\d+[.)]\s|>|<!--|\||:::)/,
  comment: /^\s*<!--/,
  raw: /^\s*(```|~~~|\$\$|---(?=\s*$))/,
  tokens: [
    ["comment", /<!--[^]*?-->/],
    ["code", /`+[^`]+`+/],
    ["math", /\$\$[^]*?\$\$|\$(?!\s)(?:\\[^]|[^$\\\n])+\$/],
    ["cite", /\[[^\][]*@[^\][]*\]|(?<![\w.])@[\w:.#$%&+?<>~/-]*\w/],
    ["strong", /\*\*(?!\s)[^*]+\*\*|__(?!\s)[^_]+__/, /^(..)([^]*)(..)$/],
    ["em", /\*(?![\s*])[^*\n]+\*|(?<!\w)_(?![\s_])[^_\n]+_(?!\w)/, /^(.)([^]*)(.)$/],
    ["command", /^#{1,6}\s/],
  ],
};

const TYPST = {
  heading: /^(={1,6})\s+\S/,
  begins: /^\s*([-+/]\s|#|\/\/)/,
  comment: /^\s*\/\//,
  raw: /^\s*(```)/,
  tokens: [
    ["comment", /\/\/.*|\/\*[^]*?\*\//],
    ["code", /`+[^`]+`+/],
    ["math", /\$[^$]+\$/],
    ["cite", /#cite\([^)]*\)|(?<!\w)@[\w:.-]*\w/],
    ["strong", /(?<!\w)\*(?!\s)[^*\n]+\*/, /^(.)([^]*)(.)$/],
    ["em", /(?<!\w)_(?!\s)[^_\n]+_/, /^(.)([^]*)(.)$/],
    ["command", /#[a-z]\w*(?:\.\w+)*|^={1,6}\s/],
  ],
};

const ORG = {
  heading: /^(\*{1,6})\s+\S/,
  begins: /^\s*([-+]\s|\d+[.)]\s|#\+|#\s|:\w+:)/,
  comment: /^\s*#/,
  raw: /^\s*#\+begin_(src|example|equation|latex)/i,
  tokens: [
    ["comment", /^\s*#.*/],
    ["math", /\$[^$\n]+\$|\\\([^]*?\\\)|\\\[[^]*?\\\]/],
    ["cite", /\[cite[^\]]*\]|\bcite:[\w:,.-]+/],
    ["code", /(?<!\w)[=~][^=~\n]+[=~](?!\w)/],
    ["strong", /(?<!\w)\*(?!\s)[^*\n]+\*(?!\w)/, /^(.)([^]*)(.)$/],
    ["em", /(?<![\w:/])\/(?![\s/])[^/\n]+\/(?!\w)/, /^(.)([^]*)(.)$/],
    ["command", /^\*{1,6}\s/],
  ],
};

const PLAIN = {
  heading: /(?!)/,
  begins: /(?!)/,
  comment: /(?!)/,
  raw: /(?!)/,
  tokens: [["cite", /\[(?:CITE|\?|cite [^\]]*)\]|\((?:ref\?|cite [^)]*)\)/i]],
};

const FORMATS = { tex: LATEX, md: MARKDOWN, qmd: MARKDOWN, rmd: MARKDOWN, markdown: MARKDOWN, typ: TYPST, org: ORG };

const formatOf = (name) => FORMATS[name.slice(name.lastIndexOf(".") + 1).toLowerCase()] || PLAIN;

/** The blocks of a text: {start, end, kind, level}, which together are the text but for blank lines. */
export function blocksOf(text, name) {
  const format = formatOf(name);
  const blocks = [];
  let block = null;
  let until = null; // what closes a raw block
  let preamble = format === LATEX && /^\s*\\documentclass/m.test(text) ? text.indexOf("\\begin{document}") : -1;

  const directive = (line) => format === LATEX && /^\s*(?:\\[a-zA-Z]+\*?(?:\[[^\]]*\])*(?:\{[^{}]*\})*\s*)+$/.test(line);
  const close = (at) => {
    if (block) blocks.push({ ...block, end: at });
    block = null;
  };
  const begin = (start, kind, level = 0) => (block = { start, kind, level });

  for (let start = 0; start < text.length; ) {
    const found = text.indexOf("\n", start);
    const end = found < 0 ? text.length : found;
    const line = text.slice(start, end);
    const blank = !line.trim();
    if (until) {
      if (until(line)) {
        close(end);
        until = null;
      }
    } else if (blank) {
      close(start - 1);
    } else {
      const heading = line.match(format.heading);
      const raw = line.match(format.raw);
      if (heading) {
        close(start - 1);
        const level = LEVELS[heading[1]] || Math.min(heading[1].length, 6);
        begin(start, start < preamble && heading[1] !== "title" ? "code" : "heading", level);
        close(end);
      } else if (start < preamble) {
        if (block?.kind !== "preamble") {
          close(start - 1);
          begin(start, "preamble");
        }
      } else if (raw && !(raw[1] === "---" && start)) {
        close(start - 1);
        begin(start, "code");
        const mark = raw[1];
        const last = format === LATEX ? `\\end{${mark}}` : mark;
        if (format === LATEX) until = (line) => line.includes(last);
        else if (format === ORG) until = (line) => /^\s*#\+end_/i.test(line);
        else until = (line) => line.trim().startsWith(last);
        if ((format === LATEX && line.includes(last)) || (mark === "$$" && line.trim().length > 3 && line.trim().endsWith("$$"))) {
          close(end);
          until = null;
        }
      } else if (directive(line)) {
        close(start - 1);
        begin(start, "directive");
        close(end);
      } else if (format.begins.test(line)) {
        const kind = format.comment.test(line) ? "comment" : /^\s*(\\item|[-*+]\s|\d+[.)]\s)/.test(line) ? "item" : "text";
        if (!(kind === "comment" && block?.kind === "comment")) {
          close(start - 1);
          begin(start, kind);
        }
      } else if (!block || block.kind === "comment") {
        close(start - 1);
        begin(start, "text");
      }
    }
    start = end + 1;
  }
  close(text.length);
  return blocks.filter(({ start, end }) => end > start);
}

/** The stretches of a block that look other than its text: {start, end, look}, in order, without overlaps. */
export function looksOf(text, { start, end, kind }, name) {
  if (kind === "code" || kind === "preamble" || kind === "comment") return [];
  const { tokens } = formatOf(name);
  const whole = text.slice(start, end);
  const pattern = (tokens.pattern ??= new RegExp(tokens.map(([, { source }]) => `(${source})`).join("|"), "gm"));
  const looks = [];
  for (const match of whole.matchAll(pattern)) {
    if (!match[0]) continue;
    const nth = tokens.findIndex((_, index) => match[index + 1] !== undefined);
    const [look, , parts] = tokens[nth];
    const at = start + match.index;
    const inside = parts && match[0].match(parts);
    if (inside) {
      const first = at + inside[1].length;
      const last = first + inside[2].length;
      looks.push({ start: at, end: first, look: "command" });
      looks.push({ start: first, end: last, look });
      looks.push({ start: last, end: at + match[0].length, look: "command" });
    } else {
      looks.push({ start: at, end: at + match[0].length, look });
    }
  }
  return looks;
}

/** Which mark each stretch of a file belongs to: [{start, end, mark, first}], in order, without overlaps.
 * Marks that come earlier in the list win where two overlap; the other one keeps what is left of it. */
export function stretches(marks) {
  const taken = [];
  for (const mark of marks) {
    let pieces = [[mark.start, mark.end]];
    for (const { start, end } of taken) {
      pieces = pieces.flatMap(([from, to]) =>
        end <= from || start >= to ? [[from, to]] : [[from, start], [end, to]].filter(([a, b]) => b > a),
      );
    }
    pieces.forEach(([start, end], index) => taken.push({ start, end, mark, first: index === 0 }));
  }
  return taken.sort((one, other) => one.start - other.start);
}

/** The sentence of a block's text around an offset, as [start, end] of the whole text. */
export function sentenceAt(text, block, offset) {
  const segments = sentencesOf(text, block);
  return segments.find(([start, end]) => offset >= start && offset < end) || segments.at(-1) || [block.start, block.end];
}

let segmenter;

export function sentencesOf(text, { start, end }) {
  if (!("Segmenter" in Intl)) return [[start, end]];
  segmenter ??= new Intl.Segmenter("en", { granularity: "sentence" });
  // A line feed within a paragraph ends no sentence, though the segmenter takes it for a separator.
  const flowing = text.slice(start, end).replace(/\n/g, " ");
  return [...segmenter.segment(flowing)]
    .map(({ index, segment }) => [start + index, start + index + segment.trimEnd().length])
    .filter(([from, to]) => to > from);
}
