"""The package as a notebook uses it, against the program of this build."""
import ast
import inspect
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from typing import Any

import asterism


class PythonPackage(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(self.temporary.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.temporary.name)

    def test_a_run_has_its_numbers_events_and_output(self):
        run = asterism.run("power_loss", {"node.cores.count": 2})
        self.assertEqual(run.status, 0)
        self.assertEqual(run.folder, pathlib.Path("runs/power_loss"))
        self.assertEqual(run.scenario["node"]["cores"]["count"], 2)
        self.assertEqual(run.numbers()["node.power.power_losses"], 1)
        self.assertIn("power_lost", [event["kind"] for event in run.events])
        self.assertIn("checkpoint 10 restored", run.console)
        self.assertEqual(run.series()["recoveries"], 1)
        self.assertIn("time_ps", run.event_frame())

    def test_mistakes_have_the_words_of_the_command(self):
        with self.assertRaisesRegex(asterism.ConfigError, r"node\.cores\.cont: unknown key; did you mean .count") as caught:
            asterism.run("power_loss", {"node.cores.cont": 2})
        self.assertEqual(caught.exception.status, 65)
        with self.assertRaisesRegex(asterism.InputMissing, "power_los.*did you mean .power_loss"):
            asterism.run("power_los")
        self.assertFalse(pathlib.Path("runs").exists())

    def test_what_was_expected_and_did_not_happen_is_an_error_with_its_run(self):
        with self.assertRaises(asterism.ExpectationNotMet) as caught:
            asterism.run("power_loss", {"faults": []})
        self.assertEqual(str(caught.exception), "recoveries: expected 1, but there were 0")
        with self.assertRaises(asterism.TimeLimit) as stopped:
            asterism.run("power_loss", until="1ms")
        self.assertEqual(str(stopped.exception), "stopped at the time limit of 1 ms: the firmware had not ended")
        self.assertIn("NOT MET", caught.exception.run.text)
        self.assertEqual(caught.exception.run.stats["recoveries"], 0)
        self.assertEqual(asterism.run("power_loss", {"faults": []}, check=False).status, 67)

    def test_values_are_written_as_the_command_reads_them(self):
        keys = {"node.cores.count": 2, "faults": [{"at": "8ms", "kind": "power_loss", "restore_after": "1ms"}],
                "node.memory.ecc": "strong"}
        run = asterism.run("power_loss", keys)
        self.assertEqual(run.scenario["faults"][0]["at"], "8ms")
        self.assertEqual(run.scenario["node"]["memory"]["ecc"], "strong")

    def test_a_record_becomes_frames(self):
        run = asterism.run("power_loss", sample="50us")
        samples = run.samples()
        self.assertEqual(samples["node.memory.reads"].iloc[-1], run.numbers()["node.memory.reads"])
        self.assertTrue(samples["node.core0.instructions"].is_monotonic_increasing)
        self.assertEqual(list(samples.index[:3]), [0, 50_000_000, 100_000_000])
        intervals = run.record.interval_frame()
        checkpoints = intervals[intervals["name"] == "checkpoint"]
        self.assertEqual(sorted(checkpoints["details.outcome"].unique()), ["durable", "interrupted"])
        self.assertIn("cg: checkpoint 10 restored", [each["details"].get("text") for each in run.record.instants])

    def test_a_later_call_leaves_the_data_of_an_earlier_one(self):
        one, two = (asterism.run("hello", {"node.cores.count": count}) for count in (1, 2))
        self.assertEqual(two.folder, pathlib.Path("runs/hello.2"))
        self.assertEqual([each.scenario["node"]["cores"]["count"] for each in (one, two)], [1, 2])
        self.assertFalse(one.compare(two)["equal"])
        del one
        self.assertEqual(asterism.run("hello").folder, pathlib.Path("runs/hello"), "nobody reads that any more")
        tables = [asterism.sweep("hello", {"node.cores.count": [count]}) for count in (1, 2)]
        runs = [table.runs[0] for table in tables]
        del tables
        asterism.sweep("hello", {"node.cores.count": [4]})
        self.assertEqual([each.scenario["node"]["cores"]["count"] for each in runs], [1, 2])
        snapshots = [asterism.snapshot("hello", at, {"node.cores.count": 1}) for at in ("1us", "2us")]
        self.assertNotEqual(*(each.file for each in snapshots))
        first, second = (snapshots[0].runs([[]])[0] for _ in range(2))
        self.assertNotEqual(first.folder, second.folder)

    def test_a_run_whose_folder_another_one_has_replaced_is_an_error(self):
        one = asterism.run("hello", out="here")
        asterism.run("hello", out="here")
        with self.assertRaisesRegex(asterism.InputMissing, "here: a later run has replaced this one"):
            print(one.stats)

    def test_arguments_of_another_kind_are_explained(self):
        with self.assertRaisesRegex(TypeError, "overrides are a dictionary"):
            asterism.run("hello", ["node.cores.count=2"])
        with self.assertRaisesRegex(TypeError, r"options is a list of words, \['--profile'\], and no text"):
            asterism.run("hello", options="--profile")
        run = asterism.run("hello")
        self.assertTrue(run.compare(run.folder)["equal"])
        self.assertTrue(run.compare(str(run.folder))["equal"])
        with self.assertRaisesRegex(asterism.InputMissing, "none: error: there is no such folder"):
            run.compare("none")

    def test_a_sweep_is_a_table_with_its_runs(self):
        table = asterism.sweep("power_loss", {"node.cores.count": [1, 2]}, show=["simulated_time_ps", "recoveries"])
        self.assertEqual(list(table.frame["node.cores.count"]), [1, 2])
        self.assertEqual(table.runs[1].stats["simulated_time_ps"], table.rows[1]["simulated_time_ps"])
        table = asterism.sweep("power_loss", {"faults": ["[]"], "node.cores.count": [1, 2], "seeds": 2})
        self.assertEqual([run.status for run in table.runs], [67, 67, 67, 67])

    def test_a_study_is_a_table_with_units(self):
        table = asterism.study("swizzle_switch", {"radix": [8, 16]})
        self.assertTrue(table.complete)
        self.assertEqual(len(table), 2)
        self.assertEqual(table.columns["frequency_ghz"]["unit"], "GHz")
        self.assertGreater(table.frame["frequency_ghz"][0], table.frame["frequency_ghz"][1])

    def test_a_column_without_values_is_one_of_numbers(self):
        frame = asterism.study("hbm_codes").frame
        self.assertEqual(frame["trials_silent"].dtype, "float64")
        self.assertTrue(frame["trials_silent"].round(1).isna().all())
        self.assertEqual(frame["code"].dtype, object)

    def test_a_study_writes_its_files_and_its_folder(self):
        table = asterism.study("swizzle_switch", {"radix": [8, 16, 32]}, out="here", csv="radix.csv",
                               svg=pathlib.Path("radix.svg"))
        self.assertEqual(table.folder, pathlib.Path("here"))
        self.assertEqual(pathlib.Path("here/results.csv").read_text(), pathlib.Path("radix.csv").read_text())
        self.assertIn("<svg", pathlib.Path("radix.svg").read_text())
        self.assertEqual(asterism.study("here/study.json").rows, table.rows)
        with self.assertRaisesRegex(asterism.ConfigError, "none/radix.csv"):
            asterism.study("swizzle_switch", csv="none/radix.csv")

    def test_a_study_reports_its_progress(self):
        seen = []
        slow = {"nodes": 576, "rate": [0.02, 0.04], "measure": "200us"}
        table = asterism.study("fabric", slow, progress=seen.append)
        self.assertEqual(len(table), 2)
        self.assertRegex(seen[0], r"of 2 points, \d+ s")
        messages = []
        for progress in (None, seen.append):
            with self.assertRaises(asterism.ConfigError) as caught:
                asterism.study("fabric", {"rat": 1}, progress=progress)
            messages.append(str(caught.exception))
        self.assertEqual(messages[0], messages[1])

    def test_runs_and_campaigns_continue_from_one_snapshot(self):
        snapshot = asterism.snapshot("power_loss", "5ms", {"faults": [], "expect": {}})
        loss = {"at": "7ms", "kind": "power_loss", "restore_after": "1ms"}
        runs = snapshot.runs([[], [loss]], jobs=2)
        self.assertEqual([run.stats["power_losses"] for run in runs], [0, 1])
        self.assertEqual(runs[0].stats, snapshot.base.stats)
        outcomes = asterism.campaign(snapshot, [loss], jobs=1)
        self.assertEqual([(each["fault"], each["outcome"]) for each in outcomes], [(loss, "recovered")])
        with self.assertRaises(asterism.ConfigError) as caught:
            asterism.campaign(snapshot, [loss, {**loss, "kind": "power_los"}], jobs=1)
        self.assertTrue(str(caught.exception).startswith("faults[1]: error: "), str(caught.exception))

    def test_two_runs_are_compared_and_reported(self):
        first = asterism.run("hello", out="first", sample="10us")
        second = asterism.run("hello", {"node.cores.clock": "500MHz"}, out="second", sample="10us")
        self.assertTrue(first.compare(first)["equal"])
        difference = first.compare(second)
        self.assertEqual([each["path"] for each in difference["keys"]], ["node.cores.clock"])
        self.assertGreater(first.report(second, "two.html").stat().st_size, 100_000)

    def test_progress_is_reported_while_a_run_goes_on(self):
        seen = []
        exact = {"node.memory.fidelity": "exact", "faults": [], "expect": {}}
        asterism.run("power_loss", exact, progress=seen.append)
        self.assertTrue(seen)
        self.assertLessEqual(seen[0].time_ps, seen[-1].time_ps)
        count = len(seen)
        asterism.snapshot("power_loss", "5ms", exact, progress=seen.append)
        self.assertGreater(len(seen), count)
        self.assertEqual(asterism.run("hello", progress=True).status, 0)

    def test_without_its_engines_the_package_says_what_they_need(self):
        shutil.copytree(pathlib.Path(asterism.__file__).parent, "asterism", ignore=shutil.ignore_patterns("*.so"))
        ended = subprocess.run([sys.executable, "-c", "from asterism import engines"], capture_output=True, text=True,
                               check=False, env={**os.environ, "PYTHONPATH": "."})
        self.assertIn("ImportError: there is no asterism.engines for this Python", ended.stderr)

    def test_a_session_runs_to_events_times_and_breakpoints(self):
        with asterism.session("power_loss") as s:
            self.assertEqual(s.core[0].pc, 0x4020_0000)
            self.assertEqual(s.run_for("1 us").time_ps, 1_000_000)
            self.assertEqual(s.run_until("2us").reason, "time")
            halt = s.run_until(event="checkpoint_commit", details={"version": 10})
            self.assertEqual((halt.reason, halt.event["version"]), ("event", 10))
            self.assertEqual(s.events[-1], halt.event)
            self.assertIn("checkpoint 5 written", s.console)
            self.assertEqual(s.stats["simulated_time_ps"], halt.time_ps)
            halt = s.run_until(breakpoint="solver_iterate")
            core = s.core[halt["core"]]
            self.assertRegex(core.place, r"solver_iterate \(")
            before = core.pc
            core.step()
            self.assertEqual(core.pc, before + 4)
            with self.assertRaisesRegex(ValueError, "run_until: expected a time, an event or a breakpoint"):
                s.run_until()
            run = s.finish()
        with self.assertRaisesRegex(asterism.SessionError, "stop: the session is over"):
            s.stop()
        self.assertEqual(run.status, 0)
        self.assertEqual(run.stats["recoveries"], 1)
        self.assertIn("checkpoint 10 restored", run.console)

    def test_a_session_reads_and_writes_the_machine(self):
        with asterism.session("hello", {"firmware": "spin", "expect": {}, "until": "3600s"}) as s:
            s.run_for("10us")
            s.memory[0x4100_0ffe] = b"1234"
            self.assertEqual(s.memory[0x4100_0ffe:0x4100_1002], b"1234")
            self.assertEqual(s.core[0].memory[0x4100_0fff], ord("2"))
            s.core[0].x[3] = 2**64 - 1
            self.assertEqual(s.core[0].x[3], 2**64 - 1)
            s.core[0].v[1] = 2**127
            self.assertEqual(s.core[0].registers("vector")["v1"], 2**127)
            self.assertIn("VBAR_EL1", s.core[0].registers("system"))
            s.device["uart0"]["IMSC"] = 0x50
            self.assertEqual(s.device["uart0"]["IMSC"], 0x50)
            self.assertIn("uart0", s.device.names())
            with self.assertRaisesRegex(asterism.SessionError, "no register \"IMSCC\"; did you mean \"IMSC\""):
                s.device["uart0"]["IMSCC"]
            with self.assertRaisesRegex(asterism.SessionError, "read_memory: nothing answers at 0x50"):
                s.memory[0x50]
            with self.assertRaises(IndexError):
                s.core[0].x[31]
            run = s.quit()
        self.assertEqual(run.stats["ended"], "quit")

    def test_a_session_injects_faults_and_continues_from_its_snapshot(self):
        with asterism.session("power_loss", {"faults": [], "expect": {}}) as s:
            s.run_until(event="checkpoint_commit")
            file = s.snapshot("here.snapshot")
            s.fault({"kind": "power_loss", "restore_after": "1ms"})
            self.assertEqual(s.run_until(event="power_restored").reason, "event")
            self.assertEqual(s.quit().stats["power_losses"], 1)
        with asterism.session(restore=file, out="again") as s:
            self.assertEqual(s.status["halted"]["reason"], "restored")
            s.run_for("2ms")
            self.assertEqual(s.quit().stats["power_losses"], 0)

    def test_ctrl_c_halts_the_run_and_not_the_session(self):
        with asterism.session("hello", {"firmware": "spin", "expect": {}, "until": "3600s"}) as s:
            timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
            timer.start()
            with self.assertRaises(KeyboardInterrupt):
                s.run()
            self.assertEqual(s.status["state"], "halted")
            threading.Timer(0.3, s.stop).start()
            self.assertEqual(s.run().reason, "stop")
            self.assertGreater(s.core[0].pc, 0)
        self.assertTrue(pathlib.Path("runs/hello/stats.json").exists())

    def test_a_killed_python_leaves_nothing_of_its_session_behind(self):
        pathlib.Path("temporary").mkdir()
        program = "import asterism, os, signal\ns = asterism.session('hello')\ns.run_for('1 us')\n" \
                  "print(os.listdir('temporary'), flush=True)\nos.kill(os.getpid(), signal.SIGKILL)"
        killed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False,
                                env={**os.environ, "TMPDIR": "temporary"})
        self.assertIn("asterism_", killed.stdout, killed.stderr)
        for _ in range(1000):
            if not os.listdir("temporary"):
                break
            time.sleep(0.01)
        self.assertEqual(os.listdir("temporary"), [])

    def test_the_programs_of_a_killed_python_end_with_it(self):
        """However they are waited for; ended threads that have waited for others are no matter."""
        endless = "{'firmware': 'spin', 'expect': {}}, until='3600s'"
        study = "'ddr5_codes', {'trials': 10**11}"
        calls = (f"asterism.run('hello', {endless})", f"asterism.sweep('hello', {endless})", f"asterism.study({study})",
                 f"asterism.study({study}, progress=lambda text: None)",
                 "from threading import Thread\none = Thread(target=asterism.study, args=['swizzle_switch'])\n"
                 f"one.start()\none.join()\nThread(target=asterism.study, args=[{study}]).start()")
        pathlib.Path("temporary").mkdir()
        killed = [subprocess.Popen([sys.executable, "-c", f"import asterism\n{call}"], stderr=subprocess.DEVNULL,
                                   env={**os.environ, "TMPDIR": str(pathlib.Path("temporary").absolute())})
                  for call in calls]
        programs = [self.endless_program_of(python.pid) for python in killed]
        for python in killed:
            python.kill()
            python.wait()
        for call, program in zip(calls, programs):
            self.within_ten_seconds(lambda: self.parent_of(program) is None, call)
        self.assertEqual(os.listdir("temporary"), [])

    def within_ten_seconds(self, happens, what):
        for _ in range(1000):
            if found := happens():
                return found
            time.sleep(0.01)
        return self.fail(what)

    @staticmethod
    def parent_of(process):
        """None of one that has ended."""
        try:
            state, parent = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[:2]
        except OSError:
            return None
        return None if state == "Z" else int(parent)

    def endless_program_of(self, python):
        def find():
            for each in filter(str.isdigit, os.listdir("/proc")):
                if self.parent_of(each) == python and b"=" in pathlib.Path(f"/proc/{each}/cmdline").read_bytes():
                    return each
            return None
        return self.within_ten_seconds(find, "it starts no program")

    def test_a_program_whose_python_has_already_ended_does_nothing(self):
        ended = subprocess.Popen(["true"])  # nobody has waited for it when the first command begins
        self.addCleanup(ended.wait)
        self.within_ten_seconds(lambda: self.parent_of(ended.pid) is None, "true")
        for process, status in ((ended.pid, 130), (os.getpid(), 0), (os.getppid(), 0)):
            command = subprocess.run([asterism.program(), "list", "studies"], check=False, stdout=subprocess.DEVNULL,
                                     env={**os.environ, "ASTERISM_END_WITH": str(process)})
            self.assertEqual(command.returncode, status)

    def test_a_session_that_ends_badly_raises_the_error_of_its_run(self):
        with asterism.session("power_loss", {"expect": {}}, until="1ms") as s:
            with self.assertRaisesRegex(asterism.TimeLimit, "stopped at the time limit of 1 ms") as caught:
                s.finish()
        self.assertEqual(caught.exception.run.stats["ended"], "time_limit")

    def test_a_session_that_cannot_begin_has_the_words_of_the_command(self):
        with self.assertRaisesRegex(asterism.ConfigError, r"node\.cores\.cont: unknown key; did you mean .count"):
            asterism.session("power_loss", {"node.cores.cont": 2})
        with self.assertRaisesRegex(asterism.ConfigError, "--live: no core of this scenario runs firmware"):
            asterism.session("kilocore_mix1")
        self.assertEqual(list(pathlib.Path(".").glob("runs/*")), [])

    def test_results_are_typed_for_editors(self):
        for function, result in ((asterism.run, asterism.Run), (asterism.session, asterism.Session),
                                 (asterism.sweep, asterism.Table), (asterism.Run.stats.fget, dict[str, Any])):
            self.assertEqual(inspect.signature(function).return_annotation, result)

    def test_the_keys_of_a_scenario_are_typed_for_editors(self):
        text = pathlib.Path(asterism.__file__).with_name("keys.pyi").read_text()
        ast.parse(text)
        for line in ("'node.cores.count': int | str,",
                     "'node.fabric.fidelity': Literal['loose', 'contended', 'flit'],",
                     "'cluster.checkpoint.protocol': Literal['blocking', 'semi_blocking'],",
                     "'node.uart0.input': Literal['none', 'file', 'script', 'terminal'],",  # of a device
                     "FabricStudy = TypedDict("):
            self.assertIn(line, map(str.strip, text.splitlines()))


if __name__ == "__main__":
    unittest.main()
