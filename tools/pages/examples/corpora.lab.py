from isogloss.corpora.lab import Lab, LabConfig, bag_of_tags_retrieval, preset

lab = Lab(preset("twins", seed=1))  # or Lab(LabConfig(languages=4, families=2, anchors=0.2))
text = lab.text("qaa", 100)  # plain text, never parallel
same = lab.parallel(50, pool="hard")  # the same meanings in every language
trees = lab.parallel_trees(50, pool="hard")
print(bag_of_tags_retrieval(trees["qaa"], trees["qab"]))  # what sentence structure alone would score
shared = Lab(LabConfig(anchors=0.2))  # a fifth of the content words is one string in every language
