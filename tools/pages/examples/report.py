import pandas as pd

from isogloss.report import write_page
from isogloss.studies.result import Figure, Finding, Provenance, Result, by_name

frame = pd.DataFrame({"layer": [0, 1, 2], "value": [20.0, 61.5, 40.0]})
figure = Figure(
    "layers", "Translations found by layer", "profile", frame, reading="Up is better.", alt="It peaks at layer 1."
)
result = Result(
    study="mine",
    question="Which layer aligns my languages?",
    findings=(Finding("Layer 1 aligns best: 61.5%.", effect=61.5, n=200, unit="%"),),
    tables={},
    figures=by_name(figure),
    main_figure="layers",
    provenance=Provenance.gather(models=("model",), data=("mine",), command=""),
    records=frame,
)
write_page(result, "report")  # report/index.html, and the data behind it
