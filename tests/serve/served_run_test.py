"""Opens runs that go on in Chromium: their progress, what they have recorded, their end, and pages of others.

Runs are stopped at times of the simulation, so that nothing depends on the speed of the host.
"""
import http.client
import http.server
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import threading
import unittest
import urllib.parse

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

PROGRAM = os.environ["ASTERISM_PROGRAM"]


class ServedRun(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.browser = self.run = None

    def tearDown(self):
        if self.run and self.run.poll() is None:
            self.run.kill()
        if self.run:
            self.run.communicate()
        if self.browser:
            self.browser.quit()
        self.temporary.cleanup()

    # ---- helpers ----

    def start(self, scenario, *arguments, serve="control,wait"):
        """Starts a run; the page is at self.url."""
        self.run = subprocess.Popen([PROGRAM, "run", scenario, "--quiet", f"--serve={serve}", "--out", "run", *arguments],
                                    cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for line in self.run.stderr:
            if found := re.match(r"the run is shown at (http://127\.0\.0\.1:\d+/\?token=[0-9a-f]{32})\n", line):
                self.url = found[1]
                return
        self.fail("the run has not said where it is shown")

    def order(self, **what):
        url = urllib.parse.urlparse(self.url)
        connection = http.client.HTTPConnection(url.netloc)
        connection.request("POST", "/control", json.dumps(what), {
            "Content-Type": "application/json", "Authorization": "Bearer " + url.query.removeprefix("token=")})
        self.assertEqual(connection.getresponse().read(), b"{}")
        connection.close()

    def open_browser(self):
        options = webdriver.ChromeOptions()
        for each in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000",
                     "--disable-dev-shm-usage"):
            options.add_argument(each)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.browser = webdriver.Chrome(options=options,
                                        service=webdriver.chrome.service.Service("/usr/bin/chromedriver"))

    def open(self):
        if not self.browser:
            self.open_browser()
        self.browser.get(self.url)

    def wait_for(self, selector, pattern):
        WebDriverWait(self.browser, 60, ignored_exceptions=(Exception,)).until(
            lambda browser: re.search(pattern, browser.find_element(By.CSS_SELECTOR, selector).text))

    def texts(self, selector):
        return self.browser.execute_script(
            "return [...document.querySelectorAll(arguments[0])].map((each) => each.innerText)", selector)

    def button(self, name):
        return next(each for each in self.browser.find_elements(By.TAG_NAME, "button") if each.text == name)

    def expect_no_complaint(self):
        """The console is empty, and nothing was asked of anybody else."""
        self.assertEqual(self.browser.get_log("browser"), [])
        asked = [message["params"]["request"]["url"]
                 for message in (json.loads(each["message"])["message"] for each in self.browser.get_log("performance"))
                 if message["method"] == "Network.requestWillBeSent"]
        own = self.url.split("?")[0]
        self.assertEqual([url for url in asked if not url.startswith((own, "data:"))], [])
        self.assertTrue(asked)

    def expect_end(self, status=0):
        _, errors = self.run.communicate(timeout=60)
        self.assertEqual(self.run.returncode, status, errors)

    # ---- a run that goes on ----

    def test_a_page_shows_the_run_stops_it_and_becomes_its_report(self):
        self.start("power_loss")
        self.order(action="go_on", until="5ms")
        self.open()
        self.wait_for("[role=status]", r"^The run is stopped at 5 ms\.")
        self.assertIn("Simulated\n5 ms of at most 10 s", self.texts(".facts div"))
        self.assertEqual(self.browser.execute_script("return live.timeline.lanes.map((lane) => lane.track.path)")[:4],
                         [f"node.core{i}" for i in range(4)])
        self.assertEqual(self.browser.execute_script("return [live.timeline.from, live.timeline.to]"), [0, 5e9])
        # A core that goes on is shown until now.
        self.assertEqual(self.browser.execute_script("return Math.max(...live.record.tracks[0].end ?? [0], "
                                                     "...live.timeline.lanes[0].track.end)"), 5e9)
        self.assertIn("Instructions\n\u00d7", self.texts(".plot figcaption"))
        lines = len(self.texts(".console li"))
        self.assertGreater(lines, 0)
        self.browser.find_element(By.CSS_SELECTOR, "input[placeholder='5ms']").send_keys("12ms", Keys.ENTER)
        self.wait_for("[role=status]", r"^The run is stopped at 12 ms\.")
        # The sum of a curve over time is what the cores have executed until the last sample.
        executed, instructions = self.browser.execute_script("""
            const {data} = live.curves.plots[0].uplot, ends = {};
            for (const track of live.record.tracks)
              if (/core\\d\\.instructions$/.test(track.path)) ends[track.path] = track.value.at(-1);
            let sum = 0;
            for (let i = 1; i < data[0].length; ++i)
              for (const curve of data.slice(1)) sum += curve[i] * (data[0][i] - data[0][i - 1]) / 1e3;
            return [sum, Object.values(ends).reduce((a, b) => a + b)];""")
        self.assertAlmostEqual(executed / instructions, 1, delta=0.01)
        self.assertTrue(any("no power" in row for row in self.texts("#events tr")))
        self.assertIn("Losses of power\n1", self.texts(".facts div"))
        self.assertEqual(self.browser.execute_script("return [live.timeline.from, live.timeline.to]"), [0, 12e9])
        self.browser.find_element(By.CSS_SELECTOR, "input[placeholder='5ms']").send_keys(Keys.ENTER)
        self.wait_for("[role=alert]", "^12ms has passed: it is 12 ms$")
        self.browser.find_element(By.CSS_SELECTOR, "input[placeholder='5ms']").clear()
        self.button("Go on until").click()
        self.wait_for("[role=alert]", "^it does not begin with a number$")
        self.button("Go on").click()
        self.wait_for("h2", "^What happened")
        self.wait_for(".story", "^The firmware exited with status 0")
        self.expect_end()
        self.assertIn(f"This report is the file {(self.folder / 'run/report.html').resolve()}.", self.texts("p.hint"))
        self.expect_no_complaint()
        self.assertTrue((self.folder / "run/report.html").exists())
        subprocess.run([PROGRAM, "run", "power_loss", "--quiet", "--out", "other"], cwd=self.folder, check=True,
                       stdout=subprocess.DEVNULL)
        for name in ("stats.json", "events.jsonl"):
            self.assertEqual((self.folder / "run" / name).read_bytes(), (self.folder / "other" / name).read_bytes())

    def test_late_pages_several_and_reloaded_ones_see_everything(self):
        self.start("power_loss")
        self.order(action="go_on", until="12ms")
        self.open()
        self.wait_for("[role=status]", r"^The run is stopped at 12 ms\.")
        events = self.texts("#events tr")
        self.browser.switch_to.new_window("tab")
        self.open()
        self.wait_for("[role=status]", r"^The run is stopped at 12 ms\.")
        self.assertEqual(self.texts("#events tr"), events)
        self.browser.refresh()
        self.wait_for("[role=status]", r"^The run is stopped at 12 ms\.")
        self.assertEqual(self.texts("#events tr"), events)
        self.button("Go on").click()
        for handle in self.browser.window_handles:
            self.browser.switch_to.window(handle)
            self.wait_for(".story", "^The firmware exited with status 0")
        self.expect_end()
        self.expect_no_complaint()

    def test_without_control_a_page_can_only_look(self):
        self.start("power_loss", serve="wait")
        self.open_browser()
        self.browser.get(self.url)
        self.wait_for("h2", ".")
        self.assertEqual(self.browser.find_elements(By.CSS_SELECTOR, "form"), [])
        self.wait_for(".story", "^The firmware exited with status 0")
        self.expect_end()
        self.expect_no_complaint()

    def test_the_reader_keeps_a_zoom_while_the_run_goes_on(self):
        self.start("power_loss")
        self.order(action="go_on", until="5ms")
        self.open()
        self.wait_for("[role=status]", r"^The run is stopped at 5 ms\.")
        canvas = self.browser.find_element(By.CSS_SELECTOR, "canvas.timeline")
        self.browser.execute_script("live.timeline.show(1e9, 2e9)")
        canvas.send_keys("n")
        chosen = self.browser.find_element(By.CSS_SELECTOR, ".chosen").text
        self.assertNotEqual(chosen, "")
        before = self.browser.execute_script("return [live.timeline.from, live.timeline.to]")
        self.browser.find_element(By.CSS_SELECTOR, ".theme").click()
        self.assertEqual(self.browser.execute_script("return getComputedStyle(document.body).backgroundColor"),
                         "rgb(20, 23, 27)")
        self.order(action="go_on", until="9ms")
        self.wait_for("[role=status]", r"^The run is stopped at 9 ms\.")
        self.assertEqual(self.browser.execute_script("return [live.timeline.from, live.timeline.to]"), before)
        self.assertEqual(self.browser.find_element(By.CSS_SELECTOR, ".chosen").text, chosen)
        canvas.send_keys("0")
        self.assertEqual(self.browser.execute_script("return [live.timeline.from, live.timeline.to]"), [0, 9e9])
        self.expect_no_complaint()

    def test_a_page_of_another_origin_gets_nothing(self):
        self.start("power_loss")
        url, token = self.url.split("?token=")
        attempts = """
            const results = {}, [url, token, done] = arguments;
            const attempt = async (name, make) => {
              try { const answer = await make(); results[name] = answer.type + " " + answer.status; }
              catch (error) { results[name] = "failed"; }
            };
            const image = (target) => new Promise((resolve, reject) => {
              const each = new Image();
              each.onload = () => resolve({type: "image", status: 200});
              each.onerror = reject;
              each.src = target;
            });
            const script = (target) => new Promise((resolve, reject) => {
              const each = document.createElement("script");
              each.onload = () => resolve({type: "script", status: 200});
              each.onerror = reject;
              each.src = target;
              document.body.append(each);
            });
            (async () => {
              const stop = {method: "POST", body: '{"action": "stop"}'};
              await attempt("get", () => fetch(url));
              await attempt("get with the token", () => fetch(url + "?token=" + token));
              await attempt("state", () => fetch(url + "state?page=a&after=0&token=" + token));
              await attempt("field", () => fetch(url, {headers: {Authorization: "Bearer " + token}}));
              await attempt("post", () => fetch(url + "control", {...stop, headers: {
                "Content-Type": "application/json", Authorization: "Bearer " + token}}));
              await attempt("image", () => image(url + "?token=" + token));
              await attempt("script", () => script(url + "page.js?token=" + token));
              await attempt("opaque", () => fetch(url + "control?token=" + token, {...stop, mode: "no-cors"}));
              const frame = document.createElement("iframe");
              frame.name = "frame";
              document.body.append(frame);
              const form = document.createElement("form");
              Object.assign(form, {method: "POST", action: url + "control?token=" + token, target: "frame",
                                   enctype: "text/plain"});
              const input = document.createElement("input");
              Object.assign(input, {name: '{"action": "stop", "x": "', value: '"}'});
              form.append(input);
              document.body.append(form);
              form.submit();
              setTimeout(() => done(results), 500);
            })();"""

        class Quiet(http.server.SimpleHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(b"<!doctype html><body>another origin")

            def log_message(self, *_):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as other:
            threading.Thread(target=other.serve_forever, daemon=True).start()
            self.open_browser()
            self.browser.get(f"http://127.0.0.1:{other.server_port}/")
            results = self.browser.execute_async_script(attempts, url, token)
            other.shutdown()
        self.assertEqual(set(results.values()), {"failed"}, results)
        self.assertEqual(len(results), 8)
        self.open()  # the run begins, and nobody has stopped it
        self.wait_for(".story", "^The firmware exited with status 0")
        self.expect_end()

    def test_a_cluster_shows_the_cores_and_consoles_of_its_nodes(self):
        self.start("buddy_cluster")
        self.order(action="go_on", until="3ms")
        self.open()
        self.wait_for("[role=status]", r"^The run is stopped at 3 ms\.")
        self.assertIn("node1.core0", self.browser.execute_script("return live.timeline.lanes.map((lane) => lane.track.path)"))
        self.expect_no_complaint()

    def test_a_page_of_a_run_that_was_killed_says_so(self):
        self.start("power_loss")
        self.order(action="go_on", until="5ms")
        self.open()
        self.wait_for("[role=status]", r"^The run is stopped at 5 ms\.")
        self.run.kill()
        self.wait_for("[role=status]", r"^The run does not answer\. If it has ended, its report is .*/run/report\.html; if it was "
                                      r"killed, .asterism report .*/run\.partial. writes one\.$")
        self.assertEqual([each.text for each in self.browser.find_elements(By.CSS_SELECTOR, "form.controls button")
                          if each.is_enabled()], [])
        subprocess.run([PROGRAM, "report", "run.partial"], cwd=self.folder, check=True, stdout=subprocess.DEVNULL)

    # ---- without a page ----

    def test_a_run_at_which_nobody_looks_ends_as_any_other(self):
        self.start("hello", serve="control")
        self.expect_end()
        self.assertTrue((self.folder / "run/report.html").exists())

    def test_ctrl_c_ends_a_run_that_is_stopped(self):
        self.start("power_loss", serve="control")
        self.order(action="stop")
        for line in self.run.stderr:
            if line.startswith("a page has stopped the run at "):
                break
        self.run.send_signal(signal.SIGINT)
        self.expect_end(130)
        self.assertTrue((self.folder / "run.partial/report.html").exists())

    def test_a_run_that_keeps_its_last_instructions_is_shown(self):
        self.start("hello", "--firmware", "mistakes", "--last-instructions", "10")
        self.open()
        self.wait_for(".story", "^The firmware exited with status")
        self.run.communicate(timeout=60)
        self.assertTrue((self.folder / "run/last_instructions.txt").exists())

    def test_options_that_do_not_fit_are_refused(self):
        for words, message in ((["--serve=70000"], '--serve: expected a port'),
                               (["--serve", "8080"], '"8080"; a port is given as --serve=8080\n'),
                               (["--serve", "--gdb", ":0"], "--gdb"),
                               (["--serve", "--snapshot-at", "1ms", "--snapshot", "s"], "--serve")):
            run = subprocess.run([PROGRAM, "run", "hello", *words], cwd=self.folder, capture_output=True, text=True)
            self.assertIn(run.returncode, (64, 65), words)
            self.assertIn(message, run.stderr)


if __name__ == "__main__":
    unittest.main()
