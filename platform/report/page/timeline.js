// A timeline on a canvas: the tracks of a record over simulated time. It draws about as many things as there
// are pixels, whatever the number of intervals: neighbours that are together narrower than a pixel are drawn
// as one.

// The intervals of a row, in order, and groups of 4, 16, 64, ... neighbours. Group i of level n has those from
// i * 4^n on: its begin, its end, the time that is covered, and the label of most of it.
class IntervalLevels {
  constructor(begin, end, label) {
    this.levels = [{begin, end, label, busy: null}];
    while (this.levels.at(-1).begin.length > 4) this.levels.push(this.grouped(this.levels.at(-1)));
  }

  grouped(lower) {
    const count = Math.ceil(lower.begin.length / 4);
    const level = {begin: new Float64Array(count), end: new Float64Array(count),
                   busy: new Float64Array(count), label: new Uint32Array(count)};
    for (let i = 0; i < count; ++i) {
      const first = 4 * i, last = Math.min(first + 4, lower.begin.length);
      level.begin[i] = lower.begin[first];
      let longest = -1;
      for (let j = first; j < last; ++j) {
        const busy = lower.busy ? lower.busy[j] : lower.end[j] - lower.begin[j];
        level.end[i] = Math.max(level.end[i], lower.end[j]);
        level.busy[i] += busy;
        if (busy > longest) {
          longest = busy;
          level.label[i] = lower.label[j];
        }
      }
    }
    return level;
  }

  // Calls draw(begin, end, label, share, index) for what is in [from, to), where a pixel is `pixel` long. Of a
  // group, `share` is the part of its time that is covered, and the index is -1.
  visit(from, to, pixel, draw) {
    const visitGroup = (n, i) => {
      const level = this.levels[n], begin = level.begin[i], end = level.end[i];
      if (begin >= to || end < from) return;
      if (n === 0) {
        draw(begin, end, level.label[i], 1, i);
      } else if (end - begin <= pixel) {
        draw(begin, end, level.label[i], end > begin ? Math.min(1, level.busy[i] / (end - begin)) : 1, -1);
      } else {
        const lower = this.levels[n - 1].begin.length;
        for (let j = 4 * i; j < Math.min(4 * i + 4, lower); ++j) visitGroup(n - 1, j);
      }
    };
    const top = this.levels.length - 1;
    for (let i = 0; i < this.levels[top].begin.length; ++i) visitGroup(top, i);
  }
}

// Intervals of a track that overlap are drawn in rows below each other.
function rowsOf(track) {
  const rows = [], ends = [], rowOf = new Uint8Array(track.begin.length);
  for (let i = 0; i < track.begin.length; ++i) {
    if (track.instant[i]) continue;
    let row = ends.findIndex((end) => end <= track.begin[i]);
    if (row < 0) row = ends.length < 8 ? ends.push(0) - 1 : ends.indexOf(Math.min(...ends));
    (rows[row] ??= []).push(i);
    rowOf[i] = row;
    ends[row] = track.end[i];
  }
  const made = rows.map((indices) => {
    const pick = (column) => column.constructor.from(indices, (i) => column[i]);
    return {indices, levels: new IntervalLevels(pick(track.begin), pick(track.end), pick(track.label))};
  });
  const lengths = new Map();  // of all intervals with a label, together
  for (const {indices} of made)
    for (const i of indices)
      lengths.set(track.label[i], (lengths.get(track.label[i]) ?? 0) + track.end[i] - track.begin[i]);
  return {rows: made, rowOf, lengths};
}

// Colours that people with any colour vision tell apart (Okabe and Ito), by the meaning of a name, others in turn.
const meanings = {running: "--green", compute: "--green", waiting: "--quiet", blocked: "--orange",
                  checkpoint: "--blue", snapshot: "--blue", "no power": "--red", locked_up: "--red",
                  copy: "--sky", "data in": "--sky", program: "--blue", "data out": "--yellow", read: "--yellow",
                  erase: "--orange", write: "--purple", frame: "--sky", application: "--green"};
