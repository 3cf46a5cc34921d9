import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passband.report import render_gate_junit
from tests.report.test_gate_reports import report

from .tools import folder

pytestmark = pytest.mark.external


@pytest.fixture(scope="module")
def schema():
    """The schema that pytest holds its own JUnit files to, from its source distribution."""
    from lxml import etree

    return etree.XMLSchema(etree.parse(folder() / "junit-10.xsd"))


@settings(max_examples=200, deadline=None)
@given(st.text(), st.text(), st.sampled_from(["pass", "fail", "inconclusive"]), st.booleans())
def test_reports_fit_the_schema_of_pytest(schema, title, case, outcome, advisory):
    """Whatever a rule and a case are called, the XML fits; with an attribute that has no place it does not."""
    from lxml import etree

    root = etree.fromstring(render_gate_junit(report(title, case, outcome, advisory=advisory)).encode())
    schema.assertValid(root)
    root[0].set("colour", "red")
    assert not schema.validate(root)
