// A panel of a figure: curves or bars, whose series hide, whose axes turn logarithmic, and whose points tell
// their values. What figure.h says of its panels holds here, too: hollow points are doubtful, crosses are
// published values, plus signs exact ones, and a point that is off the scale is an arrow at its edge with the
// point's value.

const panelColours = ["--blue", "--red", "--green", "--purple", "--text", "--orange", "--sky", "--yellow"];

const mostSteps = 8;

// Of the greatest value on a logarithmic axis. Curves of lower ones would leave no room to the others.
const leastOfAxis = 1e-30;

let panelCount = 0;

// The mark of a curve's points: those of the same form have other colours.
function markOf(i, x, y) {
  const marks = [["circle", {cx: x, cy: y, r: 3.6}],
                 ["rect", {x: x - 3.2, y: y - 3.2, width: 6.4, height: 6.4}],
                 ["path", {d: `M${x} ${y - 4.5}l4 7h-8z`}],
                 ["path", {d: `M${x} ${y - 4.5}l4.5 4.5l-4.5 4.5l-4.5 -4.5z`}]];
  return marks[(i + Math.floor(i / panelColours.length)) % marks.length];
}
// Bars of a colour that is used again are paler.
function opacityOf(i) {
  return i >= panelColours.length ? 0.4 : 1;
}
function dashOf(i) {
  return i >= panelColours.length ? "6 3" : "none";
}

function tickText(value) {
  return Math.abs(value) < 1e6 ? String(Number(value.toPrecision(4))) : scaledText(value);
}

class PanelPlot {
  // panel: {title, x_label, y_label, kind: "curves" | "bars", categories, logarithmic,
  //         logarithmic_x, interval, series: [{name, drawn: "both" | "line" | "markers",
  //                                            points: [{x, y, doubt, low, high}],
  //                                            published: [{x, y}], exact: [{x, y}]}]}
  constructor(host, panel) {
    this.panel = panel;
    this.hidden = new Set();
    this.clip = `plot${++panelCount}`;
    this.logX = panel.logarithmic_x;
    this.logY = panel.logarithmic;
    this.figure = element("figure", {class: "panel"}, element("figcaption", {}, panel.title));
    this.picture = element("div", {class: "picture"});
    this.tip = element("div", {class: "tip", hidden: true});
    this.figure.append(this.axisControls(), this.picture, this.tip, this.legend());
    host.append(this.figure);
    this.draw();
    new ResizeObserver(() => this.draw()).observe(this.picture);
  }

  axisControls() {
    const box = (text, isOn, change) => element("label", {}, element("input", {
      type: "checkbox", checked: isOn,
      onchange: (event) => { change(event.target.checked); this.draw(); }}), " " + text);
    return element("div", {class: "controls"},
                   this.panel.kind === "curves" ? box("logarithmic x", this.logX, (on) => { this.logX = on; }) : null,
                   box("logarithmic y", this.logY, (on) => { this.logY = on; }));
  }

