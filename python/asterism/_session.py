"""A live session: a run that is driven and inspected while it goes on (docs/live.md)."""
import atexit
import contextlib
import json
import pathlib
import secrets
import signal
import socket
import subprocess
import tempfile
import time
from typing import TYPE_CHECKING, Any

from asterism import _program
from asterism._place import Place
from asterism._run import Run, name_of, reason_in, words_of

if TYPE_CHECKING:
    from asterism.keys import ScenarioKeys

_part = 1 << 20  # bytes of memory in one request


def _int(text):
    return int(text, 16)


def _time(value):
    """A text with a unit ("1 ms"), or picoseconds."""
    return value.replace(" ", "") if isinstance(value, str) else _program.plain(value)


class Halt(dict):
    """Why and where the system has halted: reason, time_ps, and core, pc, place or event."""

    @property
    def reason(self) -> str:
        return self["reason"]

    @property
    def time_ps(self) -> int:
        return self["time_ps"]

    @property
    def event(self):
        return self.get("event")


class _Connection:
    """One socket: requests and their answers, in order."""

    def __init__(self, path):
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.connect(path)
        except OSError:
            self._socket.close()
            raise
        self._file = self._socket.makefile("rb")
        self._number = 0

    def close(self):
        self._file.close()
        self._socket.close()

    def send(self, method, params):
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self._socket.sendall(json.dumps(request).encode() + b"\n")
        return self._number

    def receive(self, number):
        """The answer to a request; those of earlier ones, which were interrupted, are left out."""
        while line := self._file.readline():
            message = json.loads(line)
            if message.get("id") == number:
                if "error" in message:
                    raise _program.SessionError(message["error"]["message"], message["error"]["code"])
                return message["result"]
        raise ConnectionResetError("the live session has ended")

    def ask(self, method, params):
        return self.receive(self.send(method, params))


class Memory:
    """Bytes by address: memory[a], memory[a:b], memory[a] = b"...". Addresses are physical, or those of a core."""

    def __init__(self, session, core=None):
        self._session = session
        self._where = {} if core is None else {"core": core}

    def read(self, address: int, size: int) -> bytes:
        parts = []
        for at in range(address, address + size, _part):
            answer = self._session.ask("read_memory", address=at, size=min(_part, address + size - at), **self._where)
            parts.append(bytes.fromhex(answer["data"]))
        return b"".join(parts)

    def write(self, address, data):
        data = bytes(data)
        for at in range(0, len(data), _part):
            self._session.ask("write_memory", address=address + at, data=data[at:at + _part].hex(), **self._where)

    def __getitem__(self, key):
        if not isinstance(key, slice):
            return self.read(key, 1)[0]
        if key.step is not None or key.start is None or key.stop is None:
            raise ValueError("expected memory[first:last], without a step")
        return self.read(key.start, key.stop - key.start)

    def __setitem__(self, key, data):
        if isinstance(key, slice):
            if key.step is not None or key.start is None:
                raise ValueError("expected memory[first:last], without a step")
            if key.stop is not None and key.stop - key.start != len(data):
                raise ValueError(f"{len(data)} bytes for {key.stop - key.start}")
            key = key.start
        self.write(key, bytes([data]) if isinstance(data, int) else data)


class _Numbered:
    """core.x[3]: the general registers; core.v[0]: the vectors, as numbers of 128 bits."""

    def __init__(self, core, letter, count):
        self._core, self._letter, self._count = core, letter, count

    def _name(self, number):
        if not 0 <= number < self._count:
            raise IndexError(f"there is no register {self._letter}{number}")
        return f"{self._letter}{number}"

    def __len__(self):
        return self._count

    def __getitem__(self, number):
        return self._core[self._name(number)]

    def __setitem__(self, number, value):
        self._core[self._name(number)] = value


