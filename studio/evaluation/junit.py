"""The result of an evaluation as a JUnit report, which continuous integration shows by case."""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.etree import ElementTree

from studio.evaluation.gates import GateResult
from studio.evaluation.results import CANDIDATE, CaseResult, EvaluationResult

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_report(
    suite: str, result: EvaluationResult, gate: GateResult, sentence: str, reasons: Mapping[str, str]
) -> str:
    """An XML document with a test case for each case, and one for the gate.

    A case is a failure only where the gate fails for its group, and an error where it is unscored.

    Args:
        suite: The name of the suite.
        result: What is known.
        gate: What the gate says of it.
        sentence: The result in words; "" where the plan was not carried out.
        reasons: By case, why runs of it did not pass.
    """
    root = ElementTree.Element("testsuite", name=_clean(suite))
    for each in result.cases:
        _case(root, suite, each, gate, reasons.get(each.case, ""))
    said = " ".join([*gate.reasons, *([sentence] if sentence else [])])
    whole = ElementTree.SubElement(root, "testcase", classname=_clean(suite), name="gate")
    if gate.outcome != "passed":
        kind = "failure" if gate.outcome == "failed" else "error"
        ElementTree.SubElement(whole, kind, message=_clean(gate.reasons[0])).text = _clean(said)
    ElementTree.SubElement(whole, "system-out").text = _clean(said)
    for kind, name in (("failure", "failures"), ("error", "errors")):
        root.set(name, str(len(root.findall(f"testcase/{kind}"))))
    root.set("tests", str(len(root.findall("testcase"))))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _case(root: ElementTree.Element, suite: str, each: CaseResult, gate: GateResult, reason: str) -> None:
    case = ElementTree.SubElement(root, "testcase", classname=_clean(suite), name=_clean(each.case))
    properties = ElementTree.SubElement(case, "properties")
    for version, tally in each.tallies.items():
        whose = "team" if version == CANDIDATE else "baseline"
        for name in ("passed", "failed", "unscored"):
            value = str(getattr(tally, name))
            ElementTree.SubElement(properties, "property", name=f"{whose}.{name}", value=value)
    if each.group in gate.groups:
        ElementTree.SubElement(case, "failure", message=f"The case is {each.group}.").text = _clean(reason)
    elif each.group in ("unscored", ""):
        ElementTree.SubElement(case, "error", message="The case is unscored.").text = _clean(reason)
    if reason:
        ElementTree.SubElement(case, "system-out").text = _clean(reason)


def _clean(text: str) -> str:
    """Without the characters that no XML may hold."""
    return _NOT_IN_XML.sub("\ufffd", text)
