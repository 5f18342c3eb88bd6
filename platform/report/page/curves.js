// Curves over simulated time, drawn with uPlot: rates of counters that only grow, and values of the others.
//
// A plot has no more points than it can show: where samples are closer than pixels, a rate is that of the
// time between two points. Between two samples that are close to each other a rate says little, because a core
// may be ahead of the first one by a quantum or more.

// What an architect looks for first, if the run has such counters: the sum of the counters that `of` matches,
// one curve for each text of its first group, as a rate per second divided by `scale`: of picoseconds 1e10 gives
// it per cent. With `by`, the growth of the sum over that of the counters which
// `by` matches, times `scale`.
const presets = [
  {title: "Instructions", unit: "/s", of: /(\w+)\.instructions$/},
  {title: "Memory bandwidth", unit: "B/s", of: /memory\.(read|written)_bytes$/},
  {title: "DRAM bandwidth", unit: "B/s", of: /dram\.(reads|writes)$/, scale: 1 / 64},
  {title: "Share of time the DRAM's data bus is busy", unit: "%", of: /(data_bus_busy)_ps$/, scale: 1e10},
  {title: "Cache misses per 1000 instructions", unit: "", of: /caches\.(\w+)\.missed_\w+$/,
   by: /\.instructions$/, scale: 1000},
  {title: "Accesses of the fabric", unit: "/s", of: /(fabric)\.accesses$/},
  {title: "Requests in DRAM or its queues, mean number", unit: "", of: /dram\.(read_latency|write_latency)_sum_ps$/,
   scale: 1e12},
  {title: "Power of DRAM", unit: "W", of: /energy\.(activate|read|write|refresh|background)_pj$/, scale: 1e12},
  {title: "Links", unit: "B/s", of: /(application|checkpoint)\.sent_bytes$/},
  {title: "Frames that wait for links, mean number", unit: "", of: /(application|checkpoint)\.waited_ps$/,
   scale: 1e12},
  {title: "Pages that wait to be copied", unit: "", of: /checkpointer\.(pages_pending)$/, value: true},
  {title: "Busy channels of flash, 100 for each", unit: "%", of: /flash\.(channel_busy)_ps$/, scale: 1e10},
  {title: "Flash pages", unit: "/s", of: /flash\.(page_reads|page_programs)$/},
  {title: "Wear of flash: erasures of a block", unit: "", of: /flash\.(erase_count_max)$/, value: true},
];
const mostPoints = 250, mostCurves = 16;
const curveColours = ["--blue", "--orange", "--green", "--purple", "--sky", "--red", "--yellow", "--quiet"];

class Curves {
  constructor(host, runs) {
    this.runs = runs.map((run) =>
      ({name: run.name, counters: this.countersOf(run), times: this.timesOf(run)}));
    this.range = this.whole;
    this.plots = [];
    this.removed = new Set();  // presets that the reader does not want
    this.list = element("div", {class: "plots"});
    host.append(this.controls(), this.list);
    for (const preset of presets) this.add(preset);
    if (this.plots.length === 0)
      this.list.append(element("p", {class: "missing"},
                               "This run has none of the usual counters; add one by its name."));
    this.resize = new ResizeObserver(() => this.plots.forEach((plot) => this.fit(plot)));
    this.resize.observe(this.list);
  }

  get whole() {
    return {min: 0, max: Math.max(1e-9, ...this.runs.map(({times}) => times.at(-1) / 1e9))};
  }

  // The runs have gone on.
  grow(runs) {
    this.runs = runs.map((run) =>
      ({name: run.name, counters: this.countersOf(run), times: this.timesOf(run)}));
    const shown = this.plots.map((plot) => plot.preset);
    for (const plot of this.plots) {
      const fresh = this.tableOf(plot.preset);
      const isSame = fresh && JSON.stringify(fresh.series) === JSON.stringify(plot.series);
      Object.assign(plot, fresh);
      if (!isSame) this.draw(plot);
      plot.uplot.setData(this.dataOf(plot, this.range), false);
      plot.uplot.setScale("x", this.range);
    }
    for (const preset of presets)
      if (!shown.includes(preset) && !this.removed.has(preset)) this.add(preset);
  }

  countersOf(run) {
    return run.record.tracks.filter((track) => track.isCounter);
  }
  timesOf(run) {
    const times = new Set();
    for (const track of this.countersOf(run)) for (const at of track.at) times.add(at);
    return Float64Array.from(times).sort();
  }

  controls() {
    const paths = new Set();
    for (const run of this.runs) for (const counter of run.counters) paths.add(counter.path);
    this.choice = element("input", {
      type: "search", list: "counters", placeholder: "Add a counter, e.g. node.memory.reads",
      "aria-label": "Add a counter", onchange: () => this.addChosen(paths)});
    const options = element("datalist", {id: "counters"});
    for (const path of [...paths].sort()) options.append(element("option", {value: path}));
    const log = element("input", {
      type: "checkbox", onchange: (event) => this.setLogarithmic(event.target.checked)});
    return element("div", {class: "controls"}, this.choice, options,
                   element("label", {}, log, " logarithmic axis"));
  }

