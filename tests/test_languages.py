"""Codes of many schemes become one language; what is unknown or ambiguous is said so."""

import subprocess
import sys

import pytest

from isogloss.errors import IsoglossError
from isogloss.languages import Wals, known_languages, language, language_name, try_language

MBERT = """
af sq ar an hy ast az ba eu bar be bn bpy bs br bg my ca ceb ce zh-Hans zh-Hant cv hr cs da nl en et fi fr gl
ka de el gu ht he hi hu is io id ga it ja jv kn kk ky ko la lv lt lmo nds lb mk mg ms ml mr min ne new no nn
oc fa pms pl pt pa ro ru sco sr sh scn sk sl azb es su sw sv tl tg ta tt te tr uk ur uz vi vo war cy fy pnb yo
th mn
"""
XLMR = """
af am ar as az be bg bn bn_rom br bs ca cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha he hi hi_rom
hr hu hy id is it ja jv ka kk km kn ko ku ky la lo lt lv mg mk ml mn mr ms my my_zaw ne nl no om or pa pl ps
pt ro ru sa sd si sk sl so sq sr su sv sw ta ta_rom te te_rom th tl tr ug uk ur ur_rom uz vi xh yi zh-Hans zh-Hant
"""
NTREX = """
afr amh arb aze-Latn bak bel bem ben bod bos bul cat ces ckb-Arab cym dan deu div dzo ell eng-GB eng-IN eng-US
est eus ewe fao fas fij fil fin fra fra-CA fuc gle glg guj hau heb hin hmn hrv hun hye ibo ind isl ita jpn kan
kat kaz khm kin kir kmr kor lao lav lit ltz mal mar mey mkd mlg mlt mon mri msa mya nde nep nld nno nob nso
nya orm pan pol por por-BR prs pus ron rus shi sin slk slv smo sna-Latn som spa spa-MX sqi srp-Cyrl srp-Latn
ssw swa swe tah tam tat tel tgk-Cyrl tha tir ton tsn tuk tur uig ukr urd uzb ven vie wol xho yor yue zho-CN
zho-TW zul
"""


@pytest.mark.parametrize(
    ("code", "spellings"),
    {
        "de": ("de", "deu", "ger", "deu_Latn", "de-Latn", "German", "DEU"),
        "zh": ("zh", "zho", "cmn", "cmn_Hans", "zho-CN", "zh_CN", "zho_Hans", "chi", "zh-Hans"),
        "zh-Hant": ("zh-TW", "zho-TW", "zho_Hant", "cmn_Hant", "zh-Hant-TW"),
        "ar": ("ar", "ara", "arb", "arb_Arab"),
        "sw": ("swa", "swh", "swh_Latn"),
        "ms": ("msa", "zsm", "may"),
        "fa": ("fas", "pes", "per"),
        "et": ("est", "ekk"),
        "az": ("aze-Latn", "azj_Latn", "aze"),
        "no": ("no", "nb", "nob", "nor"),
        "tl": ("tl", "tgl", "fil"),
        "he": ("he", "iw", "heb"),
        "sr": ("srp", "srp-Cyrl"),
        "sr-Latn": ("srp-Latn", "sr_Latn"),
        "bn-Latn": ("bn_rom",),
        "pt-BR": ("por-BR", "pt_BR"),
        "en": ("en_XX", "eng", "simple"),
        "ko": ("kor_Hang", "ko-Kore"),
        "lzh": ("zh-classical", "lzh"),
    }.items(),
)
def test_every_spelling_of_a_language_is_one_code(code: str, spellings: tuple[str, ...]) -> None:
    assert {language(spelling).code for spelling in spellings} == {code}


def test_a_language_carries_script_family_genus_and_place() -> None:
    swahili = language("swh")
    assert (swahili.name, swahili.script, swahili.family, swahili.genus) == ("Swahili", "Latn", "Niger-Congo", "Bantu")
    assert swahili.latitude == pytest.approx(-6.5) and swahili.longitude == pytest.approx(39.0)
    assert language("srp-Latn").script == "Latn" and language("srp-Latn").family == language("srp").family


@pytest.mark.parametrize("codes", [MBERT, XLMR, NTREX], ids=["mbert", "xlmr", "ntrex"])
def test_models_and_test_sets_languages_all_have_a_family_without_any_other_file(codes: str) -> None:
    assert [code for code in codes.split() if not language(code).family] == []


@pytest.mark.parametrize("codes", [MBERT, NTREX], ids=["mbert", "ntrex"])
def test_no_two_codes_of_one_set_become_the_same_language(codes: str) -> None:
    assert len({language(code).code for code in codes.split()}) == len(codes.split())


