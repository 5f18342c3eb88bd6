// Reads traces/record.bin of a run; docs/seeing.md describes the format. The file was checked by the program
// that wrote the page.

async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function bytesOfBase64(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// The first number below `count` of which isBefore() is not true, as of all that follow.
function lowerBound(count, isBefore) {
  let low = 0, high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

// A typed array that grows.
class Column {
  constructor(Type) {
    this.values = new Type(1024);
    this.length = 0;
  }
  push(value) {
    if (this.length === this.values.length) {
      const larger = new this.values.constructor(2 * this.length);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length++] = value;
  }
  view() {
    return this.values.subarray(0, this.length);
  }
}

// Times are picoseconds. A track has its entries: {begin, end, label, instant, detail} as arrays, in the order
// of their begin, and a counter its samples: {at, value}. `detail` is the place of an entry's details, by which
// the entries of a flow are found.
class RunRecord {
  constructor() {
    this.texts = [];
    this.tracks = [];
    this.details = new Column(Float64Array);  // triples: name, is text, value
    this.inFlows = {flow: new Column(Float64Array), track: new Column(Uint32Array),
                    begin: new Column(Float64Array), detail: new Column(Float64Array)};
    this.end = 0;
    this.last = 0;
  }

  static async read(bytes) {
    const record = new RunRecord();
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 12; at + 8 <= bytes.length;) {
      const size = view.getUint32(at, true), length = view.getUint32(at + 4, true);
      if (size === 0 || at + 8 + length > bytes.length) break;  // the end, or that of a run which was killed
      record.readBlock(await inflated(bytes.subarray(at + 8, at + 8 + length)));
      at += 8 + length;
    }
    record.sort();
    record.name = record.texts[0];
    return record;
  }

  readBlock(block) {
    let at = 0;
    // Numbers above 2^53 lose their last bits, which nobody sees in a picture.
    const number = () => {
      let value = 0, factor = 1;
      for (;;) {
        const byte = block[at++];
        value += (byte & 0x7f) * factor;
        if (byte < 0x80) return value;
        factor *= 128;
      }
    };
    const signed = () => {
      const value = number();
      return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    };
    const decoder = new TextDecoder();
    while (at < block.length) {
      switch (number()) {
        case 0: {
          const length = number();
          this.texts.push(decoder.decode(block.subarray(at, at + length)));
          at += length;
          break;
        }
        case 1: {
          const name = this.texts[number()], unit = this.texts[number()], isCounter = number() === 1;
          this.addTrack(name, unit, isCounter, number() - 1);
          break;
        }
        case 2:
        case 3: {
          const isInstant = block[at - 1] === 3;
          const trackNumber = number(), track = this.tracks[trackNumber], detail = this.details.length;
          this.last += signed();
          const end = isInstant ? this.last : this.last + number();
          track.columns.begin.push(this.last);
          track.columns.end.push(end);
          track.columns.label.push(number());
          track.columns.instant.push(isInstant ? 1 : 0);
          track.columns.detail.push(detail);
          const details = number();
          this.details.push(details);
          for (let i = 0; i < details; ++i)
            for (let part = 0; part < 3; ++part) this.details.push(number());
          const flows = number();
          this.details.push(flows);
          for (let i = 0; i < flows; ++i) {
            const flow = number();
            this.details.push(flow);
            this.inFlows.flow.push(flow);
            this.inFlows.track.push(trackNumber);
            this.inFlows.begin.push(this.last);
            this.inFlows.detail.push(detail);
          }
          this.end = Math.max(this.end, end);
          break;
        }
        case 4: {
          const track = this.tracks[number()];
          this.last += signed();
          track.value += signed();
          track.columns.at.push(this.last);
          track.columns.value.push(track.value);
          this.end = Math.max(this.end, this.last);
          break;
        }
      }
    }
  }

  addTrack(name, unit, isCounter, parent) {
    const path = parent >= 0 ? this.tracks[parent].path + "." + name : name;
    this.tracks.push({
      name, unit, isCounter, path, value: 0, parent: parent >= 0 ? this.tracks[parent] : null,
      columns: isCounter
        ? {at: new Column(Float64Array), value: new Column(Float64Array)}
        : {begin: new Column(Float64Array), end: new Column(Float64Array), label: new Column(Uint32Array),
           instant: new Column(Uint8Array), detail: new Column(Float64Array)},
    });
  }

  sort() {
    for (const track of this.tracks) {
      const columns = track.columns;
      for (const name in columns) track[name] = columns[name].view();
      delete track.columns;
      if (track.isCounter) continue;
      const order = Uint32Array.from(track.begin.keys());
      order.sort((a, b) => track.begin[a] - track.begin[b] || track.end[b] - track.end[a]);
      for (const name of ["begin", "end", "label", "instant", "detail"])
        track[name] = track[name].constructor.from(order, (i) => track[name][i]);
    }
    this.details = this.details.view();
    for (const name in this.inFlows) this.inFlows[name] = this.inFlows[name].view();
  }

  // The entries of a flow: [{track, index}], in the order of their begin.
  entriesOf(flow) {
    const {flow: flows, track, begin, detail} = this.inFlows;
    this.byFlow ??= Uint32Array.from(flows.keys()).sort((a, b) => flows[a] - flows[b] || begin[a] - begin[b]);
    const entries = [];
    for (let i = lowerBound(this.byFlow.length, (i) => flows[this.byFlow[i]] < flow);
         i < this.byFlow.length && flows[this.byFlow[i]] === flow; ++i) {
      const at = this.byFlow[i], of = this.tracks[track[at]];
      let index = lowerBound(of.begin.length, (i) => of.begin[i] < begin[at]);
      while (of.detail[index] !== detail[at]) ++index;
      entries.push({track: of, index});
    }
    return entries;
  }

  // {name: value} of an entry, and the numbers of its flows.
  detailsOf(track, index) {
    let at = track.detail[index];
    const details = {}, count = this.details[at++];
    for (let i = 0; i < count; ++i, at += 3)
      details[this.texts[this.details[at]]] =
        this.details[at + 1] === 1 ? this.texts[this.details[at + 2]] : this.details[at + 2];
    const flows = Array.from(this.details.subarray(at + 1, at + 1 + this.details[at]));
    return {details, flows};
  }
}
