#include "fabric/traffic/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <limits>

#include "base/quantity_text.h"

namespace asterism {
namespace {

constexpr std::string_view magic = "asttrace";
constexpr std::uint32_t version = 1;
constexpr std::size_t record_bytes = 24;
constexpr std::size_t longest_line = 1024;
constexpr std::uint64_t largest_size = std::numeric_limits<std::uint32_t>::max();

template <class T>
T get_little(const char* bytes) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value |= T{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return value;
}

template <class T>
void put_little(std::ostream& out, T value) {
  std::array<char, sizeof(T)> bytes;
  for (std::size_t i = 0; i < sizeof(T); ++i) bytes[i] = static_cast<char>(value >> (8 * i) & 0xff);
  out.write(bytes.data(), bytes.size());
}

// The form in which a message quotes a field.
std::string quoted(std::string_view text) {
  std::string shown = "\"";
  for (const char c : text.substr(0, 40)) shown += c >= ' ' && c <= '~' ? c : '?';
  return shown + (text.size() > 40 ? "...\"" : "\"");
}

std::optional<std::uint64_t> plain_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Throws std::invalid_argument.
template <class Q>
Q quantity(std::string_view text) {
  if (const auto value = plain_number(text)) return Q(*value);
  return parse_quantity<Q>(text);
}

// The fields of a line, at most eight.
struct Line {
  std::array<std::string_view, 8> fields;
  std::size_t count = 0;

