from isogloss.tasks import TASKS, get_task, read_spans, repair_tags

print(sorted(TASKS))  # ner, nli, paraphrase, parsing, pos
task = get_task("ner", repair=True)
print(read_spans(["B-PER", "I-PER", "O", "B-LOC"]))  # entities as spans, by conlleval's conventions
print(repair_tags(["I-PER", "O", "I-LOC"]))  # Wu20's rule
