#include "platform/instruments/run_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <utility>

#include "platform/instruments/record_numbers.h"

namespace asterism {

namespace {

constexpr std::uint32_t record_version = 1;
enum class EntryKind : std::uint8_t { text, track, interval, instant, value };

// Values of details that are remembered, so that the file contains them once. Lines that the guest writes
// differ, and would otherwise all stay in memory.
constexpr std::size_t most_texts = 4096, longest_text = 256;

constexpr std::size_t block_size = 1 << 16, largest_block = 1 << 24;

// Signed numbers near 0 become small: 0, -1, 1, -2 are 0, 1, 2, 3. Differences are modulo 2^64.
std::uint64_t zigzag(std::uint64_t difference) {
  return difference << 1 ^ (difference >> 63 != 0 ? ~std::uint64_t{0} : 0);
}
std::uint64_t unzigzag(std::uint64_t value) { return value >> 1 ^ (~(value & 1) + 1); }

// Reads the file; knows the byte at which it is.
// Where the file ends too early.
class TruncatedRecord : public RunRecordError {
 public:
  using RunRecordError::RunRecordError;
};

class RecordInput {
 public:
  explicit RecordInput(std::istream& in) : in_(in) {}
  std::string bytes(std::size_t count, const char* what) {
    std::string read(count, '\0');
    in_.read(read.data(), static_cast<std::streamsize>(count));
    if (static_cast<std::size_t>(in_.gcount()) != count)
      throw TruncatedRecord(fmt::format("is truncated: ends at byte {}, expected {} there",
                                        at_ + static_cast<std::size_t>(in_.gcount()), what));
    at_ += count;
    return read;
  }
  std::uint32_t u32(const char* what) {
    const std::string read = bytes(4, what);
    std::uint32_t value = 0;
    for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(read[i]);
    return value;
  }
  std::uint64_t at() const { return at_; }
  void expect_end() {
    if (in_.peek() != std::istream::traits_type::eof())
      throw RunRecordError(fmt::format("is damaged: expected its end at byte {}", at_));
  }

 private:
  std::istream& in_;
  std::uint64_t at_ = 0;
};

// Reads the entries of blocks. What they refer to is checked, so that a damaged file is refused.
class EntryReader {
 public:
  explicit EntryReader(RunRecord& record) : record_(record) {}

  void read(std::string_view block, std::uint64_t at) {
    block_ = block, at_ = at;
    while (!block_.empty()) read_entry();
  }
  std::uint64_t entries() const { return entries_; }

 private:
  [[noreturn]] void refuse(const char* expected) const {
    throw RunRecordError(fmt::format("is damaged: in the block at byte {}, expected {}", at_, expected));
  }
  std::uint64_t number() {
    const auto value = take_varint(block_);
    if (!value) refuse("a number of 64 bits");
    return *value;
  }
  RunRecord::Index below(std::size_t limit, const char* what) {
    const std::uint64_t value = number();
    if (value >= limit) refuse(what);
    return static_cast<RunRecord::Index>(value);
  }
  RunRecord::Index text() { return below(record_.texts.size(), "a text that is in the file before"); }
  RunRecord::Index track(TrackKind kind) {
    const RunRecord::Index index = below(record_.tracks.size(), "a track that is in the file before");
    if (record_.tracks[index].kind != kind) refuse("a track of the kind of its entry");
    return index;
  }
  Picoseconds time() { return last_ = Picoseconds(last_.count() + unzigzag(number())); }

