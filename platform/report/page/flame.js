// A flame graph of profile.folded: a box for each function on each stack, above its caller, as wide as the
// instructions of the function and of all that it called. A click makes a box as wide as the picture.

class FlameGraph {
  constructor(host, folded) {
    this.root = {name: "all cores", total: 0, children: new Map(), parent: null};
    for (const line of folded.split("\n")) {
      const blank = line.lastIndexOf(" ");
      if (blank < 0) continue;
      const count = Number(line.slice(blank + 1));
      let node = this.root;
      node.total += count;
      for (const name of line.slice(0, blank).split(";")) {
        if (!node.children.has(name))
          node.children.set(name, {name, total: 0, children: new Map(), parent: node});
        node = node.children.get(name);
        node.total += count;
      }
    }
    this.top = this.root;
    this.search = element("input", {
      type: "search", placeholder: "Find a function", "aria-label": "Find a function",
      oninput: () => this.draw()});
    this.found = element("output", {});
    this.picture = element("div", {class: "flame", role: "tree", "aria-label": "Flame graph"});
    host.append(element("div", {class: "controls"}, this.search, this.found), this.picture);
    this.draw();
  }

  depthOf(node) {
    const wide = [...node.children.values()].filter((child) => child.total >= this.top.total / 2000);
    return 1 + Math.max(0, ...wide.map((child) => this.depthOf(child)));
  }

  draw() {
    const boxes = [], word = this.search.value.toLowerCase();
    let found = 0;
    const place = (node, left, depth, isBelowFound) => {
      const share = node.total / this.top.total;
      if (share < 0.0005) return;
      const isFound = word !== "" && node.name.toLowerCase().includes(word);
      if (isFound && !isBelowFound) found += node.total;
      boxes.push(this.box(node, left, share, depth, isFound));
      let at = left;
      for (const child of [...node.children.values()].sort((a, b) => b.total - a.total)) {
        place(child, at, depth + 1, isBelowFound || isFound);
        at += child.total / this.top.total;
      }
    };
    place(this.top, 0, 0, false);
    this.picture.style.height = 18 * this.depthOf(this.top) + "px";
    this.picture.replaceChildren(...boxes);
    this.found.textContent = word === "" ? ""
      : (100 * found / this.top.total).toFixed(1) + "% in what is found";
  }

  box(node, left, share, depth, isFound) {
    const text = node.name + ": " + numberText(node.total) + " instructions, " +
      (100 * node.total / this.root.total).toFixed(2) + "% of all";
    const choose = () => {
      this.top = node === this.top && node.parent ? node.parent : node;
      this.draw();
      this.picture.firstChild?.focus();
    };
    return element("div", {
      class: isFound ? "box found" : "box", role: "treeitem", tabindex: 0, title: text, "aria-label": text,
      style: `left:${100 * left}%;width:${100 * share}%;bottom:${18 * depth}px;` +
        `--tone:${this.tone(node.name)}`,
      onclick: choose, onkeydown: (event) => { if (event.key === "Enter") choose(); },
    }, share > 0.02 ? node.name : "");
  }
  tone(name) {
    let sum = 0;
    for (const letter of name) sum = (31 * sum + letter.charCodeAt(0)) % 997;
    return (sum % 40) + "%";
  }
}
