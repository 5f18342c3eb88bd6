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

// Reads what a block of a file consists of: numbers in groups of seven bits, and texts behind their length.
class BlockReader {
  constructor(block) {
    this.block = block;
    this.at = 0;
    this.decoder = new TextDecoder();
  }
  // Numbers above 2^53 lose their last bits, which nobody sees in a picture.
  number() {
    let value = 0, factor = 1;
    for (;;) {
      const byte = this.block[this.at++];
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
  }
  text() {
    const length = this.number();
    this.at += length;
    return this.decoder.decode(this.block.subarray(this.at - length, this.at));
  }
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
    this.details = new Column(Float64Array);  // of each entry: count, triples of name, is text, value; flows
    for (const none of [0, 0]) this.details.push(none);
    this.inFlows = {flow: new Column(Float64Array), track: new Column(Uint32Array),
                    begin: new Column(Float64Array), detail: new Column(Float64Array)};
    this.end = 0;
    this.last = 0;
    this.rest = new Uint8Array(0);  // of an incomplete block
    this.hasBegun = false;
  }

  static async read(bytes) {
    const record = new RunRecord();
    await record.append(bytes);
    record.sort();
    for (const track of record.tracks) delete track.columns;
    record.name = record.texts[0];
    return record;
  }

  // The next bytes of the file.
  async append(bytes) {
    if (this.rest.length > 0) {
      const joined = new Uint8Array(this.rest.length + bytes.length);
      joined.set(this.rest);
      joined.set(bytes, this.rest.length);
      bytes = joined;
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    if (!this.hasBegun && bytes.length >= 12) {
      this.hasBegun = true;
      at = 12;
    }
    while (this.hasBegun && at + 8 <= bytes.length) {
      const size = view.getUint32(at, true), length = view.getUint32(at + 4, true);
      if (size === 0 || at + 8 + length > bytes.length) break;  // the end, or that of a run which was killed
      this.readBlock(await inflated(bytes.subarray(at + 8, at + 8 + length)));
      at += 8 + length;
    }
    this.rest = bytes.slice(at);
  }

  readBlock(block) {
    const reader = new BlockReader(block), number = () => reader.number();
    const signed = () => {
      const value = number();
      return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    };
    while (reader.at < block.length) {
      const kind = number();
      switch (kind) {
        case 0:
          this.texts.push(reader.text());
          break;
        case 1: {
          const name = this.texts[number()], unit = this.texts[number()], isCounter = number() === 1;
          this.addTrack(name, unit, isCounter, number() - 1);
          break;
        }
        case 2:
        case 3: {
          const isInstant = kind === 3;
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
          track.last += signed();
          track.columns.at.push(this.last);
          track.columns.value.push(track.last);
          this.end = Math.max(this.end, this.last);
          break;
        }
      }
    }
  }

  addTrack(name, unit, isCounter, parent) {
    const path = parent >= 0 ? this.tracks[parent].path + "." + name : name;
    this.tracks.push({
      name, unit, isCounter, path, last: 0, parent: parent >= 0 ? this.tracks[parent] : null,
      columns: isCounter
        ? {at: new Column(Float64Array), value: new Column(Float64Array)}
        : {begin: new Column(Float64Array), end: new Column(Float64Array), label: new Column(Uint32Array),
           instant: new Column(Uint8Array), detail: new Column(Float64Array)},
    });
  }

  // Makes the arrays of the tracks that have changed. `begun`: [track, label, begin] of intervals that have not
  // ended, and are shown until `now`.
  sort(begun = [], now = 0) {
    this.tracks.forEach((track, number) => {
      const columns = track.columns, length = (columns.begin ?? columns.at).length;
      const open = begun.filter((each) => each[0] === number);
      if (track.sorted === length && open.length === 0) return;
      track.sorted = open.length > 0 ? -1 : length;
      for (const [, label, begin] of open) {
        const entry = {begin, end: now, label, instant: 0, detail: 0};
        for (const name in entry) columns[name].push(entry[name]);
      }
      for (const name in columns) {
        track[name] = columns[name].view();
        columns[name].length = length;
      }
      if (track.isCounter) return;
      const order = Uint32Array.from(track.begin.keys());
      order.sort((a, b) => track.begin[a] - track.begin[b] || track.end[b] - track.end[a]);
      for (const name of ["begin", "end", "label", "instant", "detail"])
        track[name] = track[name].constructor.from(order, (i) => track[name][i]);
    });
    this.byFlow = null;
  }

  // The entries of a flow: [{track, index}], in the order of their begin.
  entriesOf(flow) {
    const [flows, track, begin, detail] = ["flow", "track", "begin", "detail"].map((name) => this.inFlows[name].view());
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
    const all = this.details.values, details = {}, count = all[at++];
    for (let i = 0; i < count; ++i, at += 3)
      details[this.texts[all[at]]] = all[at + 1] === 1 ? this.texts[all[at + 2]] : all[at + 2];
    const flows = Array.from(all.subarray(at + 1, at + 1 + all[at]));
    return {details, flows};
  }
}
