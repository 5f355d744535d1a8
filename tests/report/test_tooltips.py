"""Terms of the glossary are explained where they first stand on a page, and nothing else becomes HTML."""

from isogloss.report.glossary import explain
from isogloss.report.tooltips import Tooltips


def test_the_first_place_of_a_term_is_explained_and_no_other():
    tips = Tooltips()
    text = str(tips("Unbiased CKA and CKA; then CKA again."))
    assert text.count('class="term"') == 2 and text.endswith("; then CKA again.")
    assert explain("CKA") in text.replace("&#39;", "'")
    assert "term" not in str(tips("CKA")), "one explanation per page"


def test_a_term_inside_a_word_or_a_name_is_no_term():
    assert str(Tooltips()("anchorage, non-probe, layer 01")) == "anchorage, non-probe, layer 01"


def test_everything_else_is_escaped():
    text = str(Tooltips()('<b>CKA</b> & "probe"'))
    assert "<b>" not in text and "&lt;b&gt;" in text and "&amp;" in text and text.count("<span") == 2


def test_a_cell_of_a_figure_is_not_explained_as_a_unit_of_work():
    assert "term" not in str(Tooltips()("Each cell is the change, in points."))
