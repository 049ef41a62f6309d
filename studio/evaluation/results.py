"""What the cells of an evaluation say together: rates, the difference of two versions, and groups of cases."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Literal, NamedTuple

from studio.evaluation.early_stop import END_LEVEL, EarlyResult, clear_after
from studio.evaluation.scorers import Verdict
from studio.evaluation.statistics import LEVEL, Estimate, Interval, difference, pass_rate, unscored_band

CANDIDATE, BASELINE = 1, 2
"""Numbers of the version in question, and of the one that it is compared with."""
MAX_UNSCORED = 0.05
"""The share of unscored runs above which two versions are not told apart."""
SAME_WITHIN = 0.03
LOST = 2 / 3 - 1e-9
"""How much of its pass rate a case must lose or gain to be called worse or better: two runs of three."""
LOST_AGAIN = 3 / 5 - 1e-9
"""The same for runs that confirm that: three of five."""

Group = Literal["worse", "better", "flaky", "unscored", "same", "failed", "passed"]
Comparison = Literal["better", "worse", "same", "cannot_tell"]
GROUPS_OF_ONE: tuple[Group, ...] = ("failed", "flaky", "unscored", "passed")
GROUPS_OF_TWO: tuple[Group, ...] = ("worse", "better", "flaky", "unscored", "same")


class CellResult(NamedTuple):
    """One run of a case; `verdict` is "" where there is none yet."""

    version: int
    case: str
    verdict: Verdict | Literal[""]


@dataclass(frozen=True)
class Tally:
    """Runs by verdict."""

    passed: int = 0
    failed: int = 0
    unscored: int = 0
    open: int = 0
    """Without a verdict yet."""

    @classmethod
    def count(cls, verdicts: Sequence[str]) -> Tally:
        found = Counter(verdicts)
        return cls(found["pass"], found["fail"], found["unscored"], found[""])

    @property
    def scored(self) -> int:
        return self.passed + self.failed

    @property
    def runs(self) -> int:
        return self.scored + self.unscored + self.open

    @property
    def rate(self) -> float | None:
        """The share of the scored runs that passed."""
        return self.passed / self.scored if self.scored else None

    @property
    def is_mixed(self) -> bool:
        return self.passed > 0 and self.failed > 0


@dataclass(frozen=True)
class VersionResult:
    """How often a version passes. `rate` is None before the plan is done, and where no run was scored."""

    version: int
    tally: Tally
    rate: Estimate | None = None
    band: Interval | None = None
    """Between which rates it lies whatever the unscored runs are; None where all are scored."""


@dataclass(frozen=True)
class VersionDifference:
    """The candidate less the baseline. `pairs` is how many cases both have a scored run of."""

    estimate: Estimate
    comparison: Comparison
    pairs: int


@dataclass(frozen=True)
class CaseResult:
    """What a case does, by version."""

    case: str
    group: Group | Literal[""]
    """"" while runs of it are open."""
    tallies: Mapping[int, Tally]


@dataclass(frozen=True)
class EvaluationResult:
    """What is known; no rates and no comparison before the plan is done."""

    versions: Sequence[VersionResult]
    cases: Sequence[CaseResult]
    is_done: bool
    difference: VersionDifference | None = None
    early: EarlyResult | None = None
    """Where the plan stops when it is clear, and it is. There are no rates then: they would be of a lucky moment."""

    @property
    def tally(self) -> Tally:
        """Of all versions together."""
        found = [each.tally for each in self.versions]
        return Tally(*(sum(getattr(each, name) for each in found) for name in ("passed", "failed", "unscored", "open")))

    @property
    def groups(self) -> Sequence[Group]:
        """Those that cases of this evaluation can be in."""
        return GROUPS_OF_TWO if len(self.versions) > 1 else GROUPS_OF_ONE


def results_of(
    cells: Sequence[CellResult],
    clusters: Mapping[str, str],
    *,
    is_done: bool,
    is_picked: bool = False,
    stops_when_clear: bool = False,
) -> EvaluationResult:
    """Put the cells together. It takes some milliseconds per thousand: call it in a thread for many.

    Args:
        cells: All cells of the plan, in its order.
        clusters: By case, what it shares with others that are not independent of it; cases without it stand alone.
        is_done: Whether the plan was carried out to its end.
        is_picked: Whether the cases were chosen because they got worse. Then they have no rate and no difference.
        stops_when_clear: Whether the plan stops when it is clear that the version is worse or better.
    """
    verdicts: defaultdict[str, defaultdict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for cell in cells:
        verdicts[cell.case][cell.version].append(cell.verdict)
    numbers = sorted({cell.version for cell in cells})
    tallies = {
        case: {number: Tally.count(by_version[number]) for number in numbers} for case, by_version in verdicts.items()
    }
    lost = LOST_AGAIN if is_picked else LOST
    cases = [CaseResult(case, _group_of(by_version, lost), by_version) for case, by_version in tallies.items()]
    early = _early(tallies, clusters) if stops_when_clear and len(numbers) > 1 else None
    has_rates = is_done and not is_picked and early is None
    versions = [_version(number, tallies, clusters, is_done=has_rates) for number in numbers]
    level = END_LEVEL if stops_when_clear else LEVEL
    found = _difference(tallies, versions, clusters, level) if has_rates and len(numbers) > 1 else None
    return EvaluationResult(versions, cases, is_done, found, early)


def sentence_of(result: EvaluationResult, names: Mapping[int, str]) -> str:
    """The result in words; "" before the plan is done.

    Args:
        result: What is known.
        names: What each version is called, such as `version 8`.
    """
    if not result.is_done:
        return ""
    if result.early is not None:
        return _early_words(result, result.early, names)
    rates = [_rate_words(each, names[each.version], is_first=not place) for place, each in enumerate(result.versions)]
    sentences = [f"{', '.join(rates)}."]
    if result.difference is not None:
        sentences.append(_difference_words(result.difference))
    elif len(result.versions) > 1:
        sentences.append("No case has a scored run of both, so there is no difference to tell.")
    sentences += [_band_words(each, names[each.version]) for each in result.versions if each.band]
    return " ".join(sentences)


class Confirmation(NamedTuple):
    """What fresh runs say of cases that got worse. `unscored` are those of which they can say nothing."""

    confirmed: Sequence[str]
    flaky: Sequence[str]
    unscored: Sequence[str]


def confirmation_in(result: EvaluationResult) -> Confirmation:
    """What the cells of a confirmation say together.

    Args:
        result: With `is_picked`, of a plan that is done.
    """
    confirmed = [each.case for each in result.cases if each.group == "worse"]
    unscored = [each.case for each in result.cases if each.group == "unscored"]
    known = {*confirmed, *unscored}
    return Confirmation(confirmed, [each.case for each in result.cases if each.case not in known], unscored)


def confirmed_result(result: EvaluationResult, found: Confirmation) -> EvaluationResult:
    """The result with cases that did not get worse again called flaky. Rates and difference stay as they are: the cases
    were picked because they got worse."""
    flaky = set(found.flaky)
    return replace(
        result,
        cases=[replace(each, group="flaky") if each.case in flaky else each for each in result.cases],
    )


def confirmation_sentence(found: Confirmation) -> str:
    """What fresh runs say, in words."""
    count = sum(map(len, found))
    cases = "case that got worse" if count == 1 else "cases that got worse"
    parts = [f"Fresh runs confirm {len(found.confirmed)} of {count} {cases}"]
    if found.flaky:
        parts.append(f"{len(found.flaky)} {'is' if len(found.flaky) == 1 else 'are'} flaky")
    if found.unscored:
        parts.append(f"of {len(found.unscored)} they cannot tell")
    return f"{'; '.join(parts)}."


def percent(share: float) -> str:
    """A share as a whole number of hundredths."""
    return str(round(100 * share))


def points(share: float) -> str:
    """A difference in points, with its sign."""
    rounded = round(100 * share)
    return f"+{rounded}" if rounded > 0 else f"−{-rounded}" if rounded < 0 else "0"


def _version(
    number: int, tallies: Mapping[str, Mapping[int, Tally]], clusters: Mapping[str, str], *, is_done: bool
) -> VersionResult:
    of_cases = {case: by_version[number] for case, by_version in tallies.items()}
    total = Tally(
        *(sum(getattr(each, name) for each in of_cases.values()) for name in ("passed", "failed", "unscored", "open"))
    )
    means = {case: rate for case, each in of_cases.items() if (rate := each.rate) is not None}
    if not is_done or not means:
        return VersionResult(number, total)
    units = [clusters.get(case) or (case,) for case in means]
    rate = pass_rate([*means.values()], total.scored, clusters=units)
    band = unscored_band(total.passed, total.failed, total.unscored) if total.unscored else None
    return VersionResult(number, total, rate, band)


def _early(tallies: Mapping[str, Mapping[int, Tally]], clusters: Mapping[str, str]) -> EarlyResult | None:
    """Whether it is clear which version is better, by the first cases of the plan up to one that has open runs: to take
    those that are done would prefer quick ones. Cases of one cluster count as one."""
    units: dict[object, list[Mapping[int, Tally]]] = {}
    for case, by_version in tallies.items():
        units.setdefault(clusters.get(case) or (case,), []).append(by_version)
    runs, unscored, differences = 0, 0, list[float]()
    for unit in units.values():
        if any(each.open for by_version in unit for each in by_version.values()):
            break
        runs += sum(each.runs for by_version in unit for each in by_version.values())
        unscored += sum(each.unscored for by_version in unit for each in by_version.values())
        pairs = [(each[CANDIDATE].rate, each[BASELINE].rate) for each in unit]
        known = [after - before for after, before in pairs if after is not None and before is not None]
        differences += [fmean(known)] if known else []
    return clear_after(differences) if unscored <= MAX_UNSCORED * runs else None


def _difference(
    tallies: Mapping[str, Mapping[int, Tally]],
    versions: Sequence[VersionResult],
    clusters: Mapping[str, str],
    level: float,
) -> VersionDifference | None:
    """Cases of one cluster count as one: the mean of their differences."""
    units: defaultdict[object, list[float]] = defaultdict(list)
    repeats: list[int] = []
    for case, by_version in tallies.items():
        after, before = by_version[CANDIDATE], by_version[BASELINE]
        if after.rate is not None and before.rate is not None:
            units[clusters.get(case) or (case,)].append(after.rate - before.rate)
            repeats += [after.scored, before.scored]
    if not units:
        return None
    estimate = difference([fmean(each) for each in units.values()], fmean(repeats), level=level)
    is_known = all(each.tally.unscored <= MAX_UNSCORED * each.tally.runs for each in versions)
    return VersionDifference(estimate, _comparison(estimate.interval) if is_known else "cannot_tell", len(repeats) // 2)


def _comparison(interval: Interval) -> Comparison:
    if interval.low >= -SAME_WITHIN and interval.high <= SAME_WITHIN:
        return "same"
    return "worse" if interval.high < 0 else "better" if interval.low > 0 else "cannot_tell"


def _group_of(by_version: Mapping[int, Tally], lost: float) -> Group | Literal[""]:
    tallies = [*by_version.values()]
    if any(each.open for each in tallies):
        return ""
    if any(not each.scored for each in tallies):
        return "unscored"
    is_flaky = any(each.is_mixed for each in tallies)
    if len(tallies) == 1:
        return "flaky" if is_flaky else "passed" if tallies[0].passed else "failed"
    change = (by_version[CANDIDATE].rate or 0) - (by_version[BASELINE].rate or 0)
    if abs(change) >= lost:
        return "better" if change > 0 else "worse"
    return "flaky" if is_flaky else "same"


def _early_words(result: EvaluationResult, early: EarlyResult, names: Mapping[int, str]) -> str:
    name, other = names[CANDIDATE], names[BASELINE]
    named, count = f"{name[0].upper()}{name[1:]}", "1 case" if early.cases == 1 else f"{early.cases} cases"
    return (
        f"{named} is {early.comparison} than {other}. That was clear after {count} of {len(result.cases)}, so there is "
        "no pass rate and no size of the difference."
    )


def _rate_words(each: VersionResult, name: str, *, is_first: bool) -> str:
    named = f"{name[0].upper()}{name[1:]}" if is_first else name
    if each.rate is None:
        return f"{named} has no scored run"
    low, high = percent(each.rate.interval.low), percent(each.rate.interval.high)
    return f"{named} passes {percent(each.rate.mean)} % ({low}–{high})"


def _difference_words(found: VersionDifference) -> str:
    low, high = found.estimate.interval.low, found.estimate.interval.high
    verdict = {
        "worse": f"worse, by {percent(-high)} to {percent(-low)} points",
        "better": f"better, by {percent(low)} to {percent(high)} points",
        "same": f"the same within {percent(SAME_WITHIN)} points",
        "cannot_tell": "these cases cannot tell",
    }[found.comparison]
    return f"Difference {points(found.estimate.mean)} points ({points(low)} to {points(high)}): {verdict}."


def _band_words(each: VersionResult, name: str) -> str:
    assert each.band is not None
    count = each.tally.unscored
    runs = "1 run" if count == 1 else f"{count} runs"
    return (
        f"{runs} of {name} {'is' if count == 1 else 'are'} unscored: of all runs, {percent(each.band.low)} to "
        f"{percent(each.band.high)} % pass."
    )
