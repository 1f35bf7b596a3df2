"""How everything grows with the library: one report of what is waited for, at several sizes.

    python benchmarks/scaling.py --work DIR [--sizes 10000 74000 300000 1000000] [--data DIR] [--out FOLDER]
        [--peers TOOL …] [--encoded 1000] [--page]

For each size a corpus is generated (`corpus.py`), added in a process of its own, and asked
(`scaling_questions.py`); the plain tools (`scaling_peers.py`) get the same papers and questions in that run.
Those of them that encode, sentence-transformers and zotero-mcp, are measured where `--peers` names them: a
million papers would take them half a day.
Vectors are those of an encoder that costs nothing (`stand_in.py`); the real encoder makes those of a sample.
What was measured is kept in DIR, and not measured again; `--page` makes the report alone again.

FOLDER (`docs/results/scaling`) gets `scaling.json`, and `scaling.md` with the exponent of each figure: they
are fitted to c · size^e by least squares of their logarithms. In proportion is 1; n log n has about 1.07
between these sizes. With matplotlib there are also plots.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from common import parser as shared_parser
from speed import CITEWHY, SENTENCE, run

SIZES = (10_000, 74_000, 300_000, 1_000_000)
PEERS = ("bm25s", "tantivy", "faiss")
HERE = Path(__file__).parent
FOLDER = HERE.parent / "docs" / "results" / "scaling"
FILES = ("papers.jsonl.gz", "citations.tsv.gz", "contexts.train.jsonl.gz")
STARTS = 5
_OF_REAL = 70_000
"""Papers of the real corpus among which those to encode are chosen, evenly: the first ones are the oldest."""

Figures = dict[str, float]

_COUNTING = (
    "from citewhy.papers.library.store import Library; "
    "from citewhy.search.index.texts_to_encode import texts_in"
)


class Measuring:
    """Measures in a folder in which what was measured is kept."""

    def __init__(self, work: Path, data: Path, encoded: int) -> None:
        self._work, self._data, self._encoded = work, data, encoded
        self.stand_in = work / "stand-in"

    def size(self, papers: int, peers: Sequence[str]) -> dict[str, Figures]:
        """The figures of a size, by what was measured: ``citewhy`` and each peer that is installed."""
        folder = self._work / f"{papers}"
        folder.mkdir(parents=True, exist_ok=True)
        corpus, library = folder / "corpus", folder / "library"
        if not (corpus / "contexts.val.jsonl.gz").exists():
            _python("corpus.py", "--papers", str(papers), "--out", str(corpus), "--data", str(self._data))
        if not (self.stand_in / "vectors.npy").exists():
            _python("stand_in.py", str(self.stand_in), "--data", str(self._data))
        ours = self._kept(folder / "added.json", lambda: self._added(corpus, library))
        for what in ("vectors", "questions"):
            ours |= self._kept(folder / f"{what}.json", lambda what=what: self._asked(what, corpus, library))
        figures = {"citewhy": ours | {"library and vectors MB": sum(_sizes(library))}}
        for peer in peers:
            found = self._kept(folder / f"{peer}.json", lambda peer=peer: _peer(peer, corpus, folder / peer))
            figures |= {peer: found} if found else {}
        return figures

    def encoding(self) -> Figures:
        """Processor seconds of the real encoder for a paper, with and without the parts of its abstract."""
        return self._kept(self._work / "encoding.json", self._real_encoder)

    @staticmethod
    def _kept(file: Path, measure: Any) -> Figures:
        if not file.exists():
            file.write_text(json.dumps(measure(), indent=1))
        kept: Figures = json.loads(file.read_text())
        return kept

    def _added(self, corpus: Path, library: Path) -> Figures:
        """Adding a corpus, then a hundred papers more, and the first answer from words."""
        files = [str(corpus / name) for name in FILES]
        place = ["--library", str(library), "--quiet"]
        added = run([CITEWHY, "add", "--no-vectors", *files, *place])
        figures = {"add s": added.wall, "add, processor s": added.cpu, "add, peak MB": added.peak}
        figures["library MB"], figures["index MB"] = _sizes(library)
        hundred = corpus.parent / "hundred.jsonl"
        _write_hundred(corpus / FILES[0], hundred)
        more = run([CITEWHY, "add", "--no-vectors", str(hundred), *place])
        figures |= {"add 100 s": more.wall, "add 100, processor s": more.cpu, "add 100, peak MB": more.peak}
        command = [CITEWHY, "suggest", "--text", SENTENCE, "--pipeline", "bm25", "--library", str(library)]
        starts = sorted(run(command).wall for _ in range(STARTS))
        return figures | {"start to first words s": starts[STARTS // 2]}

    def _asked(self, what: str, corpus: Path, library: Path) -> Figures:
        """Making vectors, or asking with them: in processes of their own, since memory is measured."""
        arguments = [what, str(library), str(corpus), "--stand-in", str(self.stand_in)]
        figures: Figures = json.loads(_python("scaling_questions.py", *arguments))
        return figures

    def _real_encoder(self) -> Figures:
        folder = self._work / "encoding"
        sample = folder / "papers.jsonl"
        folder.mkdir(parents=True, exist_ok=True)
        _write_some(self._data / FILES[0], sample, self._encoded, step=_OF_REAL // self._encoded)
        figures: Figures = {"papers": self._encoded}
        for kind in ("words-only", "titles", "full"):
            library = folder / kind
            done = run([CITEWHY, "add", str(sample), "--encode", kind, "--library", str(library), "--quiet"])
            figures[f"{kind}, processor s"] = done.cpu
        count = f"sum(1 for _ in texts_in(Library.open({str(folder / 'full')!r}), 'full'))"
        figures["texts"] = float(_run([sys.executable, "-c", f"{_COUNTING}; print({count})"]))
        return figures


def _python(script: str, *arguments: str) -> str:
    return _run([sys.executable, str(HERE / script), *arguments])


def _run(command: Sequence[str]) -> str:
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def _peer(peer: str, corpus: Path, folder: Path) -> Figures:
    command = [sys.executable, str(HERE / "scaling_peers.py"), peer, str(corpus), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr.strip().splitlines()[-1], file=sys.stderr)
        return {}
    figures: Figures = json.loads(done.stdout)
    return figures


def _sizes(library: Path) -> tuple[float, float]:
    """Megabytes of the records, and of all that is made of them."""
    files = [path for path in library.rglob("*") if path.is_file()]
    records = sum(path.stat().st_size for path in files if path.name.startswith("library."))
    return records / 1e6, (sum(path.stat().st_size for path in files) - records) / 1e6


def _write_some(papers: Path, target: Path, count: int, step: int = 1) -> None:
    import gzip
    from itertools import islice

    with gzip.open(papers, "rt", encoding="utf-8") as lines:
        target.write_text("".join(islice(lines, 0, count * step, step)), encoding="utf-8")


def _write_hundred(papers: Path, target: Path) -> None:
    """A hundred papers like the first ones, which are none of them: other ids, titles turned around."""
    _write_some(papers, target, 100)
    rows = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        row["id"], row["title"] = f"new-{row['id']}", " ".join(reversed(row["title"].split()))
        row.pop("doi", None)
    target.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


# The report --------------------------------------------------------------------------------------------


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """The slope of the line that fits the logarithms of the values to those of the sizes best."""
    x, y = [math.log(size) for size in sizes], [math.log(max(value, 1e-9)) for value in values]
    middle_x, middle_y = sum(x) / len(x), sum(y) / len(y)
    covariance = sum((a - middle_x) * (b - middle_y) for a, b in zip(x, y, strict=True))
    return covariance / sum((a - middle_x) ** 2 for a in x)


def measured(
    papers: float, ours: Mapping[str, float], least: Mapping[str, float], encoding: Mapping[str, float]
) -> Figures:
    """What `sizing.py` needs to know: figures of the largest size, and of the smallest (`least`)."""
    alone = encoding["words-only, processor s"]
    return {
        "papers": papers,
        "library": ours["library MB"] * 1e6 / papers,
        "index": ours["index MB"] * 1e6 / papers,
        "vectors": encoding["texts"] / encoding["papers"],
        "add": ours["add, processor s"] / papers,
        "encode": (encoding["full, processor s"] - alone) / encoding["texts"],
        "fixed": least["query, processor, p50"] / 1e3,
        "query": (ours["query, processor, p50"] - least["query, processor, p50"]) / 1e3,
        "resident": ours["resident after the questions MB"] * 1e6,
    }


def report(found: Mapping[int, Mapping[str, Figures]]) -> Iterator[str]:
    """Tables in Markdown: a row for each figure, a column for each size, and the exponent."""
    sizes = sorted(found)
    tools = list(dict.fromkeys(tool for size in sizes for tool in found[size]))
    for tool in tools:
        names = list(dict.fromkeys(name for size in sizes for name in found[size].get(tool, {})))
        for title, some in _parts(names):
            yield f"\n**{tool}{title}**\n"
            yield "| | " + " | ".join(f"{size:,}" for size in sizes) + " | exponent |"
            yield "| --- |" + " ---: |" * (len(sizes) + 1)
            for name in some:
                pairs = [(size, found[size].get(tool, {}).get(name)) for size in sizes]
                known = [(size, value) for size, value in pairs if value is not None]
                fitted = f"{exponent(*zip(*known, strict=True)):.2f}" if len(known) > 1 else ""
                cells = ["" if value is None else _shown(value) for _, value in pairs]
                yield f"| {name.removeprefix('stage: ')} | " + " | ".join(cells) + f" | {fitted} |"


def _parts(names: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    stages = [name for name in names if name.startswith("stage: ")]
    yield "", [name for name in names if name not in stages]
    if stages:
        yield ", a query by stage, milliseconds", stages


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def plot(found: Mapping[int, Mapping[str, Figures]], target: Path, names: Iterable[str]) -> None:
    """One plot with logarithmic axes for each figure that is named."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    names = list(names)
    figure, axes = pyplot.subplots(1, len(names), figsize=(4 * len(names), 3.4))
    for axis, name in zip(axes, names, strict=True):
        for tool in dict.fromkeys(tool for figures in found.values() for tool in figures):
            points = [
                (size, found[size][tool][name]) for size in sorted(found) if name in found[size].get(tool, {})
            ]
            if points:
                axis.loglog(*zip(*points, strict=True), marker="o", label=tool)
        axis.set_title(name)
        axis.set_xlabel("papers")
        axis.grid(True, which="both", alpha=0.3)
        axis.legend()
    figure.tight_layout()
    figure.savefig(target, dpi=100)


