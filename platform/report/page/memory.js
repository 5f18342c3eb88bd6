// The map of memories and flash: what has happened to each page or block, as cells on a canvas. A cell is as
// many units as it takes to show the range that is looked at; a zoom makes them fewer, down to one.

// traces/pages.bin (docs/seeing.md): [{name, isPages, first, unit, units, group, counts: Map of runs, names}]
// Runs are {first, length, value} as arrays.
async function readPageMap(bytes) {
  const reader = new BlockReader(await inflated(bytes.subarray(20)));
  const number = () => reader.number(), text = () => reader.text();
  const runs = () => {
    const count = number(), of = {first: new Float64Array(count), length: new Float64Array(count),
                                  value: new Float64Array(count)};
    let end = 0;
    for (let i = 0; i < count; ++i) {
      of.first[i] = end + number();
      of.length[i] = number();
      of.value[i] = number();
      end = of.first[i] + of.length[i];
    }
    return of;
  };
  const areas = [];
  for (let left = number(); left > 0; --left) {
    const area = {name: text(), isPages: number() === 0, first: number(), unit: number(), units: number(),
                  group: number(), counts: new Map(), names: []};
    for (let counts = number(); counts > 0; --counts) {
      const name = text();
      area.counts.set(name, runs());
    }
    for (let names = number(); names > 0; --names)
      area.names.push({text: text(), first: number(), size: number()});
    areas.push(area);
  }
  return areas;
}

// What a number is of, and how the overview shows it. The worst comes last.
const pageNumbers = {
  written: {text: "written", colour: "--quiet", shows: () => "written"},
  tracked: {text: "tracked by checkpoints", colour: "--sky", shows: () => "tracked by checkpoints"},
  copied: {text: "copied by checkpoints", colour: "--blue",
           shows: (n) => "copied by checkpoints " + times(n)},
  restored: {text: "restored", colour: "--green", shows: (n) => "restored " + times(n)},
  waited: {text: "writes that waited for a copy", colour: "--yellow",
           shows: (n) => "writes waited " + times(n)},
  modified: {text: "modified, not saved", colour: "--orange",
             shows: (n) => numberText(n) + (n === 1 ? " line" : " lines") + " modified and not saved"},
  faulty: {text: "faulty cells", colour: "--purple", mark: "frame",
           shows: (n) => n === 2 ? "has faults that cannot be corrected" : "has faults"},
  corrected: {text: "errors corrected", colour: "--purple", mark: "dot",
              shows: (n) => numberText(n) + (n === 1 ? " error" : " errors") + " corrected"},
  uncorrectable: {text: "uncorrectable errors", colour: "--red", mark: "cross",
                  shows: (n) => numberText(n) + (n === 1 ? " error" : " errors") + " not correctable"},
  wear: {text: "writes of the most worn line", colour: "--orange", shows: (n) => "a line written " + times(n)},
  programmed: {text: "pages programmed", colour: "--blue",
               shows: (n) => numberText(n) + (n === 1 ? " page" : " pages") + " programmed"},
  erased: {text: "erased", colour: "--orange", shows: (n) => "erased " + times(n)},
  bad: {text: "bad", colour: "--red", mark: "cross", shows: () => "bad"},
};

function times(n) {
  return n === 1 ? "once" : n === 2 ? "twice" : numberText(n) + " times";
}

function numberOf(name) {
  return pageNumbers[name] ?? {text: name, colour: "--green", shows: (n) => name + " " + numberText(n)};
}

// The largest number of the units [first, end), and whether it is that of all.
function largestOf(runs, first, end) {
  if (!runs) return 0;
  let low = 0, high = runs.first.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (runs.first[middle] + runs.length[middle] <= first) low = middle + 1;
    else high = middle;
  }
  let largest = 0;
  for (let i = low; i < runs.first.length && runs.first[i] < end; ++i)
    largest = Math.max(largest, runs.value[i]);
  return largest;
}

// The ranges of units in which two areas differ in some number, ascending: [[first, end], ...]
function differingRanges(one, other) {
  const ranges = [];
  for (const name of new Set([...one.counts.keys(), ...other.counts.keys()])) {
    const cuts = new Set();
    for (const area of [one, other]) {
      const runs = area.counts.get(name);
      for (let i = 0; runs && i < runs.first.length; ++i)
        cuts.add(runs.first[i]).add(runs.first[i] + runs.length[i]);
    }
    const sorted = Float64Array.from(cuts).sort();
    for (let i = 0; i + 1 < sorted.length; ++i)
      if (largestOf(one.counts.get(name), sorted[i], sorted[i] + 1) !==
          largestOf(other.counts.get(name), sorted[i], sorted[i] + 1))
        ranges.push([sorted[i], sorted[i + 1]]);
  }
  return joined(ranges);
}