const isFault = /fault|lost|loss|error|fail|locked_up|not_recoverable/;
// Of something with more flows, only some are drawn.
const drawnFlows = 200;
const others = ["--sky", "--purple", "--yellow", "--orange", "--green", "--blue"];
const mostNames = 24;  // of the legend

// The colour of text that has more contrast on a colour.
function textOn(colour) {
  const light = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16) / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  const luminance = 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
  return luminance < 0.18 ? "#ffffff" : colourOf("--on-colour");
}

// One node after the other, and of each its cores first. Otherwise the order of the record is kept.
function placeOf({path}) {
  const [, node, rest] = /^node(\d*)(.*)/.exec(path) ?? [, Infinity, ""];
  return 2 * Number(node) + (/^\.core\d+$/.test(rest) ? 0 : 1);
}

class Timeline {
  constructor(host, run, end, whenChosen) {
    this.run = run;
    this.record = run.record;
    this.whenChosen = whenChosen;
    this.end = end;
    this.from = 0;
    this.to = this.end;
    this.colours = new Map();
    this.chosen = null;
    this.flows = [];  // of what is chosen: [{lane, index}] for each
    this.rowHeight = 18;
    this.top = 24;
    this.folded = new Set();  // nodes whose tracks are not shown
    this.nodes = element("div", {class: "legend nodes"});
    this.names = element("div", {class: "legend map-legend"});
    this.takeLanes();
    this.canvas = element("canvas", {
      tabindex: 0, class: "timeline", role: "application",
      "aria-label": "Timeline of " + run.name + ". Arrow keys move, plus and minus zoom, 0 shows all, " +
        "n and p choose the next and previous event, f and b what came after and before in its flow."});
    this.tip = element("div", {class: "tip", hidden: true});
    host.append(this.canvas, this.tip);
    host.before(this.nodes);
    host.after(this.names);
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  takeLanes() {
    const earlier = this.laneOf ?? new Map();
    const tracks = this.record.tracks.filter((track) => !track.isCounter && track.begin.length > 0);
    this.takeNodes(tracks);
    this.lanes = tracks.filter((track) => !this.folded.has(this.nodeOf(track)))
      .map((track) => ({track, place: placeOf(track)})).sort((a, b) => a.place - b.place).map(({track}) => {
        const lane = earlier.get(track);
        return lane?.detail === track.detail ? lane
          : {track, detail: track.detail, ...rowsOf(track), instants: this.instantsOf(track)};
      });
    this.laneOf = new Map(this.lanes.map((lane) => [lane.track, lane]));
    this.faults = null;
    if (this.chosen) this.findAgain();
    this.labelWidth = Math.min(220, 20 + 7 * Math.max(8, ...this.lanes.map((lane) => lane.track.path.length)));
    this.place();
    this.takeNames();
  }

  nodeOf({path}) {
    return path.split(".")[0];
  }
  // Of a cluster, a button for each node, which folds its tracks.
  takeNodes(tracks) {
    const nodes = [...new Set(tracks.map((track) => this.nodeOf(track)))].filter((name) => /^node\d+$/.test(name));
    if (nodes.length < 2 || nodes.length === this.nodes.children.length) return;
    this.nodes.replaceChildren(...nodes.map((name) => {
      const button = element("button", {"aria-pressed": String(!this.folded.has(name)), onclick: () => {
        if (!this.folded.delete(name)) this.folded.add(name);
        button.setAttribute("aria-pressed", String(!this.folded.has(name)));
        this.takeLanes();
        this.draw();
      }}, name);
      return button;
    }));
  }
  // What the colours mean: the names that take most of the time.
  takeNames() {
    const lengths = new Map();
    for (const lane of this.lanes)
      for (const [label, length] of lane.lengths) lengths.set(label, (lengths.get(label) ?? 0) + length);
    const sorted = [...lengths].sort((a, b) => b[1] - a[1]).map(([label]) => label);
    this.names.replaceChildren(
      ...sorted.slice(0, mostNames).map((label) => {
        this.colour(label);
        const swatch = element("span", {class: "swatch", style: `background:var(${this.colours.get(label)})`});
        return element("span", {}, swatch, this.record.texts[label]);
      }),
      sorted.length > mostNames ? element("span", {class: "hint"}, `and ${sorted.length - mostNames} more`) : "");
  }

  // What is chosen may have another place among the entries of its track. One that had not ended is lost.
  findAgain() {
    const {lane, index} = this.chosen, now = this.laneOf.get(lane.track);
    const place = !now || lane.detail[index] === 0 ? -1 : now.detail.indexOf(lane.detail[index]);
    this.chosen = place < 0 ? null : {lane: now, index: place};
    this.flows = this.chosen ? this.flowsOf(this.chosen) : [];
  }

  // The record has grown. Who sees all of it goes on to do so, and so does who sees its end.
  grow(end) {
    const length = this.to - this.from, isAtEnd = this.to >= this.end * (1 - 1e-6);
    const isAll = isAtEnd && this.from <= this.end * 1e-6;
    this.end = end;
    this.takeLanes();
    if (isAll) this.show(0, end);
    else if (isAtEnd) this.show(end - length, end);
    else this.draw();
  }

  instantsOf(track) {
    return Uint32Array.from(track.instant.keys()).filter((i) => track.instant[i]);
  }

  place() {
    let y = this.top;
    for (const lane of this.lanes) {
      lane.y = y;
      lane.height = this.rowHeight * Math.max(1, lane.rows.length);
      y += lane.height + 4;
    }
    this.height = y + 4;
  }

  colour(label) {
    if (!this.colours.has(label)) {
      const meaning = meanings[this.record.texts[label]];
      this.colours.set(label, meaning ?? others[this.colours.size % others.length]);
    }
    return colourOf(this.colours.get(label));
  }

  get pixel() {
    return (this.to - this.from) / Math.max(1, this.width - this.labelWidth);
  }
  x(time) {
    return this.labelWidth + (time - this.from) / this.pixel;
  }
  timeAt(x) {
    return this.from + (x - this.labelWidth) * this.pixel;
  }

  show(from, to) {
    const length = Math.min(Math.max(to - from, 10), this.end);
    this.tip.hidden = true;
    this.from = Math.min(Math.max(0, from), this.end - length);
    this.to = this.from + length;
    this.draw();
    this.whenMoved?.(this.from, this.to);
  }
  zoom(factor, around = (this.from + this.to) / 2) {
    this.show(around - (around - this.from) * factor, around + (this.to - around) * factor);
  }

  draw() {
    const scale = window.devicePixelRatio || 1;
    this.width = this.canvas.clientWidth;
    if (this.width === 0) return;
    this.canvas.style.height = this.height + "px";
    this.canvas.width = Math.round(this.width * scale);
    this.canvas.height = Math.round(this.height * scale);
    const context = this.canvas.getContext("2d");
    context.scale(scale, scale);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    const palette = new Map();
    const colour = (label) => {
      if (!palette.has(label)) palette.set(label, this.colour(label));
      return palette.get(label);
    };
    this.drawAxis(context);
    this.drawn = 0;
    for (const lane of this.lanes) this.drawLane(context, lane, colour);
    this.drawFlows(context);
  }

  drawAxis(context) {
    const span = this.to - this.from, text = colourOf("--text"), grid = colourOf("--line");
    const most = Math.max(1, (this.width - this.labelWidth) / 80), rough = span / most;
    const size = 10 ** Math.floor(Math.log10(rough));
    const step = size * [1, 2, 5, 10].find((factor) => factor * size >= rough);
    for (let at = Math.ceil(this.from / step) * step; at <= this.to; at += step) {
      const x = this.x(at);
      context.fillStyle = grid;
      context.fillRect(x, this.top - 6, 1, this.height);
      context.fillStyle = text;
      const label = timeText(at);
      context.fillText(label, Math.min(x + 3, this.width - context.measureText(label).width - 2), 9);
    }
  }

  drawLane(context, lane, colour) {
    context.fillStyle = colourOf("--text");
    context.save();
    context.beginPath();
    context.rect(0, lane.y, this.labelWidth - 6, lane.height);
    context.clip();
    context.fillText(lane.track.path, 2, lane.y + this.rowHeight / 2);
    context.restore();
    context.save();
    context.beginPath();
    context.rect(this.labelWidth, 0, this.width - this.labelWidth, this.height);
    context.clip();
    lane.rows.forEach((row, number) => this.drawRow(context, row, lane.y + number * this.rowHeight, colour));
    if (this.chosen?.lane === lane) this.drawFrame(context, this.chosen);
    this.drawInstants(context, lane);
    context.restore();
  }

  // Boxes of one colour are drawn together, since it takes longer to set a colour than to draw a box.
  drawRow(context, row, y, colour) {
    const boxes = new Map(), height = this.rowHeight - 2, named = [];
    row.levels.visit(this.from, this.to, 1.5 * this.pixel, (begin, end, label, share, index) => {
      const x = this.x(begin), width = Math.max(1, this.x(end) - x), tone = 4 * label + Math.max(1, Math.ceil(4 * share)) - 1;
      if (!boxes.has(tone)) boxes.set(tone, []);
      boxes.get(tone).push(x, width);
      ++this.drawn;
      if (width > 44 && index >= 0) named.push([label, x, width]);
    });
    for (const [tone, places] of boxes) {
      context.globalAlpha = 0.25 + 0.1875 * (tone % 4 + 1);
      context.fillStyle = colour(tone >> 2);
      for (let i = 0; i < places.length; i += 2) context.fillRect(places[i], y, places[i + 1], height);
    }
    context.globalAlpha = 1;
    for (const [label, x, width] of named) {
      context.fillStyle = textOn(colour(label));
      this.drawName(context, this.record.texts[label], x, y, width);
    }
  }

  // Around what is chosen, and what is in its flows.
  drawFrame(context, {lane, index}) {
    if (lane.track.instant[index]) return;
    const x = this.x(lane.track.begin[index]), width = Math.max(3, this.x(lane.track.end[index]) - x);
    context.strokeStyle = colourOf("--text");
    context.lineWidth = 2;
    context.strokeRect(x + 1, this.rowY(lane, index) + 1, width - 2, this.rowHeight - 4);
  }
  rowY(lane, index) {
    return lane.y + lane.rowOf[index] * this.rowHeight;
  }

  // The flows of what is chosen: an arrow from the end of each part to the begin of the next one.
  drawFlows(context) {
    context.save();
    context.beginPath();
    context.rect(this.labelWidth, 0, this.width - this.labelWidth, this.height);
    context.clip();
    context.strokeStyle = context.fillStyle = colourOf("--text");
    context.lineWidth = 1.5;
    const half = this.rowHeight / 2 - 1;
    for (const flow of this.flows.slice(0, drawnFlows))
      flow.forEach((part, i) => {
        this.drawFrame(context, part);
        if (i === 0) return;
        const before = flow[i - 1];
        const x1 = this.x(before.lane.track.end[before.index]), y1 = this.rowY(before.lane, before.index) + half;
        const x2 = this.x(part.lane.track.begin[part.index]), y2 = this.rowY(part.lane, part.index) + half;
        const bend = Math.max(12, Math.abs(x2 - x1) / 3);
        context.beginPath();
        context.moveTo(x1, y1);
        context.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2 - 4, y2);
        context.stroke();
        context.beginPath();
        context.moveTo(x2 + 1, y2);
        context.lineTo(x2 - 6, y2 - 4);
        context.lineTo(x2 - 6, y2 + 4);
        context.fill();
      });
    context.restore();
  }