def main() -> None:
    arguments = shared_parser(__doc__, "data")
    arguments.add_argument("--work", type=Path, required=True)
    arguments.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    arguments.add_argument("--peers", nargs="*", default=list(PEERS))
    arguments.add_argument("--encoded", type=int, default=1000)
    arguments.add_argument("--out", type=Path, default=FOLDER)
    arguments.add_argument("--page", action="store_true", help="make the report of what is measured already")
    given = arguments.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    target = given.out / "scaling.json"
    if not given.page:
        measuring = Measuring(given.work, given.data, given.encoded)
        found = {size: measuring.size(size, given.peers) for size in sorted(given.sizes)}
        largest = max(found)
        facts = {
            "command": "python benchmarks/scaling.py --work DIR --sizes " + " ".join(map(str, sorted(found))),
            "sizes": found,
            "encoding": measuring.encoding(),
            "measured": measured(
                largest, found[largest]["citewhy"], found[min(found)]["citewhy"], measuring.encoding()
            ),
        }
        target.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    found = {int(size): figures for size, figures in json.loads(target.read_text())["sizes"].items()}
    (given.out / "scaling.md").write_text("\n".join(report(found)).strip() + "\n", encoding="utf-8")
    print((given.out / "scaling.md").read_text())
    try:
        plot(found, given.out / "scaling.png", ("query, p50", "query, p95", "peak MB"))
    except ImportError:
        print("there are no plots without matplotlib: pip install 'citewhy[plots]'", file=sys.stderr)


if __name__ == "__main__":
    main()
