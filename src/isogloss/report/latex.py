"""Tables as LaTeX (booktabs), as the papers print them: best in bold, with differences, intervals and n."""

from isogloss.report.table_layout import MINUS, Cell, Layout, format_number, lay_out
from isogloss.studies.table import Table

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", MINUS: "$-$", "–": r"\textendash{}", "±": r"$\pm$", "×": r"$\times$",
    "∞": r"$\infty$", "≤": r"$\leq$", "≥": r"$\geq$", "≈": r"$\approx$", "≠": r"$\neq$", "→": r"$\rightarrow$",
    "←": r"$\leftarrow$", "√": r"$\surd$", "\n": " ", "\r": " ", "\0": "",
    "[": "{[}", "]": "{]}", "*": "{*}",  # at the start of a row they would be options of the line break before it
    "Δ": r"$\Delta$", "α": r"$\alpha$", "β": r"$\beta$", "γ": r"$\gamma$", "δ": r"$\delta$", "ε": r"$\varepsilon$",
    "κ": r"$\kappa$", "λ": r"$\lambda$", "μ": r"$\mu$", "ρ": r"$\rho$", "σ": r"$\sigma$", "τ": r"$\tau$",
}  # fmt: skip

MOST_IN_A_COLUMN = 6  # columns of numbers that fit one column of a paper
SHRINK = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"


def escape_latex(text: str) -> str:
    """Any text as LaTeX that prints it: nothing a user typed is ever a command."""
    escaped = "".join(_SPECIAL.get(character, character) for character in text)
    return escaped.replace("--", "-{}-")  # two hyphens would print as one dash


def table_to_latex(table: Table, signature: str = "") -> str:
    """A complete ``table`` environment, over both columns where it has many, shrunk where it is wider than the text.

    Its signature, if given, stands above it as a comment.

    It needs the packages booktabs and graphicx, and xcolor with [table] when shaded.
    """
    layout = lay_out(table)
    said = _common_n(layout)
    spec = "l" * len(layout.index) + "r" * len(layout.columns)
    lines = [" & ".join([*map(escape_latex, layout.index), *map(escape_latex, layout.columns)]) + r" \\", r"\midrule"]
    for row in layout.rows:
        cells = [*map(escape_latex, row.names), *(_latex_cell(cell, table, said is None) for cell in row.cells)]
        lines.append(" & ".join(cells) + r" \\")
    packages = r"% needs \usepackage{booktabs,graphicx}"
    if table.shade:
        packages += r" and \usepackage[table]{xcolor}"
    bracketed = any(cell.low is not None for row in layout.rows for cell in row.cells)
    intervals = "Brackets are intervals." if bracketed else ""
    numbers = f"n = {said:,}." if said else ""
    parts = (table.title.rstrip(".") + ".", table.caption, intervals, numbers)
    caption = " ".join(part for part in parts if part)
    place = "table*" if len(layout.columns) > MOST_IN_A_COLUMN else "table"
    return "\n".join(
        [
            packages,
            *([f"% signature: {'_'.join(signature.split())}"] if signature else []),
            rf"\begin{{{place}}}[t]",
            r"\centering",
            *([r"\setlength{\tabcolsep}{4pt}"] if place == "table*" else []),
            SHRINK,
            rf"\begin{{tabular}}{{{spec}}}",
            r"\toprule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}}",
            rf"\caption{{{escape_latex(caption)}}}",
            rf"\label{{tab:{table.name}}}",
            rf"\end{{{place}}}",
            "",
        ]
    )


def _common_n(layout: Layout) -> int | None:
    """The n of every cell that has one, where it is the same: then the caption says it; 0 where no cell has one."""
    found = {cell.n for row in layout.rows for cell in row.cells if cell.n is not None}
    return (found or {0}).pop() if len(found) <= 1 else None


def _evidence(cell: Cell, table: Table, with_n: bool) -> str:
    """The interval of a number, and its n where numbers differ in theirs."""
    parts = []
    if cell.low is not None and cell.high is not None:
        ends = (escape_latex(format_number(end, table.decimals)) for end in (cell.low, cell.high))
        parts.append(f"{{[}}{', '.join(ends)}{{]}}")
    if with_n and cell.n is not None:
        parts.append(f"$n$={cell.n:,}")
    return rf" {{\scriptsize {' '.join(parts)}}}" if parts else ""


def _latex_cell(cell: Cell, table: Table, with_n: bool) -> str:
    text = escape_latex(cell.text)
    if cell.best:
        text = rf"\textbf{{{text}}}"
    if cell.difference:
        text += rf"\textsubscript{{{escape_latex(cell.difference)}}}"
    if cell.significant:
        text += r"$^{*}$"
    text += _evidence(cell, table, with_n)
    if cell.shade is not None and abs(cell.shade) >= 0.02:
        colour = "blue" if cell.shade > 0 else "orange"
        text = rf"\cellcolor{{{colour}!{round(50 * abs(cell.shade))}}}{text}"
    return text
