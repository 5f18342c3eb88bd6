// The netlist of a node as a picture: columns of boxes from left to right, and lines between them.

// graph: {nodes: [{id, label, column, kind}], edges: [{from, to, label}]}
function netlistPicture(graph, name) {
  const columns = [];
  for (const node of graph.nodes) (columns[node.column] ??= []).push(node);
  const longest = Math.max(...graph.nodes.map((node) => Math.max(node.label.length, node.detail.length)));
  const boxWidth = Math.max(120, 20 + 6.4 * longest), boxHeight = 34, gapX = 84, gapY = 12;
  const svg = "http://www.w3.org/2000/svg";
  const tallest = Math.max(...columns.map((column) => column?.length ?? 0));
  const height = tallest * (boxHeight + gapY) + gapY, width = columns.length * (boxWidth + gapX) - gapX + 8;
  const make = (tag, attributes, text) => {
    const made = document.createElementNS(svg, tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const picture = make("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
                               "aria-label": "Netlist of " + name, class: "netlist"});
  const places = new Map();
  columns.forEach((column, x) => {
    const top = (height - column.length * (boxHeight + gapY) + gapY) / 2;
    column.forEach((node, y) =>
      places.set(node.id, {x: 4 + x * (boxWidth + gapX), y: top + y * (boxHeight + gapY)}));
  });
  for (const edge of graph.edges) {
    const from = places.get(edge.from), to = places.get(edge.to);
    if (!from || !to) continue;
    const back = to.x <= from.x;
    const [x1, x2] = back ? [from.x, to.x + boxWidth] : [from.x + boxWidth, to.x];
    const y1 = from.y + boxHeight / 2, y2 = to.y + boxHeight / 2, bend = (x2 - x1) / 2;
    const line = make("path", {d: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`,
                               class: edge.kind ?? ""});
    line.append(make("title", {}, edge.label || edge.from + " to " + edge.to));
    picture.append(line);
  }
  for (const node of graph.nodes) {
    const {x, y} = places.get(node.id);
    const group = make("g", {class: node.kind});
    group.append(make("rect", {x, y, width: boxWidth, height: boxHeight, rx: 4}),
                 make("text", {x: x + 8, y: y + (node.detail ? 14 : 21)}, node.label));
    if (node.detail) group.append(make("text", {x: x + 8, y: y + 28, class: "detail"}, node.detail));
    group.append(make("title", {}, node.label + (node.detail ? ": " + node.detail : "")));
    picture.append(group);
  }
  return picture;
}
