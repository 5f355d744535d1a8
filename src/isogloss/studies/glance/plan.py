"""The cells of a glance: an encoder, its untrained twin, and the world's own baseline."""

from dataclasses import dataclass

from isogloss.studies.glance.cells import Meet, Tags
from isogloss.studies.glance.config import Config
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.models import Untrained


@dataclass(frozen=True)
class GlanceCondition:
    """What finds translations: an encoder (pretrained or untrained), and beside it the tags of the sentences."""

    name: str
    cell: Meet | Tags


PRETRAINED, UNTRAINED, TAGS = "pretrained", "untrained", "bag of tags"


def plan(config: Config) -> StudyPlan[Config, GlanceCondition]:
    """Pretrained first, then untrained, then the baseline."""
    trained = config.encoder()
    cells: dict[str, Meet | Tags] = {
        PRETRAINED: Meet(trained, trained.world, config.pool),
        UNTRAINED: Meet(Untrained(trained, config.seed), trained.world, config.pool),
        TAGS: Tags(trained.world, config.pool),
    }
    return StudyPlan(config, tuple(GlanceCondition(name, cell) for name, cell in cells.items()))
