from ledger.statement import Entry, read_statement


def test_plain_line():
    assert read_statement("2024-03-01,rent,-800\n") == [Entry("2024-03-01", "rent", -80000)]


def test_quoted_comma():
    [entry] = read_statement('2024-03-01,"tea, green",-4.5\n')
    assert (entry.text, entry.cents) == ("tea, green", -450)
