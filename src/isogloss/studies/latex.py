"""Tables as LaTeX (booktabs), as the papers print them: best in bold, differences beside the number."""

from isogloss.studies.table import Table
from isogloss.studies.table_layout import MINUS, Cell, lay_out

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", MINUS: "$-$", "–": "--", "±": r"$\pm$", "×": r"$\times$",
    "∞": r"$\infty$", "\n": " ",
}  # fmt: skip


def escape_latex(text: str) -> str:
    """Any text as LaTeX that prints it: nothing a user typed is ever a command."""
    return "".join(_SPECIAL.get(character, character) for character in text)


def table_to_latex(table: Table) -> str:
    """A complete ``table`` environment; it needs the package booktabs, and xcolor with [table] when shaded."""
    layout = lay_out(table)
    spec = "l" * len(layout.index) + "r" * len(layout.columns)
    lines = [" & ".join([*map(escape_latex, layout.index), *map(escape_latex, layout.columns)]) + r" \\", r"\midrule"]
    for row in layout.rows:
        cells = [*map(escape_latex, row.names), *map(_latex_cell, row.cells)]
        lines.append(" & ".join(cells) + r" \\")
    packages = r"% needs \usepackage{booktabs}"
    if table.shade:
        packages += r" and \usepackage[table]{xcolor}"
    caption = " ".join(part for part in (table.title.rstrip(".") + ".", table.caption) if part)
    return "\n".join(
        [
            packages,
            r"\begin{table}[t]",
            r"\centering",
            rf"\begin{{tabular}}{{{spec}}}",
            r"\toprule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            rf"\caption{{{escape_latex(caption)}}}",
            rf"\label{{tab:{table.name}}}",
            r"\end{table}",
            "",
        ]
    )


def _latex_cell(cell: Cell) -> str:
    text = escape_latex(cell.text)
    if cell.best:
        text = rf"\textbf{{{text}}}"
    if cell.difference:
        text += rf" {{\scriptsize({escape_latex(cell.difference)})}}"
    if cell.significant:
        text += r"$^{*}$"
    if cell.shade is not None and abs(cell.shade) >= 0.02:
        colour = "blue" if cell.shade > 0 else "orange"
        text = rf"\cellcolor{{{colour}!{round(50 * abs(cell.shade))}}}{text}"
    return text
