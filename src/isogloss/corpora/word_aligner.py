"""Word alignments of parallel sentences by a program that is installed: eflomal or fast_align.

Both are run in both directions, and the links that both directions have are kept: those are right more often, which is
what a map needs.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from isogloss.corpora.records import WordAlignment
from isogloss.errors import IsoglossError, unknown_name

Words = Sequence[str]
Links = list[frozenset[tuple[int, int]]]
Tool = Callable[[Path, Path], tuple[str, str]]  # sentences and a folder in; links forward and reverse out
REMEDY = (
    "install one of them (pip install 'isogloss[align]', or build github.com/clab/fast_align), so that it is on PATH; "
    "or give gold alignments instead: --alignments FILE.gold"
)


def align_words(first: Sequence[Words], second: Sequence[Words], tool: str = "auto") -> list[WordAlignment]:
    """Sentence by sentence, which word of ``first`` stands for which of ``second``; ``auto`` takes what is there."""
    if len(first) != len(second) or not first:
        raise IsoglossError(
            f"{len(first)} sentences against {len(second)}", remedy="sentence n must be the same in both"
        )
    run = TOOLS[find_aligner(tool)]
    with tempfile.TemporaryDirectory(prefix="isogloss-align-") as name:
        folder = Path(name)
        text = folder / "sentences"
        lines = (f"{_line(a)} ||| {_line(b)}\n" for a, b in zip(first, second, strict=True))
        text.write_text("".join(lines), encoding="utf-8")
        forward, reverse = (_links(output, len(first), tool) for output in run(text, folder))
    both = [one & other for one, other in zip(forward, reverse, strict=True)]
    return [WordAlignment(tuple(a), tuple(b), sure, sure) for a, b, sure in zip(first, second, both, strict=True)]


def find_aligner(tool: str = "auto") -> str:
    """The program to use; an error that says how to get one where there is none."""
    if tool not in {"auto", *TOOLS}:
        raise unknown_name("word aligner", tool, ["auto", *TOOLS], where="setting 'aligner'")
    wanted = list(TOOLS) if tool == "auto" else [tool]
    found = next((name for name in wanted if shutil.which(name)), None)
    if found is None:
        raise IsoglossError(f"no word aligner is installed ({' or '.join(wanted)})", where="alignments", remedy=REMEDY)
    return found


def _eflomal(text: Path, folder: Path) -> tuple[str, str]:
    forward, reverse = folder / "forward", folder / "reverse"
    _run(["eflomal-align", "-i", str(text), "-f", str(forward), "-r", str(reverse), "--overwrite"])
    return forward.read_text(encoding="utf-8"), reverse.read_text(encoding="utf-8")


def _fast_align(text: Path, folder: Path) -> tuple[str, str]:
    command = ["fast_align", "-i", str(text), "-d", "-o", "-v"]
    return _run(command), _run([*command, "-r"])


TOOLS: dict[str, Tool] = {"eflomal-align": _eflomal, "fast_align": _fast_align}


def _run(command: Sequence[str]) -> str:
    """Standard output of a program; its last words where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)  # noqa: S603  (no shell)
    if done.returncode:
        said = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        raise IsoglossError(f"the word aligner failed: {said[0]}", where=command[0], remedy=REMEDY)
    return done.stdout


def _line(words: Words) -> str:
    """Words with blanks between them; a blank, or what would look like the bar, inside a word becomes an underscore."""
    return " ".join("_".join(word.split()).replace("|||", "_") or "_" for word in words)


def _links(text: str, expected: int, tool: str) -> Links:
    lines = text.splitlines()
    if len(lines) != expected:
        raise IsoglossError(f"{len(lines)} lines of links for {expected} sentences", where=tool, remedy=REMEDY)
    return [frozenset(_pair(link) for link in line.split()) for line in lines]


def _pair(link: str) -> tuple[int, int]:
    first, _, second = link.partition("-")
    return int(first), int(second)
