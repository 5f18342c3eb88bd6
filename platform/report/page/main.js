// Builds the page from the data that the program has put into it.

function section(id, title, ...children) {
  return element("section", {id, "aria-labelledby": id + "-title"},
                 element("h2", {id: id + "-title"}, title), ...children);
}

function sideBySide(runs, make) {
  const parts = runs.map((run) => {
    const made = make(run);
    return runs.length > 1 && made ? element("div", {}, element("h3", {}, run.name), made) : made;
  }).filter((part) => part);
  return parts.length === 0 ? null : element("div", {class: runs.length > 1 ? "pair" : ""}, ...parts);
}

function missing(text) {
  return element("p", {class: "missing"}, text);
}

function themeButton(whenChanged) {
  const root = document.documentElement;
  const isDark = () => root.dataset.theme ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  const button = element("button", {class: "theme", onclick: () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    name();
    whenChanged();
  }});
  const name = () => { button.textContent = isDark() ? "Light" : "Dark"; };
  name();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { name(); whenChanged(); });
  matchMedia("print").addEventListener("change", whenChanged);
  return button;
}

// The number of entries from the start that are the same in two lists; -1 if all are.
function firstDifference(one, other) {
  const length = Math.max(one.length, other.length);
  for (let i = 0; i < length; ++i) if (one[i] !== other[i]) return i;
  return -1;
}

// The index of the first event that differs; -1 if none does, or if there is one run.
function differentEvent(runs) {
  return runs.length < 2 ? -1
    : firstDifference(...runs.map((run) => run.events.map((event) => JSON.stringify(event))));
}

function eventsTable(runs) {
  if (runs.every((run) => run.events.length === 0)) return missing("There were no events.");
  const different = differentEvent(runs);
  const rows = runs.flatMap((run) => run.events.map((event, i) => {
    const {time_ps: at, source, kind, ...details} = event;
    const words = Object.entries(details).map(([name, value]) => name + " " + value).join(", ");
    const row = [{value: at, text: timeText(at, 9)}, kind, source, words];
    if (runs.length > 1) row.unshift(run.name);
    if (i === different) row.mark = "first-difference";
    return row;
  }));
  if (runs.length > 1) rows.sort((a, b) => a[1].value - b[1].value);
  const heads = ["time", "event", "source", "details"];
  return sortableTable(runs.length > 1 ? ["run", ...heads] : heads, rows);
}

function keysTable(runs) {
  if (runs.length === 1)
    return sortableTable(["key", "value", "default"],
                         runs[0].changed.map(({path, value, otherwise}) => [path, value, otherwise]));
  return valuesTable(runs.map((run) => run.scenario), runs.map((run) => run.name), "Find a key");
}

const mostLines = 20000;

// A line of a console, with a button that shows its time in the timeline.
function consoleLine(at, text, timelineOf) {
  return element("li", {}, element("button", {onclick: () => {
    const timeline = timelineOf();
    const half = Math.min(timeline.end, timeline.to - timeline.from) / 2;
    timeline.show(at - half, at + half);
    timeline.canvas.scrollIntoView({block: "nearest"});
  }}, timeText(at, 7)), text);
}

// What the guest has written to a line, with times if the run has recorded them. A click shows that time in
// the timeline.
function logOf(run, name, timelines) {
  const track = run.record?.tracks.find((each) => each.path === name && !each.isCounter);
  const list = element("ol", {class: "console", "data-line": name});
  const lines = track ? [] : run.logs[name].replace(/\n$/, "").split("\n");
  const count = track ? track.begin.length : lines.length;
  if (track) {
    for (let i = 0; i < Math.min(count, mostLines); ++i) {
      const text = run.record.detailsOf(track, i).details.text ?? "";
      list.append(consoleLine(track.begin[i], text, () => timelines.find((each) => each.run === run)));
    }
  } else {
    for (const line of lines.slice(0, mostLines)) list.append(element("li", {}, line));
  }
  if (count > mostLines)
    list.append(element("li", {class: "missing"},
                        `${numberText(count - mostLines)} more lines are in ${name}.log.`));
  return list;
}

// Marks the first lines that differ.
function markLines(lists) {
  if (lists.length < 2) return;
  const texts = lists.map((list) => [...list.children].map((line) => line.lastChild?.textContent ?? ""));
  const different = firstDifference(...texts);
  if (different < 0) return;
  for (const list of lists) {
    const line = list.children[Math.min(different, list.children.length - 1)];
    line?.classList.add("first-difference");
    line?.setAttribute("tabindex", "-1");
  }
}