class Core:
    """A core: core.pc, core.sp, core.x[3], core["VBAR_EL1"], and memory as it sees it."""

    def __init__(self, session, name):
        self._session = session
        self.name = name
        self.memory = Memory(session, name)
        self.x = _Numbered(self, "x", 31)
        self.v = _Numbered(self, "v", 32)

    def __repr__(self):
        return f"<{self.name}: {self.state}, {self.place}>"

    def __getitem__(self, register: str) -> int:
        answer = self._session.ask("read_registers", core=self.name, registers=[register])
        return _int(answer["registers"][register])

    def __setitem__(self, register, value):
        text = f"0x{value:032x}" if register.startswith("v") and register[1:].isdigit() else hex(value)
        self._session.ask("write_register", core=self.name, register=register, value=text)

    pc = property(lambda self: self["pc"], lambda self, value: self.__setitem__("pc", value))
    sp = property(lambda self: self["sp"], lambda self, value: self.__setitem__("sp", value))
    pstate = property(lambda self: self["pstate"], lambda self, value: self.__setitem__("pstate", value))

    def registers(self, *groups):
        """A dictionary of the registers of groups: "general", "vector", "system"; by default the general ones."""
        answer = self._session.ask("read_registers", core=self.name, registers=list(groups) or ["general"])
        return {name: _int(value) for name, value in answer["registers"].items()}

    def _described(self):
        return next(each for each in self._session.ask("cores") if each["name"] == self.name)

    @property
    def state(self) -> str:
        """What it does: "running", "off", "waiting for an interrupt"."""
        return self._described()["state"]

    @property
    def place(self) -> str:
        """Where it is, with function and line."""
        return self._described()["place"]

    def step(self, count=1) -> Halt:
        """Executes instructions of this core; the others run meanwhile."""
        return self._session._go("step", core=self.name, count=count)


class Device:
    """A device: device["CR"] is a register, device["CR"] = 0x301 writes it with all effects."""

    def __init__(self, session, name):
        self._session = session
        self.name = name

    def __repr__(self):
        return f"<device {self.name}>"

    def __getitem__(self, register):
        return _int(self._session.ask("read_device", device=self.name, register=register)["value"])

    def __setitem__(self, register, value):
        self._session.ask("write_device", device=self.name, register=register, value=hex(value))

    def fields(self, register):
        """The fields of a register by name: numbers, or the names of their values."""
        return self._session.ask("read_device", device=self.name, register=register)["fields"]

    def registers(self):
        """All registers by name; of an array of registers a list."""
        answer = self._session.ask("read_device", device=self.name)["registers"]
        return {name: _int(value) if isinstance(value, str) else [_int(each) for each in value]
                for name, value in answer.items()}


class _Cores:
    """session.core[0], or by name: session.core["node1.core0"]."""

    def __init__(self, session):
        self._session = session
        self._names = [each["name"] for each in session.ask("cores")]

    def __len__(self):
        return len(self._names)

    def __getitem__(self, key):
        name = key if isinstance(key, str) else self._names[key]
        if name not in self._names:
            raise KeyError(name)
        return Core(self._session, name)


class _Devices:
    """session.device["uart0"]."""

    def __init__(self, session):
        self._session = session

    def names(self):
        return [each["name"] for each in self._session.ask("devices")]

    def __iter__(self):
        return iter(self.names())

    def __getitem__(self, name):
        self._session.ask("devices", device=name)
        return Device(self._session, name)


