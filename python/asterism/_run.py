"""Runs of nodes."""
import concurrent.futures
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from asterism import _program
from asterism._record import Record

if TYPE_CHECKING:
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

    def __init__(self, folder, status=None, text=""):
        self.folder = pathlib.Path(folder)
        self.status = status
        self.text = text
        if not (self.folder / "scenario.json").is_file():
            raise _program.InputMissing(f"{folder}: is no folder of a run", 66)

    def __repr__(self):
        return f"Run({str(self.folder)!r}, status={self.status})"

    def _json(self, name):
        file = self.folder / name
        return json.loads(file.read_text(errors="replace")) if file.exists() else {}

    @property
    def scenario(self):
        """Every key of the scenario."""
        return self._json("scenario.json")

    @property
    def stats(self):
        """stats.json: every number of the run."""
        return self._json("stats.json")

    @property
    def host(self):
        """host.json: what depends on the host, such as the time that it took."""
        return self._json("host.json")

    @property
    def events(self):
        """The events, each a dictionary with time_ps, source and kind."""
        return [json.loads(line) for line in (self.folder / "events.jsonl").read_text(errors="replace").splitlines()]

    @property
    def console(self):
        """What the guest has written to its console."""
        return self.log("console")

    def log(self, name):
        """What the guest has written to a serial line: log("uart0")."""
        file = self.folder / f"{name}.log"
        return file.read_text(errors="replace") if file.exists() else ""

    def file(self, name):
        """The bytes of a file that the guest has written."""
        return (self.folder / "files" / name).read_bytes()

    @property
    def record(self):
        """What was recorded over time, of a run with `sample` or `report`."""
        return Record(self.folder / "traces" / "record.bin")

    def numbers(self):
        """The numbers of `stats` by their dotted names."""
        return dict(_numbers(self.stats, ""))

    def series(self):
        """The same as a pandas series."""
        import pandas
        return pandas.Series(self.numbers(), dtype="object", name=self.folder.name)

    def event_frame(self):
        """The events as a pandas frame."""
        import pandas
        return pandas.DataFrame(self.events)

    def samples(self):
        """The counters over time as a pandas frame: a row for each sample, indexed by time_ps."""
        return self.record.samples()

    def report(self, other=None, out=None):
        """Makes the page for a browser, beside another run if one is given. Returns its path."""
        words = ["report", self.folder] + ([other.folder] if other else []) + (["--out", out] if out else [])
        _program.call(*words)
        return pathlib.Path(out) if out else self.folder / "report.html"

    def compare(self, other, least=0):
        """The differences of two runs, as a dictionary. `least` leaves out numbers that differ by less per cent."""
        words = [_program.program(), "compare", self.folder, other.folder, "--json", "-", "--least", str(least)]
        ended = subprocess.run(words, capture_output=True, text=True, check=False)
        if ended.returncode > 1:
            raise _program.error_of(ended.returncode, ended.stderr)
        return json.loads(ended.stdout)


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


def _show(progress):
    print(f"\r{progress.time_ps / 1e9:.6g} ms simulated, {progress.events} events, "
          f"{progress.checkpoints} checkpoints", end="", file=sys.stderr, flush=True)


def _execute(words, folder, check, progress):
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen([_program.program(), *map(str, words)], stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=err, text=True)
        try:
            while process.poll() is None:
                time.sleep(0.02 if progress is None else 0.2)
                if progress and (now := _progress_of(folder)):
                    (_show if progress is True else progress)(now)
        except BaseException:
            process.send_signal(signal.SIGINT)
            process.wait()
            raise
        if progress is True:
            print(file=sys.stderr)
        out.seek(0), err.seek(0)
        text, message = out.read(), err.read()
    status = process.returncode
    if status in (64, 65, 66, 70, 71, 130) or status < 0:
        raise _program.error_of(status, message or text)
    ended = Run(folder, status, text)
    if check and status != 0:
        raise _program.error_of(status, message or text, ended)
    return ended


def run(scenario, overrides: "ScenarioKeys | dict | None" = None, *, firmware=None, until=None, out=None, sample=None,
        report=False, profile=False, threads=1, check=True, progress=None, options=()):
    """Runs a scenario: a name in configs/scenarios, a file, or an ELF file.

    `overrides` has keys of the scenario with their values: {"node.cores.count": 8, "faults": []}. `out` is the folder
    of the run, runs/NAME by default. `sample` ("10us") records the statistics over time. With `check`, a status other
    than 0 raises an Error, whose `run` is this run; mistakes always do. `progress` is True for a line on standard
    error, or a function that gets a Progress about five times a second. `options` are further words for the command.
    """
    name = pathlib.Path(scenario).stem
    folder = pathlib.Path(out) if out else pathlib.Path("runs") / name
    words = ["run", scenario, *(_program.word(*each) for each in (overrides or {}).items()), "--quiet", "--out", folder]
    for option, value in (("--firmware", firmware), ("--until", until), ("--sample", sample)):
        if value is not None:
            words += [option, value]
    words += [option for option, is_on in (("--report", report), ("--profile", profile)) if is_on]
    if threads != 1:
        words += ["--threads", threads]
    return _execute([*words, *options], folder, check, progress)


class Snapshot:
    """The whole state of a run at a time, from which any number of runs continue."""

    def __init__(self, file, base=None):
        self.file = pathlib.Path(file)
        self.base = base

    def run(self, faults=(), *, until=None, out=None, check=False, progress=None):
        """Continues, with more faults: [{"at": "3ms", "kind": "power_loss"}]. `progress` is that of run()."""
        folder = pathlib.Path(out) if out else pathlib.Path("runs") / f"{self.file.stem}_continued"
        words = ["run", "--restore", self.file, "--quiet", "--alone", "--out", folder]
        for fault in faults:
            words += ["--fault", json.dumps(fault)]
        if until is not None:
            words += ["--until", until]
        return _execute(words, folder, check, progress)

    def runs(self, faults, *, until=None, out="runs/continued", jobs=None):
        """Continues once for each list of faults, several at a time. Returns the runs in the order of the lists."""
        with concurrent.futures.ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
            return list(pool.map(lambda each: self.run(each[1], until=until, out=pathlib.Path(out) / str(each[0])),
                                 enumerate(faults)))


def snapshot(scenario, at, overrides: "ScenarioKeys | dict | None" = None, *, file=None, out=None, until=None,
             progress=None):
    """Runs a scenario and makes a snapshot at a time ("5ms"). `base` of the snapshot is that run."""
    name = pathlib.Path(scenario).stem
    file = pathlib.Path(file) if file else pathlib.Path("runs") / f"{name}.snapshot"
    file.parent.mkdir(parents=True, exist_ok=True)
    base = run(scenario, overrides, out=out, until=until, check=False, progress=progress,
               options=("--snapshot-at", at, "--snapshot", file))
    if not file.exists():
        raise _program.error_of(67, f"the run ended before {at}", base)
    return Snapshot(file, base)
