"""Asterism from Python: runs of nodes, sweeps, studies and fault campaigns, with their results as dictionaries and
pandas frames.

Each call starts the program `asterism` as a process of its own, since a process simulates one node. A mistake raises
the exception of its kind with the message of the command. The environment variable ASTERISM_PROGRAM names another
program than that of this installation or build.

    import asterism
    run = asterism.run("power_loss", {"node.cores.count": 2}, sample="10us")
    run.stats["node"]["memory"]["reads"]
    run.samples()["node.memory.reads"].plot()
    asterism.sweep("power_loss", {"node.cores.count": [1, 2, 4]}).frame
    with asterism.session("power_loss") as s:
        s.run_until(event="checkpoint_commit")

asterism.engines has the engines within this process, on NumPy arrays.
"""
from asterism._program import (
    ConfigError, Error, ExpectationNotMet, InputMissing, InternalError, Interrupted, Mismatch, PluginFailed,
    SessionError, TimeLimit, UsageError, names, program, schema, version)
from asterism._record import Record
from asterism._run import Progress, Run, Snapshot, run, snapshot
from asterism._session import Core, Device, Halt, Memory, Session, session
from asterism._table import Table, campaign, paper, study, sweep

__all__ = [
    "ConfigError", "Core", "Device", "Error", "ExpectationNotMet", "Halt", "InputMissing", "InternalError",
    "Interrupted", "Memory", "Mismatch", "PluginFailed", "Progress", "Record", "Run", "Session", "SessionError",
    "Snapshot", "Table", "TimeLimit", "UsageError", "campaign", "names", "paper", "program", "run", "schema",
    "session", "snapshot", "study", "sweep", "version"]


def __getattr__(name):
    if name != "engines":
        raise AttributeError(f"module 'asterism' has no attribute {name!r}")
    import importlib
    try:
        return importlib.import_module("asterism.engines")
    except ModuleNotFoundError as error:
        raise ImportError("there is no asterism.engines for this Python: it is built for Debian's Python 3.11, if "
                          "pybind11-dev and python3-dev are there") from error