  void read_entry() {
    switch (static_cast<EntryKind>(number())) {
      case EntryKind::text: {
        const std::uint64_t length = number();
        if (length > block_.size()) refuse("the whole of a text");
        record_.texts.emplace_back(block_.substr(0, length));
        block_.remove_prefix(length);
        return;
      }
      case EntryKind::track:
        return read_track();
      case EntryKind::interval:
        return read_activity(RunRecord::Entry::Kind::interval);
      case EntryKind::instant:
        return read_activity(RunRecord::Entry::Kind::instant);
      case EntryKind::value: {
        const RunRecord::Index index = track(TrackKind::counter);
        const Picoseconds at = time();
        values_[index] += unzigzag(number());
        record_.values.push_back({index, at, values_[index]});
        ++entries_;
        return;
      }
    }
    refuse("the kind of an entry");
  }
  void read_track() {
    RunRecord::Track track{};
    track.name = text();
    track.unit = text();
    track.kind = static_cast<TrackKind>(below(2, "the kind of a track"));
    track.parent = below(record_.tracks.size() + 1, "a track above that is in the file before") - 1;
    record_.tracks.push_back(track);
    values_.push_back(0);
  }
  void read_activity(RunRecord::Entry::Kind kind) {
    RunRecord::Entry entry{};
    entry.kind = kind;
    entry.track = track(TrackKind::activity);
    entry.begin = entry.end = time();
    if (kind == RunRecord::Entry::Kind::interval) entry.end += Picoseconds(number());
    entry.name = text();
    entry.first_detail = static_cast<std::uint32_t>(record_.details.size());
    entry.details = below(256, "fewer than 256 details");
    for (std::uint32_t i = 0; i < entry.details; ++i) {
      RunRecord::Detail detail{};
      detail.name = text();
      detail.is_text = below(2, "the kind of a detail") == 1;
      detail.value = detail.is_text ? text() : number();
      record_.details.push_back(detail);
    }
    entry.first_flow = static_cast<std::uint32_t>(record_.flows.size());
    entry.flows = below(1 << 20, "fewer than 2^20 flows");
    for (std::uint32_t i = 0; i < entry.flows; ++i) record_.flows.push_back(number());
    record_.entries.push_back(entry);
    ++entries_;
  }

