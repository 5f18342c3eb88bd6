// Numbers and times for people.

function timeText(picoseconds, digits = 6) {
  for (const [unit, size] of [["s", 1e12], ["ms", 1e9], ["us", 1e6], ["ns", 1e3]])
    if (Math.abs(picoseconds) >= size) return Number((picoseconds / size).toPrecision(digits)) + " " + unit;
  return Math.round(picoseconds) + " ps";
}

function numberText(value) {
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value)) return value.toLocaleString("en");
  // Seven digits after the point are readable.
  if (Math.abs(value) < 1e-4) return Number(value.toPrecision(4)).toExponential();
  return Number(value.toPrecision(4)).toLocaleString("en", {maximumSignificantDigits: 4});
}

// 1.5e9 -> "1.5 G"
function scaledText(value, unit = "") {
  const magnitude = Math.abs(value);
  for (const [prefix, size] of [["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3]])
    if (magnitude >= size) return Number((value / size).toPrecision(4)) + " " + prefix + unit;
  return Number(value.toPrecision(4)) + (unit ? " " + unit : "");
}

// An element: element("td", {class: "number"}, "5", anotherElement)
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function svgElement(name, attributes = {}, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// A long name, which may be broken at its dots and underscores. Numbers, sentences and commands are left as they
// are.
function breakable(text) {
  if (text.length < 24 || !/^[a-z_]\S*$/i.test(text)) return [text];
  return text.split(/(?<=[._])(?!\d)/).flatMap((part, i) => i === 0 ? [part] : [element("wbr"), part]);
}

const paperWidth = 680;  // what a page of A4 or Letter has between its margins, in pixels of CSS

const paperZoom = 0.8;  // of text in tables

// Calls change(true) before the page is printed, while its sizes may still change, and change(false) later.
function onPaper(change) {
  window.addEventListener("beforeprint", () => change(true));
  window.addEventListener("afterprint", () => change(false));
}

function colourOf(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// A value of a tree by its path: [["node.cores.count", 4], ...]. Arrays without structure are values.
function flattened(tree, path = "", all = []) {
  const isArray = Array.isArray(tree);
  if (tree === null || typeof tree !== "object" ||
      (isArray && !tree.some((each) => each !== null && typeof each === "object"))) {
    all.push([path, tree]);
    return all;
  }
  for (const [key, value] of Object.entries(tree)) flattened(value, path ? path + "." + key : key, all);
  return all;
}