// The ranges in which an area has any number. A fault may be in half of a memory that the run has not used.
function usedRanges(area) {
  const ranges = [];
  for (const [name, runs] of area.counts)
    for (let i = 0; i < runs.first.length && name !== "faulty"; ++i)
      ranges.push([runs.first[i], runs.first[i] + runs.length[i]]);
  return joined(ranges);
}

function joined(ranges) {
  ranges.sort((a, b) => a[0] - b[0]);
  const all = [];
  for (const [first, end] of ranges)
    if (all.length > 0 && first <= all.at(-1)[1]) all.at(-1)[1] = Math.max(all.at(-1)[1], end);
    else all.push([first, end]);
  return all;
}

function isIn(ranges, first, end) {
  let low = 0, high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranges[middle][1] <= first) low = middle + 1;
    else high = middle;
  }
  return low < ranges.length && ranges[low][0] < end;
}

// One area of one or two runs, with the same range and the same number in both.
class MemoryMap {
  // areas: [{area, run}]
  constructor(host, areas) {
    this.areas = areas;
    this.area = areas[0].area;
    this.units = Math.max(...areas.map(({area}) => area.units));
    this.different = areas.length > 1 ? differingRanges(areas[0].area, areas[1].area) : [];
    this.used = joined(areas.flatMap(({area}) => usedRanges(area)));
    const begins = areas.length > 1 ? this.different.map(([first]) => first)
      : [...this.area.counts.values()].flatMap((runs) => [...runs.first]);
    this.marks = Float64Array.from(new Set(begins)).sort();
    this.numbers = Object.keys(pageNumbers).concat(this.others()).filter((name) =>
      areas.some(({area}) => area.counts.get(name)?.first.length > 0));
    this.number = "";  // the overview
    this.chosen = null;
    const name = this.area.name;
    this.title = element("h3", {}, this.describe());
    this.select = element("select", {"aria-label": "What the map of " + name + " shows", onchange: () => {
      this.number = this.select.value;
      this.draw();
    }}, element("option", {value: ""}, "all"),
    ...this.numbers.map((each) => element("option", {value: each}, numberOf(each).text)));
    this.text = element("div", {class: "chosen", "aria-live": "polite"});
    this.legend = element("div", {class: "legend map-legend"});
    this.views = areas.map(({area, run}) => this.view(area, run));
    const buttons = element("div", {class: "controls"}, element("label", {}, "Show ", this.select),
      element("button", {onclick: () => this.zoom(0.25)}, "Zoom in"),
      element("button", {onclick: () => this.zoom(4)}, "Zoom out"),
      element("button", {onclick: () => this.look(0, this.units)}, "Show all"),
      element("span", {class: "hint"}, "Arrows choose a cell; + and - zoom, 0 shows all, n and p find the " +
        (areas.length > 1 ? "next difference." : "next change.")));
    host.append(element("div", {class: "memory-map"}, this.title, buttons,
      element("div", {class: areas.length > 1 ? "pair" : ""}, ...this.views.map((view) => view.box)),
      this.legend, this.text));
    const first = this.used[0]?.[0] ?? 0, last = this.used.at(-1)?.[1] ?? this.units;
    this.look(first, last);
    for (const view of this.views) new ResizeObserver(() => this.draw()).observe(view.canvas);
    onPaper((isPaper) => {
      for (const view of this.views) view.canvas.style.width = isPaper ? paperWidth + "px" : "";
      this.draw();
    });
  }

  others() {
    const names = new Set(this.areas.flatMap(({area}) => [...area.counts.keys()]));
    return [...names].filter((name) => !pageNumbers[name]);
  }

  describe() {
    const {area} = this, what = area.isPages ? "pages" : "blocks";
    const size = this.units * area.unit;
    const [value, unit] = size >= 2 ** 30 ? [size / 2 ** 30, "GiB"] : [size / 2 ** 20, "MiB"];
    const different = this.different.reduce((sum, [first, end]) => sum + end - first, 0);
    return `${area.name}: ${numberText(value)} ${unit}, ${numberText(this.units)} ${what}` +
      (this.areas.length === 1 ? "" : different === 0 ? ", the same in both runs"
        : `, ${numberText(different)} of them differ`);
  }