  addChosen(paths) {
    const path = this.choice.value;
    this.choice.setCustomValidity(paths.has(path) ? "" : "No counter of this name was sampled.");
    if (!this.choice.reportValidity()) return;
    const of = new RegExp("^(" + path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + ")$");
    const plot = this.add({title: path, unit: "", of, asked: true});
    plot?.box.scrollIntoView({block: "nearest"});
    this.choice.value = "";
  }

  // The values of a counter at each time of its run.
  valuesAt(times, track) {
    const values = new Float64Array(times.length);
    let value = 0, next = 0;
    for (let i = 0; i < times.length; ++i) {
      while (next < track.at.length && track.at[next] <= times[i]) value = track.value[next++];
      values[i] = value;
    }
    return values;
  }

  // The curves of a preset in a run: {label: values}.
  curvesOf(run, preset) {
    const sums = new Map(), isCluster = run.counters.some((track) => track.path.startsWith("node1."));
    for (const track of run.counters) {
      const match = preset.of.exec(track.path);
      if (!match) continue;
      const label = isCluster && !preset.asked ? track.path.split(".")[0] + " " + match[1] : match[1];
      const values = this.valuesAt(run.times, track), sum = sums.get(label);
      if (!sum) sums.set(label, values);
      else values.forEach((value, i) => { sum[i] += value; });
    }
    let divisor = null;
    if (preset.by) {
      divisor = new Float64Array(run.times.length);
      for (const track of run.counters)
        if (preset.by.test(track.path))
          this.valuesAt(run.times, track).forEach((value, i) => { divisor[i] += value; });
    }
    const isShown = ([, values]) => preset.asked || values.some((value) => value);
    const curves = [...sums].filter(isShown).map(([label, values]) => ({
      label, values,
      isRate: !preset.value &&
        (!preset.asked || values.every((value, i) => i === 0 || value >= values[i - 1]))}));
    return {times: run.times, divisor, curves: this.withOthers(curves)};
  }

  // The largest of many curves, and the sum of the others: more colours and dashes cannot be distinguished.
  withOthers(curves) {
    if (curves.length <= mostCurves) return curves;
    const sorted = curves.slice().sort((a, b) => b.values.at(-1) - a.values.at(-1));
    const shown = new Set(sorted.slice(0, mostCurves - 1)), others = sorted.slice(mostCurves - 1);
    const values = others[0].values.map((_, i) => others.reduce((sum, other) => sum + other.values[i], 0));
    return [...curves.filter((curve) => shown.has(curve)),
            {label: others.length + " others", values, isRate: others[0].isRate}];
  }

