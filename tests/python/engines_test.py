"""The engines within the process of Python, against each other, the command and published examples."""
import ast
import concurrent.futures
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy
import asterism
from asterism import engines


def random_blocks(count, seed=1):
    return numpy.random.default_rng(seed).integers(0, 256, (count, 64), dtype=numpy.uint8)


class PythonEngines(unittest.TestCase):
    def test_a_page_is_encoded_damaged_and_corrected_where_it_is(self):
        codec = engines.Codec("strong")
        data = random_blocks(1000)
        written = data.copy()
        parity = codec.encode(data)
        third = codec.encode_third(data, parity)
        self.assertEqual((parity.shape, third.shape), ((1000, 8), (1000, 4)))
        self.assertFalse(codec.syndromes(data, parity).any())
        codec.inject(data, parity, numpy.arange(0, 1000, 10), shape="chip", chip=3)
        self.assertTrue((data[::10] != written[::10]).any(axis=1).all())
        result = codec.decode(data, parity, third)
        self.assertEqual([result[key] for key in ("clean", "corrected", "uncorrectable")], [900, 100, 0])
        self.assertEqual(set(result["chips"][::10]), {1 << 3})
        numpy.testing.assert_array_equal(data, written)

    def test_a_dead_chip_is_only_detected_in_mode_normal(self):
        codec = engines.Codec("normal", profile="strict")
        data = random_blocks(50)
        parity = codec.encode(data)
        codec.inject(data, parity, [7, 8], shape="chip", chip=0)
        damaged = data.copy()
        result = codec.decode(data, parity)
        self.assertEqual(list(numpy.flatnonzero(result["outcome"] == 2)), [7, 8])
        numpy.testing.assert_array_equal(data, damaged)

    def test_arrays_are_not_copied(self):
        codec = engines.Codec()
        data = random_blocks(64)
        parity = numpy.empty((64, 8), numpy.uint8)
        self.assertIs(codec.encode(data, parity), parity)
        numpy.testing.assert_array_equal(parity, codec.encode(data.reshape(1, 4096)))
        for other, got in ((data.astype(numpy.int16), "an array of int16"),
                           (data[:, ::2], "an array of uint8 that is not contiguous"), (data.tolist(), "list")):
            with self.assertRaises(TypeError) as caught:
                codec.encode(other)
            self.assertEqual(str(caught.exception),
                             "expected a contiguous array of uint8, which is used where it is; got " + got)
        data.flags.writeable = False
        codec.encode(data)
        with self.assertRaises(ValueError):
            codec.decode(data, parity)

    def test_each_path_of_the_host_has_the_same_parity(self):
        data = random_blocks(777)
        first, *others = [engines.Codec(path=path).encode(data) for path in engines.codec_paths()]
        for other in others:
            numpy.testing.assert_array_equal(first, other)

    def test_counted_faults_are_near_their_exact_shares(self):
        exact = engines.exact_coverage("rs_36_32", "pin", profile="strict")
        counts = engines.fault_coverage("rs_36_32", "pin", trials=100_000, profile="strict")
        self.assertAlmostEqual(counts["corrected"] / 100_000, exact["corrected"], delta=0.01)
        self.assertAlmostEqual(sum(exact.values()), 1)

    def test_a_dead_chip_of_a_ddr5_rank_is_corrected_by_each_code_of_ten_chips(self):
        for code in ("rs_10_8", "rs_10_8_chip", "rs_40_32", "chip_guard"):
            codec = engines.RankCodec(code)
            data = random_blocks(100)
            written = data.copy()
            check = codec.encode(data)
            self.assertEqual((check.shape, codec.chips, codec.check_bytes), ((100, 16), 10, 16))
            encoded = check.copy()
            codec.inject(data, check, numpy.arange(0, 100, 2), fault="chip", chip=3)
            self.assertTrue((data[::2] != written[::2]).any(axis=1).all())
            result = codec.decode(data, check)
            self.assertEqual([result[key] for key in ("clean", "corrected", "uncorrectable")], [50, 50, 0])
            self.assertEqual((set(result["chips"][::2]), set(result["outcome"][1::2])), ({1 << 3}, {0}))
            numpy.testing.assert_array_equal(data, written)
            numpy.testing.assert_array_equal(check, encoded)

    def test_nine_chips_of_ddr5_correct_two_pins(self):
        for code, corrected in (("rs_36_32", 50), ("rs_36_32_bounded", 0)):
            codec = engines.RankCodec(code)
            data = random_blocks(50)
            written = data.copy()
            check = codec.encode(data)
            self.assertEqual(check.shape, (50, 8))
            for chip in (0, 8):  # one pin of each
                codec.inject(data, check, numpy.arange(50), fault="pin", chip=chip, seed=chip)
            damaged = data.copy()
            self.assertEqual(codec.decode(data, check)["corrected"], corrected)
            numpy.testing.assert_array_equal(data, written if corrected else damaged)

    def test_metadata_of_memory_codes_stay_and_are_protected(self):
        codec = engines.RankCodec("chip_guard", hash_bits=44)
        data = random_blocks(20)
        check = numpy.full((20, 16), 0xAB, numpy.uint8)
        self.assertIs(codec.encode(data, check), check)
        self.assertTrue((check[:, 14:] == 0xAB).all(), "the upper 20 bits of chip 9")
        encoded = check.copy()
        codec.inject(data, check, numpy.arange(20), chip=9)
        self.assertEqual(codec.decode(data, check)["corrected"], 20)
        numpy.testing.assert_array_equal(check, encoded)
        sectors = engines.SectorCodec("symbol")
        check = numpy.full((40, 6), 0xCD, numpy.uint8)
        sectors.encode(data.reshape(40, 32), check)
        self.assertTrue((check[:, :2] == 0xCD).all())
        check[:, 0] ^= 0xFF
        self.assertEqual(sectors.decode(data.reshape(40, 32), check)["corrected"], 40)
        self.assertTrue((check[:, :2] == 0xCD).all())

    def test_codes_of_hbm_correct_the_faults_that_they_are_made_for(self):
        for code, size, corrected, too_much in (("secded", 4, "pin", "sector"), ("symbol", 6, "word", "pin"),
                                                ("reach", 4, "bit", "sector")):
            codec = engines.SectorCodec(code)
            data = random_blocks(100).reshape(200, 32)
            written = data.copy()
            check = codec.encode(data)
            self.assertEqual((check.shape, codec.check_bytes), ((200, size), size))
            codec.inject(data, check, [7, 9], fault=corrected)
            result = codec.decode(data, check)
            self.assertEqual((result["clean"], list(numpy.flatnonzero(result["outcome"] == 1))), (198, [7, 9]))
            numpy.testing.assert_array_equal(data, written)
            codec.inject(data, check, numpy.arange(200), fault=too_much)
            damaged = data.copy()
            result = codec.decode(data, check)
            self.assertGreater(result["uncorrectable"], 180)
            stays = result["outcome"] == 2
            numpy.testing.assert_array_equal(data[stays], damaged[stays])

    def test_a_training_run_has_the_goodput_of_its_study(self):
        for keys in ({}, {"protocol": "file_system"}, {"protocol": "just_in_time", "spares": 8}):
            row = asterism.study("training_goodput", {"gpus": 16384, "protocol": "replicas", **keys, "runs": 1}).rows[0]
            run = engines.TrainingRun(**keys)
            point = run.predict()
            self.assertAlmostEqual(100 * point["goodput"], row["goodput_percent"], places=9)
            self.assertEqual((point["interval_s"], point["memory_interval_s"], point["spares_needed"]),
                             (row["interval_s"], row["memory_interval_s"], row["spares_needed"]))
            lost = sum(each["share"] for each in point["classes"]) + point["stalls"] + point["waiting"]
            self.assertAlmostEqual(point["goodput"] + lost, 1)
            self.assertAlmostEqual(100 * run.simulate()["goodput"], row["simulated_percent"], places=9)

    def test_copies_survive_as_in_their_study(self):
        for keys in ({"nodes": 16, "lost": 2}, {"nodes": 17, "lost": 3, "group": 3, "placement": "ring"},
                     {"nodes": 16, "lost": 3, "group": 8, "placement": "group", "parity": 2}):
            row = asterism.study("replica_placement", keys).rows[0]
            self.assertAlmostEqual(100 * engines.survival_probability(**keys), row["survives_percent"], places=9)

    def test_latencies_of_dram_are_those_of_its_part(self):
        dram = engines.Dram({"ranks": 1, "part": "ddr3_1600_2gb_x8", "refresh": "none"})
        rows = [0, 64, 1 << 20]  # a closed row, the open one, another one of the bank
        self.assertEqual(list(dram.run(rows, at_ps=[0, 10**6, 2 * 10**6])), [32500, 18750, 46250])
        self.assertEqual(dram.time_ps, 2 * 10**6 + 46250)
        later = dram.run(rows, writes=[True, False, True])
        self.assertEqual((later[0], later[2]), (0, 0))  # queues take writes at once
        self.assertGreater(later[1], 18750)
        self.assertEqual([dram.statistics()[key] for key in ("reads", "writes")], [4, 2])

    def test_dram_of_another_standard_is_its_part(self):
        part = {"ranks": 1, "part": "hbm2e_3600_16gb_8h", "refresh": "by_banks"}
        # A row of the bank, the same row in the other pseudo-channel: tRCD, tCCD_L, CL and the second burst.
        took = engines.Dram(part).run([0, 1 << 30], at_ps=[0, 2000 * 556])
        self.assertEqual(list(took), [556 * (27 + 4 + 26 + 2)] * 2)
        with self.assertRaisesRegex(asterism.ConfigError, "refresh: .* has only refreshes of whole ranks"):
            engines.Dram({"part": "ddr3_1600_2gb_x8", "refresh": "by_banks"})

    def test_a_fabric_has_the_latencies_of_its_study(self):
        traffic = {"rate": 0.02, "seed": 3, "measure": "1us"}
        for keys in ({"topology": "mesh", "nodes": 64}, {"topology": "superstar", "gated_global_routers": 6}):
            row = asterism.study("fabric", {**keys, **traffic}).rows[0]
            point = engines.Fabric(keys).run(traffic)
            for key in ("latency_ns", "latency_p99_ns", "network_latency_ns", "hops", "packets_delivered",
                        "accepted_packets_per_ns"):
                self.assertEqual(point[key], row[key])
            self.assertEqual(point["channel_load"].max(), row["busiest_load"])
            self.assertTrue(point["converged"])

    def test_a_fabric_carries_the_packets_of_arrays(self):
        fabric = engines.Fabric({"topology": "mesh", "nodes": 64, "clock": "1GHz", "link_cycles": "1cycles"})
        sent = fabric.send([0, 0, 9], [63, 7, 9], created_ps=[0, 0, 10**6])
        self.assertEqual(list(sent["routers"]), [15, 8, 1])
        self.assertTrue((sent["delivered_ps"] > sent["injected_ps"]).all())
        self.assertGreaterEqual(sent["injected_ps"][2], 10**6)
        self.assertEqual((fabric.nodes, len(fabric.routers), len(fabric.channels)), (64, 64, 4 * 8 * 7))

    def test_saturation_lies_between_rates_that_were_run(self):
        found = engines.Fabric({"topology": "mesh", "nodes": 16}).saturation(
            {"search": {"tolerance": 0.1}, "measure": "2us"})
        self.assertLess(found["rate"], found["unsustained_rate"])
        self.assertIn(found["rate"], [point["rate"] for point in found["points"]])

    def test_the_table_of_modified_pages_says_what_to_copy(self):
        table = engines.Matt(16)
        table.track()
        self.assertTrue(table.write([3, 7], [0b1, 0b1010]).all())
        table.begin_phase()
        self.assertEqual(table.pending, 2)
        self.assertEqual(list(table.write(7)), [False])
        pages, lines = table.copy()
        self.assertEqual((list(pages), list(lines)), ([7, 3], [0b1010, 0b1]))
        self.assertEqual((table.next(), table.statistics()["not_ready"]), (None, 1))

    def test_random_writes_move_pages_and_wear_flash_out(self):
        ftl = engines.Ftl({"blocks": 8, "packages": 2, "endurance": 6, "part": "micron_2013_mlc_16k"})
        pages = numpy.arange(ftl.pages)
        self.assertTrue((ftl.write(pages) > 0).all())
        self.assertEqual(ftl.wear().sum(), 0)
        random = numpy.random.default_rng(1)
        ftl.write(random.integers(0, ftl.pages, 2 * ftl.pages))
        self.assertGreater(ftl.write_amplification, 1.5)
        while not ftl.read_only:
            latencies = ftl.write(random.integers(0, ftl.pages, 1000))
        self.assertEqual(latencies[-1], -1)
        ftl.lose_power()
        self.assertTrue((ftl.read(pages) > 0).all())  # nothing is lost

    def test_intervals_and_efficiencies_take_numbers_and_arrays(self):
        self.assertEqual(engines.young_interval(86_400, 300), 7200)
        mttf = numpy.array([3600.0, 86_400.0])
        best = engines.best_interval(mttf, 300)
        self.assertTrue((best < engines.young_interval(mttf, 300)).all())
        around = engines.efficiency(86_400, 300, 300, best[1] * numpy.array([0.8, 1, 1.25]))
        self.assertEqual(around.argmax(), 1)
        self.assertAlmostEqual(
            engines.expected_run_time(86_400, 300, 300, best[1], 1e8) * around[1] / 1e8, 1, places=3)

    def test_models_of_several_levels_agree_with_their_simulations(self):
        levels = [(3600, 1, 1), (86_400, 60, 60)]
        best = engines.multilevel_optimum(levels)
        schedule = (levels, best["interval_s"], best["counts"])
        self.assertEqual(engines.multilevel_efficiency(*schedule), best["efficiency"])
        simulated = engines.simulate_multilevel(*schedule, cycles=20_000)
        self.assertAlmostEqual(simulated["efficiency"], best["efficiency"], delta=2 * simulated["half_width_99"])
        hybrid = engines.LocalGlobal(local_s=1, global_s=60, local_restart_s=1, global_restart_s=60,
                                     locally_recoverable=0.9, mttf_s=86_400)
        plan = hybrid.optimum()
        simulated = hybrid.simulate(plan["interval_s"], plan["local_share"])
        self.assertAlmostEqual(simulated["availability"], 1 / (1 + plan["overhead"]), delta=0.002)
        buddies = engines.Buddies(overlap_s=100, overhead_s=10, local_s=5, blocking_s=20, restart_s=20,
                                  mttf_s=86_400)
        self.assertGreater(buddies.optimum(1e6)["benefit"], 0)

    def test_a_machine_of_dong2011_has_its_failures(self):
        machine = engines.mpp_checkpoint(1000, "pcram_3d")
        self.assertLess(machine.mttf_s, 100)
        self.assertLess(machine.optimum()["overhead"], engines.mpp_checkpoint(1000, "dimm_dimm").optimum()["overhead"])

    def test_mistakes_in_keys_have_the_words_of_the_command(self):
        for study, engine, keys in (("memory", engines.Dram, {"part": "ddr9"}),
                                    ("memory", engines.Dram, {"ranks": 1, "part": "ddr3_1600_2gb_x8", "size": "3GB"}),
                                    ("fabric", engines.Fabric, {"topology": "superring", "nodes": 144})):
            with self.assertRaises(asterism.ConfigError) as of_the_study:
                asterism.study(study, keys)
            with self.assertRaises(asterism.ConfigError) as caught:
                engine(keys)
            self.assertEqual(str(caught.exception), str(of_the_study.exception).split("error: ")[1], "without a place")
            self.assertEqual(caught.exception.status, 65)
        for make, message in (
                (lambda: engines.Dram({"rank": 2}), 'rank: unknown key; did you mean "ranks"'),
                (lambda: engines.Dram({"size": "3GB"}), "size: expected a multiple of 256KiB"),
                (lambda: engines.Fabric({"nodes": 577}), "nodes: expected a value that is a whole number of clusters"),
                (lambda: engines.Fabric({"topology": "crossbar"}), "topology: a crossbar .* has no routers"),
                (lambda: engines.Ftl({"blocks": 4}), "blocks: 4 blocks in a plane of the flash are too few"),
                (lambda: engines.Matt(16, {"phase_bits": 1}), "phase_bits: expected .* got 1")):
            with self.assertRaisesRegex(asterism.ConfigError, message):
                make()

    def test_a_file_that_is_missing_has_its_exception(self):
        with self.assertRaisesRegex(asterism.InputMissing, '^no file "llama5", and no such name in .*configs/failures$'):
            engines.TrainingRun("llama5")

    def test_other_mistakes_are_value_errors_with_the_words_of_the_engine(self):
        dram, table, fabric = engines.Dram(), engines.Matt(16), engines.Fabric()
        for make, message in (
                (lambda: engines.Codec("stong"), 'mode: expected .*"strong"; got "stong"'),
                (lambda: engines.Codec("strong").decode(random_blocks(1), numpy.zeros(8, numpy.uint8)), "third"),
                (lambda: engines.Codec().encode(numpy.zeros((10, 63), numpy.uint8)),
                 "data: expected whole blocks of 64 bytes; got 630 bytes"),
                (lambda: engines.RankCodec("chipguard"), 'code: expected .*"chip_guard".*; got "chipguard"'),
                (lambda: engines.RankCodec("chip_guard", hash_bits=3), "hash_bits: expected 40 to 64, got 3"),
                (lambda: engines.RankCodec("rs_36_32").decode(random_blocks(2), numpy.zeros(32, numpy.uint8)),
                 "check: expected 8 bytes for each 64 of data, 16; got 32"),
                (lambda: engines.RankCodec("rs_36_32").inject(random_blocks(1), numpy.zeros(8, numpy.uint8), [0], chip=9),
                 "chip: expected 0 to 8"),
                (lambda: engines.SectorCodec("reach").encode(numpy.zeros(33, numpy.uint8)),
                 "data: expected a multiple of 32 bytes; got 33"),
                (lambda: engines.SectorCodec("reach").inject(numpy.zeros(32, numpy.uint8), numpy.zeros(4, numpy.uint8), [1]),
                 "sectors: there are 1"),
                (lambda: engines.TrainingRun(gpus=15), "gpus: expected a multiple of the 8 GPUs"),
                (lambda: engines.TrainingRun(interval_s=1), "interval_s: expected at least the 10.000 s"),
                (lambda: engines.TrainingRun(node_link_gbps=0), "node_link_gbps: expected GB/s above 0"),
                (lambda: engines.survival_probability(16, 17), "lost: expected at most 16 lost nodes, got 17"),
                (lambda: dram.run([64.5]), "expected whole numbers from 0 to 18446744073709551615"),
                (lambda: dram.run(numpy.array([-64])), "expected whole numbers from 0"),
                (lambda: dram.run([0], writes=[2]), "expected truth values"),
                (lambda: table.write([2**32]), "expected whole numbers from 0 to 4294967295"),
                (lambda: engines.Matt(pages=-1), "pages: expected 1 to 4294967295"),
                (lambda: engines.mpp_checkpoint(-1, "pure_hdd"), "petaflops: expected a speed above 0"),
                (lambda: engines.best_interval([1e4, 1e4], [60, 300, 20]), "shapes fit together"),
                (lambda: dram.run([1 << 40]), "addresses: the memory has 4GiB"),
                (lambda: dram.run([0, 64], at_ps=[1, 0]), "at_ps: expected times that never decrease"),
                (lambda: table.write(16), "pages: there are 16"),
                (lambda: fabric.send([0], [576]), "nodes: there are 576"),
                (lambda: fabric.send([0], [1], created_ps=2**64 - 1), "created_ps: expected times below"),
                (lambda: fabric.run({"rate": 99}), "a rate of 99 packets"),
                (lambda: engines.young_interval(0, 1), "mttf_s: expected a time above 0"),
                (lambda: engines.LocalGlobal(1, 2, 3, 4, 5, 6), "from 0 to 1")):
            with self.assertRaisesRegex(ValueError, message):
                make()
        self.assertEqual(len(dram.run([64.0, 128.0], writes=[0, 1])), 2, "no value changes")

    def test_several_engines_work_at_the_same_time(self):
        traffic = {"rate": 0.02, "measure": "2us"}
        kinds = ["mesh", "superstar", "fbfly", "cmesh-low"]
        alone = [engines.Fabric({"topology": kind, "nodes": 144}).run(traffic)["latency_ns"] for kind in kinds]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            together = list(pool.map(
                lambda kind: engines.Fabric({"topology": kind, "nodes": 144}).run(traffic)["latency_ns"], kinds))
        self.assertEqual(together, alone)

    def test_calls_of_one_engine_follow_each_other(self):
        ftl = engines.Ftl({"blocks": 8})
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            all_written = list(pool.map(lambda part: ftl.write(numpy.arange(part, ftl.pages, 8)), range(8)))
        self.assertTrue(all((each > 0).all() for each in all_written))
        self.assertEqual(ftl.statistics()["page_writes"], ftl.pages)

    def test_other_threads_of_python_go_on_while_an_engine_works(self):
        worker = threading.Thread(target=lambda: engines.Dram().run(numpy.arange(0, 1 << 26, 64)))
        worker.start()
        turns = 0
        while worker.is_alive():
            turns += 1
            time.sleep(0.001)
        self.assertGreater(turns, 20)

    def test_ctrl_c_ends_what_takes_long(self):
        def interrupt(*_):
            raise KeyboardInterrupt
        before = signal.signal(signal.SIGALRM, interrupt)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        self.addCleanup(signal.setitimer, signal.ITIMER_REAL, 0)
        for work in (lambda: engines.fault_coverage("chipkill", "chip+chip", trials=10**12),
                     lambda: engines.Fabric().run({"measure": "1s"}),
                     lambda: engines.Dram().run(numpy.arange(10**7) * 8256 % 2**30)):
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            with self.assertRaises(KeyboardInterrupt):
                work()

    def test_an_editor_sees_signatures_texts_and_keys(self):
        package = pathlib.Path(asterism.__file__).parent
        stub = ast.parse((package / "engines.pyi").read_text())
        named = {each.name: each for each in stub.body if hasattr(each, "name")}
        self.assertEqual(set(named), {name for name in vars(engines) if not name.startswith("_")})
        self.assertTrue(all(ast.get_docstring(each) for each in named.values()))
        encode = next(each for each in named["Codec"].body if getattr(each, "name", "") == "encode")
        self.assertEqual([each.arg for each in encode.args.args], ["self", "data", "parity"])
        keys = (package / "keys.pyi").read_text()
        for key in ("'node.uart0.input': Literal[", "FabricStudy = TypedDict(", "DramKeys = TypedDict(",
                    "'write_queue': int", "'garbage_policy': Literal['greedy', 'cost_benefit', 'oldest']"):
            self.assertIn(key, keys)

    def test_files_are_found_from_any_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            ended = subprocess.run(
                [sys.executable, "-c", "from asterism import engines; print(engines.Dram().size)"], cwd=folder,
                capture_output=True, text=True, check=True, env={**os.environ, "ASTERISM_CONFIGS": ""})
        self.assertEqual(ended.stdout, f"{4 << 30}\n")


if __name__ == "__main__":
    unittest.main()
