"""traces/record.bin of a run; docs/seeing.md describes the format."""
import pathlib
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas


class Record:
    """What a run has recorded: `intervals` and `instants` as dictionaries, and `counters` over time.

    An interval has `track`, `begin_ps`, `end_ps`, `name`, `details` and `flows`; an instant the same without its end.
    """

    def __init__(self, file):
        data = pathlib.Path(file).read_bytes()
        if data[:8] != b"ASTERREC" or int.from_bytes(data[8:12], "little") != 1:
            raise ValueError(f"{file}: is no record of a run of version 1")
        self.tracks: list[tuple[str, str, bool]] = []  # (path, unit, is a counter)
        self.intervals: list[dict[str, Any]] = []
        self.instants: list[dict[str, Any]] = []
        self.counters: dict[str, list[tuple[int, int]]] = {}  # of (time_ps, value)
        self._texts, self._values, self._last = [], [], 0
        at = 12
        while at + 8 <= len(data):
            size, length = (int.from_bytes(data[at + i:at + i + 4], "little") for i in (0, 4))
            if size == 0 or at + 8 + length > len(data):
                break  # the end, or that of a run that was killed
            self._read(zlib.decompress(data[at + 8:at + 8 + length]))
            at += 8 + length

    def _read(self, block):
        at = 0

        def number():
            nonlocal at
            value = shift = 0
            while True:
                byte = block[at]
                at += 1
                value |= (byte & 0x7F) << shift
                if byte < 0x80:
                    return value
                shift += 7

        def signed():
            value = number()
            return -((value + 1) >> 1) if value & 1 else value >> 1

        while at < len(block):
            kind = number()
            if kind == 0:
                length = number()
                self._texts.append(block[at:at + length].decode(errors="replace"))
                at += length
            elif kind == 1:
                name, unit, is_counter, parent = self._texts[number()], self._texts[number()], number() == 1, number()
                path = f"{self.tracks[parent - 1][0]}.{name}" if parent else name
                self.tracks.append((path, unit, is_counter))
                self._values.append(0)
                if is_counter:
                    self.counters[path] = []
            elif kind in (2, 3):
                track = self.tracks[number()][0]
                self._last += signed()
                entry = {"track": track, "begin_ps": self._last}
                if kind == 2:
                    entry["end_ps"] = self._last + number()
                entry["name"] = self._texts[number()]
                entry["details"] = {}
                for _ in range(number()):
                    detail, is_text, value = self._texts[number()], number() == 1, number()
                    entry["details"][detail] = self._texts[value] if is_text else value
                entry["flows"] = [number() for _ in range(number())]
                (self.intervals if kind == 2 else self.instants).append(entry)
            elif kind == 4:
                track = number()
                self._last += signed()
                self._values[track] = (self._values[track] + signed()) % 2**64
                self.counters[self.tracks[track][0]].append((self._last, self._values[track]))
            else:
                raise ValueError(f"an entry of an unknown kind {kind}")

    def interval_frame(self) -> "pandas.DataFrame":
        """The intervals as a pandas frame; details are columns such as `details.version`."""
        import pandas
        return pandas.json_normalize(self.intervals)

    def samples(self) -> "pandas.DataFrame":
        """The counters as a pandas frame: a row for each sample, indexed by time_ps."""
        import pandas
        columns = {path: pandas.Series(dict(values)) for path, values in self.counters.items() if values}
        frame = pandas.DataFrame(columns).sort_index().ffill().fillna(0)
        frame.index.name = "time_ps"
        return frame
