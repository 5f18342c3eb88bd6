// Tables that sort by a click on a column's head, and filter by a word.

const isQuantity = /^[+-]?\d[\d.,]*([eE][+-]?\d+)? ?[\w%\/]{0,5}$/;  // "28.5872 ms"

// `rows` are arrays of cells, a cell a text, a number or {text, value, mark, link}; `mark` is a class. A row may have
// a `mark`, too. A word is looked for in the first column, or with `searchesAll` in all. A box with the text
// `less` limits the table to the rows for which isLess(row) holds, and is checked at first.
// A head is a text or {text, meaning}.
function sortableTable(heads, rows, options = {}) {
  let order = null;
  const textOf = (head) => head.text ?? head;
  const body = element("tbody");
  const cells = (row) => row.map((cell) => {
    const value = cell !== null && typeof cell === "object" ? cell : {value: cell};
    const text = value.text ?? (typeof value.value === "number" ? numberText(value.value) : String(value.value ?? ""));
    const classes = [typeof value.value === "number" ? "number" : text.length > 40 ? "long"
                     : isQuantity.test(text) ? "quantity" : "", value.mark ?? ""];
    return element("td", {class: classes.join(" ").trim()},
                   ...(value.link ? [element("a", {href: value.link}, text)] : breakable(text)));
  });
  const valueOf = (cell) => cell !== null && typeof cell === "object" ? cell.value : cell;
  const fill = () => {
    const word = filter?.value.toLowerCase() ?? "";
    const searched = (row) => options.searchesAll ? row.map(valueOf).join(" ") : String(valueOf(row[0]));
    let shown = rows.filter((row) => (word === "" || searched(row).toLowerCase().includes(word)) &&
                                     (!less?.checked || options.isLess(row)));
    if (order)
      shown = shown.slice().sort((a, b) => {
        const [x, y] = [valueOf(a[order.column]), valueOf(b[order.column])];
        const numbers = typeof x === "number" && typeof y === "number";
        return order.sign * (numbers ? x - y : String(x ?? "").localeCompare(String(y ?? ""), "en", {numeric: true}));
      });
    body.replaceChildren(...shown.slice(0, options.most ?? 5000).map((row) =>
      element("tr", row.mark ? {class: row.mark, tabindex: -1} : {}, ...cells(row))));
  };
  const headCells = heads.map((head, column) => {
    const sort = () => {
      order = {column, sign: order?.column === column ? -order.sign : 1};
      headCells.forEach((cell, i) =>
        cell.setAttribute("aria-sort", i !== column ? "none" : order.sign > 0 ? "ascending" : "descending"));
      fill();
    };
    return element("th", {scope: "col", "aria-sort": "none", title: head.meaning ?? null},
                   element("button", {onclick: sort}, ...breakable(textOf(head))));
  });
  const filter = options.filter
    ? element("input", {type: "search", placeholder: options.filter, "aria-label": options.filter, oninput: fill}) : null;
  const less = options.less ? element("input", {type: "checkbox", checked: true, onchange: fill}) : null;
  fill();
  const table = element("table", {}, element("thead", {}, element("tr", {}, ...headCells)), body);
  let printed = [];
  onPaper((isPaper) => {
    printed.forEach((part) => part.remove());
    table.style.zoom = isPaper ? Math.min(paperZoom, paperWidth / Math.max(1, table.scrollWidth)) : "";
    printed = isPaper ? partsForPaper(table) : [];
    table.style.display = printed.length > 0 ? "none" : "";
    table.after(...printed);
  });
  const explained = heads.filter((head) => head.meaning);
  const meanings = explained.length === 0 ? null
    : element("details", {class: "columns"}, element("summary", {}, "Columns"),
              element("dl", {}, ...explained.flatMap((head) =>
                [element("dt", {}, textOf(head)), element("dd", {}, head.meaning)])));
  const mostOnPaper = 16;
  if (meanings) onPaper((isPaper) => { meanings.open = isPaper && explained.length <= mostOnPaper; });
  const controls = !less ? filter
    : element("div", {class: "controls"}, filter, element("label", {}, less, " " + options.less));
  const hint = element("div", {class: "hint", hidden: true}, "The table is wider than the page: it scrolls to the right.");
  const wide = element("div", {class: "wide"}, table);
  const sizes = new ResizeObserver(() => {
    hint.hidden = wide.scrollWidth <= wide.clientWidth;
    if (hint.hidden) wide.removeAttribute("tabindex");
    else wide.tabIndex = 0;  // the keys scroll it
  });
  sizes.observe(wide);
  sizes.observe(table);
  return element("div", {class: "table"}, controls, hint, wide, meanings);
}

// The parts of a table that is much too wide for paper, below each other. Each has as many columns as fit, and
// the first columns again, which tell the rows apart. None if the table fits.
function partsForPaper(table) {
  const widths = [...table.tHead.rows[0].cells].map((cell) => cell.offsetWidth);
  const widthOf = (columns) => columns.reduce((sum, column) => sum + widths[column], 0);
  const all = [...widths.keys()], room = paperWidth / paperZoom;
  if (widthOf(all) < 1.4 * room) return [];
  const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent));
  const areDifferent = (count) => new Set(rows.map((row) => row.slice(0, count).join("\n"))).size === rows.length;
  const same = all.slice(0, [1, 2, 3].find(areDifferent) ?? 3), parts = [];
  let part = null;
  for (const column of all.slice(same.length)) {
    if (!part || widthOf([...part, column]) > room) parts.push(part = [...same]);
    part.push(column);
  }
  return parts.map((columns) => {
    const copy = table.cloneNode(true);
    copy.style.zoom = paperZoom;
    for (const row of copy.rows) row.replaceChildren(...columns.map((column) => row.cells[column]));
    return copy;
  });
}

// The values of one or two trees by path; of two with their change, those that differ first.
function valuesTable(trees, names, filter) {
  const maps = trees.map((tree) => new Map(flattened(tree)));
  const text = (value) => value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : value;
  if (maps.length === 1)
    return sortableTable(["name", "value"], [...maps[0]].map(([path, value]) => [path, text(value)]), {filter});
  const paths = [...new Set([...maps[0].keys(), ...maps[1].keys()])];
  const rows = paths.map((path) => {
    const [a, b] = maps.map((map) => map.get(path));
    const differs = JSON.stringify(a) !== JSON.stringify(b);
    const change = typeof a === "number" && typeof b === "number" && a !== 0 ? 100 * (b / a - 1) : null;
    return [path, text(a), {value: text(b), mark: differs ? "differs" : ""},
            {value: change ?? (differs ? "differs" : 0),
             text: change === null ? (differs ? "differs" : "") : change === 0 ? "" :
               (change > 0 ? "+" : "") + change.toFixed(Math.abs(change) < 10 ? 2 : 0) + "%"}];
  });
  rows.sort((a, b) => (b[2].mark !== "") - (a[2].mark !== ""));
  return sortableTable(["name", ...names, "change"], rows, {filter, less: "only what differs",
                                                            isLess: (row) => row[2].mark !== ""});
}
