"""The reference is complete: every command, option, key, column, variable and public name has its place."""

import contextlib
import dataclasses
import re
from importlib import import_module
from pathlib import Path

import api
import commands
import docstrings
import pytest
import records
import settings

import isogloss
from isogloss.cli import INTERRUPTED, USER_MISTAKE
from isogloss.pretrain import Recipe
from isogloss.studies.columns import COLUMNS
from isogloss.studies.names import STUDIES
from isogloss.studies.study import get_study

ROOT = Path(__file__).parents[2]
PACKAGE = Path(isogloss.__file__).parent


def sections(page: str) -> dict[str, str]:
    """The parts of a page by the headings of its second level."""
    parts = re.split(r"^## (.+)$", page, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_command_and_option_is_in_the_reference():
    page = sections(commands.commands_page())
    for words, command in commands.leaves(commands.the_command()):
        text = page[" ".join(words)]
        for option in commands.options(command):
            assert f"`{option.opts[0]}`" in text or f"`{option.opts[0].upper()}`" in text, (words, option.name)


def test_options_that_are_explained_once_are_the_same_everywhere():
    shared = sections(commands.commands_page())[commands.SHARED_TITLE]
    assert "`--workers`" in shared and "`--json`" in shared and "`--data`" not in shared


def test_every_key_of_every_study_file_has_a_row_with_its_default():
    page = sections(settings.study_files_page())
    for name in STUDIES:
        for field in dataclasses.fields(get_study(name).config):
            assert re.search(rf"^\| `{field.name}` \| [^|]+ \| [^|]+ \|", page[name], flags=re.MULTILINE), (
                name,
                field.name,
            )
    assert "| `limit` | whole number from 1 | `500` | sentences per language |" in page["inspect"]


def test_every_key_has_a_meaning_and_no_meaning_is_left_over():
    used = set()
    for page in (settings.study_files_page(), settings.settings_page()):
        for title, text in sections(page).items():
            for key, meaning in re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", text, flags=re.MULTILINE):
                assert meaning.strip(), (title, key)
                used |= {key, f"{title}.{key}"}
    assert set(settings.MEANINGS) - used == set()


def test_every_key_of_a_recipe_has_a_row():
    page = sections(settings.settings_page())
    for record in settings.records_in(Recipe):
        for field in dataclasses.fields(record):
            assert f"| `{field.name}` |" in page[record.__name__]
    assert {"Recipe", "Training", "Settings", "LabConfig"} <= set(page)


def test_links_to_records_lead_to_their_sections():
    for page in (settings.study_files_page(), settings.settings_page()):
        anchors = {title.lower().replace(" ", "-") for title in sections(page)}
        assert set(re.findall(r"\]\(#([^)]+)\)", page)) <= anchors


def test_every_column_of_result_frames_is_explained():
    page = records.columns_page()
    assert all(f"| `{name}` |" in page for name in COLUMNS)
    assert records.extra_columns("fuse") == ["side", "group", "gate", "branches"]
    for study in STUDIES:
        assert all(f"| `{name}` |" in page for name in records.extra_columns(study))


def test_every_environment_variable_that_the_code_reads_is_on_the_page():
    page = (ROOT / "docs" / "reference" / "environment.md").read_text(encoding="utf-8")
    code = "\n".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    read = set(re.findall(r'environ(?:\.get|\.setdefault)?[(\[]\s*"([A-Z_]+)"', code))
    named = set(re.findall(r'^(?:VARIABLE|ADDRESS) = "([A-Z_]+)"', code, flags=re.MULTILINE))
    assert {"ISOGLOSS_HOME", "ISOGLOSS_DATA"} <= read and len(named) == 2
    assert [name for name in sorted(read | named) if f"`{name}`" not in page] == []


def test_exit_codes_are_those_of_the_command_line():
    page = (ROOT / "docs" / "reference" / "environment.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| (\d+) \|", page, flags=re.MULTILINE)) == {"0", "1", str(USER_MISTAKE), str(INTERRUPTED)}


@pytest.mark.parametrize("folder", api.FOLDERS)
def test_every_public_name_of_a_folder_has_a_section(folder: str):
    page, module = api.folder_page(folder), import_module(f"isogloss.{folder}")
    for name in module.__all__:
        value = getattr(module, name)
        assert f"::: isogloss.{folder}.{name}\n" in page or not (callable(value) and value.__doc__), name


@pytest.fixture(scope="module")
def with_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the example of ``pretrain`` has left its model, which other examples open."""
    folder = tmp_path_factory.mktemp("examples")
    run_example("pretrain", folder)
    return folder


def run_example(name: str, folder: Path) -> None:
    code = compile((api.EXAMPLES / f"{name}.py").read_text(encoding="utf-8"), name, "exec")
    with contextlib.chdir(folder):
        exec(code, {"__name__": "example"})


@pytest.mark.parametrize("folder", sorted(set(api.FOLDERS) - {"pretrain"}))
def test_the_example_of_a_page_runs(folder: str, with_model: Path):
    assert f"```python\n{(api.EXAMPLES / f'{folder}.py').read_text(encoding='utf-8')}```" in api.folder_page(folder)
    run_example(folder, with_model)


def test_every_public_name_of_the_package_has_a_section():
    page = api.front_page()
    for name in set(isogloss.__all__) - {"__version__"}:
        assert re.search(rf"^::: isogloss\.[\w.]*\b{name}$", page, flags=re.MULTILINE), name


def test_examples_in_docstrings_become_code():
    found = docstrings.fenced('Run it.\n\nisogloss.inspect("a", data="b")\n\nA sentence (with a bracket).')
    assert found == 'Run it.\n\n```python\nisogloss.inspect("a", data="b")\n```\n\nA sentence (with a bracket).'
