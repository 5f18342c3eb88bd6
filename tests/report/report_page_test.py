"""Opens reports in Chromium as their readers do: clicks, keys and zooms, and looks at elements and pixels.

After each case the browser's console must be empty, and the page must have asked for nothing but itself.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

PROGRAM = os.environ["ASTERISM_PROGRAM"]


def asterism(folder, *arguments):
    subprocess.run([PROGRAM, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)


class ReportPage(unittest.TestCase):
    def setUp(self):
        self.pages = 0
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        options = webdriver.ChromeOptions()
        for each in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000",
                     "--disable-dev-shm-usage"):
            options.add_argument(each)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.browser = webdriver.Chrome(options=options,
                                        service=webdriver.chrome.service.Service("/usr/bin/chromedriver"))

    def tearDown(self):
        asked = [message["params"]["request"]["url"]
                 for message in (json.loads(each["message"])["message"]
                                 for each in self.browser.get_log("performance"))
                 if message["method"] == "Network.requestWillBeSent"]
        console = self.browser.get_log("browser")
        self.browser.quit()
        self.temporary.cleanup()
        self.assertEqual(console, [])
        self.assertEqual([url for url in asked if not url.startswith("file://")], [])
        self.assertEqual(len(asked), self.pages)

    # ---- helpers ----

    def open(self, file):
        self.pages += 1
        self.browser.get(f"file://{self.folder / file}")
        WebDriverWait(self.browser, 60).until(
            lambda browser: browser.execute_script("return document.documentElement.dataset.ready"))

    def script(self, text):
        return self.browser.execute_script(text)

    def one(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def texts(self, selector):
        return [each.text for each in self.browser.find_elements(By.CSS_SELECTOR, selector)]

    def range(self):
        return self.script("const t = report.timelines[0]; return [t.from, t.to]")

    def place_of(self, path, label):
        """The middle of the first interval or instant of a track, in pixels of the timeline."""
        return self.script("""
            const [path, label] = arguments, t = report.timelines[0];
            const lane = t.lanes.find((each) => each.track.path === path);
            const i = [...lane.track.label].findIndex((text) => t.record.texts[text] === label);
            return [t.x((lane.track.begin[i] + lane.track.end[i]) / 2), lane.y + t.rowHeight / 2];
        """.replace("arguments", json.dumps([path, label])))

    def pixel(self, x, y):
        return self.script(f"""
            const canvas = report.timelines[0].canvas, scale = window.devicePixelRatio;
            return [...canvas.getContext("2d").getImageData({x} * scale, {y} * scale, 1, 1).data].slice(0, 3)""")

    def colour(self, name):
        text = self.script(f"return colourOf('{name}')")
        return [int(text[i:i + 2], 16) for i in (1, 3, 5)]

    def click_timeline(self, x, y):
        canvas = self.one("canvas.timeline")
        size = canvas.size
        ActionChains(self.browser).move_to_element_with_offset(
            canvas, x - size["width"] / 2, y - size["height"] / 2).click().perform()

    def press(self, *keys):
        self.one("canvas.timeline").send_keys(*keys)

    def power_loss(self, *arguments, out="run"):
        asterism(self.folder, "run", "power_loss", "--quiet", "--sample", "20us", "--out", out, *arguments)

    # ---- a run ----

    def test_a_run_says_what_happened_in_every_section(self):
        self.power_loss("--profile")
        asterism(self.folder, "report", "run")
        self.open("run/report.html")
        self.assertEqual(self.texts("h2"), ["What happened", "Timeline", "Curves", "Events", "Memory", "Node",
                                            "Profile", "Console", "Keys that differ from their defaults", "Statistics"])
        self.assertRegex(self.one(".story").text, r"^The firmware exited with status 0 after 32\.\d+ ms .*"
                                                  r"one loss of power at 11\.2 ms.*7 checkpoints became durable.*"
                                                  r"restored version 10 at .*It recovered once\.")
        self.assertEqual(self.script("return report.timelines[0].lanes.map((lane) => lane.track.path)"),
                         ["node.core0", "node.core1", "node.core2", "node.core3", "node.dimm_ssd",
                          "node.dimm_ssd.copies", "node.dimm_ssd.channel0",
                          *(f"node.dimm_ssd.die{die}" for die in range(8)), "node.dimm_ssd.commands", "node.power",
                          "console"])
        self.assertIn("Instructions\n\u00d7", self.texts(".plot figcaption"))
        self.assertIn("dimm_ssd", self.texts(".netlist text"))
        self.assertTrue(any("solver_iterate" in text for text in self.texts(".flame .box")))
        self.assertTrue(any("checkpoint 10 restored" in line for line in self.texts(".console li")))
        self.assertTrue(any("faults.0.at 11.2ms" in row for row in self.texts("#keys tr")))

    def test_the_timeline_zooms_moves_and_shows_what_is_clicked(self):
        self.power_loss()
        asterism(self.folder, "report", "run")
        self.open("run/report.html")
        x, y = self.place_of("node.dimm_ssd", "checkpoint")
        self.assertEqual(self.pixel(x, y + 6), self.colour("--blue"))
        self.click_timeline(x, y)
        chosen = self.one(".chosen").text
        self.assertRegex(chosen, r"(?s)node\.dimm_ssd\s+checkpoint\s.*version 5\s.*outcome durable")
        self.press("n")
        self.assertIn("all pages", self.one(".chosen").text)
        self.press("n")
        self.assertIn("version 10", self.one(".chosen").text)
        whole = self.range()
        self.press("+")
        zoomed = self.range()
        self.assertAlmostEqual(zoomed[1] - zoomed[0], (whole[1] - whole[0]) / 2, delta=10)
        plots = self.script("const s = report.curves.plots[0].uplot.scales.x; return [s.min * 1e9, s.max * 1e9]")
        self.assertAlmostEqual(plots[0], zoomed[0], delta=1000)
        self.press(Keys.ARROW_RIGHT)
        self.assertGreater(self.range()[0], zoomed[0])
        self.press("0")
        self.assertEqual(self.range(), whole)

    def test_a_legend_of_the_timeline_names_its_colours(self):
        self.power_loss()
        asterism(self.folder, "report", "run")
        self.open("run/report.html")
        names = self.texts("#timeline .map-legend span:not(.swatch)")
        self.assertEqual(set(names), {"running", "waiting", "read", "program", "checkpoint", "copy", "data in",
                                      "data out", "no power", "write"})
        swatch = self.script("""
            const name = [...document.querySelectorAll("#timeline .map-legend > span")]
              .find((each) => each.textContent === "checkpoint");
            return getComputedStyle(name.firstChild).backgroundColor""")
        self.assertEqual(swatch, "rgb({}, {}, {})".format(*self.colour("--blue")))
        self.assertEqual(self.script("return ['#0072b2', '#e69f00'].map(textOn)"), ["#ffffff", "#10141a"])

    def test_the_tracks_of_a_node_of_a_cluster_fold(self):
        asterism(self.folder, "run", "buddy_cluster", "expect={}", "--quiet", "--sample", "20us", "--out", "run")
        asterism(self.folder, "report", "run")
        self.open("run/report.html")
        nodes = "return [...new Set(report.timelines[0].lanes.map(({track}) => track.path.split('.')[0]))]"
        self.assertIn("node1", self.script(nodes))
        button = self.one("#timeline .legend button:nth-child(2)")
        self.assertEqual(button.text, "node1")
        height = self.one("canvas.timeline").size["height"]
        button.click()
        self.assertNotIn("node1", self.script(nodes))
        self.assertEqual(button.get_attribute("aria-pressed"), "false")
        self.assertLess(self.one("canvas.timeline").size["height"], height)
        button.click()
        self.assertEqual(self.one("canvas.timeline").size["height"], height)

    def test_a_flow_leads_from_a_store_to_the_program_of_its_flash_page(self):
        self.power_loss()
        asterism(self.folder, "report", "run")
        self.open("run/report.html")
        self.script("""
            const t = report.timelines[0], lane = t.lanes.find((each) => each.track.path === "node.core0");
            t.choose({lane, index: [...lane.track.label].findIndex((text) => t.record.texts[text] === "store")})""")
        chosen = lambda: self.one(".chosen").text
        before = self.script("const t = report.timelines[0]; t.draw(); return t.canvas.toDataURL()")
        self.assertIn("store", chosen())
        self.assertNotIn("before", chosen())
        steps = []
        for _ in range(3):
            self.press("f")
            steps.append(chosen().split("\n")[:2])
        self.assertEqual(steps[:2], [["node.dimm_ssd.copies", "copy"], ["node.dimm_ssd.channel0", "data in"]])
        self.assertRegex(" ".join(steps[2]), r"^node\.dimm_ssd\.die\d program$")
        self.assertNotIn("after", chosen())
        self.one(".chosen button").click()
        self.assertIn("data in", chosen().split("\n"))
        self.press("b", "b", "b")
        self.assertIn("store", chosen().split("\n"))
        self.press(Keys.ESCAPE)
        self.assertNotEqual(self.script("return report.timelines[0].canvas.toDataURL()"), before)
        self.assertEqual(chosen(), "")

    def test_curves_hide_and_take_a_logarithmic_axis(self):
        self.power_loss()
        asterism(self.folder, "report", "run")
        self.open("run/report.html")
        self.assertRegex(self.script("""
            const [plot] = report.curves.plots;
            return plot.uplot.axes[1].values(plot.uplot, [2e9])[0] + plot.series[1].value(null, 1.5e9)"""),
                         r"^2 G/s1\.5 G/s$")
        shown = "return report.curves.plots[0].uplot.series.map((each) => each.show)"
        self.assertEqual(self.script(shown), [True] * 5)
        self.browser.find_elements(By.CSS_SELECTOR, ".plot .u-series")[1].find_element(By.TAG_NAME, "th").click()
        self.assertEqual(self.script(shown), [True, False, True, True, True])
        self.press("+")
        zoomed = self.range()
        self.one("#curves input[type=checkbox]").click()
        self.assertEqual(self.range(), zoomed)
        self.assertEqual(self.script(shown), [True, False, True, True, True])
        self.assertEqual(self.script("return report.curves.plots[0].uplot.scales.y.distr"), 3)
        box = self.one("#curves input[type=search]")
        box.send_keys("node.caches.flushed", Keys.ENTER)
        self.assertEqual(self.texts(".plot figcaption")[0], "node.caches.flushed, a second\n\u00d7")
        box.send_keys("node.dimm_ssd.checkpointer.pages_pending", Keys.ENTER)
        self.assertEqual(self.texts(".plot figcaption")[0],
                         "node.dimm_ssd.checkpointer.pages_pending, its value\n\u00d7")

    def test_a_counter_that_stays_0_can_be_added(self):
        self.power_loss()
        asterism(self.folder, "report", "run")
        self.open("run/report.html")
        name = self.script("""
            const counters = report.data.runs[0].record.tracks.filter((track) => track.isCounter);
            return counters.find((track) => track.value.every((value) => value === 0)).path""")
        self.one("#curves input[type=search]").send_keys(name, Keys.ENTER)
        self.assertEqual(self.texts(".plot figcaption")[0], f"{name}, a second\n\u00d7")
        self.assertTrue(self.script("return report.curves.plots.at(-1).uplot.data[1].slice(1).every((y) => y === 0)"))

    def test_tables_sort_and_filter(self):
        self.power_loss()
        asterism(self.folder, "report", "run")
        self.open("run/report.html")
        self.one("#statistics input").send_keys("core0.instr")
        self.assertEqual(len(self.texts("#statistics tbody tr")), 1)
        self.script("document.getElementById('events').scrollIntoView()")
        heads = self.browser.find_elements(By.CSS_SELECTOR, "#events th button")
        heads[0].click()
        heads[0].click()
        self.assertEqual(self.one("#events th").get_attribute("aria-sort"), "descending")
        self.assertRegex(self.texts("#events tbody tr")[0], r"^31\.\d+ ms checkpoint_commit")

    def test_no_line_breaks_within_a_number_or_a_command(self):
        asterism(self.folder, "run", "hello", "--quiet", "--out", "run")
        asterism(self.folder, "report", "run")
        self.open("run/report.html")
        parts = self.script("""
            return [{value: 1, text: "6.26843548 ms"}, "28.5872 ms", "+673.75 ns", "run --restore 'boot.snapshot'",
                    "node.dimm_ssd.translation.version", "faults.0.at"].map((text) =>
              sortableTable(["a"], [[text]]).querySelector("td").innerHTML.split("<wbr>"))""")
        self.assertEqual(parts, [["6.26843548 ms"], ["28.5872 ms"], ["+673.75 ns"], ["run --restore 'boot.snapshot'"],
                                 ["node.", "dimm_", "ssd.", "translation.", "version"], ["faults.0.at"]])
        self.assertEqual(self.script("return sortableTable(['a'], [['28.5872 ms']]).querySelector('td').className"),
                         "quantity")

    def test_links_on_a_small_screen_are_beside_each_other_and_scroll_away(self):
        self.power_loss()
        asterism(self.folder, "report", "run", "run", "--out", "two.html")
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                     {"width": 400, "height": 800, "deviceScaleFactor": 1, "mobile": False})
        self.open("two.html")
        self.assertLess(self.one("header").size["height"], 160)
        self.script("document.getElementById('statistics').scrollIntoView()")
        self.assertLess(self.script("return document.querySelector('header').getBoundingClientRect().bottom"), 0)

    def test_it_is_readable_in_the_dark_and_on_paper(self):
        self.power_loss()
        asterism(self.folder, "report", "run")
        self.open("run/report.html")
        background = "return getComputedStyle(document.body).backgroundColor"
        self.assertEqual(self.script(background), "rgb(255, 255, 255)")
        self.one(".theme").click()
        self.assertEqual(self.script(background), "rgb(20, 23, 27)")
        x, y = self.place_of("node.dimm_ssd", "checkpoint")
        self.assertEqual(self.pixel(x, y + 6), self.colour("--blue"))
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        self.assertEqual(self.script(background), "rgb(255, 255, 255)")
        self.assertFalse(self.one("nav").is_displayed())
        self.assertTrue(self.one(".console button").is_displayed())
        self.script("dispatchEvent(new Event('beforeprint'))")
        sizes = self.script("""
            return report.maps.map(({rows, size, views: [{canvas}]}) =>
              [rows * size + 1 - canvas.clientHeight, canvas.clientWidth])""")
        self.assertEqual(sizes, [[0, 680]] * 2)
        self.script("dispatchEvent(new Event('afterprint'))")
        self.assertGreater(len(self.browser.print_page()), 50000)

    def test_rates_are_those_of_the_time_between_two_points(self):
        asterism(self.folder, "run", "power_loss", "--quiet", "--sample", "1us", "--out", "run")
        asterism(self.folder, "report", "run")
        self.open("run/report.html")
        busy = """const plot = report.curves.plots.find((each) => each.box.textContent.includes("bus is busy"));
            return [plot.uplot.data[0].length, Math.max(...plot.uplot.data[1])]"""
        points, largest = self.script(busy)
        self.assertLess(points, 260)
        self.assertLess(largest, 100)
        self.script("report.timelines[0].show(1e9, 1.1e9)")
        points, _ = self.script(busy)
        self.assertAlmostEqual(points, 101, delta=3)

    def map_of(self, name):
        return f"report.maps.find((each) => each.area.name === '{name}')"

    def cell_of(self, name, unit):
        """The middle of the cell of a page, in pixels of its map."""
        return self.script(f"""
            const map = {self.map_of(name)}, cell = Math.floor(({unit} - map.from) / map.perCell);
            return [(cell % map.columns + 0.5) * map.size, (Math.floor(cell / map.columns) + 0.5) * map.size]""")

    def test_the_map_of_memory_shows_what_happened_to_pages(self):
        self.power_loss("--report")
        self.open("run/report.html")
        self.assertEqual(self.texts(".memory-map > h3"),
                         ["node.memory: 2 GiB, 524,288 pages", "node.dimm_ssd.flash: 4 GiB, 512 blocks"])
        page = self.script(f"""
            const {{first, length, value}} = {self.map_of("node.memory")}.area.counts.get("copied");
            return [first[0], value[0], length[0]]""")
        self.assertGreater(page[1], 5)
        canvas = self.one("canvas.memory")
        self.script("document.querySelector('.memory-map').scrollIntoView()")
        x, y = self.cell_of("node.memory", page[0])
        self.hover("canvas.memory", x, y)
        tip = self.one(".memory-host .tip").text
        self.assertRegex(tip, r"(?s)^0x4[0-9a-f]{7}\nwritten\n.*copied by checkpoints \d+ times.*\nhas \w+")
        canvas.send_keys("n")
        self.assertIn("0x40000000", self.one(".memory-map .chosen").text)
        self.assertIn("device tree", self.one(".memory-map .chosen").text)
        canvas.send_keys(Keys.ARROW_RIGHT, "0")
        self.assertGreater(self.script(f"return {self.map_of('node.memory')}.perCell"), 16)
        canvas.send_keys("+", "+", "+", "+", "+", "+")
        self.assertEqual(self.script(f"return {self.map_of('node.memory')}.perCell"), 1)
        self.script("const select = document.querySelector('.memory-map select');"
                    "select.value = 'copied'; select.dispatchEvent(new Event('change'))")
        self.script(f"{self.map_of('node.memory')}.choose({page[0]})")
        x, y = self.cell_of("node.memory", page[0])
        pixel = self.script(f"""
            const [x, y] = [{x}, {y}].map((each) => each * window.devicePixelRatio);
            const canvas = document.querySelector("canvas.memory");
            return [...canvas.getContext("2d").getImageData(x, y, 1, 1).data].slice(0, 3)""")
        self.assertEqual(pixel, self.colour("--blue"))

    def test_maps_of_two_runs_show_the_pages_that_differ(self):
        self.power_loss()
        self.power_loss("args=nx=8 interval=5", "expect={}", out="other")
        asterism(self.folder, "report", "run", "other", "--out", "two.html")
        self.open("two.html")
        self.assertRegex(self.texts(".memory-map > h3")[0], r"^node\.memory: .*, \d+ of them differ$")
        self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, "canvas.memory")), 4)
        self.one("canvas.memory").send_keys("n")
        places = self.texts(".memory-map .chosen strong")
        self.assertRegex(places[0], "^run 0x4")
        self.assertEqual(places[0].removeprefix("run"), places[1].removeprefix("other"))

    def test_memories_of_a_node_that_was_lost_are_not_unused(self):
        asterism(self.folder, "run", "buddy_cluster", "--quiet", "--report", "--out", "run")
        self.open("run/report.html")
        hints = self.texts("#memory .hint")
        self.assertIn("With a node that was lost, nothing is known any more of node1.memory, "
                      "node1.dimm_ssd.flash.", hints)
        self.assertFalse([hint for hint in hints if "has happened" in hint and "node1" in hint])

    def test_the_key_d_goes_to_what_differs_first(self):
        self.power_loss()
        self.power_loss("node.cores.count=2", out="other")
        asterism(self.folder, "report", "run", "other", "--out", "two.html")
        self.open("two.html")
        self.assertRegex(self.one(".differences").text,
                         r"^The first event that differs comes after 1 that are the same, at 3\.\d+ ms\. "
                         r"In console, line 2 is the first one that differs\.")
        marked = []
        for _ in range(4):
            self.one("body").send_keys("d")
            marked.append(self.script("return document.activeElement.textContent"))
        self.assertIn("checkpoint_begin", marked[0])
        self.assertIn("checkpoint_begin", marked[1])
        self.assertIn("4096 rows, 65352 entries, 4 cores", marked[2])
        self.assertIn("4096 rows, 65352 entries, 2 cores", marked[3])

    def test_two_runs_are_beside_each_other_with_their_differences_first(self):
        self.power_loss()
        self.power_loss("node.cores.count=2", out="other")
        asterism(self.folder, "report", "run", "other", "--out", "two.html")
        self.open("two.html")
        self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, "canvas.timeline")), 2)
        self.assertRegex(self.texts("#keys tbody tr")[0], r"^node\.cores\.count 4 2 -50%")
        self.one("canvas.timeline").send_keys("+")
        ranges = self.script("return report.timelines.map((each) => [each.from, each.to])")
        self.assertEqual(ranges[0], ranges[1])
        labels = self.script("return report.curves.plots[0].uplot.series.map((each) => each.label)")
        self.assertIn("core0, run", labels)
        self.assertIn("core1, other", labels)

    def test_two_runs_of_one_node_have_one_picture_and_only_what_differs(self):
        self.power_loss()
        self.power_loss("args=nx=8 interval=5", "expect={}", out="other")
        asterism(self.folder, "report", "run", "other", "--out", "two.html")
        self.open("two.html")
        self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, ".netlist")), 1)
        self.assertIn("args nx=16 interval=5 nx=8 interval=5 differs", self.texts("#keys tbody tr"))
        few = len(self.texts("#keys tbody tr"))
        self.assertLess(few, 5)
        self.one("#keys input[type=checkbox]").click()
        self.assertGreater(len(self.texts("#keys tbody tr")), 20)
        self.assertEqual({row.split()[0] for row in self.texts("#events tbody tr")[:2]}, {"run", "other"})

    def test_lines_of_the_netlist_pass_no_boxes_but_their_own(self):
        self.power_loss()
        asterism(self.folder, "report", "run")
        self.open("run/report.html")
        hits = self.script("""
            const picture = document.querySelector(".netlist"), hits = [];
            const boxes = [...picture.querySelectorAll("g")].map((group) =>
              ({name: group.querySelector("text").textContent, box: group.querySelector("rect").getBBox()}));
            for (const path of picture.querySelectorAll("path")) {
              const length = path.getTotalLength(), through = new Set();
              for (let at = 0; at <= length; at += 2) {
                const {x, y} = path.getPointAtLength(at);
                for (const {name, box} of boxes)
                  if (x > box.x + 1 && x < box.x + box.width - 1 && y > box.y && y < box.y + box.height)
                    through.add(name);
              }
              if (through.size > 0) hits.push([path.textContent, ...through]);
            }
            return [picture.querySelectorAll("path").length, hits]""")
        self.assertGreater(hits[0], 8)
        self.assertEqual(hits[1], [])

    # ---- studies and papers ----

    def hover(self, selector, x, y):
        picture = self.one(selector)
        size = picture.size
        ActionChains(self.browser).move_to_element_with_offset(
            picture, x - size["width"] / 2, y - size["height"] / 2).perform()

    def test_a_study_has_curves_that_hide_and_points_that_tell_their_values(self):
        asterism(self.folder, "study", "fabric", "topology=mesh,superstar", "rate=0.05,0.11,0.17", "measure=2us",
                 "--report", "study.html")
        self.open("study.html")
        circles = "return document.querySelectorAll('.panel .point, .panel .off-scale').length"
        self.assertEqual(self.script(circles), 6)
        self.script("document.querySelector('.panel').scrollIntoView()")
        place = self.script("""
            const circle = document.querySelector(".panel circle");
            return [Number(circle.getAttribute("cx")), Number(circle.getAttribute("cy"))]""")
        self.hover(".panel svg", *place)
        self.assertIn("topology=mesh", self.one(".panel .tip").text)
        marks = "return [...document.querySelectorAll('.legend .mark')].map((each) => each.lastChild.tagName)"
        self.assertEqual(self.script(marks), ["circle", "rect"])
        self.one(".legend button").click()
        self.assertEqual(self.script(circles), 3)
        labels = self.texts(".panel svg text")
        self.one(".panel input").click()
        self.assertNotEqual(self.texts(".panel svg text"), labels)
        self.assertEqual(len(self.texts("#part1 tbody tr")), 6)
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        self.script("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(self.script("return document.querySelector('.panel .picture svg').width.baseVal.value"), 662)
        widths = self.script("""
            return [...document.querySelectorAll("#part1 table")].map((table) => table.getBoundingClientRect().width)""")
        self.assertEqual(widths[0], 0)
        self.assertGreater(len(widths), 3)
        self.assertLessEqual(max(widths), 681)
        heads = [text for text in self.texts("#part1 th") if text]
        self.assertEqual(heads.count("topology"), len(widths) - 1)
        self.assertEqual(len(set(heads)), self.script("return document.querySelector('#part1 tr').cells.length"))
        self.script("dispatchEvent(new Event('afterprint'))")
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        self.assertEqual(len(self.texts("#part1 tbody tr")), 6)
        self.script("document.querySelectorAll('th button')[2].click()")
        self.assertEqual(self.script("return document.querySelectorAll('th')[2].getAttribute('aria-sort')"),
                         "ascending")

    def test_a_paper_has_published_values_beside_measured_ones(self):
        asterism(self.folder, "paper", "abeyratne2017.fig3.3", "--report", "paper.html")
        self.open("paper.html")
        self.assertEqual(self.texts("h2"), ["abeyratne2017.fig3.3"])
        self.assertEqual(self.texts("th")[:4], ["value", "unit", "published", "measured"])
        self.assertRegex(self.texts("tbody tr")[0], r"^power, radix 64 W 2 1\.\d+ .*holds section 3\.2\.2")

    def test_a_papers_notes_wrap_within_the_page_and_its_values_are_bars(self):
        asterism(self.folder, "paper", "training.uptime", "training.llama3.hbm", "--report", "paper.html")
        self.browser.set_window_size(1200, 900)
        self.open("paper.html")
        self.assertEqual(self.script("""
            return [...document.querySelectorAll(".wide")].filter((each) => each.scrollWidth > each.clientWidth).length"""),
                         0)
        self.assertTrue(any("known mismatch workload; expected" in row for row in self.texts("tbody tr")))
        self.assertEqual(self.texts("#part1 .legend button"), ["published", "measured"])
        self.assertEqual(self.script("return document.querySelectorAll('#part0 .panel').length"), 0)

    def test_a_paper_has_crosses_where_its_values_are(self):
        asterism(self.folder, "paper", "abeyratne2017.fig3.3", "--report", "paper.html")
        self.open("paper.html")
        crosses = "return document.querySelectorAll('.panel .published').length"
        self.assertEqual(self.script(crosses), 4)
        self.assertIn("\u00d7 published", self.one(".legend .hint").text)
        place = self.script("""
            document.querySelector(".panel").scrollIntoView();
            const box = document.querySelectorAll(".panel .published")[1].getBBox();
            return [box.x + box.width / 2, box.y + box.height / 2];""")
        self.hover(".panel svg", *place)
        self.assertEqual(self.one(".panel .tip").text, "Swizzle-Switch published\nradix: 42\nfrequency (GHz): 2.1")

    def test_means_over_seeds_have_error_bars_and_a_column_that_sorts(self):
        asterism(self.folder, "study", "markov", "failures=200", "counts=[]", "cost=[9s]", "restart=[9s]",
                 "rate=[1e-4]", "interval=1h:4h:1h", "seeds=3", "--report", "study.html")
        self.open("study.html")
        self.assertIn("the mean of 3 seeds", self.one("section .hint").text)
        self.assertIn("error bars: 95% interval of the mean of 3 seeds, by Student's t", self.one(".legend .hint").text)
        heads = self.texts("#part1 th")
        self.assertEqual([head for head in heads if "_" in head], [])
        column = heads.index("\u00b1 95%")
        self.script(f"document.querySelectorAll('#part1 th button')[{column}].click()")
        halves = [float(text) for text in self.texts(f"#part1 tbody td:nth-child({column + 1})")]
        self.assertEqual(halves, sorted(halves))
        self.assertGreater(halves[-1], 0)

    def test_points_off_a_logarithmic_axis_are_arrows_with_their_values(self):
        asterism(self.folder, "paper", "abeyratne2017.fig3.3", "--report", "paper.html")
        self.open("paper.html")
        self.script("""
            const host = document.createElement("div");
            document.body.append(host);
            const point = (x, y, doubt = "") => ({x, y, doubt, low: 0, high: 0});
            new PanelPlot(host, {title: "t", x_label: "x", y_label: "y", kind: "curves", categories: [],
              logarithmic: true, logarithmic_x: false, interval: "", series: [{name: "s", published: [], exact: [],
                points: [point(1, 10), point(2, 0), point(3, 20), point(3.01, -5), point(3.02, -6)]}]});
            window.host = host;""")
        self.assertEqual(self.script("return [...host.querySelectorAll('.value')].map((each) => each.textContent)"),
                         ["0", "-5", "-6"])
        self.assertEqual(self.script("return host.querySelectorAll('.off-scale').length"), 3)
        self.assertEqual(self.script("""
            const [a, b] = [...host.querySelectorAll(".value")].slice(1).map((each) => each.getBoundingClientRect());
            return a.bottom <= b.top + 4 || b.bottom <= a.top + 4 || a.right <= b.left || b.right <= a.left"""), True)

    def test_a_studys_page_names_the_keys_and_its_parts(self):
        asterism(self.folder, "study", "memory", "part=ddr2_667_1gb_x8", "pattern=random,sequential", "requests=1000",
                 "--report", "study.html")
        self.open("study.html")
        self.assertEqual(self.texts("h2"), ["Figure", "Points", "Keys that differ from their defaults"])
        self.assertEqual(self.texts("nav a"), ["Figure", "Points", "Keys"])
        self.assertIn("part=ddr2_667_1gb_x8", self.one("#part0 .hint").text)
        keys = self.texts("#part2 tbody tr")
        self.assertTrue(any(row.startswith("part ddr2_667_1gb_x8 ddr3_1600_2gb_x8") for row in keys), keys)
        heads = self.texts("#part1 th")
        self.assertIn("bandwidth (GB/s)", heads)
        self.assertNotIn("reason", heads)

    def test_a_wide_sweep_has_its_best_points_in_place_of_figures(self):
        asterism(self.folder, "study", "training_goodput", "gpus=4096,16384", "code=none,symbol", "runs=0",
                 "protocol=file_system,replicas", "interval=5min,1h", "spares=16,32", "file_system=50GB/s",
                 "--report", "study.html")
        self.open("study.html")
        self.assertEqual(self.texts("h2")[:2], ["Best points", "Points"])
        self.assertEqual(self.script("return document.querySelectorAll('.panel').length"), 0)
        self.assertEqual(self.texts("#part0 h3"), ["The best 10 of 16 points with gpus=4096",
                                                   "The best 10 of 16 points with gpus=16384"])
        self.assertEqual(len(self.texts("#part0 tbody tr")), 20)
        self.assertRegex(self.texts("#part0 tbody tr")[10], "^1 replicas symbol")
        titles = self.script("return [...document.querySelectorAll('#part1 th')].map((each) => each.title)")
        self.assertIn("Training over time, in closed form", titles)

    def test_points_off_the_axis_stand_side_by_side_and_turn_up_on_a_logarithmic_one(self):
        asterism(self.folder, "study", "fabric", "topology=superstar,mesh", "rate=0.02,0.1,0.2,0.4", "measure=2us",
                 "--report", "study.html")
        self.open("study.html")
        arrows = self.script("""
            return [...document.querySelectorAll(".panel .off-scale")].map((each) => {
              const box = each.getBBox();
              return [Math.round(box.x), each.getAttribute("fill")];
            })""")
        self.assertGreater(len(arrows), 1)
        self.assertEqual(len({x for x, _ in arrows}), len(arrows))
        self.assertEqual({fill for _, fill in arrows}, {"var(--background)"})
        self.assertIn("arrow: off the axis, with the value", self.one(".legend").text)
        self.script("document.querySelectorAll('.panel .controls input')[1].click()")
        self.assertEqual(self.script("return document.querySelectorAll('.panel .off-scale').length"), 0)
        self.assertNotIn("arrow", self.one(".legend").text)

    def test_a_figure_has_the_same_axes_on_the_page_as_in_the_picture(self):
        asterism(self.folder, "study", "markov", "failures=200", "interval=1h:4h:1h", "seeds=3", "--report", "study.html",
                 "--svg", "figure.svg")
        self.open("study.html")
        on_page = self.texts(".panel svg text")
        picture = (self.folder / "figure.svg").read_text()
        self.assertGreater(len(on_page), 8)
        for text in on_page:
            self.assertIn(f">{text}<", picture)

    def test_a_table_that_is_wider_than_the_page_says_that_it_scrolls(self):
        asterism(self.folder, "study", "training_goodput", "runs=0", "--report", "study.html")
        asterism(self.folder, "study", "replica_placement", "nodes=16", "lost=2", "--report", "narrow.html")
        shadow = "return getComputedStyle(document.querySelector('#part1 .wide')).backgroundImage"
        self.open("study.html")
        self.assertIn("scrolls to the right", self.one("#part1 .table .hint").text)
        self.assertEqual(self.one("#part1 .wide").get_attribute("tabindex"), "0")
        self.assertEqual(self.script(shadow).count("linear-gradient"), 4)
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        self.assertEqual(self.script(shadow), "none")
        self.assertFalse(self.one("#part1 .table .hint").is_displayed())
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        self.open("narrow.html")
        self.assertFalse(self.one("#part1 .table .hint").is_displayed())
        self.assertIsNone(self.one("#part1 .wide").get_attribute("tabindex"))

    def test_a_closed_form_is_a_line_and_what_is_simulated_are_marks_on_it(self):
        asterism(self.folder, "study", "training_goodput", "gpus=1024,4096,16384", "runs=2", "work=1d", "--report",
                 "study.html")
        self.open("study.html")
        self.assertEqual(self.texts(".panel .legend button")[:2], ["closed form", "simulated"])
        count = "return document.querySelector('.panel .picture').querySelectorAll('{}').length"
        self.assertEqual(self.script(count.format(".curve")), 1)
        self.assertEqual(self.script(count.format("circle.point")), 0)
        self.assertEqual(self.script(count.format("rect.point")), 3)
        marks = "return [...document.querySelectorAll('.legend .mark')].slice(0, 2).map((each) => each.children.length)"
        self.assertEqual(self.script(marks), [1, 1])

    def test_small_probabilities_have_exponents(self):
        asterism(self.folder, "study", "hbm_codes", "code=long_rs", "bit_errors=1e-6,1e-4,1e-3", "--report", "study.html")
        self.open("study.html")
        cells = self.texts("#part1 td")
        self.assertTrue(any(cell.endswith("e-66") for cell in cells), cells)
        self.assertLess(max(len(cell) for cell in cells), 14)
        self.assertEqual(len(self.texts("figure")), 3)
        self.assertIn("arrow: off the axis, with the value", self.texts(".legend")[1])

    def test_a_study_has_signs_for_exact_and_published_values(self):
        asterism(self.folder, "study", "ecc", "trials=1000", "failure=pin+chip,chip+chip", "--report", "study.html")
        self.open("study.html")
        self.assertEqual(len(self.texts("figure")), 1)
        for sign in ("exact", "published"):
            self.assertEqual(self.script(f"return document.querySelectorAll('.panel path.{sign}').length"), 8)
        self.assertIn("\u00d7 published; + exact", self.one(".legend .hint").text)

    # ---- campaigns ----

    def test_a_campaign_shows_when_and_how_its_faults_ended(self):
        asterism(self.folder, "run", "power_loss", "faults=[]", "expect={}", "--quiet", "--snapshot-at", "1ms",
                 "--snapshot", "file", "--out", "first")
        faults = [{"at": f"{at}ms", "kind": "power_loss"} for at in (9, 12, 3)]
        faults += [{"at": "3ms", "kind": "power_loss", "restore_after": "9s"},
                   {"at": "4ms", "kind": "flash_bits", "holds": "data", "bits": 200}]
        faults.append({"at": "900ms", "kind": "power_loss"})
        (self.folder / "faults.jsonl").write_text("".join(json.dumps(each) + "\n" for each in faults))
        ended = subprocess.run([PROGRAM, "study", "campaign", "snapshot=file", "faults=faults.jsonl", "--report",
                                "campaign.html", "--out", "kept"], cwd=self.folder, check=False, capture_output=True)
        self.assertEqual(ended.returncode, 67)
        self.open("campaign.html")
        text = self.one("section .hint").text
        self.assertRegex(text, r"^5 of 6 faults were injected into power_loss, each into a run of its own from a "
                               r"snapshot at 1 ms\. Without a fault it ends at .*\. 1 \(20%, 95% interval .* to "
                               r".*\) were silent, hung or crashed\. 1 would have occurred after the end and is "
                               r"not counted in shares\.$")
        self.assertEqual(self.texts(".panel figcaption"),
                         ["By kind of the fault", "By time of the fault", "How much longer runs with the same end took"])
        tables = self.browser.find_elements(By.CSS_SELECTOR, ".table")
        outcomes = {row.text.split()[0]: row.text.split()[1]
                    for row in tables[0].find_elements(By.CSS_SELECTOR, "tbody tr")}
        self.assertEqual(outcomes["recovered"], "3")
        self.assertEqual(outcomes["hang"], "1")
        self.assertEqual(outcomes["late"], "1")
        self.assertEqual(outcomes["masked"], "1")
        self.script("document.querySelectorAll('.table')[1].querySelectorAll('th button')[1].click()")
        times = [row.text.split()[1] for row in tables[1].find_elements(By.CSS_SELECTOR, "tbody tr")]
        self.assertEqual(times, ["3", "3", "4", "9", "12", "900"])
        link = tables[1].find_element(By.CSS_SELECTOR, "tbody a")
        self.assertEqual(link.get_attribute("href"), f"file://{self.folder}/kept/line3/")
        self.assertTrue((self.folder / "kept/line3/stats.json").exists())
        command = [cell.text for cell in tables[1].find_elements(By.CSS_SELECTOR, "tbody tr:nth-last-child(2) td")][-1]
        self.assertIn("asterism run --restore 'file' --alone --fault '{\"at\": \"12ms\"", command)
        again = subprocess.run(command.replace("asterism", PROGRAM, 1), shell=True, cwd=self.folder, check=False,
                               capture_output=True)
        self.assertEqual(again.returncode, 0)
        self.assertEqual((self.folder / "line2/stats.json").read_bytes(),
                         (self.folder / "kept/line2/stats.json").read_bytes())

    # ---- what may be strange ----

    def test_text_of_a_guest_is_text(self):
        asterism(self.folder, "run", "hello", "--quiet", "--out", "run")
        strange = "</script><script>document.title = 'owned'</script><img src=x onerror=alert(1)> \x1b[31m"
        (self.folder / "run/console.log").write_bytes(strange.encode() + b"\xff\n")
        asterism(self.folder, "report", "run")
        self.open("run/report.html")
        self.assertEqual(self.browser.title, "run")
        self.assertIn("</script><script>document.title = 'owned'</script>", self.texts(".console li")[0])
        self.assertEqual(self.browser.find_elements(By.CSS_SELECTOR, "img"), [])

    def test_of_a_long_console_the_first_lines_are_shown(self):
        asterism(self.folder, "run", "hello", "--quiet", "--out", "run")
        (self.folder / "run/console.log").write_text("line\n" * 20010)
        asterism(self.folder, "report", "run")
        self.open("run/report.html")
        self.assertEqual(self.script("return document.querySelectorAll('.console li').length"), 20001)
        self.assertEqual(self.one(".console li:last-child").text, "10 more lines are in console.log.")

    def test_a_run_without_records_says_what_to_ask_for(self):
        asterism(self.folder, "run", "hello", "--quiet", "--out", "run")
        asterism(self.folder, "report", "run")
        self.open("run/report.html")
        self.assertEqual(self.texts(".missing"), [
            "Nothing was recorded: run again with --report.",
            "There are no samples: run again with --report.",
            "There were no events.", "What happened to pages was not recorded: run again with --report.",
            "There is no profile: run again with --profile."])
        self.assertLess((self.folder / "run/report.html").stat().st_size, 1 << 20)

    def test_the_page_of_a_run_that_was_killed_shows_what_there_is(self):
        self.power_loss()
        record = self.folder / "run/traces/record.bin"
        whole = record.read_bytes()
        record.write_bytes(whole[:len(whole) * 2 // 3])
        for name in ("stats.json", "traces/pages.bin"):
            (self.folder / "run" / name).unlink()
        asterism(self.folder, "report", "run")
        self.open("run/report.html")
        self.assertRegex(self.one(".story").text,
                         r"^The run has not ended, or it was killed: .* last event was at [1-9][\d.]+ ms of .* Its "
                         r"record ends at [1-9][\d.]+ ms")
        self.assertGreater(self.script("return report.timelines[0].lanes.length"), 3)
        self.assertIn("What happened to pages is written when a run ends.", self.texts(".missing"))
        events = (self.folder / "run/events.jsonl").read_text().splitlines()
        self.assertGreaterEqual(self.range()[1], json.loads(events[-1])["time_ps"])
        record.write_bytes(whole[:12])
        asterism(self.folder, "report", "run", "--out", "empty.html")
        self.open("empty.html")
        self.assertEqual(self.texts(".missing")[:2],
                         ["The run was killed before the first part of its record was written."] * 2)

    def test_a_million_intervals_are_drawn_as_no_more_than_the_pixels(self):
        asterism(self.folder, "run", "hello", "--quiet", "--sample", "1ms", "--out", "run")
        subprocess.run([os.environ["ASTERISM_RECORD"], self.folder / "run/traces/record.bin"], check=True)
        asterism(self.folder, "report", "run")
        self.open("run/report.html")
        self.script("const t = report.timelines[0]; t.end = t.record.end; t.show(0, t.end)")
        counts = self.script("""
            const t = report.timelines[0], counts = [];
            while (t.to - t.from > 1e7) {
              t.draw();
              counts.push(t.drawn / t.lanes.length / (t.width - t.labelWidth));
              t.zoom(0.5);
            }
            return counts""")
        self.assertGreater(len(counts), 10)
        self.assertLess(max(counts), 3)
        self.assertGreater(counts[0], 0.3)
        # A click on one of the last, whose flow has three parts, and pictures with its arrows.
        took = self.script("""
            const t = report.timelines[0], lane = t.lanes.at(-1), begin = performance.now();
            t.show(0, t.end);
            t.choose({lane, index: lane.track.begin.length - 11});
            const chosen = performance.now();
            for (let i = 0; i < 20; ++i) t.draw();
            return [t.flows[0].length, chosen - begin, (performance.now() - chosen) / 20]""")
        self.assertEqual(took[0], 3)
        self.assertLess(took[1], 5000)
        self.assertLess(took[2], 200)


if __name__ == "__main__":
    unittest.main()