  view(area, run) {
    const canvas = element("canvas", {tabindex: 0, class: "memory", role: "application",
      "aria-label": `Map of ${area.name} of ${run.name}. Arrow keys choose a cell, plus and minus zoom, ` +
        "0 shows all, n and p go to the next and previous one of interest."});
    const tip = element("div", {class: "tip", hidden: true});
    const view = {area, run, canvas, tip, box: element("div", {class: "memory-host"},
      this.areas.length > 1 ? element("h3", {}, run.name) : null, canvas, tip)};
    canvas.addEventListener("pointermove", (event) => this.point(view, event));
    canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
    canvas.addEventListener("click", (event) => {
      const cell = this.cellAt(event.offsetX, event.offsetY);
      if (cell !== null) this.choose(cell);
    });
    canvas.addEventListener("dblclick", () => this.zoom(0.25));
    canvas.addEventListener("keydown", (event) => this.press(event));
    return view;
  }

  // Looks at the units [first, end): cells become as large as they need to be for them to fit.
  look(first, end) {
    this.wanted = [Math.max(0, first), Math.min(this.units, end)];
    this.draw();
  }
  zoom(factor) {
    const [first, end] = this.wanted, around = this.chosen ?? (first + end) / 2;
    const length = Math.min(this.units, Math.max(16, (end - first) * factor));
    const from = Math.min(Math.max(0, around - length / 2), this.units - length);
    this.look(from, from + length);
  }

  // A row of blocks is a plane, if they fit.
  layOut() {
    const [first, end] = this.wanted, size = 9, rows = 34, width = this.views[0].canvas.clientWidth - 1;
    const most = Math.max(8, Math.floor(width / size));
    const {group} = this.area;
    this.columns = group > 0 && group <= most ? group : 2 ** Math.floor(Math.log2(most));
    this.perCell = 1;
    while ((end - first) / this.perCell > rows * this.columns) this.perCell *= 2;
    const row = this.columns * this.perCell;
    this.from = Math.floor(first / row) * row;
    this.rows = Math.min(rows, Math.max(1, Math.ceil((Math.min(end, this.units) - this.from) / row)));
    this.size = Math.min(16, Math.max(size, Math.floor(width / this.columns)));
    this.end = Math.min(this.units, this.from + this.rows * row);
  }

  draw() {
    if (this.views[0].canvas.clientWidth === 0) return;
    this.layOut();
    this.largest = this.number === "" ? 0
      : Math.max(1, ...this.areas.map(({area}) => largestOf(area.counts.get(this.number), 0, this.units)));
    for (const view of this.views) this.drawView(view);
    this.drawLegend();
    this.text.hidden = this.chosen === null;
    if (this.chosen !== null) this.tell();
  }

  drawView({area, canvas}) {
    const scale = window.devicePixelRatio || 1, height = this.rows * this.size + 1;
    canvas.style.height = height + "px";
    canvas.width = Math.round(canvas.clientWidth * scale);
    canvas.height = Math.round(height * scale);
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    const colours = this.colours();
    for (let i = 0, unit = this.from; unit < this.end; ++i, unit += this.perCell) {
      const x = i % this.columns * this.size, y = Math.floor(i / this.columns) * this.size;
      this.drawCell(context, area, unit, x, y, colours);
    }
  }
  colours() {
    const colours = {};
    const used = this.numbers.map((each) => numberOf(each).colour);
    for (const name of ["--line", "--text", "--background", ...used]) colours[name] = colourOf(name);
    return colours;
  }

  drawCell(context, area, unit, x, y, colours) {
    const side = this.size - 1, end = unit + this.perCell;
    let mark = null, colour = null;
    for (const name of this.number === "" ? this.numbers : [this.number]) {
      const largest = largestOf(area.counts.get(name), unit, end), of = numberOf(name);
      if (largest === 0) continue;
      if (of.mark && this.number === "") mark = of;
      if (!of.mark || this.number !== "" || colour === null) colour = colours[of.colour];
      context.globalAlpha = this.number === "" ? 1 : this.strength(largest);
    }
    context.fillStyle = colour ?? colours["--line"];
    if (colour === null) context.globalAlpha = 0.45;
    context.fillRect(x, y, side, side);
    context.globalAlpha = 1;
    if (mark) this.drawMark(context, mark, x, y, side, colours);
    const isChosen = this.chosen !== null && this.chosen >= unit && this.chosen < end;
    if (isChosen || (this.areas.length > 1 && isIn(this.different, unit, end))) {
      context.strokeStyle = colours["--text"];
      context.lineWidth = isChosen ? 2 : 1;
      context.strokeRect(x + 0.5, y + 0.5, side - 1, side - 1);
    }
  }
  // The darker, the larger.
  strength(value) {
    return 0.25 + 0.75 * (this.largest <= 1 ? 1 : Math.log(value) / Math.log(this.largest));
  }