  drawName(context, name, x, y, width) {
    const left = Math.max(x, this.labelWidth), room = Math.min(x + width, this.width) - left - 8;
    const fits = (text) => context.measureText(text).width <= room;
    let shown = name;
    for (let length = name.length - 1; length > 0 && !fits(shown); --length)
      shown = name.slice(0, length).trimEnd() + "\u2026";
    if (shown.length < 3 && shown !== name || !fits(shown)) return;
    context.fillText(shown, left + 4, y + this.rowHeight / 2);
  }

  drawInstants(context, lane) {
    const {instants, track} = lane;
    const draw = (index, isLarge) => {
      const x = Math.round(this.x(track.begin[index])), y = lane.y + this.rowHeight - 3;
      const half = isLarge ? 4 : 2.5;
      context.fillStyle = colourOf(isLarge && this.isFault(track.label[index]) ? "--red" : "--text");
      context.beginPath();
      context.moveTo(x, y - 3 * half);
      context.lineTo(x + half, y);
      context.lineTo(x - half, y);
      context.fill();
      ++this.drawn;
    };
    // One of those that are closer together than three pixels: a fault among the first hundred, or else the first.
    for (let i = this.firstInstant(lane, this.from); i < instants.length && track.begin[instants[i]] <= this.to;) {
      const next = this.firstInstant(lane, track.begin[instants[i]] + 3 * this.pixel, i + 1);
      let shown = i;
      for (let j = i; j < Math.min(next, i + 100) && !this.isFault(track.label[instants[shown]]); ++j)
        if (this.isFault(track.label[instants[j]])) shown = j;
      draw(instants[shown], this.isFault(track.label[instants[shown]]));
      i = next;
    }
    if (this.chosen?.lane === lane && track.instant[this.chosen.index]) draw(this.chosen.index, true);
    for (const flow of this.flows)
      for (const part of flow) if (part.lane === lane && track.instant[part.index]) draw(part.index, true);
  }
  isFault(label) {
    this.faults ??= this.record.texts.map((text) => isFault.test(text));
    return this.faults[label];
  }
  // The first instant at this time or later, as a place in lane.instants, not before `from`.
  firstInstant({instants, track}, time, from = 0) {
    return from + lowerBound(instants.length - from, (i) => track.begin[instants[from + i]] < time);
  }
  // What is drawn at a place: {lane, index}, or null.
  at(x, y) {
    const lane = this.lanes.find((each) => y >= each.y && y < each.y + each.height);
    if (!lane || x < this.labelWidth) return null;
    const near = lane.instants[this.firstInstant(lane, this.timeAt(x - 4))];
    if (near !== undefined && Math.abs(this.x(lane.track.begin[near]) - x) <= 4) return {lane, index: near};
    const row = lane.rows[Math.floor((y - lane.y) / this.rowHeight)];
    if (!row) return null;
    const time = this.timeAt(x), slack = this.pixel;
    let found = null;
    row.levels.visit(time - slack, time + slack, this.pixel / 1e6, (begin, end, label, share, index) => {
      if (index >= 0 && begin <= time + slack && end >= time - slack) found = {lane, index: row.indices[index]};
    });
    return found;
  }

