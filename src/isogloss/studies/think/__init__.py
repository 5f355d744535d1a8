"""Think: which language does a decoder think in, and which neurons speak it? (Wendler et al. 2024; Tang et al. 2024)

result = think.run(think.Config(model="./gemma3-270m", pairs=("de-fr",), pivot="en", dictionary="dictionaries"))
result.frame()    # the common columns, and language: whose word, or whose neurons
"""

from isogloss.studies.study import Study
from isogloss.studies.think.config import Config, configure, demo

__all__ = ["STUDY", "Config", "configure", "demo", "run"]

STUDY = Study.of_folder(__name__, "Which language does the model think in, and which neurons speak it?", Config)
run = STUDY.run
