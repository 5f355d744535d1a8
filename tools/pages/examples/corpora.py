from isogloss.corpora import load_corpus, load_dictionary, load_parallel, load_trees

text = load_parallel("lab:twins", limit=20)  # or "ntrex", a folder of code.txt files, a table
print(text.texts["qaa"][3], text.texts["qab"][3])  # a sentence and its translation
trees = load_trees("lab:twins", limit=20)
first = next(iter(trees.stream("qaa", "test")))  # words, tags, heads and relations
pairs = load_corpus("lab:twins", kind="pairs", languages=["qaa"], part="train", limit=20)
print(pairs.revision)  # a hash of the content: name it beside every number
words = load_dictionary("lab:twins", "qaa", "qab")