  textOf({lane, index}) {
    const {track} = lane, begin = track.begin[index], end = track.end[index];
    const {details} = this.record.detailsOf(track, index);
    const parts = [this.record.texts[track.label[index]],
                   track.instant[index] ? "at " + timeText(begin, 9)
                     : timeText(begin, 9) + " to " + timeText(end, 9) + " (" + timeText(end - begin) + ")"];
    for (const [name, value] of Object.entries(details))
      parts.push(name + " " + (name === "address" ? "0x" + value.toString(16) : value));
    return parts;
  }

  choose(what) {
    this.chosen = what;
    this.flows = what ? this.flowsOf(what) : [];
    if (what) {
      const begin = what.lane.track.begin[what.index];
      if (begin < this.from || begin > this.to) {
        const half = (this.to - this.from) / 2;
        this.show(begin - half, begin + half);
      }
    }
    this.draw();
    this.whenChosen(what ? {path: what.lane.track.path, text: this.textOf(what), before: this.besides(what, -1),
                            after: this.besides(what, 1)} : null);
  }

  flowsOf({lane, index}) {
    return this.record.detailsOf(lane.track, index).flows.map((flow) => this.record.entriesOf(flow)
      .map(({track, index}) => ({lane: this.laneOf.get(track), index})).filter((part) => part.lane));
  }
  // What comes before (-1) or after (1) something in its flows, the nearest first: [{name, choose}].
  besides(what, by) {
    const seen = new Set(), found = [];
    for (const flow of this.flows) {
      const at = flow.findIndex((part) => part.lane === what.lane && part.index === what.index);
      const next = flow[at + by];
      const detail = next?.lane.track.detail[next.index];
      if (!next || seen.has(detail)) continue;
      seen.add(detail);
      const {track} = next.lane;
      found.push({
        name: `${this.record.texts[track.label[next.index]]} (${track.path}, ${timeText(track.begin[next.index], 7)})`,
        choose: () => this.choose(next)});
    }
    return found;
  }