// Of two runs: what differs first, and the key that goes there.
function differences(runs) {
  if (runs.length < 2) return null;
  const event = differentEvent(runs), place = (index) => {
    const at = runs.map((run) => run.events[index]).find((each) => each).time_ps;
    return `after ${index === 0 ? "none" : numberText(index)} that are the same, at ${timeText(at, 9)}`;
  };
  const logs = new Set(runs.flatMap((run) => Object.keys(run.logs)));
  const lines = [...logs].map((name) => [name, firstDifference(
    ...runs.map((run) => (run.logs[name] ?? "").split("\n")))]).filter(([, line]) => line >= 0);
  const parts = [event < 0 ? "The events are the same." : `The first event that differs comes ${place(event)}.`];
  if (lines.length === 0) parts.push("The output is the same.");
  for (const [name, line] of lines) parts.push(`In ${name}, line ${line + 1} is the first one that differs.`);
  if (event >= 0 || lines.length > 0) parts.push("The key d goes to these places.");
  return element("p", {class: "story differences"}, parts.join(" "));
}

// The key d goes from one to the next.
function listenForDifferences() {
  let last = -1;
  document.addEventListener("keydown", (event) => {
    if (event.key !== "d" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (["INPUT", "SELECT", "TEXTAREA"].includes(document.activeElement?.tagName)) return;
    const all = document.querySelectorAll(".first-difference");
    if (all.length === 0) return;
    last = (last + 1) % all.length;
    all[last].scrollIntoView({block: "center"});
    all[last].focus({preventScroll: true});
  });
}

// Of what is chosen in a timeline.
function whatIsChosen(what) {
  const besides = (title, others) => others.length === 0 ? [] : [element("span", {}, title + ": "),
    ...others.slice(0, 8).map(({name, choose}) => element("button", {onclick: choose}, name)),
    ...(others.length > 8 ? [element("span", {}, `and ${others.length - 8} more`)] : [])];
  return what ? [element("strong", {}, what.path), ...what.text.map((line) => element("span", {}, line)),
                 ...besides("before", what.before), ...besides("after", what.after)] : [];
}

function timelineButtons(timelines) {
  const all = (action) => () => timelines().forEach(action);
  return element("div", {class: "controls"},
    element("button", {onclick: all((each) => each.zoom(0.5))}, "Zoom in"),
    element("button", {onclick: all((each) => each.zoom(2))}, "Zoom out"),
    element("button", {onclick: all((each) => each.show(0, each.end))}, "Show all"),
    element("span", {class: "hint"},
            "Drag to move, turn the wheel over it to zoom; arrows, + and -, 0, n and p, f and b."));
}

// One range of time in all pictures.
function showTogether(timelines, curves) {
  let isMoving = false;
  const follow = (from, to, source) => {
    if (isMoving) return;
    isMoving = true;
    for (const timeline of timelines) if (timeline !== source) timeline.show(from, to);
    if (source !== curves) curves?.show(from, to);
    isMoving = false;
  };
  for (const timeline of timelines) timeline.whenMoved = (from, to) => follow(from, to, timeline);
  if (curves) curves.whenMoved = (from, to) => follow(from, to, curves);
}

function noRecord(runs, otherwise) {
  return missing(runs.map((run) => run.record_problem).find((text) => text) ||
    otherwise + ": run again with --report.");
}

function timelineSection(runs, timelines) {
  const shows = (run) => run.record?.tracks.some((track) => !track.isCounter && track.begin.length > 0);
  if (runs.some((run) => run.record) && !runs.some(shows))
    return section("timeline", "Timeline", missing("Nothing of this run is recorded but its samples."));
  if (!runs.some((run) => run.record))
    return section("timeline", "Timeline", noRecord(runs, "Nothing was recorded"));
  const chosen = element("div", {class: "chosen", "aria-live": "polite"});
  const whenChosen = (what) => chosen.replaceChildren(...whatIsChosen(what));
  const end = Math.max(1, ...runs.map((run) => Math.max(run.end, run.record?.end ?? 0)));
  const hosts = runs.filter((run) => run.record).map((run) => {
    const host = element("div", {class: "timeline-host"});
    queueMicrotask(() => timelines.push(new Timeline(host, run, end, whenChosen)));
    return runs.length > 1 ? element("div", {}, element("h3", {}, run.name), host) : host;
  });
  return section("timeline", "Timeline", timelineButtons(() => timelines), ...hosts, chosen);
}

// Studies, sweeps, campaigns and papers: their figures, and their tables.
function parts(data) {
  return data.parts.flatMap((part, i) => {
    const figures = element("div", {class: "plots"});
    for (const panel of part.panels) {
      const plot = new PanelPlot(figures, panel);
      onPaper((isPaper) => {
        plot.picture.style.width = isPaper ? paperWidth - 18 + "px" : "";  // without the frame
        plot.draw();
      });
    }
    const tables = part.tables.map((table) => element("div", {},
      table.title ? element("h3", {}, table.title) : null,
      sortableTable(table.heads, table.rows, {searchesAll: true,
        filter: table.rows.length > 20 ? table.find ?? "Find a row" : undefined})));
    return [section("part" + i, part.title, part.text ? element("p", {class: "hint"}, part.text) : null,
                    part.panels.length > 0 ? figures : null, ...tables)];
  });
}

function show(title, sections, whenThemeChanged) {
  const nav = element("nav", {"aria-label": "Sections"});
  if (sections.length > 1)
    for (const each of sections.slice(0, 40))
      nav.append(element("a", {href: "#" + each.id}, each.querySelector("h2").textContent.split(" that ")[0]));
  document.getElementById("page").replaceChildren(
    element("header", {}, element("h1", {}, title), nav, themeButton(whenThemeChanged)), ...sections);
}

async function build() {
  const data = JSON.parse(document.getElementById("data").textContent);
  if (data.live) {
    window.live = new LiveRun(data);
    return live.follow();
  }
  if (data.runs) await buildRuns(data);
  else show(data.title, parts(data), () => {});
  // The program that has served this page ends now.
  const file = location.protocol === "http:" && new URLSearchParams(location.search).get("file");
  if (file) document.querySelector("header").after(element("p", {class: "hint"}, `This report is the file ${file}.`));
  document.documentElement.dataset.ready = "yes";
}

// One picture of what is the same in two runs.
function netlists(runs) {
  const texts = new Set(runs.map((run) => JSON.stringify(run.graph)));
  const picture = (run, name) => run.graph
    ? element("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "Node of " + name},
              netlistPicture(run.graph, name)) : null;
  if (runs.length > 1 && texts.size === 1) return picture(runs[0], "both runs");
  return element("div", {}, ...runs.flatMap((run) => [
    runs.length > 1 ? element("h3", {}, run.name) : null, picture(run, run.name)]).filter((each) => each));
}

async function buildRuns(data) {
  const runs = data.runs;
  for (const run of runs) {
    if (run.record_base64) run.record = await RunRecord.read(bytesOfBase64(run.record_base64));
    if (run.pages_base64) run.pages = await readPageMap(bytesOfBase64(run.pages_base64));
  }
  const memory = memoryMaps(runs);
  const timelines = [];
  let curves = null;
  const whenThemeChanged = () => {
    [...timelines, ...memory.maps].forEach((each) => each.draw());
    curves?.redraw();
  };
  const recorded = runs.filter((run) => run.record);
  const hasCounters = recorded.some((run) => run.record.tracks.some((track) => track.isCounter));
  const plots = element("div", {});
  const sections = [
    section("summary", "What happened", sideBySide(runs, (run) => element("p", {class: "story"}, run.story)),
            differences(runs)),
    timelineSection(runs, timelines),
    section("curves", "Curves", hasCounters ? plots
      : noRecord(runs, "There are no samples")),
    section("events", "Events", eventsTable(runs)),
    section("memory", "Memory", memory.host),
    section("netlist", "Node", netlists(runs)),
    section("profile", "Profile", sideBySide(runs, (run) => {
      if (!run.profile) return missing("There is no profile: run again with --profile.");
      const host = element("div", {});
      new FlameGraph(host, run.profile);
      return host;
    })),
    section("console", "Console", sideBySide(runs, (run) => {
      const logs = Object.keys(run.logs).filter((name) => runs.length > 1 || run.logs[name]);
      if (logs.length === 0) return missing("The guest has written nothing.");
      return element("div", {}, ...logs.flatMap((name) => [
        logs.length > 1 ? element("h3", {}, name) : "", logOf(run, name, timelines)]));
    })),
    section("keys", runs.length > 1 ? "Keys" : "Keys that differ from their defaults", keysTable(runs)),
    section("statistics", "Statistics", valuesTable(runs.map((run) => run.stats), runs.map((run) => run.name),
                                                    "Find a name")),
  ];
  for (const name of new Set(runs.flatMap((run) => Object.keys(run.logs))))
    markLines(sections.flatMap((each) => [...each.querySelectorAll(".console")])
      .filter((list) => list.dataset.line === name));
  show(data.title, sections, whenThemeChanged);
  listenForDifferences();
  await Promise.resolve();
  if (hasCounters) curves = new Curves(plots, recorded);
  showTogether(timelines, curves);
  window.report = {data, timelines, curves, maps: memory.maps};
}

build().catch((error) => {
  document.getElementById("page").textContent = "This page cannot be shown: " + error.message;
  throw error;
});