  legend() {
    const list = element("div", {class: "legend"});
    this.panel.series.forEach((series, i) => {
      if (this.panel.series.length === 1 && series.name === "") return;
      const button = element("button", {"aria-pressed": "true", onclick: () => {
        if (!this.hidden.delete(i)) this.hidden.add(i);
        button.setAttribute("aria-pressed", String(!this.hidden.has(i)));
        this.draw();
      }}, this.swatch(i), series.name || "measured");
      list.append(button);
    });
    const doubts = new Set(this.panel.series.flatMap((series) => series.points.map((point) => point.doubt)));
    doubts.delete("");
    const hints = doubts.size > 0 ? ["hollow: " + [...doubts].join(", ")] : [];
    if (this.panel.series.some((series) => series.published.length > 0)) hints.push("\u00d7 published");
    if (this.panel.series.some((series) => series.exact.length > 0)) hints.push("+ exact");
    if (this.panel.series.some((series) => series.points.some(({low, high}) => low < high)))
      hints.push("error bars: 95% interval" + (this.panel.interval && " of " + this.panel.interval));
    if (hints.length > 0) list.append(element("span", {class: "hint"}, hints.join("; ")));
    list.append(this.arrowHint = element("span", {class: "hint"}));
    return list;
  }
  // A bar's colour, or a curve's line and mark.
  swatch(i) {
    if (this.panel.kind === "bars")
      return element("span", {class: "swatch", style: `background:var(${this.colour(i)});opacity:${opacityOf(i)}`});
    const colour = `var(${this.colour(i)})`, [tag, place] = markOf(i, 13, 6);
    const picture = svgElement("svg", {width: 26, height: 12, class: "mark"});
    const line = {d: "M0 6H26", stroke: colour, "stroke-width": 1.8, "stroke-dasharray": dashOf(i)};
    const {drawn} = this.panel.series[i];
    if (drawn !== "markers") picture.append(svgElement("path", line));
    if (drawn !== "line") picture.append(svgElement(tag, {...place, fill: colour}));
    return picture;
  }
  colour(i) {
    return panelColours[i % panelColours.length];
  }

  // The series that are shown, with the points that have a place on the axes.
  shown() {
    const placed = (points, i) => this.hidden.has(i) ? [] : points.filter(({x}) => !this.logX || x > 0);
    return this.panel.series.map((series, i) =>
      ({name: series.name, drawn: series.drawn, i, points: placed(series.points, i), published: placed(series.published, i),
        exact: placed(series.exact, i)}));
  }

  // The axes are those of figure.cpp: all values at the distance of a step, from the first one to the last.
  ticks(low, high) {
    if (!(high > low)) high = low + (low > 0 ? low : 1);
    const size = 10 ** Math.ceil(Math.log10((high - low) / mostSteps) - 1e-9);
    const step = [0.2, 0.5, 1].map((part) => part * size).find((each) => (high - low) / each <= mostSteps + 1e-6);
    const all = [Math.floor(low / step + 1e-9) * step];
    while (all.at(-1) < high - step * 1e-9) all.push(all[0] + all.length * step);
    return all;
  }
  powersOfTen(first, high) {
    const powers = Math.max(1, Math.ceil(Math.log10(high) - 1e-9) - first), step = Math.ceil(powers / mostSteps);
    return Array.from({length: Math.ceil(powers / step) + 1}, (_, i) => 10 ** (first + step * i));
  }
  // The first power of ten is below the values, so that a bar of the lowest can be seen.
  yTicks(values, isBars) {
    const positive = values.filter((y) => y > 0);
    if (this.logY && positive.length > 0) {
      const most = Math.max(...positive), least = Math.max(Math.min(...positive), isBars ? 0 : most * leastOfAxis);
      return this.powersOfTen(Math.ceil(Math.log10(least) - 1e-9) - 1, most);
    }
    if (this.logY || values.length === 0) return [this.logY ? 0.1 : 0, 1];
    const low = Math.min(...values), high = Math.max(...values);
    const isShare = this.panel.y_label.endsWith("(%)") && high <= 100;
    const isNarrow = !isBars && low > 0.8 * high && low < 0.99 * high;
    return this.ticks(isNarrow ? low : Math.min(low, 0), Math.max(0, isShare ? Math.min(high * 1.02, 100) : high * 1.02));
  }
  xTicks(values) {
    if (values.length === 0) return [this.logX ? 0.1 : 0, 1];
    const low = Math.min(...values), high = Math.max(...values);
    return this.logX ? this.powersOfTen(Math.floor(Math.log10(low) + 1e-9), high)
      : this.ticks(low < high / 3 ? 0 : low, high);
  }

