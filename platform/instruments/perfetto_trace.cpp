#include "platform/instruments/perfetto_trace.h"

#include <zlib.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace asterism {
namespace {

// The numbers of fields, by message.
namespace trace_field {
constexpr unsigned packet = 1;
}
namespace packet_field {
constexpr unsigned timestamp = 8, sequence_id = 10, track_event = 11, interned_data = 12, sequence_flags = 13,
                   compressed_packets = 50, track_descriptor = 60;
}
namespace descriptor_field {
constexpr unsigned uuid = 1, name = 2, process = 3, parent_uuid = 5, counter = 8, child_ordering = 11,
                   sibling_order_rank = 12;
}
namespace process_field {
constexpr unsigned pid = 1, process_name = 6;
}
namespace counter_field {
constexpr unsigned unit_name = 6;
}
namespace event_field {
constexpr unsigned debug_annotations = 4, type = 9, name_iid = 10, track_uuid = 11, counter_value = 30,
                   flow_ids = 47;
}
namespace annotation_field {
constexpr unsigned name_iid = 1, uint_value = 3, string_value = 6;
}
namespace interned_field {
constexpr unsigned event_names = 2, debug_annotation_names = 3;
constexpr unsigned iid = 1, name = 2;  // of an entry
}  // namespace interned_field
constexpr std::uint64_t slice_begin = 1, slice_end = 2, instant = 3, counter_event = 4;  // TrackEvent.Type
constexpr std::uint64_t children_explicit = 3;               // TrackDescriptor.ChildTracksOrdering
constexpr std::uint64_t state_cleared = 1, needs_state = 2;  // TracePacket.SequenceFlags
constexpr std::uint64_t process_uuid = 1, sequence = 1;

// A message of protobuf: fields in the order in which they are added.
class ProtoMessage {
 public:
  ProtoMessage& number(unsigned field, std::uint64_t value) {
    varint(std::uint64_t{field} << 3);
    varint(value);
    return *this;
  }
  ProtoMessage& bytes(unsigned field, std::string_view value) {
    varint(std::uint64_t{field} << 3 | 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  ProtoMessage& message(unsigned field, const ProtoMessage& value) { return bytes(field, value.bytes_); }
  ProtoMessage& fixed64(unsigned field, std::uint64_t value) {
    varint(std::uint64_t{field} << 3 | 1);
    for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(value >> 8 * i & 0xff);
    return *this;
  }
  const std::string& text() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

// Writes packets, compressed in groups: Perfetto wants less than 512 KB in each.
class PacketWriter {
 public:
  void add(const ProtoMessage& packet) {
    group_.message(trace_field::packet, packet);
    if (group_.text().size() >= 256 << 10) flush();
  }
  // All packets.
  std::string finish() {
    flush();
    return std::move(written_);
  }

 private:
  void flush() {
    const std::string& raw = group_.text();
    if (raw.empty()) return;
    std::string compressed(compressBound(raw.size()), '\0');
    uLongf size = compressed.size();
    if (compress2(reinterpret_cast<Bytef*>(compressed.data()), &size,
                  reinterpret_cast<const Bytef*>(raw.data()), raw.size(), Z_BEST_SPEED) != Z_OK)
      throw std::runtime_error("zlib cannot compress");
    const auto packet =
        ProtoMessage().bytes(packet_field::compressed_packets, std::string_view(compressed).substr(0, size));
    written_ += ProtoMessage().message(trace_field::packet, packet).text();
    group_.clear();
  }

  std::string written_;
  ProtoMessage group_;
};

class PerfettoConversion {
 public:
  explicit PerfettoConversion(const RunRecord& record) : record_(record) {}

  std::string run() {
    describe_process(record_.texts.front());
    for (RunRecord::Index track = 0; track < record_.tracks.size(); ++track) describe(track, uuid_of(track));
    sort_by_begin();
    place_intervals();
    collect_events();
    for (const Event& event : events_) write(event);
    return packets_.finish();
  }

 private:
  enum class What : std::uint8_t { end, begin, instant, value, end_at_once };
  struct Event {
    std::uint64_t at;  // nanoseconds
    What what;
    RunRecord::Index index;  // in the record's entries or values
    // At one time, what has begun before ends first.
    auto key() const { return std::pair(at, what == What::end ? 0 : 1); }
  };

  static std::uint64_t nanoseconds(Picoseconds time) { return time.count() / 1000; }
  static std::uint64_t uuid_of(RunRecord::Index track) { return process_uuid + 1 + track; }
  static std::uint64_t iid_of(RunRecord::Index text) { return std::uint64_t{text} + 1; }

  // The first packet of the sequence, with all texts that others refer to.
  void describe_process(const std::string& name) {
    ProtoMessage process, descriptor, texts, packet;
    process.number(process_field::pid, 1).bytes(process_field::process_name, name);
    descriptor.number(descriptor_field::uuid, process_uuid)
        .bytes(descriptor_field::name, name)
        .message(descriptor_field::process, process)
        .number(descriptor_field::child_ordering, children_explicit);
    for (RunRecord::Index i = 0; i < record_.texts.size(); ++i) add_text(texts, iid_of(i), record_.texts[i]);
    begin_ps_ = record_.texts.size() + 1, end_ps_ = begin_ps_ + 1;
    add_text(texts, begin_ps_, "begin_ps");
    add_text(texts, end_ps_, "end_ps");
    packet.number(packet_field::sequence_id, sequence)
        .number(packet_field::sequence_flags, state_cleared)
        .message(packet_field::track_descriptor, descriptor)
        .message(packet_field::interned_data, texts);
    packets_.add(packet);
  }
  static void add_text(ProtoMessage& texts, std::uint64_t iid, std::string_view text) {
    ProtoMessage entry;
    entry.number(interned_field::iid, iid).bytes(interned_field::name, text);
    texts.message(interned_field::event_names, entry).message(interned_field::debug_annotation_names, entry);
  }

  void describe(RunRecord::Index index, std::uint64_t uuid) {
    const RunRecord::Track& track = record_.tracks[index];
    ProtoMessage descriptor, packet;
    descriptor.number(descriptor_field::uuid, uuid)
        .bytes(descriptor_field::name, record_.texts[track.name])
        .number(descriptor_field::parent_uuid,
                track.parent == RunRecord::none ? process_uuid : uuid_of(track.parent))
        .number(descriptor_field::child_ordering, children_explicit)
        .number(descriptor_field::sibling_order_rank, index);
    if (track.kind == TrackKind::counter) {
      ProtoMessage counter;
      if (const std::string& unit = record_.texts[track.unit]; !unit.empty())
        counter.bytes(counter_field::unit_name, unit);
      descriptor.message(descriptor_field::counter, counter);
    }
    packet.number(packet_field::sequence_id, sequence)
        .number(packet_field::sequence_flags, needs_state)
        .message(packet_field::track_descriptor, descriptor);
    packets_.add(packet);
  }

  void sort_by_begin() {
    by_begin_.resize(record_.entries.size());
    std::iota(by_begin_.begin(), by_begin_.end(), RunRecord::Index{0});
    std::ranges::stable_sort(by_begin_, {}, [&](RunRecord::Index i) { return record_.entries[i].begin; });
  }

  // Intervals of a track of Perfetto must not overlap: each goes to the first of its record's track on which
  // it does not.
  void place_intervals() {
    struct Lane {
      std::uint64_t uuid;
      Picoseconds end;
    };
    std::vector<std::vector<Lane>> lanes(record_.tracks.size());
    std::uint64_t next = uuid_of(static_cast<RunRecord::Index>(record_.tracks.size()));
    place_.resize(record_.entries.size());
    for (const RunRecord::Index i : by_begin_) {
      const RunRecord::Entry& entry = record_.entries[i];
      if (entry.kind != RunRecord::Entry::Kind::interval) continue;
      auto& of_track = lanes[entry.track];
      auto lane = std::ranges::find_if(of_track, [&](const Lane& each) { return each.end <= entry.begin; });
      if (lane == of_track.end()) {
        const std::uint64_t uuid = of_track.empty() ? uuid_of(entry.track) : next++;
        if (!of_track.empty()) describe(entry.track, uuid);
        lane = of_track.insert(lane, {uuid, {}});
      }
      lane->end = entry.end;
      place_[i] = lane->uuid;
    }
  }

  void collect_events() {
    events_.reserve(2 * record_.entries.size() + record_.values.size());
    for (const RunRecord::Index i : by_begin_) {
      const RunRecord::Entry& entry = record_.entries[i];
      const std::uint64_t begin = nanoseconds(entry.begin), end = nanoseconds(entry.end);
      if (entry.kind == RunRecord::Entry::Kind::instant) {
        events_.push_back({begin, What::instant, i});
      } else {
        events_.push_back({begin, What::begin, i});
        events_.push_back({end, begin == end ? What::end_at_once : What::end, i});
      }
    }
    for (RunRecord::Index i = 0; i < record_.values.size(); ++i)
      events_.push_back({nanoseconds(record_.values[i].at), What::value, i});
    std::ranges::stable_sort(events_, {}, &Event::key);
  }

  void write(const Event& event) {
    ProtoMessage body, packet;
    if (event.what == What::value) {
      const RunRecord::Value& value = record_.values[event.index];
      body.number(event_field::type, counter_event)
          .number(event_field::track_uuid, uuid_of(value.track))
          .number(event_field::counter_value, value.value);
    } else {
      const RunRecord::Entry& entry = record_.entries[event.index];
      const bool is_end = event.what == What::end || event.what == What::end_at_once;
      body.number(event_field::type, event.what == What::instant ? instant
                                     : is_end                    ? slice_end
                                                                 : slice_begin)
          .number(event_field::track_uuid,
                  event.what == What::instant ? uuid_of(entry.track) : place_[event.index]);
      if (!is_end) add_contents(body, entry);
    }
    packet.number(packet_field::timestamp, event.at)
        .number(packet_field::sequence_id, sequence)
        .number(packet_field::sequence_flags, needs_state)
        .message(packet_field::track_event, body);
    packets_.add(packet);
  }

  void add_contents(ProtoMessage& body, const RunRecord::Entry& entry) const {
    body.number(event_field::name_iid, iid_of(entry.name));
    for (std::uint32_t i = 0; i < entry.details; ++i) {
      const RunRecord::Detail& detail = record_.details[entry.first_detail + i];
      ProtoMessage annotation;
      annotation.number(annotation_field::name_iid, iid_of(detail.name));
      if (detail.is_text)
        annotation.bytes(annotation_field::string_value, record_.texts[detail.value]);
      else
        annotation.number(annotation_field::uint_value, detail.value);
      body.message(event_field::debug_annotations, annotation);
    }
    if (entry.begin.count() % 1000 != 0) add_exact(body, begin_ps_, entry.begin);
    if (entry.end != entry.begin && entry.end.count() % 1000 != 0) add_exact(body, end_ps_, entry.end);
    for (std::uint32_t i = 0; i < entry.flows; ++i)
      body.fixed64(event_field::flow_ids, record_.flows[entry.first_flow + i]);
  }
  static void add_exact(ProtoMessage& body, std::uint64_t name, Picoseconds time) {
    const auto annotation = ProtoMessage()
                                .number(annotation_field::name_iid, name)
                                .number(annotation_field::uint_value, time.count());
    body.message(event_field::debug_annotations, annotation);
  }

  const RunRecord& record_;
  PacketWriter packets_;
  std::uint64_t begin_ps_ = 0, end_ps_ = 0;  // the texts' numbers
  std::vector<RunRecord::Index> by_begin_;   // entries
  std::vector<std::uint64_t> place_;         // the track of Perfetto of each interval
  std::vector<Event> events_;
};

}  // namespace

std::string to_perfetto(const RunRecord& record) { return PerfettoConversion(record).run(); }

}  // namespace asterism
