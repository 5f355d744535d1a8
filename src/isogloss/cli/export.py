"""``isogloss export RUN --table 1 --latex``"""

import sys
from pathlib import Path
from typing import Annotated

import typer


def export(
    run: Annotated[Path, typer.Argument(help="Folder that a study wrote with --out.")],
    table: Annotated[str | None, typer.Option("--table", help="Number of a table on the page, or its name.")] = None,
    figure: Annotated[str | None, typer.Option("--figure", help="Number of a figure on the page, or its name.")] = None,
    latex: Annotated[bool, typer.Option("--latex", help="Export the table as LaTeX (the default for tables).")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Export the data of the table or figure as CSV.")] = False,
    pdf: Annotated[bool, typer.Option("--pdf", help="Export the figure as PDF (the default for figures).")] = False,
    svg: Annotated[bool, typer.Option("--svg", help="Export the figure as SVG.")] = False,
    png: Annotated[bool, typer.Option("--png", help="Export the figure as PNG.")] = False,
    bibtex: Annotated[bool, typer.Option("--bibtex", help="Export a bibliography entry for the run.")] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="File to write. Default: text is printed, pictures go into the run's folder."),
    ] = None,
) -> None:
    """Export a table, a figure or a bibliography entry of a run, for a paper.

    Text goes to standard output, pictures into the run's folder, unless --out names a file.

    Pictures are drawn by Chromium, Chrome or Edge.

    Example: [bold]isogloss export runs/mine --table 1 --latex[/], [bold]isogloss export runs/mine --figure 2 --pdf[/]
    """
    from isogloss.errors import IsoglossError
    from isogloss.files import write_whole
    from isogloss.report.bibliography import bibtex as entry
    from isogloss.report.export import choose, export_figure
    from isogloss.report.latex import table_to_latex
    from isogloss.report.signature import signature_of
    from isogloss.studies.csv_text import frame_to_csv
    from isogloss.studies.result import Result

    if sum((table is not None, figure is not None, bibtex)) != 1:
        raise IsoglossError("say what to export", remedy="give one of --table N, --figure N or --bibtex")
    if (table is not None and (pdf or svg or png)) or (figure is not None and latex):
        raise IsoglossError(
            "tables are exported as LaTeX or CSV, figures as PDF, SVG, PNG or CSV",
            remedy="e.g. --table 1 --latex or --figure 1 --pdf",
        )
    if sum((latex, csv, pdf, svg, png)) > 1:
        raise IsoglossError("give one format at a time", remedy="take one of --latex, --csv, --pdf, --svg and --png")
    result = Result.load(run)
    if figure is not None and not csv:
        chosen = choose(result.figures, figure, "figure")
        suffix = "svg" if svg else "png" if png else "pdf"
        for path in export_figure(result, figure, out or run / "figures" / f"{chosen.name}.{suffix}"):
            sys.stderr.write(f"wrote {path}\n")
        return
    if figure is not None:
        text = frame_to_csv(choose(result.figures, figure, "figure").frame)
    elif table is not None:
        chosen_table = choose(result.tables, table, "table")
        signed = signature_of(result, chosen_table)
        text = frame_to_csv(chosen_table.frame) if csv else table_to_latex(chosen_table, signed)
    else:
        text = entry(result)
    if out is None:
        sys.stdout.write(text)
    else:
        write_whole(out, text)
        sys.stderr.write(f"wrote {out}\n")