  // Marks differ in their form, for those who do not tell the colours apart.
  drawMark(context, {mark, colour}, x, y, side, colours) {
    context.fillStyle = colours["--background"];
    context.fillRect(x, y, side, side);
    context.fillStyle = context.strokeStyle = colours[colour];
    context.lineWidth = 2;
    context.beginPath();
    if (mark === "dot") context.arc(x + side / 2, y + side / 2, side / 3, 0, 7);
    if (mark === "frame") context.rect(x + 1, y + 1, side - 2, side - 2);
    if (mark === "cross") {
      for (const [from, to] of [[1, side - 1], [side - 1, 1]]) {
        context.moveTo(x + 1, y + from);
        context.lineTo(x + side - 1, y + to);
      }
    }
    if (mark === "dot") context.fill();
    else context.stroke();
  }

  drawLegend() {
    const per = numberText(this.perCell), what = this.area.isPages ? "page" : "block";
    const parts = [element("span", {class: "hint"}, this.perCell === 1 ? `A cell is one ${what}.`
      : `A cell is ${per} ${what}s, and shows the largest number of them.`)];
    if (this.number === "") {
      const colours = this.colours();
      for (const name of this.numbers) {
        const swatch = element("canvas", {class: "swatch", width: 12, height: 12}), of = numberOf(name);
        const context = swatch.getContext("2d");
        context.fillStyle = colours[of.colour];
        if (of.mark) this.drawMark(context, of, 0, 0, 12, colours);
        else context.fillRect(0, 0, 12, 12);
        parts.push(element("span", {}, swatch, of.text));
      }
    } else {
      const steps = this.largest === 1 ? [1] : [1, Math.round(Math.sqrt(this.largest)), this.largest];
      const {colour} = numberOf(this.number);
      for (const step of new Set(steps)) {
        const style = `background:var(${colour});opacity:${this.strength(step)}`;
        parts.push(element("span", {}, element("span", {class: "swatch", style}), numberText(step)));
      }
    }
    if (this.different.length > 0)
      parts.push(element("span", {}, element("span", {class: "swatch framed"}), "differs"));
    this.legend.replaceChildren(...parts);
  }

  cellAt(x, y) {
    const column = Math.floor(x / this.size), row = Math.floor(y / this.size);
    const unit = this.from + (row * this.columns + column) * this.perCell;
    return column < this.columns && row < this.rows && unit < this.units ? unit : null;
  }

  placeText(unit) {
    const {area} = this;
    if (area.isPages) return "0x" + (area.first + unit * area.unit).toString(16);
    if (area.group === 0) return "block " + unit;
    return `plane ${Math.floor(unit / area.group)}, block ${unit % area.group}`;
  }

  // What has happened to the units of a cell, and what is there.
  textOf(area, unit) {
    const end = Math.min(this.units, unit + this.perCell);
    const place = this.placeText(unit) + (this.perCell === 1 ? "" : ` to ${this.placeText(end - 1)}`);
    const facts = this.numbers.filter((name) => largestOf(area.counts.get(name), unit, end) > 0)
      .map((name) => numberOf(name).shows(largestOf(area.counts.get(name), unit, end)));
    return [place, ...(facts.length > 0 ? facts : ["untouched"]), ...this.namesAt(area, unit, end)];
  }
  // The largest parts of what firmware has there.
  namesAt(area, unit, end) {
    const first = area.first + unit * area.unit, last = area.first + end * area.unit;
    const share = ({first: at, size}) => Math.min(last, at + size) - Math.max(first, at);
    const there = area.names.filter((name) => share(name) > 0).sort((a, b) => share(b) - share(a));
    if (there.length === 0) return [];
    const more = there.length > 6 ? ` and ${there.length - 6} more` : "";
    return ["has " + there.slice(0, 6).map((name) => name.text).join(", ") + more];
  }

