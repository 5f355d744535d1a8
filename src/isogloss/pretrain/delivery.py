"""A finished model, copied whole into the folder that its user named."""

import shutil
from pathlib import Path

from isogloss.encoders.model_folder import LANGUAGES
from isogloss.files import make_folder, whole_file
from isogloss.pretrain.export import link
from isogloss.pretrain.folders import Folders
from isogloss.pretrain.pretrained import Pretrained


def deliver(source: Path, target: Path) -> Pretrained:
    """Copy a finished run; its record comes last and says that all is there. Files that are one stay one."""
    result, record, work = Folders(target).result, Folders(source).result, Folders(source).work
    result.unlink(missing_ok=True)
    shutil.rmtree(target / LANGUAGES, ignore_errors=True)
    copied: dict[int, Path] = {}
    for path in (*(path for path in sorted(source.rglob("*")) if path != record), record):
        if path.is_file() and work not in path.parents:
            place = target / path.relative_to(source)
            make_folder(place.parent)
            twin = copied.setdefault(path.stat().st_ino, place)
            if twin != place:
                link(twin, place)
                continue
            with whole_file(place) as part:
                shutil.copyfile(path, part)
    return Pretrained.load(target)
