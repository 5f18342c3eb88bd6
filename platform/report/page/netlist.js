// The netlist of a node as a picture: columns of boxes from left to right, and lines between them.

// graph: {nodes: [{id, label, column, kind}], edges: [{from, to, label}]}
function netlistPicture(graph, name) {
  const columns = [];
  for (const node of graph.nodes) (columns[node.column] ??= []).push(node);
  const longest = Math.max(...graph.nodes.map((node) => Math.max(node.label.length, node.detail.length)));
  const boxWidth = Math.max(120, 20 + 6.4 * longest), boxHeight = 34, gapX = 84, gapY = 12;
  // A line to a column that is not the next one passes the columns between them above their boxes.
  const columnOf = new Map(graph.nodes.map((node) => [node.id, node.column]));
  const passing = columns.map((_, column) => graph.edges.filter(({from, to}) =>
    columnOf.get(from) < column && column < columnOf.get(to)));
  const heightOf = (column) => passing[column].length * gapY + columns[column].length * (boxHeight + gapY);
  const height = Math.max(...columns.map((_, column) => heightOf(column))) + gapY;
  const loop = 30;  // the room for lines within the last column
  const width = columns.length * (boxWidth + gapX) - gapX + 8 + loop;
  const picture = svgElement("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
                               "aria-label": "Netlist of " + name, class: "netlist"});
  const places = new Map();
  columns.forEach((column, x) => {
    const top = (height - heightOf(x) + gapY) / 2 + passing[x].length * gapY;
    column.forEach((node, y) =>
      places.set(node.id, {x: 4 + x * (boxWidth + gapX), y: top + y * (boxHeight + gapY)}));
  });
  const curve = (x1, y1, x2, y2, bend = (x2 - x1) / 2) => `C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
  const lineOf = (edge, from, to) => {
    const y1 = from.y + boxHeight / 2, y2 = to.y + boxHeight / 2, right = from.x + boxWidth;
    if (to.x === from.x) return `M${right} ${y1}C${right + loop} ${y1} ${right + loop} ${y2} ${right} ${y2}`;
    if (to.x < from.x) return `M${from.x} ${y1}` + curve(from.x, y1, to.x + boxWidth, y2);
    let path = `M${right} ${y1}`, x = right, y = y1;
    for (let column = columnOf.get(edge.from) + 1; column < columnOf.get(edge.to); ++column) {
      const left = 4 + column * (boxWidth + gapX), top = (height - heightOf(column) + gapY) / 2;
      const at = top + passing[column].indexOf(edge) * gapY;
      path += curve(x, y, left, at) + `H${left + boxWidth}`;
      [x, y] = [left + boxWidth, at];
    }
    return path + curve(x, y, to.x, y2);
  };
  for (const edge of graph.edges) {
    const from = places.get(edge.from), to = places.get(edge.to);
    if (!from || !to) continue;
    const line = svgElement("path", {d: lineOf(edge, from, to), class: edge.kind ?? ""});
    line.append(svgElement("title", {}, edge.label || edge.from + " to " + edge.to));
    picture.append(line);
  }
  for (const node of graph.nodes) {
    const {x, y} = places.get(node.id);
    const group = svgElement("g", {class: node.kind});
    group.append(svgElement("rect", {x, y, width: boxWidth, height: boxHeight, rx: 4}),
                 svgElement("text", {x: x + 8, y: y + (node.detail ? 14 : 21)}, node.label));
    if (node.detail) group.append(svgElement("text", {x: x + 8, y: y + 28, class: "detail"}, node.detail));
    group.append(svgElement("title", {}, node.label + (node.detail ? ": " + node.detail : "")));
    picture.append(group);
  }
  return picture;
}