class Session:
    """A run that halts before its first instruction, and whenever what it was to run to has come.

    `memory`, `core` and `device` read and write the machine; `events`, `console` and `stats` are what the run has left
    so far. Ctrl-C halts the run and raises KeyboardInterrupt; the session goes on. At the end of the `with` block the
    run is over, wherever it is; finish() lets it go on to its end and returns it.
    """

    def __init__(self, words, place):
        self._place = place
        self._run = None
        self._folder = place.path
        # What a killed Python leaves behind is removed by the program (the socket) or has no name (the files). The
        # path of a socket is at most 107 bytes long; only the user can connect to it.
        self._path = f"{tempfile.gettempdir()}/asterism_{secrets.token_hex(8)}"
        self._out = tempfile.TemporaryFile("w+", errors="replace")
        self._err = tempfile.TemporaryFile("w+", errors="replace")
        # In a session of its own, Ctrl-C reaches only Python.
        self._process = subprocess.Popen([_program.program(), *map(str, words), "--live", f"unix:{self._path}"],
                                         stdin=subprocess.DEVNULL, stdout=self._out, stderr=self._err,
                                         start_new_session=True)
        self._connection = None
        try:
            self._connect()
            self.ask("on_disconnect", then="quit")
            self.core = _Cores(self)
        except BaseException:
            self.close()
            raise
        self.memory = Memory(self)
        self.device = _Devices(self)
        atexit.register(self.close)

    def _connect(self):
        while self._connection is None:
            if self._process.poll() is not None:
                raise _program.error_of(self._process.returncode, self._messages() or self._text(self._out))
            try:
                self._connection = _Connection(self._path)
            except (FileNotFoundError, ConnectionRefusedError):
                time.sleep(0.005)

    @staticmethod
    def _text(file):
        file.seek(0)
        return file.read()

    def _messages(self):
        lines = self._text(self._err).splitlines(keepends=True)
        return "".join(line for line in lines if not line.startswith("live session: "))

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        if self._process.poll() is not None:
            return f"<session in {self._folder}, over>"
        status = self.status
        return f"<session in {self._folder}, {status['state']} at {status['time_ps']} ps>"

    def ask(self, method, **params):
        """Sends a request of docs/live.md, and returns its result. Raises SessionError with its message."""
        with self._alive(method):
            return self._connection.ask(method, params)

    @contextlib.contextmanager
    def _alive(self, method):
        """Raises the error of the command if that ends instead of answering."""
        if self._connection is None:
            raise _program.SessionError(f"{method}: the session is over", -32001)
        try:
            yield
        except ConnectionError:
            self._connection.close()
            self._connection = None
            status = self._process.wait()
            raise _program.error_of(status, self._messages() or self._text(self._out)) from None

    # ---- running ----

    def _go(self, method, **params):
        with self._alive(method):
            number = self._connection.send(method, params)
            try:
                return Halt(self._connection.receive(number))
            except KeyboardInterrupt:
                self._connection.ask("stop", {})  # behind the answer to the request
                raise

    def run(self, *, until=None, for_=None, event=None, source=None, details=None, breakpoint=None) -> Halt:
        """Runs to whatever comes first: a time, an event, a breakpoint (an address or a function), or the end."""
        params = {"until": _time(until), "for": _time(for_), "event": event, "source": source, "details": details,
                  "breakpoint": breakpoint}
        return self._go("run", **{name: value for name, value in params.items() if value is not None})

    def run_until(self, time=None, *, event=None, source=None, details=None, breakpoint=None) -> Halt:
        """run_until("5ms"), run_until(event="checkpoint_commit", details={"version": 10}),
        run_until(breakpoint="main").
        """
        if time is None and event is None and breakpoint is None:
            raise ValueError("run_until: expected a time, an event or a breakpoint; run() goes on to the end")
        return self.run(until=time, event=event, source=source, details=details, breakpoint=breakpoint)

    def run_for(self, time) -> Halt:
        """run_for("1 ms"), or picoseconds."""
        return self.run(for_=time)

    def stop(self) -> Halt:
        """Halts a run that goes on, from another thread."""
        try:
            with contextlib.closing(_Connection(self._path)) as connection:
                return Halt(connection.ask("stop", {}))
        except (FileNotFoundError, ConnectionError):
            raise _program.SessionError("stop: the session is over", -32001) from None

    def step(self, count=1, core=0) -> Halt:
        return self.core[core].step(count)

    # ---- what the run is doing, and has left so far ----

    @property
    def status(self) -> dict[str, Any]:
        """state ("halted", "running", "ended"), time_ps, instructions, folder, and how it was halted."""
        return self.ask("status")

    @property
    def time_ps(self) -> int:
        return self.status["time_ps"]

    @property
    def stats(self) -> dict[str, Any]:
        """The numbers of stats.json, now."""
        return self.ask("statistics")

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events so far, each a dictionary with n, time_ps, source and kind."""
        return self.events_since(0)

    def events_since(self, number):
        events = []
        while True:
            answer = self.ask("events", since=number)
            events += answer["events"]
            number = answer["next"]
            if not answer["events"]:
                return events

    @property
    def console(self) -> str:
        """What the guest has written to its console so far."""
        return self.log("console")

    def log(self, line: str) -> str:
        """The same of a serial line: log("uart0")."""
        text, since = "", 0
        while True:
            answer = self.ask("console", line=line, since=since)
            text += answer["text"]
            since = answer["next"]
            if not answer["text"]:
                return text

    # ---- changing it ----

    def fault(self, fault):
        """Injects a fault with the keys of one in a scenario; without "at" it occurs now."""
        self.ask("inject_fault", fault=fault)

    def snapshot(self, file) -> pathlib.Path:
        """Saves the whole run to a file, from which session(restore=file) and Snapshot(file) continue."""
        return pathlib.Path(self.ask("snapshot", file=str(pathlib.Path(file).absolute()))["file"])

    # ---- the end ----

    def finish(self, check=True) -> Run:
        """Lets the run go on to its end, and returns it. With `check`, a status other than 0 raises an Error."""
        if self._run is None:
            if self.status["state"] != "ended":
                self.run()
            self._run = self._end()
        if check and self._run.status != 0:
            raise _program.error_of(self._run.status, reason_in(self._run.text) or self._message, self._run)
        return self._run

    def quit(self) -> Run:
        """Ends the run where it is, and returns it."""
        if self._run is None:
            self._run = self._end()
        return self._run

    def _end(self) -> Run:
        self.ask("quit")
        self._connection.close()
        self._connection = None
        status = self._process.wait()
        self._message = self._messages()
        if status in (70, 71, 130) or status < 0:
            raise _program.error_of(status, self._message or self._text(self._out))
        return Run(self._folder, status, self._text(self._out), self._place)

    def close(self):
        """Ends the run where it is, if it goes on."""
        atexit.unregister(self.close)
        try:
            if self._connection is not None:
                self._connection.close()  # on_disconnect
                self._connection = None
            elif self._process.poll() is None:
                self._process.send_signal(signal.SIGINT)
            self._process.wait()
        finally:
            self._out.close()
            self._err.close()
            pathlib.Path(self._path).unlink(missing_ok=True)  # of a program that was killed


def session(scenario=None, overrides: "ScenarioKeys | dict | None" = None, *, restore=None, firmware=None, until=None,
            out=None, threads=1, options=()) -> Session:
    """Starts a run that halts before its first instruction, and returns its Session:

        with asterism.session("power_loss", {"expect": {}}) as s:
            s.run_until(event="checkpoint_commit")
            s.core[0].pc, s.memory[0x4000_0000:0x4000_0040], s.device["uart0"]["CR"]
            s.fault({"kind": "power_loss", "restore_after": "1ms"})
            run = s.finish()

    The arguments are those of run(). `restore` is a file that Session.snapshot() has made, in the place of a scenario.
    """
    if (scenario is None) == (restore is None):
        raise ValueError("expected a scenario, or restore=FILE")
    if restore is not None:
        restore = getattr(restore, "file", restore)
        place = Place(out, f"{name_of(restore)}_continued")
        words = ["run", "--restore", restore, "--alone"]
    else:
        place = Place(out, name_of(scenario))
        words = ["run", scenario, *words_of(overrides)]
    for option, value in (("--firmware", firmware), ("--until", None if until is None else _time(until))):
        if value is not None:
            words += [option, value]
    if threads != 1:
        words += ["--threads", threads]
    return Session([*words, "--quiet", "--out", place.path, *options], place)