  // The next or previous thing of the chosen track, or of the first one.
  step(by) {
    const lane = this.chosen?.lane ?? this.lanes[0];
    if (!lane) return;
    const index = this.chosen ? this.chosen.index + by : 0;
    if (index >= 0 && index < lane.track.begin.length) this.choose({lane, index});
  }
  stepLane(by) {
    const now = this.lanes.indexOf(this.chosen?.lane), next = this.lanes[now + by];
    if (next) this.choose({lane: next, index: 0});
  }

  listen() {
    const canvas = this.canvas;
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey && Math.abs(event.deltaY) > Math.abs(event.deltaX) &&
          document.activeElement !== canvas) return;  // the page scrolls, until the timeline is clicked
      event.preventDefault();
      const pan = Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : event.shiftKey ? event.deltaY : 0;
      if (pan !== 0) this.show(this.from + pan * this.pixel, this.to + pan * this.pixel);
      else this.zoom(1.0015 ** event.deltaY, this.timeAt(event.offsetX));
    }, {passive: false});
    let drag = null;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.focus();
      canvas.setPointerCapture(event.pointerId);
      drag = {x: event.offsetX, from: this.from, to: this.to, moved: false};
    });
    canvas.addEventListener("pointermove", (event) => {
      if (drag) {
        const moved = event.offsetX - drag.x;
        if (Math.abs(moved) > 3) drag.moved = true;
        if (drag.moved) this.show(drag.from - moved * this.pixel, drag.to - moved * this.pixel);
        return;
      }
      this.point(event);
    });
    canvas.addEventListener("pointerup", (event) => {
      if (drag && !drag.moved) this.choose(this.at(event.offsetX, event.offsetY));
      drag = null;
    });
    canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    canvas.addEventListener("dblclick", (event) => this.zoom(0.25, this.timeAt(event.offsetX)));
    canvas.addEventListener("keydown", (event) => this.press(event));
  }

  point(event) {
    const what = this.at(event.offsetX, event.offsetY);
    this.tip.hidden = what === null;
    if (!what) return;
    this.tip.replaceChildren(...this.textOf(what).map((line) => element("div", {}, line)));
    const left = Math.min(event.offsetX + 14, this.width - this.tip.offsetWidth - 4);
    this.tip.style.left = left + "px";
    this.tip.style.top = event.offsetY + 16 + "px";
  }

  press(event) {
    const length = this.to - this.from;
    const actions = {
      ArrowLeft: () => this.show(this.from - length / 5, this.to - length / 5),
      ArrowRight: () => this.show(this.from + length / 5, this.to + length / 5),
      ArrowUp: () => this.stepLane(-1), ArrowDown: () => this.stepLane(1),
      "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2),
      0: () => this.show(0, this.end), Home: () => this.show(0, length),
      End: () => this.show(this.end - length, this.end),
      n: () => this.step(1), p: () => this.step(-1), Escape: () => this.choose(null),
      f: () => this.chosen && this.besides(this.chosen, 1)[0]?.choose(),
      b: () => this.chosen && this.besides(this.chosen, -1)[0]?.choose(),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }
}
