from pathlib import Path

from isogloss.corpora.lab import Lab, preset
from isogloss.pretrain import Recipe, pretrain

lab = Lab(preset("twins"))
texts = {code: lab.text(code, 300) for code in lab.codes}
small = {"layers": 2, "width": 32, "heads": 2, "feedforward": 64}
training = {"steps": 2, "warmup": 1, "validate_every": 2, "save_every": 2, "batch_tokens": 256}
recipe = Recipe.preset("lab").changed(model=small, training=training, data={"validation": 20}, seed=1)
done = pretrain(recipe, texts, Path("model"))  # a folder that AutoModel opens
print(done.perplexities)  # by language