  explicit Line(std::string_view text) {
    text = text.substr(0, text.find('#'));
    constexpr std::string_view blanks = " \t\r";
    for (;;) {
      const std::size_t first = text.find_first_not_of(blanks);
      if (first == std::string_view::npos || count == fields.size()) return;
      text.remove_prefix(first);
      const std::size_t end = std::min(text.find_first_of(blanks), text.size());
      fields[count++] = text.substr(0, end);
      text.remove_prefix(end);
    }
  }
};

Bytes bytes_of(std::uint64_t flits, unsigned channel_bits) {
  return Bytes(scale(flits, channel_bits, 8, true));
}

std::ofstream new_file(const std::filesystem::path& path) {
  std::FILE* const file = std::fopen(path.c_str(), "wx");
  if (file == nullptr)
    throw TraceError(path.string() + (errno == EEXIST ? ": exists already" : ": cannot be written"));
  std::fclose(file);
  return std::ofstream(path, std::ios::binary);
}

}  // namespace

TraceReader::TraceReader(std::istream& in, std::string name, NodeId nodes)
    : in_(in), name_(std::move(name)), nodes_(nodes) {
  const auto first = in_.peek();
  if (in_.bad()) throw TraceError(name_ + ": cannot be read");
  if (first != magic.front()) return;
  std::array<char, 16> head{};
  in_.read(head.data(), head.size());
  form_ = TraceForm::binary;
  if (std::string_view(head.data(), magic.size()) != magic)
    throw TraceError(name_ + ": is neither a text nor a binary trace");
  if (in_.gcount() != head.size()) throw TraceError(name_ + ": ends within its header");
  const auto came_version = get_little<std::uint32_t>(&head[8]);
  const auto came_size = get_little<std::uint32_t>(&head[12]);
  if (came_version != version || came_size != record_bytes)
    throw TraceError(fmt::format("{}: expected version {} with records of {} bytes, got {} with {}", name_,
                                 version, record_bytes, came_version, came_size));
}

void TraceReader::refuse(const std::string& problem) const {
  if (form_ == TraceForm::text) throw TraceError(fmt::format("{}:{}: {}", name_, position_, problem));
  throw TraceError(fmt::format("{}: packet {}: {}", name_, position_, problem));
}

std::optional<TraceRecord> TraceReader::next() {
  const auto record = form_ == TraceForm::text ? next_of_text() : next_of_binary();
  if (in_.bad()) throw TraceError(name_ + ": cannot be read");
  if (record) last_ = record->created;
  return record;
}

std::optional<TraceRecord> TraceReader::next_of_text() {
  std::array<char, longest_line + 2> buffer;
  for (;;) {
    in_.getline(buffer.data(), buffer.size());
    const auto got = static_cast<std::size_t>(in_.gcount());
    if (got == 0) return std::nullopt;
    ++position_;
    if (in_.fail()) refuse(fmt::format("expected a line of at most {} characters", longest_line));
    const std::string_view text(buffer.data(), in_.eof() ? got : got - 1);
    if (Line(text).count == 0) continue;
    return parse(text);
  }
}

TraceRecord TraceReader::parse(std::string_view text) const {
  const Line line(text);
  std::string_view what;
  std::size_t at = 0;
  const auto field = [&]<class T>(std::string_view meaning, T parse) {
    what = meaning;
    return parse(line.fields[at++]);
  };
  const auto number = [&](std::string_view f) {
    const auto value = plain_number(f);
    if (!value || *value > std::numeric_limits<std::uint32_t>::max()) throw std::invalid_argument("");
    return static_cast<std::uint32_t>(*value);
  };
  if (line.count != 4 && line.count != 7)
    refuse(fmt::format("expected 4 fields (source destination created size) or 7, got {}{}",
                       line.count == line.fields.size() ? "at least " : "", line.count));
  try {
    TraceRecord record;
    record.source = field("a source node", number);
    record.destination = field("a destination node", number);
    record.created = field("a time of creation such as 12.5ns", quantity<Picoseconds>);
    record.size = field("a size such as 64B", quantity<Bytes>);
    check(record);
    if (line.count == 7) {
      Picoseconds before = record.created;
      const auto later = [&](std::string_view f) {
        if (f == "-") return;
        if (quantity<Picoseconds>(f) < before)
          throw std::invalid_argument("it is before the time on its left");
        before = quantity<Picoseconds>(f);
      };
      field("a time of injection or \"-\"", later);
      field("a time of delivery or \"-\"", later);
      field("a number of routers or \"-\"", [&](std::string_view f) {
        if (f != "-") number(f);
      });
    }
    return record;
  } catch (const std::invalid_argument& error) {
    const std::string detail = error.what();
    refuse(fmt::format("expected {}, got {}{}{}", what, quoted(line.fields[at - 1]),
                       detail.empty() ? "" : ": ", detail));
  }
}

void TraceReader::check(const TraceRecord& record) const {
  for (const NodeId node : {record.source, record.destination})
    if (node >= nodes_) refuse(fmt::format("expected a node below {}, got {}", nodes_, node));
  if (record.size == Bytes(0) || record.size > Bytes(largest_size))
    refuse(fmt::format("expected a size of 1 to {} bytes, got {}", largest_size, record.size.count()));
  if (record.created < last_)
    refuse(fmt::format("expected a time of at least {}, that of the previous packet, got {}", to_text(last_),
                       to_text(record.created)));
}

std::optional<TraceRecord> TraceReader::next_of_binary() {
  std::array<char, record_bytes> bytes;
  in_.read(bytes.data(), bytes.size());
  if (in_.gcount() == 0) return std::nullopt;
  ++position_;
  if (in_.gcount() != record_bytes)
    refuse(fmt::format("expected {} bytes, got {} and the end of the file", record_bytes, in_.gcount()));
  const TraceRecord record{get_little<std::uint32_t>(&bytes[8]), get_little<std::uint32_t>(&bytes[12]),
                           Picoseconds(get_little<std::uint64_t>(&bytes[0])),
                           Bytes(get_little<std::uint32_t>(&bytes[16]))};
  if (const auto rest = get_little<std::uint32_t>(&bytes[20]); rest != 0)
    refuse(fmt::format("expected 0 in its last four bytes, got {}", rest));
  check(record);
  return record;
}

TraceWriter::TraceWriter(std::ostream& out, TraceForm form) : out_(out), form_(form) {
  if (form_ == TraceForm::text) {
    out_ << "# source destination created size\n";
    return;
  }
  out_.write(magic.data(), magic.size());
  put_little(out_, version);
  put_little(out_, std::uint32_t{record_bytes});
}

void TraceWriter::write(const TraceRecord& record) {
  if (record.size == Bytes(0) || record.size > Bytes(largest_size))
    throw std::invalid_argument("a packet in a trace has 1 byte to 4 GiB - 1");
  if (record.created < last_)
    throw std::invalid_argument("packets in a trace are in order of their creation");
  last_ = record.created;
  if (form_ == TraceForm::text) {
    out_ << fmt::format("{} {} {} {}\n", record.source, record.destination, to_text(record.created),
                        to_text(record.size));
  } else {
    put_little(out_, record.created.count());
    put_little(out_, record.source);
    put_little(out_, record.destination);
    put_little(out_, static_cast<std::uint32_t>(record.size.count()));
    put_little(out_, std::uint32_t{0});
  }
  if (!out_) throw TraceError("the trace cannot be written");
}

std::uint64_t convert_trace(std::istream& in, const std::string& name, std::ostream& out, TraceForm form) {
  TraceReader reader(in, name);
  TraceWriter writer(out, form);
  std::uint64_t packets = 0;
  for (; const auto record = reader.next(); ++packets) writer.write(*record);
  return packets;
}

TraceSource::TraceSource(const std::filesystem::path& file, const Topology& topology)
    : TraceSource(
          [&] {
            auto in = std::make_unique<std::ifstream>(file, std::ios::binary);
            if (!*in) throw TraceError(file.string() + ": cannot be opened");
            return in;
          }(),
          file.string(), topology) {}

TraceSource::TraceSource(std::unique_ptr<std::istream> in, std::string name, const Topology& topology)
    : in_(std::move(in)),
      reader_(*in_, std::move(name), static_cast<NodeId>(topology.nodes.size())),
      channel_bits_(topology.channel_bits) {}

std::optional<PacketSource::TimedPacket> TraceSource::next() {
  const auto record = reader_.next();
  if (!record) return std::nullopt;
  const std::uint64_t flits = scale(record->size.count(), 8, channel_bits_, true);
  if (flits > std::numeric_limits<std::uint32_t>::max())
    throw TraceError(
        fmt::format("a packet of {} is too long for {} bits", to_text(record->size), channel_bits_));
  return TimedPacket{{record->source, record->destination, static_cast<std::uint32_t>(flits), 0},
                     record->created};
}

DeliveryRecord::DeliveryRecord(const std::filesystem::path& file, unsigned channel_bits)
    : file_(new_file(file)), out_(file_), channel_bits_(channel_bits) {
  write_heading();
}

DeliveryRecord::DeliveryRecord(std::ostream& out, unsigned channel_bits)
    : out_(out), channel_bits_(channel_bits) {
  write_heading();
}

void DeliveryRecord::write_heading() {
  out_ << "# source destination created size injected delivered routers\n";
}

void DeliveryRecord::created(const Packet& packet, Picoseconds time) {
  entries_.push_back({packet, time, std::nullopt});
}

void DeliveryRecord::delivered(std::uint64_t position, const Delivery& delivery) {
  entries_.at(position - first_).delivery = delivery;
  for (; !entries_.empty() && entries_.front().delivery; ++first_) {
    write(entries_.front());
    entries_.pop_front();
  }
}

void DeliveryRecord::finish() {
  for (const Entry& entry : entries_) write(entry);
  first_ += entries_.size();
  entries_.clear();
  if (!out_.flush()) throw TraceError("the record of deliveries cannot be written");
}

void DeliveryRecord::write(const Entry& entry) {
  const Bytes size = bytes_of(entry.packet.flits, channel_bits_);
  out_ << fmt::format("{} {} {} {}", entry.packet.source, entry.packet.destination, to_text(entry.created),
                      to_text(size));
  if (const auto& d = entry.delivery)
    out_ << fmt::format(" {} {} {}\n", to_text(d->injected), to_text(d->delivered), d->routers);
  else
    out_ << " - - -\n";
}

}  // namespace asterism
