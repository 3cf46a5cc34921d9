import pytest

from ledger.fields import BadLine, split_fields
from ledger.statement import read_statement


def test_doubled_quote_is_one_quote():
    assert split_fields('"say ""hi"" twice",b') == ['say "hi" twice', "b"]
    assert split_fields('"a"",b",c') == ['a",b', "c"]


def test_doubled_quotes_at_both_ends():
    assert split_fields('"""quoted"""') == ['"quoted"']
    assert split_fields('"""",x') == ['"', "x"]


def test_inches_in_a_statement():
    [entry] = read_statement('2024-03-01,"24"" monitor, black",-199.00')
    assert entry.text == '24" monitor, black'
    assert entry.cents == -19900


def test_quoted_empty_field():
    assert split_fields('a,"",b') == ["a", "", "b"]
    assert split_fields('""') == [""]


def test_empty_fields_at_the_ends():
    assert split_fields(",a,") == ["", "a", ""]


def test_commas_inside_quotes():
    assert split_fields('"a,b",c,"d,,e"') == ["a,b", "c", "d,,e"]


def test_open_quote_is_refused():
    with pytest.raises(BadLine):
        split_fields('a,"b')
    with pytest.raises(BadLine):
        split_fields('"a,"""b"')


def test_wrong_number_of_fields_names_the_line():
    with pytest.raises(BadLine, match="line 3"):
        read_statement("d,t,1\n\nd,t\n")
