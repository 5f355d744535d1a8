"""What somebody may have meant by a code that is none."""

from difflib import get_close_matches

from isogloss.languages.table import Language, shipped


def list_candidates(wanted: str) -> str:
    """A remedy for an unknown code: the languages it may stand for."""
    listed = ", ".join(f"{row.code} ({row.name})" for row in _candidates(wanted))
    return f"candidates: {listed}" if listed else "use BCP 47 or ISO 639-3, as in 'de', 'deu', 'zh-Hant'"


def _candidates(code: str) -> list[Language]:
    """What ``code`` may stand for: a country's language, a genus or family, then what it looks like."""
    table, wanted = shipped(), code.strip().lower()
    groups = [row.code for row in table.rows.values() if wanted in {row.genus.lower(), row.family.lower()}]
    names = {row.name.lower(): row.code for row in table.rows.values()}
    near = get_close_matches(wanted, [*table.aliases, *names], n=8, cutoff=0.5)
    alike = [table.aliases.get(name) or names[name] for name in near]
    return [table.rows[base] for base in dict.fromkeys([*_spoken_in(wanted), *groups, *alike])][:6]


def _spoken_in(country: str) -> list[str]:
    """``jp`` -> ``[ja]``: people often write a country's code for its language."""
    if len(country) != 2 or not (country.isascii() and country.isalpha()):
        return []
    import langcodes

    likely = str(langcodes.Language.get(f"und-{country.upper()}").maximize().language)
    base = shipped().aliases.get(likely)
    return [base] if base and base != "en" else []
