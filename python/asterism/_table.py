"""Tables of results: sweeps, studies, campaigns, papers."""
import json
import pathlib
import re
import tempfile
import xml.etree.ElementTree
from typing import TYPE_CHECKING, Any

from asterism import _program
from asterism._place import Place
from asterism._run import Run, name_of

if TYPE_CHECKING:
    import pandas

    from asterism.keys import ScenarioKeys, StudyKeys


class Table:
    """The points of a study or a sweep: `rows` are dictionaries, `frame` is the same as a pandas frame.

    `columns` says of each column its unit and its meaning. `folder` is that of a sweep, with the run of each row, or
    the `out` of a study.
    """

    def __init__(self, results, place=None, folder=None):
        self.name: str = results["study"]
        self.columns: dict[str, dict[str, Any]] = results["columns"]
        self.rows: list[dict[str, Any]] = results["points"]
        self.complete: bool = results["complete"]
        self.config: dict[str, Any] = results["config"]
        self.folder = place.path if place else folder
        self._runs = [] if place is None else _runs_of(self.rows, place)

    def __repr__(self):
        return f"Table({self.name!r}, {len(self.rows)} rows)"

    def __len__(self):
        return len(self.rows)

    @property
    def frame(self) -> "pandas.DataFrame":
        """The rows. A column of `columns` without any value has NaN, as if it were read from a CSV."""
        import pandas
        frame = pandas.DataFrame(self.rows)
        empty = [name for name in self.columns if name in frame and frame[name].isna().all()]
        return frame.astype(dict.fromkeys(empty, "float64"))

    @property
    def runs(self) -> list[Run]:
        """The runs of a sweep, in the order of the rows."""
        return list(self._runs)


def _runs_of(rows, place):
    statuses = [each.get("status") for row in rows for each in row.get("by_seed", [row])]
    folders = sorted(each for each in (place.path / "runs").iterdir() if each.is_dir())
    return [Run(folder, status, place=place) for folder, status in zip(folders, statuses)]


def study(name, keys: "StudyKeys | dict | None" = None, *, out=None, csv=None, svg=None, pdf=None, report=None,
          threads=None, progress=None) -> Table:
    """Drives one engine alone. A list as a value of `keys` is swept: {"topology": ["mesh", "superstar"]}.

    `csv`, `svg`, `pdf` and `report` are files that are written besides, the last three with the study's figure; `out`
    is a folder for the study and its results, as that of `asterism study --out`.
    `progress` is True for a line on standard error with the time that is left, or a function that gets its text, about
    five times a second from two seconds on. So it is in the functions below.
    """
    words = ["study", name, *(_program.swept_word(*each) for each in (keys or {}).items())]
    for option, value in (("--out", out), ("--csv", csv), ("--svg", svg), ("--pdf", pdf), ("--report", report),
                          ("--threads", threads)):
        words += [option, value] if value else []
    # On standard output, and not in a file that would remain if this process were killed.
    results = json.loads(_program.call(*words, "--json", "-", progress=progress))
    return Table(results, folder=pathlib.Path(out) if out else None)


def sweep(scenario, overrides: "ScenarioKeys | dict", *, show=None, out=None, jobs=None, until=None, report=None,
          progress=None) -> Table:
    """Runs a scenario for each combination of values: lists are swept. `show` names statistics by dotted names."""
    place = Place(out, f"{name_of(scenario)}_sweep")
    words = ["sweep", scenario, *(_program.swept_word(*each) for each in overrides.items()), "--out", place.path]
    for option, value in (("--show", ",".join(show) if show else None), ("--jobs", jobs), ("--until", until),
                          ("--report", report)):
        if value is not None:
            words += [option, value]
    _program.call(*words, accepted=(0, 67), progress=progress)
    return Table(json.loads((place.path / "results.json").read_text()), place)


def campaign(snapshot, faults, *, jobs=None, progress=None, report=None, **keys) -> list[dict[str, Any]]:
    """Injects each of the faults into a run of its own from a snapshot. Returns a list with a dictionary for each:
    its `fault`, its `outcome` (masked, corrected, recovered, detected, silent, hang, crashed), and the `seconds` that it
    took. `report` is a file for a page. `keys` are further ones of the campaign: out="campaign", until="20ms".
    """
    with tempfile.TemporaryDirectory(prefix="asterism_campaign_") as folder:
        listed, junit = pathlib.Path(folder) / "faults.jsonl", pathlib.Path(folder) / "faults.xml"
        listed.write_text("".join(json.dumps(fault) + "\n" for fault in faults))
        file = getattr(snapshot, "file", snapshot)
        words = ["study", "campaign", f"snapshot={file}", f"faults={listed}", f"junit={junit}"]
        words += ([f"jobs={jobs}"] if jobs else []) + (["--report", report] if report else [])
        words += [_program.word(*each) for each in keys.items()]
        status, text, message = _program.execute(words, progress)
        if status not in (0, 67):
            raise _program.error_of(status, re.sub(re.escape(str(listed)) + r":(\d+):\d+", _place_of, message or text))
        cases = xml.etree.ElementTree.parse(junit).getroot().iter("testcase")
        return [_outcome(*each) for each in zip(faults, cases)]


def _place_of(line):
    """The place of a mistake in the list of faults that the caller knows, and not in its file."""
    return f"faults[{int(line[1]) - 1}]"


def _outcome(fault, case):
    failure = case.find("failure")
    outcome = failure.get("type") if failure is not None else case.findtext("system-out")
    return {"fault": fault, "outcome": outcome, "seconds": float(case.get("time"))}


def paper(*ids: str, report=None, progress=None) -> list[dict[str, Any]]:
    """Compares published values with the models. Returns a list with a dictionary for each entry."""
    words = ["paper", *ids, "--json", "-"] + (["--report", report] if report else [])
    return json.loads(_program.call(*words, accepted=(0, 1), progress=progress))["entries"]