  point(view, event) {
    const unit = this.cellAt(event.offsetX, event.offsetY);
    view.tip.hidden = unit === null;
    if (unit === null) return;
    view.tip.replaceChildren(...this.textOf(view.area, unit).map((line) => element("div", {}, line)));
    const left = Math.min(event.offsetX + 14, view.canvas.clientWidth - view.tip.offsetWidth - 4);
    view.tip.style.left = Math.max(0, left) + "px";
    view.tip.style.top = view.canvas.offsetTop + event.offsetY + 16 + "px";
  }

  choose(unit) {
    this.chosen = unit;
    if (unit < this.from || unit >= this.end) {
      const [first, end] = this.wanted, half = (end - first) / 2;
      this.wanted = [Math.max(0, unit - half), Math.min(this.units, unit + half)];
    }
    this.draw();
  }
  tell() {
    const unit = this.chosen - (this.chosen - this.from) % this.perCell;
    this.text.replaceChildren(...this.views.flatMap(({area, run}) => {
      const [place, ...facts] = this.textOf(area, unit);
      return [element("strong", {}, this.areas.length > 1 ? `${run.name} ${place}` : place),
              ...facts.map((fact) => element("span", {}, fact))];
    }));
  }

  // The next unit at which a number begins to be another one; of two runs, at which they begin to differ.
  find(by) {
    const cell = this.chosen === null ? null : this.chosen - (this.chosen - this.from) % this.perCell;
    const found = by > 0 ? this.marks.find((mark) => cell === null || mark >= cell + this.perCell)
      : this.marks.findLast((mark) => cell === null || mark < cell);
    if (found !== undefined) this.choose(found);
  }

  press(event) {
    const step = (by) => () => {
      const now = this.chosen ?? this.from - by;
      const next = now - (now - this.from) % this.perCell + by;
      if (next >= 0 && next < this.units) this.choose(next);
    };
    const row = this.columns * this.perCell;
    const actions = {
      ArrowLeft: step(-this.perCell), ArrowRight: step(this.perCell),
      ArrowUp: step(-row), ArrowDown: step(row),
      "+": () => this.zoom(0.25), "=": () => this.zoom(0.25), "-": () => this.zoom(4),
      0: () => this.look(0, this.units), n: () => this.find(1), p: () => this.find(-1),
      Escape: () => { this.chosen = null; this.draw(); },
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }
}

// Areas of the same name are beside each other. Of many, the first ones are shown at once.
function memoryMaps(runs) {
  const recorded = runs.filter((run) => run.pages), maps = [];
  if (recorded.length === 0) {
    const isKilled = runs.some((run) =>
      (run.record || run.record_problem) && Object.keys(run.stats).length === 0);
    return {host: missing(isKilled ? "What happened to pages is written when a run ends."
      : "What happened to pages was not recorded: run again with --report."), maps};
  }
  const host = element("div", {}), more = element("details", {}, element("summary", {}, "More memories"));
  const named = (name) => recorded.flatMap((run) =>
    run.pages.filter((area) => area.name === name).map((area) => ({area, run})));
  const all = [...new Set(recorded.flatMap((run) => run.pages.map((area) => area.name)))]
    .map((name) => [name, named(name)]);
  const isUsed = ([, areas]) =>
    areas.some(({area}) => [...area.counts.values()].some((runs) => runs.first.length > 0));
  const used = all.filter(isUsed), without = all.filter((each) => !isUsed(each)).map(([name]) => name);
  const isLost = (name) => runs.some((run) => run.events.some((event) =>
    event.kind === "node_loss" && event.lost === "node" && name.startsWith(`node${event.node}.`)));
  const unused = without.filter((name) => !isLost(name)), lost = without.filter(isLost);
  const sentence = (begin, names) => element("p", {class: "hint"}, begin + names.slice(0, 40).join(", ") +
    (names.length > 40 ? ` and ${names.length - 40} more.` : "."));
  queueMicrotask(() => {
    used.forEach(([, areas], i) => maps.push(new MemoryMap(i < 8 ? host : more, areas)));
    if (used.length > 8) host.append(more);
    if (unused.length > 0) host.append(sentence("Nothing has happened to ", unused));
    if (lost.length > 0) host.append(sentence("With a node that was lost, nothing is known any more of ", lost));
  });
  return {host, maps};
}
