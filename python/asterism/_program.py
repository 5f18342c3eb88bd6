"""The program, its messages and its statuses."""
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from typing import Any


class Error(Exception):
    """What the program has reported. `status` is its exit status, `run` the run, if there is one."""

    def __init__(self, message, status, run=None):
        super().__init__(message)
        self.status: int | None = status
        self.run = run


class UsageError(Error):
    """64: an option or a verb does not exist."""


class ConfigError(Error):
    """65: a mistake in a configuration or an input file."""


class InputMissing(Error):
    """66: a file does not exist."""


class ExpectationNotMet(Error):
    """67: the run has ended, and something that was expected did not happen."""


class Mismatch(Error):
    """68: RTL or translated code differs from its model."""


class TimeLimit(Error):
    """69: the run was stopped at its time limit."""


class InternalError(Error):
    """70: a mistake in the program, or a file that cannot be written to the end, as on a full disk."""


class PluginFailed(Error):
    """71: the code of a plug-in failed."""


class Interrupted(Error):
    """130: the run was interrupted."""


class SessionError(Error):
    """A request of a live session was refused. `code` is that of the protocol (docs/live.md)."""

    def __init__(self, message, code):
        super().__init__(message, None)
        self.code = code


_errors = {64: UsageError, 65: ConfigError, 66: InputMissing, 67: ExpectationNotMet, 68: Mismatch, 69: TimeLimit,
           70: InternalError, 71: PluginFailed, 130: Interrupted}


def error_of(status, message, run=None):
    return _errors.get(status, Error)(message.strip() or f"asterism ended with status {status}", status, run)


def program():
    """The path of the program: ASTERISM_PROGRAM, that of this installation or build, or that of the PATH."""
    if named := os.environ.get("ASTERISM_PROGRAM"):
        return named
    here = pathlib.Path(__file__).resolve().parent
    # PREFIX/lib/python3/dist-packages/asterism, or BUILD/python/asterism.
    for candidate in (here.parents[3] / "bin" / "asterism", here.parents[1] / "asterism"):
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return str(candidate)
    if found := shutil.which("asterism"):
        return found
    raise FileNotFoundError("there is no program asterism; ASTERISM_PROGRAM can name it")


def environment():
    """That of a program which the calling thread waits for: it ends with this process, however that ends."""
    return {**os.environ, "ASTERISM_END_WITH": str(os.getpid())}


def execute(words, progress=None):
    """Runs the program. Returns its status and what it prints on standard output and standard error.

    `progress` is True for a line on standard error while the program works, or a function that gets its text.
    """
    words = [program(), *map(str, words)]
    if progress is None:
        ended = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                               check=False, env=environment())
        return ended.returncode, ended.stdout, ended.stderr
    # The program shows its progress on a terminal only.
    ours, its = pty.openpty()
    with tempfile.TemporaryFile("w+", errors="replace") as out, open(ours, "rb", buffering=0) as terminal:
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=its,
                              env=environment()) as process:
            os.close(its)
            try:
                message = _watch(terminal, _show if progress is True else progress)
            except BaseException:
                process.send_signal(signal.SIGINT)
                raise
        if progress is True:
            _show("")
        out.seek(0)
        return process.returncode, out.read(), message


_line = re.compile("\r([^\r\n\x1b]*)\x1b\\[K")


def _show(text):
    print(f"\r{text}\x1b[K", end="", file=sys.stderr, flush=True)


def _watch(terminal, progress):
    """Reports each line of progress. Returns all other text, up to the end of the program."""
    seen = ""
    while True:
        try:
            data = terminal.read(4096)
        except OSError:  # that is how a terminal ends
            data = b""
        if not data:
            return _line.sub("", seen).replace("\r\n", "\n")
        seen += data.decode(errors="replace")
        for text in _line.findall(seen):
            if text:
                progress(text)
        seen = _line.sub("", seen)


def call(*arguments, accepted=(0,), progress=None):
    """What the program prints on standard output. Raises its error, unless the status is one of those accepted."""
    status, text, message = execute(arguments, progress)
    if status not in accepted:
        raise error_of(status, message or text)
    return text


def word(key, value):
    """`key=value` as on the command line: texts as they are, all other values as JSON."""
    return f"{key}={value if isinstance(value, str) else json.dumps(plain(value))}"


def plain(value):
    """Numbers of NumPy as those of Python."""
    return value.item() if hasattr(value, "item") and not hasattr(value, "__len__") else value


def is_list(value):
    return not isinstance(value, (str, bytes, dict)) and hasattr(value, "__iter__")


def swept_word(key, value):
    """A list of values is swept."""
    if not is_list(value):
        return word(key, value)
    texts = [each if isinstance(each, str) else json.dumps(plain(each)) for each in value]
    return f"{key}={','.join(texts)}"


def version() -> str:
    """The version of the program: "0.2.0"."""
    return call("--version").split()[1]


def names(what: str) -> list[str]:
    """What there is of a kind: names("scenarios")."""
    return call("list", what).split("\n")[:-1]


def schema(kind: str) -> dict[str, Any]:
    """The JSON Schema of a kind of file: schema("scenario")."""
    return json.loads(call("schema", kind))
