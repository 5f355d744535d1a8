"""BibTeX for a run: the run itself, and the papers whose tables and figures it repeats."""

import re
from collections.abc import Mapping

from isogloss import __version__
from isogloss.report.latex import escape_latex
from isogloss.studies.result import Result

# As published: the ACL Anthology's entries where there are any (which name Wu20's equal first authors the other way
# round than the paper does), arXiv's else.
PAPERS: Mapping[str, str] = {
    "Liang21": r"""@misc{Liang21,
  title = {Locating Language-Specific Information in Contextualized Embeddings},
  author = {Liang, Sheng and Dufter, Philipp and Sch{\"u}tze, Hinrich},
  year = {2021},
  eprint = {2109.08040},
  archiveprefix = {arXiv},
  primaryclass = {cs.CL}
}""",
    "Tanti21": r"""@inproceedings{Tanti21,
  title = {On the Language-specificity of Multilingual {BERT} and the Impact of Fine-tuning},
  author = {Tanti, Marc and van der Plas, Lonneke and Borg, Claudia and Gatt, Albert},
  booktitle = {Proceedings of the Fourth {BlackboxNLP} Workshop on Analyzing and Interpreting Neural Networks for
               {NLP}},
  publisher = {Association for Computational Linguistics},
  pages = {214--227},
  year = {2021},
  doi = {10.18653/v1/2021.blackboxnlp-1.15}
}""",
    "Wu20": r"""@inproceedings{Wu20,
  title = {Emerging Cross-lingual Structure in Pretrained Language Models},
  author = {Conneau, Alexis and Wu, Shijie and Li, Haoran and Zettlemoyer, Luke and Stoyanov, Veselin},
  booktitle = {Proceedings of the 58th Annual Meeting of the Association for Computational Linguistics},
  publisher = {Association for Computational Linguistics},
  pages = {6022--6034},
  year = {2020},
  doi = {10.18653/v1/2020.acl-main.536}
}""",
    "Muller21": r"""@inproceedings{Muller21,
  title = {First Align, then Predict: Understanding the Cross-Lingual Ability of Multilingual {BERT}},
  author = {Muller, Benjamin and Elazar, Yanai and Sagot, Beno{\^i}t and Seddah, Djam{\'e}},
  booktitle = {Proceedings of the 16th Conference of the European Chapter of the Association for Computational
               Linguistics: Main Volume},
  publisher = {Association for Computational Linguistics},
  pages = {2214--2231},
  year = {2021},
  doi = {10.18653/v1/2021.eacl-main.189}
}""",
    "Chen22": r"""@misc{Chen22,
  title = {Feature Aggregation in Zero-Shot Cross-Lingual Transfer Using Multilingual {BERT}},
  author = {Chen, Beiduo and Guo, Wu and Liu, Quan and Tao, Kun},
  year = {2022},
  eprint = {2205.08497},
  archiveprefix = {arXiv},
  primaryclass = {cs.CL}
}""",
}


def bibtex(result: Result) -> str:
    """An entry for this run, then those of the papers it names."""
    provenance = result.provenance
    year = provenance.created[:4] if provenance.created[:4].isdigit() else "n.d."
    facts = [
        f"model {', '.join(provenance.models)}" if provenance.models else "",
        f"data {', '.join(provenance.data)}" if provenance.data else "",
        f"seeds {', '.join(map(str, provenance.seeds))}" if provenance.seeds else "",
        *(f"{name} at {revision}" for name, revision in provenance.revisions.items()),
    ]
    note = escape_latex("; ".join(filter(None, facts)))
    entry = "\n".join(
        [
            f"@misc{{isogloss-{re.sub('[^A-Za-z0-9]+', '-', result.study)}-{year},",
            f"  title = {{{escape_latex(result.question)}}},",
            "  author = {{The Isogloss developers}},",
            f"  year = {{{year}}},",
            f"  howpublished = {{Isogloss {__version__}, \\texttt{{{escape_latex(provenance.command)}}}}},",
            f"  note = {{{note}}}",
            "}",
        ]
    )
    tables, figures = result.tables.values(), result.figures.values()
    named = " ".join([*(table.paper for table in tables), *(figure.paper for figure in figures)])
    return "\n\n".join([entry, *(text for key, text in PAPERS.items() if key in named)]) + "\n"
