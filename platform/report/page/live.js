// A run that goes on. The page asks the program for the state of the run and for what its record has more by
// then, and draws both; at the end it becomes the report of the run (serve/page_server.h).

const mostLiveLines = 5000, mostEvents = 300;

class LiveRun {
  // data: {title, live: {token, control, report}}
  constructor(data) {
    this.data = data;
    this.id = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16)).join("");
    this.record = new RunRecord();
    this.run = {name: data.title, record: this.record};
    this.sequence = 0;  // of the last state
    this.read = 0;      // bytes of the record
    this.consoles = new Map();
    this.events = 0;
    this.drawnCurves = 0;
    this.buttons = [];
    this.build();
  }

  // ---- what the program is asked ----

  async ask(path, options = {}) {
    const answer = await fetch(path, {...options, headers: {Authorization: "Bearer " + this.data.live.token,
                                                            ...options.headers}});
    if (!answer.ok) throw new Error((await answer.text()).trim());
    return answer;
  }

  async follow() {
    for (let failures = 0; failures < 10;) {
      let state = null;
      try {
        state = await (await this.ask(`state?page=${this.id}&after=${this.sequence}`)).json();
        await this.readRecord(state.record_bytes ?? 0);
        failures = 0;
      } catch (error) {
        ++failures;
        const {report} = this.data.live, folder = report.replace(/[/]report[.]html$/, "");
        this.status.textContent = `The run does not answer. If it has ended, its report is ${report}; if it was ` +
          `killed, "asterism report ${folder}.partial" writes one.`;
        for (const button of this.buttons) button.disabled = true;
        await this.sleep(1000 * failures);
        continue;
      }
      if (state.phase === "ended")
        return location.replace(`report?token=${this.data.live.token}&page=${this.id}` +
                                `&file=${encodeURIComponent(this.data.live.report)}`);
      if (state.sequence === 0) continue;  // there is none yet
      this.sequence = state.sequence;
      const began = performance.now();
      this.draw(state);
      const took = performance.now() - began;
      if (took > 50) await this.sleep(Math.min(4 * took, 2000));  // a large record leaves time for others
      document.documentElement.dataset.ready = "yes";
    }
  }

  async readRecord(size) {
    while (this.read < size) {
      const answer = await this.ask(`record?from=${this.read}&to=${size}`);
      const bytes = new Uint8Array(await answer.arrayBuffer());
      if (bytes.length === 0) return;
      this.read += bytes.length;
      await this.record.append(bytes);
    }
  }

  async order(what) {
    const answer = await this.ask("control", {method: "POST", headers: {"Content-Type": "application/json"},
                                              body: JSON.stringify(what)});
    this.problem.textContent = (await answer.json()).problem ?? "";
  }

  sleep(milliseconds) {
    return new Promise((resolve) => setTimeout(resolve, milliseconds));
  }

  // ---- the page ----

  build() {
    this.status = element("p", {class: "story", role: "status"}, "The run has not begun.");
    this.bar = element("progress", {max: 1, value: 0, "aria-label": "Simulated time"});
    this.facts = element("dl", {class: "facts"});
    this.host = element("div", {class: "timeline-host"});
    this.chosen = element("div", {class: "chosen", "aria-live": "polite"});
    this.plots = element("div", {}, missing("There are no samples yet."));
    this.table = element("div", {}, missing("There were no events yet."));
    this.logs = element("div", {}, missing("The guest has written nothing yet."));
    this.nothing = missing("Nothing is recorded yet.");
    this.host.hidden = true;
    show(this.data.title, [
      section("summary", "Progress", this.status, this.bar, this.facts, this.controls()),
      section("timeline", "Timeline", timelineButtons(() => (this.timeline ? [this.timeline] : [])), this.nothing,
              this.host, this.chosen),
      section("curves", "Curves", this.plots),
      section("events", "Events", this.table),
      section("console", "Console", this.logs),
    ], () => {
      this.timeline?.draw();
      this.curves?.redraw();
    });
  }

  controls() {
    if (!this.data.live.control) return null;
    this.stop = element("button", {type: "button", onclick: () => this.order({action: "stop"})}, "Stop");
    this.goOn = element("button", {type: "button", onclick: () => this.order({action: "go_on"})}, "Go on");
    const until = element("input", {size: 10, placeholder: "5ms", "aria-label": "Go on until this simulated time"});
    const goOnUntil = element("button", {}, "Go on until");
    this.buttons = [this.stop, this.goOn, goOnUntil];
    this.problem = element("output", {role: "alert"});
    return element("form", {class: "controls", onsubmit: (event) => {
      event.preventDefault();
      this.order({action: "go_on", until: until.value});
    }}, this.stop, this.goOn, until, goOnUntil, this.problem);
  }

  draw(state) {
    this.record.sort(state.begun, state.time_ps);
    this.drawProgress(state);
    const end = Math.max(1, state.time_ps, this.record.end);
    this.drawTimeline(end);
    const isDue = performance.now() - this.drawnCurves > 1000 || state.phase !== "running";
    if (isDue) this.drawCurves(end);
    this.drawEvents();
    this.drawConsoles(state.begun_lines ?? {});
  }

  drawProgress(state) {
    const stops = state.stops_at_ps === undefined ? "" : ", and will stop at " + timeText(state.stops_at_ps);
    const halts = {stopped: "is stopped", halted: "is halted by a live session"}[state.phase];
    this.status.textContent = halts ? `The run ${halts} at ${timeText(state.time_ps, 9)}.`
      : `The run goes on${stops}${state.left}.`;
    this.bar.value = Math.min(1, state.time_ps / state.until_ps);
    document.title = timeText(state.time_ps, 3) + " \u2013 " + this.data.title;
    const facts = [["Simulated", `${timeText(state.time_ps, 5)} of at most ${timeText(state.until_ps)}`],
                   ["On this host", state.host_seconds.toFixed(1) + " s"]];
    if (state.simulated_ps_per_second > 0)
      this.speed = [["Simulated in a second", timeText(state.simulated_ps_per_second, 3)],
                    ...(state.mips > 0 ? [["Instructions in a second", numberText(state.mips) + " M"]] : [])];
    facts.push(...(this.speed ?? []), ["Instructions", scaledText(state.instructions)],
               ["Events in events.jsonl", numberText(state.events)], ["Durable checkpoints", numberText(state.checkpoints)],
               ["Losses of power", numberText(state.power_losses)], ["Recoveries", numberText(state.recoveries)]);
    this.facts.replaceChildren(...facts.map(([name, text]) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, text))));
    for (const button of this.buttons) button.disabled = false;
    if (!this.stop) return;
    this.stop.disabled = state.phase === "stopped";
    this.goOn.disabled = state.phase !== "stopped" && state.stops_at_ps === undefined;
  }

  drawTimeline(end) {
    if (this.timeline) return this.timeline.grow(end);
    if (!this.record.tracks.some((track) => !track.isCounter && track.begin.length > 0)) return;
    this.host.hidden = false;
    this.nothing.remove();
    this.timeline = new Timeline(this.host, this.run, end, (what) => this.chosen.replaceChildren(
      ...whatIsChosen(what)));
  }

  drawCurves(end) {
    if (!this.record.tracks.some((track) => track.isCounter)) return;
    this.drawnCurves = performance.now();
    if (this.curves) return this.curves.grow([this.run]);
    this.plots.replaceChildren();
    this.curves = new Curves(this.plots, [this.run]);
    if (this.timeline) showTogether([this.timeline], this.curves);
    this.curves.show(this.timeline?.from ?? 0, this.timeline?.to ?? end);
  }

  // The last ones first. What cores do is in the timeline, and what the guest writes in the console.
  drawEvents() {
    const tracks = this.record.tracks.filter((track) => !track.isCounter && !/(^|\.)core\d+$/.test(track.path));
    const count = tracks.reduce((sum, track) => sum + track.begin.length, 0);
    if (count === this.events) return;
    this.events = count;
    const all = tracks.flatMap((track) => Array.from(track.begin, (at, i) => ({track, i, at}))
      .filter(({i}) => this.record.texts[track.label[i]] !== "output"));
    if (all.length === 0) return;
    all.sort((a, b) => b.at - a.at);
    this.table.replaceChildren(sortableTable(["time", "event", "source", "details"],
      all.slice(0, mostEvents).map(({track, i, at}) => {
        const {details} = this.record.detailsOf(track, i);
        return [{value: at, text: timeText(at, 9)}, this.record.texts[track.label[i]], track.path,
                Object.entries(details).map(([name, value]) => name + " " + value).join(", ")];
      })));
    if (all.length > mostEvents)
      this.table.append(element("p", {class: "hint"}, `The last ${mostEvents} of ${numberText(all.length)}.`));
  }

  drawConsoles(begun) {
    for (const track of this.record.tracks)
      if (!track.isCounter && track.begin.length > 0 && this.record.texts[track.label[0]] === "output")
        this.drawConsole(track.path, track, begun[track.path]);
    for (const [name, text] of Object.entries(begun))
      if (!this.record.tracks.some((track) => track.path === name)) this.drawConsole(name, null, text);
  }

  drawConsole(name, track, begun) {
    if (!this.consoles.has(name)) {
      if (this.consoles.size === 0) this.logs.replaceChildren();
      const list = element("ol", {class: "console", tabindex: 0, "aria-label": "Console " + name});
      const title = element("h3", {}, name);
      this.logs.append(title, list);
      this.consoles.set(name, {list, lines: 0, begun: null});
    }
    const console = this.consoles.get(name), {list} = console;
    if (!track && !begun) return;
    const isAtEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 8;
    console.begun?.remove();
    console.begun = null;
    const length = track?.begin.length ?? 0;
    for (let i = Math.max(console.lines, length - mostLiveLines); i < length; ++i)
      list.append(consoleLine(track.begin[i], this.record.detailsOf(track, i).details.text ?? "", () => this.timeline));
    console.lines = length;
    if (begun) list.append(console.begun = element("li", {class: "begun"}, begun));
    while (list.children.length > mostLiveLines) list.firstChild.remove();
    if (isAtEnd) list.scrollTop = list.scrollHeight;
  }
}
