"""Run every benchmark, keep its rows in results.jsonl, and rewrite the table in docs/performance.md.

python benchmarks/run_all.py            every subject at full size
python benchmarks/run_all.py --quick    a smoke test at small sizes; writes nothing
python benchmarks/run_all.py geometry   one subject; the others' rows stay as they are
python benchmarks/run_all.py geometry --only csls    parts of a subject that has such an option; its other rows stay too
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

HERE = Path(__file__).parent
RESULTS = HERE / "results.jsonl"
PAGE = HERE.parent / "docs" / "performance.md"
NOT_SUBJECTS = {"run_all", "measure"}
BEGIN, END = "<!-- table begins -->", "<!-- table ends -->"


def main() -> int:
    subjects = sorted(path.stem for path in HERE.glob("*.py") if path.stem not in NOT_SUBJECTS)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("subjects", nargs="*", default=subjects, choices=[*subjects, []], metavar="SUBJECT")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", nargs="+", default=[], metavar="PART", help="parts of the subject")
    arguments = parser.parse_args()
    options = [*(["--quick"] if arguments.quick else []), *(["--only", *arguments.only] if arguments.only else [])]
    failed = []
    kept = [row for row in read_rows() if row["subject"] not in arguments.subjects]
    for subject in arguments.subjects:
        rows = run_subject(subject, options)
        failed += [subject] if rows is None else []
        renewed = {(row["work"], row["peer"]) for row in rows or []} if arguments.only else set()
        before = [row for row in read_rows() if row["subject"] == subject]
        stays = [row for row in before if (row["work"], row["peer"]) not in renewed]
        kept += [*(stays if arguments.only or not rows else []), *(rows or [])]
    if not arguments.quick:
        kept.sort(key=lambda row: row["subject"])
        RESULTS.write_text("".join(json.dumps(row) + "\n" for row in kept))
        rewrite_page(kept)
    for row in kept:
        if row["target"] is not None and row["ratio"] < row["target"] and not arguments.quick:
            print(f"below target: {row['subject']}: {row['work']}: {row['ratio']} < {row['target']}")
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


def run_subject(subject: str, options: list[str]) -> list[dict] | None:
    """The rows one script prints; None when it failed."""
    print(f"--- {subject}", flush=True)
    command = [sys.executable, str(HERE / f"{subject}.py"), *options]
    rows = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            if line.startswith('{"work"'):  # a peer may print dictionaries of its own
                rows.append({"subject": subject, **json.loads(line), **conditions()})
    return rows if process.returncode == 0 else None


def conditions() -> dict[str, object]:
    """What a reader needs to judge a row."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
    }


def read_rows() -> list[dict]:
    return [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []


def rewrite_page(rows: list[dict]) -> None:
    """Put the rows between the two marks of the page; everything around them is written by hand."""
    lines: list[str] = []
    for subject, part in groupby(rows, key=lambda row: str(row["subject"])):
        kept = list(part)
        lines += [f"\n### {subject}, {' and '.join(sorted({row['date'] for row in kept}))}\n", *table_of(kept)]
    page = PAGE.read_text()
    head, rest = page.split(BEGIN)
    PAGE.write_text(f"{head}{BEGIN}\n" + "\n".join(lines) + f"\n\n{END}{rest.split(END)[1]}")


def table_of(rows: list[dict]) -> list[str]:
    """The rows of one subject as a Markdown table."""
    lines = ["| work | peer | ours, s | peer, s | ratio | at least | repeats |", "|---|---|---|---|---|---|---|"]
    for row in rows:
        target = "" if row["target"] is None else f"{row['target']:g}x"
        lines.append(
            f"| {row['work']} | {row['peer']} | {row['ours_s']:.3g} | {row['peer_s']:.3g} "
            f"| {row['ratio']:.3g}x | {target} | {row['n']} |"
        )
    return lines


if __name__ == "__main__":
    sys.exit(main())