  // The samples of the points in a range of time, and one on each side.
  samplesIn(times, {min, max}) {
    const behind = (time) => {
      let low = 0, high = times.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (times[middle] / 1e9 <= time) low = middle + 1;
        else high = middle;
      }
      return low;
    };
    const first = Math.max(0, behind(min) - 1), last = Math.min(times.length - 1, behind(max));
    const step = Math.max(0, (times[last] - times[first]) / mostPoints), samples = [];
    for (let i = first, next = -Infinity; i <= last; ++i)
      if (times[i] >= next || i === last) {
        samples.push(i);
        next = times[i] + step;
      }
    return samples;
  }

  pointsOf({values, isRate}, {times, divisor}, samples, scale) {
    if (!isRate) return samples.map((i) => values[i]);
    return samples.map((i, number) => {
      if (number === 0) return null;
      const before = samples[number - 1];
      const by = divisor ? divisor[i] - divisor[before] : (times[i] - times[before]) / 1e12;
      return by > 0 ? (values[i] - values[before]) / by * (divisor ? scale : 1 / scale) : null;
    });
  }

  dataOf(plot, range) {
    const tables = plot.parts.map((part) => {
      const samples = this.samplesIn(part.times, range);
      return [samples.map((i) => part.times[i] / 1e9),
              ...part.curves.map((curve) => this.pointsOf(curve, part, samples, plot.scale))];
    });
    const data = tables.length === 1 ? tables[0] : uPlot.join(tables);
    if (!this.isLogarithmic) return data;
    return data.map((column, i) => i === 0 ? column : column.map((value) => value > 0 ? value : null));
  }

  // The curves of a plot, and how they are drawn; null if there are none.
  tableOf(preset) {
    const labels = [], parts = [];
    const series = [{label: "time", value: (plot, value) => value === null ? "" : timeText(value * 1e9)}];
    this.runs.forEach((run, number) => {
      const part = this.curvesOf(run, preset);
      if (part.curves.length === 0) return;
      parts.push(part);
      for (const {label} of part.curves) {
        // A curve has the same colour in both runs.
        if (!labels.includes(label)) labels.push(label);
        const i = labels.indexOf(label), round = Math.floor(i / curveColours.length);
        series.push({
          label: this.runs.length > 1 ? label + ", " + run.name : label,
          colour: curveColours[i % curveColours.length],
          dash: number === 1 ? (round === 0 ? [7, 4] : [7, 3, 2, 3]) : round === 0 ? undefined : [2, 3],
          value: (plot, value) => value === null || value === undefined ? ""
            : preset.unit ? scaledText(value, preset.unit) : numberText(value)});
      }
    });
    return parts.length === 0 ? null : {parts, series};
  }

  add(preset) {
    const table = this.tableOf(preset);
    if (!table) return null;
    const close = element("button", {
      class: "close", title: "Remove this plot", "aria-label": "Remove " + preset.title,
      onclick: () => this.remove(plot)}, "\u00d7");
    const name = element("span");
    const box = element("figure", {class: "plot"}, element("figcaption", {}, name, close));
    const plot = {box, name, preset, ...table, scale: preset.scale ?? 1, uplot: null};
    if (preset.asked) this.list.prepend(box);  // below the field where its name was entered
    else this.list.append(box);
    this.plots.push(plot);
    this.draw(plot);
    return plot;
  }

  // What a chosen counter is drawn as depends on whether it only grows.
  nameOf({preset, parts}) {
    if (!preset.asked) return preset.title;
    const isRate = parts.every(({curves}) => curves.every((each) => each.isRate));
    return preset.title + (isRate ? ", a second" : ", its value");
  }

  remove(plot) {
    plot.uplot.destroy();
    plot.box.remove();
    this.plots = this.plots.filter((each) => each !== plot);
    this.removed.add(plot.preset);
  }

  draw(plot) {
    plot.name.textContent = this.nameOf(plot);
    const shown = plot.uplot?.series.map((each) => each.show);
    plot.uplot?.destroy();
    const axis = {stroke: colourOf("--text"), grid: {stroke: colourOf("--line"), width: 1},
                  ticks: {stroke: colourOf("--line"), width: 1}, font: "12px system-ui, sans-serif"};
    plot.uplot = new uPlot({
      width: Math.max(280, plot.box.clientWidth || 600), height: 190,
      cursor: {sync: {key: "time"}, drag: {x: true, y: false}, focus: {prox: 16},
               bind: {dblclick: () => () => { this.move(this.whole); }}},
      focus: {alpha: 0.25},
      legend: {live: true, markers: {dash: (u, i) => u.series[i].dash ? "dashed" : "solid"}},
      scales: {x: {time: false}, y: {distr: this.isLogarithmic ? 3 : 1}},
      axes: [{...axis, space: 90, values: (u, ticks) => ticks.map((tick) => timeText(tick * 1e9))},
             {...axis, size: 78,
              values: (u, ticks) => ticks.map((tick) => tick === null ? "" : scaledText(tick, plot.preset.unit))}],
      series: plot.series.map((each, i) => i === 0 ? each
        : {...each, stroke: colourOf(each.colour), width: 1.5, points: {show: false}}),
      hooks: {setScale: [(u, key) => {
        const {min, max} = u.scales.x, least = 1e-6 * (this.range.max - this.range.min);
        const isSame = (a, b) => Math.abs(a - b) < least;
        if (key !== "x" || (isSame(min, this.range.min) && isSame(max, this.range.max))) return;
        queueMicrotask(() => this.move({min, max}));
      }]},
    }, this.dataOf(plot, this.range), plot.box);
    plot.uplot.setScale("x", this.range);
    shown?.forEach((show, i) => { if (!show) plot.uplot.setSeries(i, {show}); });
  }

  fit(plot) {
    const width = Math.max(280, plot.box.clientWidth);
    if (plot.uplot && Math.abs(plot.uplot.width - width) > 1) plot.uplot.setSize({width, height: 190});
  }
  setLogarithmic(isLogarithmic) {
    this.isLogarithmic = isLogarithmic;
    this.redraw();
  }
  redraw() {
    this.plots.forEach((plot) => this.draw(plot));
  }
  // A plot shows another range, of milliseconds.
  move(range) {
    this.show(range.min * 1e9, range.max * 1e9);
    this.whenMoved?.(range.min * 1e9, range.max * 1e9);
  }
  // The timeline shows another range of picoseconds.
  show(from, to) {
    this.range = {min: from / 1e9, max: to / 1e9};
    for (const plot of this.plots) {
      plot.uplot.setData(this.dataOf(plot, this.range), false);
      plot.uplot.setScale("x", this.range);
    }
  }
}
