"""Parallel text from parallel treebanks: sentences pair up by their ``sent_id`` (PUD)."""

from itertools import islice

from isogloss.corpora.corpus import Corpus
from isogloss.corpora.records import ParallelText, Tree
from isogloss.errors import IsoglossError


def parallel_from_trees(corpus: Corpus[Tree], limit: int | None = None) -> ParallelText:
    """The texts of the sentences that every language has, in the order of the first language."""
    texts = {code: {tree.id: tree.text for tree in corpus.stream(code)} for code in corpus.languages}
    first, *others = texts.values()
    shared = [name for name in first if all(name in other for other in others)]
    if not shared:
        raise IsoglossError(
            "no sentence has the same sent_id in every language",
            where=corpus.name,
            remedy="these treebanks are not parallel; take ud-pud, or fewer languages",
        )
    rows = list(islice(shared, limit))
    lost = len({name for column in texts.values() for name in column}) - len(shared)
    left_out = corpus.left_out | ({"sentences that some language lacks": lost} if lost else {})
    chosen = {code: tuple(column[name] for name in rows) for code, column in texts.items()}
    return ParallelText(chosen, corpus.name, corpus.revision, left_out)