  RunRecord& record_;
  std::string_view block_;
  std::uint64_t at_ = 0, entries_ = 0;
  Picoseconds last_;
  std::vector<std::uint64_t> values_;
};

}  // namespace

RunRecordWriter::RunRecordWriter(const std::filesystem::path& file, std::string_view run)
    : path_(file), file_(file, std::ios::binary) {
  std::string header(RunRecord::magic);
  append_u32(header, record_version);
  file_.write(header.data(), static_cast<std::streamsize>(header.size()));
  file_.flush();
  written_ = header.size();
  if (!file_) throw RunRecordError(fmt::format("{} cannot be written", path_.string()));
  text(run);
}

std::uint32_t RunRecordWriter::text(std::string_view text, bool is_kept) {
  const auto known = texts_.find(text);
  if (known != texts_.end()) return known->second;
  const std::uint32_t index = next_text_++;
  if (is_kept) texts_.emplace(text, index);
  append_varint(block_, std::uint64_t(EntryKind::text));
  append_varint(block_, text.size());
  block_ += text;
  return index;
}

void RunRecordWriter::add(std::uint64_t number) { append_varint(entry_, number); }

void RunRecordWriter::begin(std::uint64_t kind, Track track, Picoseconds at) {
  add(kind);
  add(track);
  add(zigzag(at.count() - last_.count()));
  last_ = at;
}

void RunRecordWriter::add_details(std::string_view name, std::span<const EventLog::Detail> details,
                                  std::span<const std::uint64_t> flows) {
  add(text(name));
  add(details.size());
  for (const auto& [key, value] : details) {
    add(text(key));
    const auto* const words = std::get_if<std::string>(&value);
    add(words ? 1 : 0);
    add(words ? text(*words, texts_.size() < most_texts && words->size() < longest_text)
              : std::get<std::uint64_t>(value));
  }
  add(flows.size());
  for (const std::uint64_t flow : flows) add(flow);
}

void RunRecordWriter::end() {
  block_ += entry_;
  entry_.clear();
  if (block_.size() >= block_size) write_block();
}

void RunRecordWriter::write_block() {
  if (block_.empty()) return;
  const std::string compressed = compressed_by_zlib(block_);
  std::string head;
  append_u32(head, static_cast<std::uint32_t>(block_.size()));
  append_u32(head, static_cast<std::uint32_t>(compressed.size()));
  file_ << head << compressed << std::flush;
  written_ += head.size() + compressed.size();
  block_.clear();
}

std::uint64_t RunRecordWriter::flush() {
  write_block();
  return written_;
}

RunRecordWriter::Track RunRecordWriter::add_track(std::string_view name, TrackKind kind, Track parent,
                                                  std::string_view unit) {
  add(std::uint64_t(EntryKind::track));
  add(text(name));
  add(text(unit));
  add(static_cast<std::uint64_t>(kind));
  add(parent == no_track ? 0 : std::uint64_t{parent} + 1);
  end();
  values_.push_back(0);
  return static_cast<Track>(values_.size() - 1);
}

void RunRecordWriter::interval(Track track, Picoseconds begin_time, Picoseconds end_time,
                               std::string_view name, std::span<const EventLog::Detail> details,
                               std::span<const std::uint64_t> flows) {
  begin(std::uint64_t(EntryKind::interval), track, begin_time);
  add((end_time - begin_time).count());
  add_details(name, details, flows);
  end();
  ++entries_;
}

void RunRecordWriter::instant(Track track, Picoseconds at, std::string_view name,
                              std::span<const EventLog::Detail> details,
                              std::span<const std::uint64_t> flows) {
  begin(std::uint64_t(EntryKind::instant), track, at);
  add_details(name, details, flows);
  end();
  ++entries_;
}

void RunRecordWriter::value(Track track, Picoseconds at, std::uint64_t value) {
  begin(std::uint64_t(EntryKind::value), track, at);
  add(zigzag(value - std::exchange(values_[track], value)));
  end();
  ++entries_;
}

void RunRecordWriter::finish() {
  write_block();
  std::string end;
  append_u32(end, 0);
  append_u32(end, static_cast<std::uint32_t>(entries_));
  file_ << end;
  file_.close();
  if (!file_) throw RunRecordError(fmt::format("{} cannot be written", path_.string()));
}

namespace {

void read_blocks(RecordInput& input, RunRecord& record) {
  EntryReader reader(record);
  for (;;) {
    const std::uint64_t at = input.at();
    const std::uint32_t size = input.u32("a block or the end mark");
    const std::uint32_t length = input.u32("the length of a block");
    if (size == 0) {
      if (length == static_cast<std::uint32_t>(reader.entries())) return input.expect_end();
      throw RunRecordError(
          fmt::format("is damaged: has {} entries, expected {} by its end mark", reader.entries(), length));
    }
    if (size > largest_block || length > largest_block)
      throw RunRecordError(
          fmt::format("is damaged: expected a block of at most {} bytes at byte {}", largest_block, at));
    const auto block = decompressed_by_zlib(input.bytes(length, "the whole of a block"), size);
    if (!block)
      throw RunRecordError(
          fmt::format("is damaged: expected a block of {} bytes, compressed by zlib, at byte {}", size, at));
    reader.read(*block, at);
  }
}

}  // namespace

RunRecord RunRecord::read(std::istream& in, Truncated truncated) {
  RunRecord record;
  RecordInput input(in);
  if (input.bytes(magic.size(), "\"ASTERREC\"") != magic)
    throw RunRecordError("is no record of a run: expected \"ASTERREC\" at byte 0");
  if (const std::uint32_t version = input.u32("the version"); version != record_version)
    throw RunRecordError(fmt::format("has version {} at byte 8, expected {}", version, record_version));
  try {
    read_blocks(input, record);
  } catch (const TruncatedRecord&) {
    if (truncated == Truncated::refused) throw;
    record.is_complete = false;
  }
  if (record.texts.empty() && record.is_complete)
    throw RunRecordError("is damaged: expected the name of the run");
  return record;
}

std::string RunRecord::path_of(Index track) const {
  std::string path = texts[tracks[track].name];
  for (Index above = tracks[track].parent; above != none; above = tracks[above].parent)
    path.insert(0, texts[tracks[above].name] + ".");
  return path;
}

Picoseconds RunRecord::end() const {
  Picoseconds end;
  for (const Entry& entry : entries) end = std::max(end, entry.end);
  for (const Value& value : values) end = std::max(end, value.at);
  return end;
}

}  // namespace asterism
