"""From scores to sentences: does holding the language subspace help, whom, in which layers, and was it held?"""

from collections.abc import Iterator
from dataclasses import replace

from isogloss.studies.columns import ABROAD, HOME
from isogloss.studies.preserve.plan import BASELINE, STILL
from isogloss.studies.preserve.view import PreserveView
from isogloss.studies.result import Finding
from isogloss.studies.shared.comparison import cost_words, counted, doubt, finding, interval, signed, spread, supported

SURE = 0.05


def findings_of(view: PreserveView) -> Iterator[Finding]:
    """Most useful first, fine-tuning by fine-tuning."""
    for part in (effect, control, languages, layers, subspaces, hindsight, kept):
        for task, source in view.groups():
            for found in part(view, task, source):
                yield replace(found, text=f"{task} from {source}: {found.text}")


def effect(view: PreserveView, task: str, source: str) -> Iterator[Finding]:
    """The penalty that one would have taken, against fine-tuning without it."""
    name, side = view.leading(), view.judged(task, source)
    alpha = view.chosen(task, source, name)
    gain = view.gain(task, source, name, side)
    count = view.of(task, source, name, side)["target"].nunique()
    text = f"{name} (alpha {alpha:g}, chosen on validation data) {cost_words(gain)} "
    if side == ABROAD:
        home = view.gain(task, source, name, HOME)
        text += f"in {counted(count, 'language')} not trained on. In the source it {cost_words(home)}."
    else:
        text += f"in the {counted(count, 'language')} trained on."
    yield finding(text, gain, holds=supported(gain))


def control(view: PreserveView, task: str, source: str) -> Iterator[Finding]:
    """L-DAR also switches dropout off: what that does by itself, and what is left for the penalty."""
    if STILL not in view.conditions():
        return
    side = view.judged(task, source)
    still = view.gain(task, source, STILL, side)
    own = view.gain(task, source, view.leading(), side, over=STILL)
    text = f"switching dropout off, which L-DAR also does, {cost_words(still)}. The penalty itself {cost_words(own)}."
    yield finding(text, own)


def languages(view: PreserveView, task: str, source: str) -> Iterator[Finding]:
    """Which languages gain and which lose, and how many of these differences are sure."""
    name = view.leading()
    gaps = view.compared(task, source, name, view.judged(task, source)).gaps.mean(axis=0).droplevel("data")
    if len(gaps) < 2:
        return
    p = view.p_by_target(task, source, name)
    sure = sum(p[target] < SURE for target in gaps.index)
    text = (
        f"{name} is better in {int((gaps > 0).sum())} of {len(gaps)} languages, from {gaps.idxmin()} "
        f"({signed(gaps.min())}) to {gaps.idxmax()} ({signed(gaps.max())}). {sure or 'None'} of these differences "
        f"{'is' if sure < 2 else 'are'} significant over sentences (p < 0.05, Holm)."
    )
    yield Finding(text, effect=float(gaps.mean()), n=len(gaps), unit="points")


def layers(view: PreserveView, task: str, source: str) -> Iterator[Finding]:
    """Lower layers only against upper layers only."""
    rows = view.scores[["condition", "layers", "subspace"]].drop_duplicates()
    lead = rows.loc[rows["condition"] == view.leading(), "subspace"].iloc[0]
    some = rows[(rows["subspace"] == lead) & ~rows["layers"].isin(["", "all"])]["condition"].tolist()
    if len(some) < 2:
        return
    side = view.judged(task, source)
    low, high = some[0], some[-1]
    more = view.gain(task, source, high, side, over=low)
    gains = {name.partition("layers ")[2]: view.gain(task, source, name, side).value for name in some}
    each = ", ".join(f"{held} {signed(gain)}" for held, gain in gains.items())
    text = (
        f"holding the uppermost layers only is {signed(more.value)} points{interval(more)} from holding the "
        f"lowest{doubt(more)}. Against the baseline: {each}."
    )
    yield finding(text, more)


def subspaces(view: PreserveView, task: str, source: str) -> Iterator[Finding]:
    """The subspace of another method instead of the first one."""
    rows = view.scores[["condition", "layers", "subspace"]].drop_duplicates()
    lead = rows[rows["condition"] == view.leading()].iloc[0]
    others = rows[(rows["layers"] == lead["layers"]) & (rows["subspace"] != lead["subspace"])]["condition"]
    for name in others:
        more = view.gain(task, source, name, view.judged(task, source), over=view.leading())
        yield finding(f"{name} instead of {view.leading()} {cost_words(more)}.", more)


def hindsight(view: PreserveView, task: str, source: str) -> Iterator[Finding]:
    """The alpha that would have been best, which nobody knows beforehand."""
    name, side = view.leading(), view.judged(task, source)
    if len(view.alphas(name)) == 1:
        return
    chosen, best = view.chosen(task, source, name), view.hindsight(task, source, name)
    if chosen == best:
        text = f"no other of the {len(view.alphas(name))} alphas would have been better on the test data."
        yield finding(text, view.gain(task, source, name, side))
        return
    more = view.gain(task, source, name, side, best, over=name)
    text = (
        f"on the test data alpha {best:g} would have been {more.value:.1f} points{interval(more)} above the chosen "
        f"{chosen:g}{doubt(more)}. The best of many is partly luck."
    )
    yield finding(text, more)


def kept(view: PreserveView, task: str, source: str) -> Iterator[Finding]:
    """Whether the penalty did what it is for."""
    if not len(view.drifts):
        return
    name = view.leading()
    tables = [view.drift_table(task, source, condition, "inside") for condition in (name, BASELINE)]
    less = spread((tables[0] - tables[1]).to_numpy())
    means = {
        (condition, part): view.drift(task, source, condition, part).value
        for condition in (name, BASELINE)
        for part in ("inside", "outside")
    }
    text = (
        f"inside the language subspace, plain fine-tuning moves states by {means[BASELINE, 'inside']:.2f} of their "
        f"spread and {name} by {means[name, 'inside']:.2f} ({less.value:+.2f}{interval(less, 2)}{doubt(less)}). "
        f"Outside it: {means[BASELINE, 'outside']:.2f} and {means[name, 'outside']:.2f}."
    )
    yield finding(text, less, "of the spread")
