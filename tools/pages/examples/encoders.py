from isogloss import Encoder
from isogloss.encoders import Reinitialise, Truncate

encoder = Encoder("model")  # a folder that save_pretrained wrote, or a Hugging Face model name
states = encoder.encode(["the cat sat on the mat", "yes"])  # sentences x layers x dimensions
words = encoder.encode([["the", "cat"]], level="word").values  # words x layers x dimensions
for block in encoder.stream(["the cat"] * 100, layers=[0, 2]):
    print(block.values.shape)  # in flat memory, for any amount of text
Reinitialise((1, 2), seed=1).apply(encoder.model)  # a copy with new weights in layers 1 and 2
Truncate(2).apply(encoder.model)  # the lowest two layers
