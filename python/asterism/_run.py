"""Runs of nodes."""
import concurrent.futures
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from asterism import _program
from asterism._place import Place
from asterism._record import Record

if TYPE_CHECKING:
    import pandas

    from asterism.keys import ScenarioKeys


@dataclass
class Progress:
    """How far a run is: the time of its last event, and the number of its events and durable checkpoints."""
    time_ps: int
    events: int
    checkpoints: int


class Run:
    """A run that has ended: its folder, and what is in it.

    `status` is the exit status of the command: that of the firmware from 0 to 63, or one of its own.
    """

    def __init__(self, folder, status=None, text="", place=None):
        self.folder = pathlib.Path(folder)
        self.status: int | None = status
        self.text: str = text
        self._place = place
        self._made = self._identity()
        if self._made is None:
            raise _program.InputMissing(f"{folder}: is no folder of a run", 66)

    def __repr__(self):
        return f"Run({str(self.folder)!r}, status={self.status})"

    def _identity(self):
        """Identifies the files of this run, in contrast to those of a later one in the same folder."""
        try:
            status = (self.folder / "scenario.json").stat()
        except OSError:
            return None
        return status.st_ino, status.st_mtime_ns

    def _file(self, *names):
        """The path of a file, as long as the folder is that of this run."""
        if self._identity() != self._made:
            raise _program.InputMissing(f"{self.folder}: a later run has replaced this one, or its folder is gone; "
                                        "out= gives each a folder of its own", 66)
        return self.folder.joinpath(*names)

    def _json(self, name):
        file = self._file(name)
        return json.loads(file.read_text(errors="replace")) if file.exists() else {}

    @property
    def scenario(self) -> dict[str, Any]:
        """Every key of the scenario."""
        return self._json("scenario.json")

    @property
    def stats(self) -> dict[str, Any]:
        """stats.json: every number of the run."""
        return self._json("stats.json")

    @property
    def host(self) -> dict[str, Any]:
        """host.json: what depends on the host, such as the time that it took."""
        return self._json("host.json")

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events, each a dictionary with time_ps, source and kind."""
        return [json.loads(line) for line in self._file("events.jsonl").read_text(errors="replace").splitlines()]

    @property
    def console(self) -> str:
        """What the guest has written to its console."""
        return self.log("console")

    def log(self, name: str) -> str:
        """What the guest has written to a serial line: log("uart0")."""
        file = self._file(f"{name}.log")
        return file.read_text(errors="replace") if file.exists() else ""

    def file(self, name: str) -> bytes:
        """The bytes of a file that the guest has written."""
        return self._file("files", name).read_bytes()

    @property
    def record(self) -> Record:
        """What was recorded over time, of a run with `sample` or `report`."""
        return Record(self._file("traces", "record.bin"))

    def numbers(self) -> dict[str, float]:
        """The numbers of `stats` by their dotted names."""
        return dict(_numbers(self.stats, ""))

    def series(self) -> "pandas.Series":
        """The same as a pandas series."""
        import pandas
        return pandas.Series(self.numbers(), dtype="object", name=self.folder.name)

    def event_frame(self) -> "pandas.DataFrame":
        """The events as a pandas frame."""
        import pandas
        return pandas.DataFrame(self.events)

    def samples(self) -> "pandas.DataFrame":
        """The counters over time as a pandas frame: a row for each sample, indexed by time_ps."""
        return self.record.samples()

    def report(self, other: "Run | str | os.PathLike | None" = None, out=None) -> pathlib.Path:
        """Makes the page for a browser, beside another run if one is given. Returns its path."""
        words = ["report", self._file()] + ([_folder_of(other)] if other else []) + (["--out", out] if out else [])
        _program.call(*words)
        return pathlib.Path(out) if out else self.folder / "report.html"

    def compare(self, other: "Run | str | os.PathLike", least: float = 0) -> dict[str, Any]:
        """The differences of two runs, as a dictionary. `other` is a run, or the folder of one. `least` leaves out
        numbers that differ by less per cent.
        """
        words = ["compare", self._file(), _folder_of(other), "--json", "-", "--least", least]
        return json.loads(_program.call(*words, accepted=(0, 1)))


def _folder_of(run):
    return run._file() if isinstance(run, Run) else pathlib.Path(run)


def _numbers(tree, path):
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _numbers(value, f"{path}{name}.")
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield path + name, value


def _progress_of(folder):
    """From the events of a run that goes on."""
    try:
        lines = (pathlib.Path(f"{folder}.partial") / "events.jsonl").read_text(errors="replace").splitlines()
        last = json.loads(lines[-1]) if lines else {"time_ps": 0}
    except (OSError, ValueError):
        return None
    return Progress(last["time_ps"], len(lines), sum('"checkpoint_commit"' in line for line in lines))


def _ended(words, folder, progress):
    """The status of the program at its end, and what it has printed on standard output and standard error."""
    if progress is True:
        return _program.execute(words, True)
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen([_program.program(), *map(str, words)], stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=err, text=True, env=_program.environment())
        try:
            while process.poll() is None:
                time.sleep(0.2 if progress else 0.02)
                if progress and (now := _progress_of(folder)):
                    progress(now)
        except BaseException:
            process.send_signal(signal.SIGINT)
            process.wait()
            raise
        out.seek(0), err.seek(0)
        return process.returncode, out.read(), err.read()


def _execute(words, place, check, progress):
    status, text, message = _ended(words, place.path, progress)
    if status in (64, 65, 66, 70, 71, 130) or status < 0:
        raise _program.error_of(status, message or text)
    ended = Run(place.path, status, text, place)
    if check and status != 0:
        raise _program.error_of(status, reason_in(text) or message, ended)
    return ended


def reason_in(text):
    """Why a run has failed: of its summary, the expectations that are not met, or how it has ended."""
    summary = text[text.rfind("\nscenario     ") + 1:]
    lines, _, mismatch = summary.strip("\n").partition("\n\n")
    found, label = {}, ""
    for line in lines.splitlines():
        if line[:13].strip():
            label = line[:13].strip()
            found.setdefault(label, []).append(line[13:])
        elif label:
            found[label][-1] += " " + line[13:]
    reasons = found.get("NOT MET") or found.get("DIFFERENT") or found.get("ended") or []
    return "\n".join([*reasons, *mismatch.splitlines()])


def name_of(scenario):
    """What the folder of a run is called, as by the command."""
    return pathlib.Path(scenario).stem


def words_of(overrides):
    """The keys of a scenario as words of the command line."""
    if not isinstance(overrides, (dict, type(None))):
        raise TypeError(f'overrides are a dictionary, {{"node.cores.count": 2}}, and no {type(overrides).__name__}')
    return [_program.word(*each) for each in (overrides or {}).items()]


def run(scenario, overrides: "ScenarioKeys | dict | None" = None, *, firmware=None, until=None, out=None, sample=None,
        report=False, profile=False, threads=1, check=True, progress=None, options=()) -> Run:
    """Runs a scenario: a name in configs/scenarios, a file, or an ELF file.

    `overrides` has keys of the scenario with their values: {"node.cores.count": 8, "faults": []}. `out` is the folder
    of the run, by default runs/NAME, or runs/NAME.2 and so on while a Run has that. `sample` ("10us") records the
    statistics over time. With `check`, a status other than 0 raises an Error, whose `run` is this run; mistakes always
    do. `progress` is True for a line on standard error, or a function that gets a Progress about five times a second.
    `options` is a list of further words for the command.
    """
    if isinstance(options, str):
        raise TypeError(f"options is a list of words, {options.split()!r}, and no text")
    place = Place(out, name_of(scenario))
    words = ["run", scenario, *words_of(overrides), "--quiet", "--out", place.path]
    for option, value in (("--firmware", firmware), ("--until", until), ("--sample", sample)):
        if value is not None:
            words += [option, value]
    words += [option for option, is_on in (("--report", report), ("--profile", profile)) if is_on]
    if threads != 1:
        words += ["--threads", threads]
    return _execute([*words, *options], place, check, progress)


class Snapshot:
    """The whole state of a run at a time, from which any number of runs continue."""

    def __init__(self, file, base=None, place=None):
        self.file = pathlib.Path(file)
        self.base = base
        self._place = place

    def __repr__(self):
        return f"Snapshot({str(self.file)!r})"

    def run(self, faults=(), *, until=None, out=None, check=False, progress=None) -> Run:
        """Continues, with more faults: [{"at": "3ms", "kind": "power_loss"}]. `progress` is that of run()."""
        return self._run(Place(out, f"{self.file.stem}_continued"), faults, until, check, progress)

    def _run(self, place, faults, until, check, progress):
        words = ["run", "--restore", self.file, "--quiet", "--alone", "--out", place.path]
        for fault in faults:
            words += ["--fault", json.dumps(fault)]
        if until is not None:
            words += ["--until", until]
        return _execute(words, place, check, progress)

    def runs(self, faults, *, until=None, out=None, jobs=None) -> list[Run]:
        """Continues once for each list of faults, several at a time. Returns the runs in the order of the lists.

        Their folders are OUT/0, OUT/1 and so on, in runs/continued by default.
        """
        place = Place(out, "continued")

        def one(number_and_faults):
            number, its_faults = number_and_faults
            return self._run(Place(place.path / str(number), "", within=place), its_faults, until, False, None)

        with concurrent.futures.ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
            return list(pool.map(one, enumerate(faults)))


def snapshot(scenario, at, overrides: "ScenarioKeys | dict | None" = None, *, file=None, out=None, until=None,
             progress=None) -> Snapshot:
    """Runs a scenario and makes a snapshot at a time ("5ms"). `base` of the snapshot is that run."""
    place = Place(file, name_of(scenario), ".snapshot")
    file = place.path
    file.parent.mkdir(parents=True, exist_ok=True)
    base = run(scenario, overrides, out=out, until=until, check=False, progress=progress,
               options=("--snapshot-at", at, "--snapshot", file))
    if not file.exists():
        raise _program.error_of(67, f"the run ended before {at}", base)
    return Snapshot(file, base, place)