  draw() {
    const width = Math.max(300, this.picture.clientWidth || 560);
    const isBars = this.panel.kind === "bars", series = this.shown(), points = series.flatMap((each) => each.points);
    const marks = series.flatMap((each) => [...each.published, ...each.exact]);
    const sure = points.filter((point) => isBars || this.logY || point.doubt === "");
    const ys = [...(sure.length > 0 ? sure : points), ...marks]
      .flatMap(({y, low, high}) => low < high ? [y, high, Math.max(low, 0)] : [y]);
    const yTicks = this.yTicks(ys, isBars), right = 24, top = 14;
    const left = Math.max(74, 30 + 7.4 * Math.max(0, ...yTicks.map((tick) => tickText(tick).length)));
    const longest = Math.max(0, ...this.panel.categories.map((name) => name.length)) * 6.8;
    const isTurned = isBars && longest > (width - left - right) / Math.max(1, this.panel.categories.length) - 6;
    const bottom = isTurned ? 40 + longest * 0.72 : 46, height = 274 + bottom;
    const xTicks = isBars ? [] : this.xTicks([...points, ...marks].map(({x}) => x));
    const xEnds = isBars ? [-0.5, Math.max(1, this.panel.categories.length) - 0.5] : [xTicks[0], xTicks.at(-1)];
    const place = (value, low, high, isLogarithmic) => isLogarithmic
      ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
    this.x = (value) => left + place(value, ...xEnds, this.logX && !isBars) * (width - left - right);
    this.y = (value) =>
      height - bottom - place(value, yTicks[0], yTicks.at(-1), this.logY) * (height - top - bottom);
    const svg = "http://www.w3.org/2000/svg";
    const picture = document.createElementNS(svg, "svg");
    for (const [key, value] of Object.entries({viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
                                               "aria-label": this.panel.title || this.panel.y_label}))
      picture.setAttribute(key, value);
    this.add = (tag, attributes, text) => {
      const made = document.createElementNS(svg, tag);
      for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
      if (text !== undefined) made.textContent = text;
      picture.append(made);
      return made;
    };
    for (const tick of yTicks) {
      this.add("line", {x1: left, x2: width - right, y1: this.y(tick), y2: this.y(tick), class: "grid"});
      this.add("text", {x: left - 6, y: this.y(tick) + 4, "text-anchor": "end"}, tickText(tick));
    }
    for (const tick of xTicks)
      this.add("line", {x1: this.x(tick), x2: this.x(tick), y1: top, y2: height - bottom, class: "grid"});
    const texts = xTicks.map(tickText);
    const widest = 7 * Math.max(0, ...texts.map((text) => text.length)) + 8;
    const every = Math.ceil(widest * (texts.length - 1) / (width - left - right));
    const names = isBars ? this.panel.categories.map((name, i) => [i, name])
      : xTicks.map((tick, i) => [tick, i % every === 0 ? texts[i] : ""]);
    for (const [at, text] of names) {
      const x = this.x(at), y = height - bottom + 16;
      this.add("text", isTurned ? {x, y: y - 4, "text-anchor": "end", transform: `rotate(-45 ${x} ${y - 4})`}
        : {x, y, "text-anchor": "middle"}, text);
    }
    this.add("text", {x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle", class: "label"},
             this.panel.x_label);
    this.add("text", {x: 14, y: (top + height - bottom) / 2, "text-anchor": "middle", class: "label",
                      transform: `rotate(-90 14 ${(top + height - bottom) / 2})`}, this.panel.y_label);
    this.add("line", {x1: left, x2: width - right, y1: height - bottom, y2: height - bottom, class: "axis"});
    this.top = top;
    this.right = width - right;
    this.floor = height - bottom;
    this.labels = [];
    this.add("clipPath", {id: this.clip}).append(
      this.add("rect", {x: left, y: top, width: width - left - right, height: this.floor - top + 1}));
    if (!isBars) this.placeArrows(points);
    if (isBars) this.drawBars(series);
    else series.forEach((each) => this.drawCurve(each));
    for (const {i, published, exact} of series) {
      const colour = isBars ? "var(--text)" : `var(${this.colour(i)})`;
      for (const mark of exact) this.drawMark(mark, "m-6 0h12m-6 -6v12", "exact", colour);
      for (const mark of published) this.drawMark(mark, "m-5.5 -5.5l11 11m-11 0l11 -11", "published", colour);
    }
    picture.addEventListener("pointermove", (event) => this.point(event, series));
    picture.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    this.picture.replaceChildren(picture);
  }

  drawCurve({points, drawn, i}) {
    const sorted = points.slice().sort((a, b) => a.x - b.x), colour = `var(${this.colour(i)})`;
    let path = "";
    sorted.forEach((point, at) => {
      const y = this.logY && point.y <= 0 ? this.floor : Math.max(this.y(point.y), -1e5);
      path += `${at === 0 ? "M" : "L"}${this.x(point.x)} ${y}`;
    });
    if (drawn !== "markers")
      this.add("path", {d: path, fill: "none", stroke: colour, "stroke-width": 1.8, "clip-path": `url(#${this.clip})`,
                        "stroke-dasharray": dashOf(i), class: "curve"});
    for (const point of sorted)
      if (drawn !== "line" || this.isOffScale(point.y)) this.drawPoint(point, colour, i);
  }
  // The place of a value, or the end of the axis for one beyond it.
  within(y) {
    return this.logY && y <= 0 ? this.floor : Math.min(this.floor, Math.max(this.y(y), this.top - 4));
  }

  isBelow(y) {
    return this.logY && (y <= 0 || this.y(y) > this.floor + 1);
  }
  isOffScale(y) {
    return this.isBelow(y) || this.y(y) < this.top - 1;
  }

  // Arrows at the same place stand side by side.
  placeArrows(points) {
    for (const point of points) {
      delete point.arrowX;
      if (!this.isOffScale(point.y)) continue;
      const isAbove = !this.isBelow(point.y), isTaken = (x) => this.labels.some((other) =>
        other.isAbove === isAbove && other.from < x + 5 && x - 5 < other.to);
      let x = this.x(point.x);
      const aside = x + 30 > this.right ? -1 : 1;
      while (isTaken(x)) x += aside;
      point.arrowX = x;
      this.labels.push({isAbove, line: 0, from: x - 5, to: x + 5});
    }
    const hasArrows = points.some((point) => point.arrowX !== undefined);
    this.arrowHint.textContent = hasArrows ? "arrow: off the axis, with the value" : "";
  }

  drawPoint(point, colour, i) {
    const x = this.x(point.x), y = this.within(point.y);
    if (this.isOffScale(point.y)) {
      this.drawOffScale(point, point.arrowX, y < this.top, colour);
      return;
    }
    this.drawInterval(point, x, colour);
    const paint = {class: "point", stroke: colour, "stroke-width": 1.6,
                   fill: point.doubt === "" ? colour : "var(--background)"};
    const [tag, place] = markOf(i, x, y);
    this.add(tag, {...place, ...paint});
  }
  // An arrow, and its value in the first line in which it overlaps no other one, if there is any.
  drawOffScale(point, x, isAbove, colour) {
    const end = isAbove ? this.top : this.floor, text = numberText(point.y), width = 7 * text.length;
    this.add("path", {d: `M${x} ${end}l5 ${isAbove ? 9 : -9}h-10z`, fill: "var(--background)", stroke: colour,
                      "stroke-width": 1.5, class: "off-scale"});
    const isLeft = x + 8 + width > this.right;
    const from = isLeft ? x - 8 - width : x + 7, to = isLeft ? x - 7 : x + 8 + width;
    const overlaps = (line) => this.labels.some((label) =>
      label.isAbove === isAbove && label.line === line && from < label.to && label.from < to);
    const line = [0, 1, 2, 3, 4, 5, 6, 7].find((each) => !overlaps(each));
    if (line === undefined) return;
    this.labels.push({isAbove, line, from, to});
    this.add("text", {x: isLeft ? x - 8 : x + 8, class: "value", "text-anchor": isLeft ? "end" : "start",
                      y: isAbove ? this.top + 11 + 13 * line : this.floor - 3 - 13 * line,
                      style: `fill: ${colour}`}, text);
  }
  drawMark(mark, path, name, colour) {
    const d = `M${mark.barX ?? this.x(mark.x)} ${this.within(mark.y)}${path}`;
    this.add("path", {d, stroke: "var(--background)", "stroke-width": 3.4, fill: "none"});
    this.add("path", {d, stroke: colour, "stroke-width": 1.7, fill: "none", class: name});
  }
  drawInterval({low, high}, x, colour) {
    if (!(low < high)) return;
    const y1 = this.within(low), y2 = this.within(high);
    this.add("path", {d: `M${x} ${y1}V${y2}M${x - 4} ${y1}h8M${x - 4} ${y2}h8`, stroke: colour, fill: "none"});
  }

  drawBars(series) {
    const drawn = series.filter((each) => each.points.length > 0);
    const group = this.x(1) - this.x(0), bar = Math.min(60, 0.8 * group / Math.max(1, drawn.length));
    drawn.forEach((each, number) => {
      for (const point of each.points) {
        const x = this.x(point.x) + (number - drawn.length / 2) * bar, zero = this.logY ? this.floor : this.y(0);
        const y = this.within(point.y), colour = `var(${this.colour(each.i)})`;
        this.add("rect", {x: x + 1, width: Math.max(1, bar - 2), y: Math.min(y, zero), height: Math.abs(zero - y),
                          fill: point.doubt === "" ? colour : "var(--background)", stroke: colour,
                          "fill-opacity": opacityOf(each.i)});
        this.drawInterval(point, x + bar / 2, "var(--text)");
        point.barX = x + bar / 2;
        if (this.logY && point.y === 0)
          this.add("text", {x: point.barX, y: zero - 3, "text-anchor": "middle", class: "value"}, "0");
      }
      for (const mark of [...each.published, ...each.exact]) mark.barX = this.x(mark.x) + (number - drawn.length / 2) * bar + bar / 2;
    });
  }

  point(event, series) {
    const box = this.picture.getBoundingClientRect(), at = {x: event.clientX - box.left, y: event.clientY - box.top};
    let nearest = null, distance = 40;
    for (const each of series)
      for (const point of [...each.published, ...each.exact, ...each.points]) {
        const x = point.barX ?? point.arrowX ?? this.x(point.x), y = this.within(point.y);
        const away = Math.hypot(x - at.x, (y - at.y) * (point.barX ? 0.2 : 1));
        if (away < distance) [nearest, distance] = [{each, point, x, y}, away];
      }
    this.tip.hidden = nearest === null;
    if (!nearest) return;
    const {each, point} = nearest, isBars = this.panel.kind === "bars";
    const mark = each.published.includes(point) ? " published" : each.exact.includes(point) ? " exact" : "";
    const lines = [(each.name + mark).trim(),
                   `${this.panel.x_label}: ${isBars ? this.panel.categories[point.x] ?? "" : numberText(point.x)}`,
                   `${this.panel.y_label}: ${numberText(point.y)}`];
    if (point.low < point.high) lines.push(`95% interval: ${numberText(point.low)} to ${numberText(point.high)}`);
    if (point.doubt) lines.push(point.doubt);
    this.tip.replaceChildren(...lines.filter((line) => line !== "").map((line) => element("div", {}, line)));
    this.tip.style.left = Math.min(nearest.x + 12, box.width - this.tip.offsetWidth) + "px";
    this.tip.style.top = this.picture.offsetTop + nearest.y + 12 + "px";
  }
}