def test_the_table_has_no_code_twice_and_sane_coordinates() -> None:
    rows = known_languages()
    assert len(rows) == len({row.code for row in rows}) == len({row.iso3 for row in rows})
    for row in rows:
        assert row.latitude is None or -90 <= row.latitude <= 90
        assert row.longitude is None or -180 <= row.longitude <= 180
        assert len(row.script) == 4 and row.family and row.genus


def test_a_code_of_two_meanings_is_an_error_that_lists_both() -> None:
    with pytest.raises(IsoglossError, match="ambiguous") as caught:
        language("als")
    assert "'sq'" in str(caught.value) and "'gsw'" in str(caught.value)
    assert language("als", "wikipedia").code == "gsw"
    assert language("als_Latn", "iso").code == "sq"


@pytest.mark.parametrize(
    ("code", "candidate"),
    [("jp", "ja (Japanese)"), ("cz", "cs (Czech)"), ("gemran", "de (German)"), ("roa", "es (Spanish)")],
)
def test_an_unknown_code_is_an_error_that_lists_candidates(code: str, candidate: str) -> None:
    with pytest.raises(IsoglossError, match="unknown language code") as caught:
        language(code)
    assert candidate in str(caught.value)
    assert try_language(code) is None


@pytest.mark.parametrize("code", ["", "xx", "de-foo", "und", "mul", "README", "Germanic", "1", "日本"])
def test_what_is_no_language_is_refused(code: str) -> None:
    with pytest.raises(IsoglossError):
        language(code)


def test_a_language_outside_the_table_still_has_its_name() -> None:
    assert (language("tlh").code, language("tlh").name, language("tlh").family) == ("tlh", "Klingon", "")


def test_private_use_codes_are_kept_for_the_lab() -> None:
    assert language("qab").code == "qab"


def test_importing_languages_does_not_read_the_registry_or_pandas() -> None:
    script = "import sys, isogloss.languages as l; l.language('deu'); print({'langcodes', 'pandas'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.fixture
def cldf(tmp_path):
    (tmp_path / "languages.csv").write_text(
        "ID,Name,Latitude,Longitude,ISO639P3code,Family,Genus\n"
        "ger,German,52,10,deu,Indo-European,Germanic\ngbl,German (Berlin),52,13,deu,Indo-European,Germanic\n"
        "tlg,Tlh,1,2,tlh,Star,Trek\nqaa,Lab A,,,,Lab,One\nfamily-x,X,,,,,\n"
    )
    (tmp_path / "parameters.csv").write_text("ID,Name\n81A,Order\n1A,Consonants\n")
    (tmp_path / "codes.csv").write_text("ID,Parameter_ID,Name\n81A-1,81A,SOV\n81A-2,81A,SVO\n1A-1,1A,Small\n")
    (tmp_path / "values.csv").write_text(
        "ID,Language_ID,Parameter_ID,Value,Code_ID\r\nx,ger,81A,2,81A-2\r\ny,ger,1A,1,1A-1\r\nz,gbl,81A,1,81A-1\r\n"
        "w,qaa,81A,1,81A-1\r\n"
    )
    return tmp_path


def test_wals_joins_by_code_and_prefers_the_row_that_knows_most(cldf) -> None:
    wals = Wals.load(cldf)
    assert len(wals.languages) == 4
    assert wals.values("deu_Latn") == {"81A": "81A-2", "1A": "1A-1"}
    assert (wals.describe("tlh").family, wals.describe("tlh").name) == ("Star", "Klingon")
    assert wals.describe("qaa").genus == "One" and wals.values("qaa") == {"81A": "81A-1"}
    assert wals.values("fr") == {}


def test_wals_makes_a_table_of_languages_by_features(cldf) -> None:
    table = Wals.load(cldf).table(["de", "fr"])
    assert table.loc["de", "81A"] == "81A-2" and table.loc["fr"].isna().all() and list(table) == ["81A", "1A"]


def test_wals_names_the_line_of_a_value_without_a_language(cldf) -> None:
    with (cldf / "values.csv").open("a") as handle:
        handle.write("v,nobody,81A,1,81A-1\n")
    with pytest.raises(IsoglossError, match=r"values\.csv:6.*nobody"):
        Wals.load(cldf)


def test_a_language_without_a_name_is_called_by_its_code():
    assert (language_name("sw"), language_name("no-such-code")) == ("Swahili", "no-such-code")
