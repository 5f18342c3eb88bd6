// A panel of a figure: curves or bars, whose series hide, whose axes turn logarithmic, and whose points tell
// their values. What figure.h says of its panels holds here, too: hollow points are doubtful, and a curve to
// a point that is off the scale ends in an arrow with the point's value.

const panelColours = ["--blue", "--red", "--green", "--purple", "--text", "--orange", "--sky", "--yellow"];

class PanelPlot {
  // panel: {title, x_label, y_label, kind: "curves" | "bars", categories, logarithmic,
  //         series: [{name, points: [{x, y, doubt, low, high}]}]}
  constructor(host, panel) {
    this.panel = panel;
    this.hidden = new Set();
    this.logX = false;
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
                   this.panel.kind === "curves" ? box("logarithmic x", false, (on) => { this.logX = on; }) : null,
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
      }}, element("span", {class: "swatch", style: `background:var(${this.colour(i)})`}), series.name || "measured");
      list.append(button);
    });
    const doubts = new Set(this.panel.series.flatMap((series) => series.points.map((point) => point.doubt)));
    doubts.delete("");
    if (doubts.size > 0) list.append(element("span", {class: "hint"}, "hollow: " + [...doubts].join(", ")));
    return list;
  }
  colour(i) {
    return panelColours[i % panelColours.length];
  }

  // The series that are shown, with the points that have a place on the axes.
  shown() {
    return this.panel.series.map((series, i) => ({name: series.name, i, points: this.hidden.has(i) ? []
      : series.points.filter(({x, y}) => (!this.logX || x > 0) && (!this.logY || y > 0))}));
  }

  extent(values, isLogarithmic) {
    let low = Math.min(...values), high = Math.max(...values);
    if (!Number.isFinite(low)) return [isLogarithmic ? 0.1 : 0, 1];
    if (isLogarithmic) return [10 ** Math.floor(Math.log10(low) + 1e-9), 10 ** Math.ceil(Math.log10(high) - 1e-9)];
    if (low > 0 && low < 0.6 * high) low = 0;
    if (high < 0 && high > 0.6 * low) high = 0;
    const half = low === 0 ? 1 : Math.abs(low) / 2;
    return low === high ? [low - half, high + half] : [low, high];
  }
  ticks([low, high], isLogarithmic) {
    if (isLogarithmic) {
      const all = [];
      for (let power = Math.round(Math.log10(low)); 10 ** power <= high * 1.0001; ++power) all.push(10 ** power);
      return all.length === 1 ? [low, high] : all;
    }
    const rough = (high - low) / 6, size = 10 ** Math.floor(Math.log10(rough));
    const step = size * [1, 2, 5, 10].find((factor) => factor * size >= rough);
    const all = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) all.push(i * step);
    return all;
  }

  draw() {
    const width = Math.max(300, this.picture.clientWidth || 560), height = 320;
    const left = 74, right = 14, top = 14, bottom = 46;
    const isBars = this.panel.kind === "bars", series = this.shown(), points = series.flatMap((each) => each.points);
    const sure = points.filter((point) => isBars || point.doubt === ""), fitted = sure.length > 0 ? sure : points;
    const ys = fitted.flatMap(({y, low, high}) => low < high ? [y, high, ...(this.logY && low <= 0 ? [] : [low])] : [y]);
    const yRange = this.extent(isBars && !this.logY ? [...ys, 0] : ys, this.logY);
    const xRange = isBars ? [-0.5, Math.max(1, this.panel.categories.length) - 0.5]
      : this.extent(points.map(({x}) => x), this.logX);
    const place = (value, [low, high], isLogarithmic) => isLogarithmic
      ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
    this.x = (value) => left + place(value, xRange, this.logX && !isBars) * (width - left - right);
    this.y = (value) => height - bottom - place(value, yRange, this.logY) * (height - top - bottom);
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
    for (const tick of this.ticks(yRange, this.logY)) {
      this.add("line", {x1: left, x2: width - right, y1: this.y(tick), y2: this.y(tick), class: "grid"});
      this.add("text", {x: left - 6, y: this.y(tick) + 4, "text-anchor": "end"}, scaledText(tick));
    }
    const xTicks = isBars ? this.panel.categories.map((name, i) => [i, name])
      : this.ticks(xRange, this.logX).map((tick) => [tick, scaledText(tick)]);
    for (const [at, text] of xTicks)
      this.add("text", {x: this.x(at), y: height - bottom + 16, "text-anchor": "middle"}, text);
    this.add("text", {x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle", class: "label"},
             this.panel.x_label);
    this.add("text", {x: 14, y: (top + height - bottom) / 2, "text-anchor": "middle", class: "label",
                      transform: `rotate(-90 14 ${(top + height - bottom) / 2})`}, this.panel.y_label);
    this.add("line", {x1: left, x2: width - right, y1: height - bottom, y2: height - bottom, class: "axis"});
    this.top = top;
    this.floor = height - bottom;
    if (isBars) this.drawBars(series);
    else series.forEach((each) => this.drawCurve(each));
    picture.addEventListener("pointermove", (event) => this.point(event, series));
    picture.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    this.picture.replaceChildren(picture);
  }

  drawCurve({points, i}) {
    const sorted = points.slice().sort((a, b) => a.x - b.x), colour = `var(${this.colour(i)})`;
    let path = "";
    sorted.forEach((point, at) => {
      const y = Math.max(this.y(point.y), this.top - 4);
      path += `${at === 0 ? "M" : "L"}${this.x(point.x)} ${y}`;
    });
    this.add("path", {d: path, fill: "none", stroke: colour, "stroke-width": 1.8,
                      "stroke-dasharray": i >= panelColours.length ? "6 3" : "none"});
    for (const point of sorted) this.drawPoint(point, colour);
  }

  drawPoint(point, colour) {
    const x = this.x(point.x), y = this.y(point.y);
    if (y < this.top - 1) {
      this.add("path", {d: `M${x} ${this.top - 8}l5 9h-10z`, fill: colour, class: "off-scale"});
      this.add("text", {x: x + 8, y: this.top + 3, class: "value"}, numberText(point.y));
      return;
    }
    this.drawInterval(point, x, colour);
    this.add("circle", {cx: x, cy: y, r: 3.6, stroke: colour, "stroke-width": 1.6,
                        fill: point.doubt === "" ? colour : "var(--background)"});
  }
  drawInterval({low, high}, x, colour) {
    if (!(low < high)) return;
    const y1 = this.logY && low <= 0 ? this.floor : this.y(low), y2 = this.y(high);
    this.add("path", {d: `M${x} ${y1}V${y2}M${x - 4} ${y1}h8M${x - 4} ${y2}h8`, stroke: colour, fill: "none"});
  }

  drawBars(series) {
    const drawn = series.filter((each) => each.points.length > 0);
    const group = this.x(1) - this.x(0), bar = Math.min(60, 0.8 * group / Math.max(1, drawn.length));
    drawn.forEach((each, number) => {
      for (const point of each.points) {
        const x = this.x(point.x) + (number - drawn.length / 2) * bar, zero = this.logY ? this.floor : this.y(0);
        const y = this.y(point.y), colour = `var(${this.colour(each.i)})`;
        this.add("rect", {x: x + 1, width: Math.max(1, bar - 2), y: Math.min(y, zero), height: Math.abs(zero - y),
                          fill: point.doubt === "" ? colour : "var(--background)", stroke: colour});
        this.drawInterval(point, x + bar / 2, "var(--text)");
        point.barX = x + bar / 2;
      }
    });
  }

  point(event, series) {
    const box = this.picture.getBoundingClientRect(), at = {x: event.clientX - box.left, y: event.clientY - box.top};
    let nearest = null, distance = 40;
    for (const each of series)
      for (const point of each.points) {
        const x = point.barX ?? this.x(point.x), y = Math.max(this.y(point.y), this.top);
        const away = Math.hypot(x - at.x, (y - at.y) * (point.barX ? 0.2 : 1));
        if (away < distance) [nearest, distance] = [{each, point, x, y}, away];
      }
    this.tip.hidden = nearest === null;
    if (!nearest) return;
    const {each, point} = nearest, isBars = this.panel.kind === "bars";
    const lines = [each.name, `${this.panel.x_label}: ${isBars ? this.panel.categories[point.x] ?? "" : numberText(point.x)}`,
                   `${this.panel.y_label}: ${numberText(point.y)}`];
    if (point.low < point.high) lines.push(`95% interval: ${numberText(point.low)} to ${numberText(point.high)}`);
    if (point.doubt !== "") lines.push(point.doubt);
    this.tip.replaceChildren(...lines.filter((line) => line !== "").map((line) => element("div", {}, line)));
    this.tip.style.left = Math.min(nearest.x + 12, box.width - this.tip.offsetWidth) + "px";
    this.tip.style.top = this.picture.offsetTop + nearest.y + 12 + "px";
  }
}
