from isogloss.corpora import load_trees
from isogloss.transfer import Settings, Trainer, parse_methods

print(parse_methods("fusion:1+ldar:alpha=0.1"))  # methods are written by name, with their settings
parts = {part: list(load_trees("lab:twins", ["qaa"], part, limit=20).read()) for part in ("train", "dev")}
abroad = list(load_trees("lab:twins", ["qab"], "test", limit=20).read())

trainer = Trainer("model", "pos", "plain", Settings(epochs=1, batch=8))
fitted = trainer.fit(parts["train"], parts["dev"], sources=["qaa"])
print(fitted.evaluate({"qab": abroad})["qab"].estimate("accuracy"))  # with its interval
