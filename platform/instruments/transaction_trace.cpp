#include "platform/instruments/transaction_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/crc.hpp>
#include <istream>
#include <string_view>

namespace asterism {
namespace {

constexpr std::string_view magic = "ASTERTLM";
constexpr std::uint32_t version = 1;
constexpr std::size_t record_size = 32, max_records = 4096;
constexpr std::size_t max_masters = 65536, longest_name = 1024;
constexpr std::uint8_t monitored_bit = 0x40, poisoned_bit = 0x80;

constexpr std::array commands = {"read", "write", "ignore"};
constexpr std::array responses = {"incomplete",    "ok",          "generic_error",    "address_error",
                                  "command_error", "burst_error", "byte_enable_error"};

template <class T>
void append(std::string& to, T value) {
  for (std::size_t i = 0; i < sizeof value; ++i) to += static_cast<char>(value >> 8 * i & 0xff);
}
template <class T>
T little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = sizeof(T); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return static_cast<T>(value);
}

std::uint32_t checksum(std::string_view bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

// Reads a part of the file; the part ends with a checksum of its bytes.
class Part {
 public:
  Part(std::istream& in, std::uint64_t& at) : in_(in), at_(at), first_(at) {}

  std::string_view bytes(std::size_t count, const char* what) {
    const std::size_t before = read_.size();
    read_.resize(before + count);
    in_.read(read_.data() + before, static_cast<std::streamsize>(count));
    if (static_cast<std::size_t>(in_.gcount()) != count)
      throw TransactionTraceError(fmt::format("is truncated: ends at byte {}, expected {} there",
                                              at_ + static_cast<std::size_t>(in_.gcount()), what));
    at_ += count;
    return std::string_view(read_).substr(before);
  }
  template <class T>
  T value(const char* what) {
    return little_endian<T>(bytes(sizeof(T), what));
  }
  void check(const char* what) {
    const std::uint32_t expected = checksum(read_), found = value<std::uint32_t>("a checksum");
    if (expected != found)
      throw TransactionTraceError(
          fmt::format("is damaged: {} at bytes {} to {} has checksum {:08x}, expected {:08x}", what, first_,
                      at_ - 5, expected, found));
  }

 private:
  std::istream& in_;
  std::uint64_t& at_;
  const std::uint64_t first_;
  std::string read_;
};

std::vector<std::string> read_masters(std::istream& in, std::uint64_t& at) {
  Part header(in, at);
  if (header.bytes(magic.size(), "\"ASTERTLM\"") != magic)
    throw TransactionTraceError("is no trace of transactions: expected \"ASTERTLM\" at byte 0");
  if (const auto found = header.value<std::uint32_t>("the version"); found != version)
    throw TransactionTraceError(fmt::format("has version {} at byte 8, expected {}", found, version));
  const auto count = header.value<std::uint32_t>("the number of masters");
  if (count > max_masters)
    throw TransactionTraceError(
        fmt::format("has {} masters at byte 12, expected at most {}", count, max_masters));
  std::vector<std::string> masters;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t length_at = at;
    const auto length = header.value<std::uint16_t>("the length of a name");
    if (length > longest_name)
      throw TransactionTraceError(fmt::format("has a name of {} bytes at byte {}, expected at most {}",
                                              length, length_at, longest_name));
    masters.emplace_back(header.bytes(length, "the name of a master"));
  }
  header.check("the header");
  return masters;
}

TracedTransaction transaction_of(std::string_view record, std::size_t masters, std::uint64_t at) {
  const auto command = static_cast<std::uint8_t>(record[30]),
             response = static_cast<std::uint8_t>(record[31]);
  TracedTransaction t{.start = Picoseconds(little_endian<std::uint64_t>(record)),
                      .end = Picoseconds(little_endian<std::uint64_t>(record.substr(8))),
                      .address = Address(little_endian<std::uint64_t>(record.substr(16))),
                      .length = little_endian<std::uint32_t>(record.substr(24)),
                      .master = little_endian<std::uint16_t>(record.substr(28)),
                      .command = {},
                      .response = {},
                      .is_monitored = (command & monitored_bit) != 0,
                      .is_poisoned = (command & poisoned_bit) != 0};
  const unsigned which = command & ~(monitored_bit | poisoned_bit) & 0xffu;
  const auto refuse = [at](const char* what, unsigned found, std::size_t most) {
    throw TransactionTraceError(
        fmt::format("has {} {} in the record at byte {}, expected at most {}", what, found, at, most));
  };
  if (t.master >= masters) refuse("master", t.master, masters - 1);
  if (which >= commands.size()) refuse("command", which, commands.size() - 1);
  if (response >= responses.size()) refuse("response", response, responses.size() - 1);
  t.command = static_cast<TracedTransaction::Command>(which);
  t.response = static_cast<TracedTransaction::Response>(response);
  return t;
}

}  // namespace

const char* name_of(TracedTransaction::Command command) {
  return commands[static_cast<std::size_t>(command)];
}
const char* name_of(TracedTransaction::Response response) {
  return responses[static_cast<std::size_t>(response)];
}

// ---- writing ----

TransactionTraceWriter::TransactionTraceWriter(const std::filesystem::path& file,
                                               const std::vector<std::string>& masters)
    : path_(file), file_(file, std::ios::binary) {
  std::string header(magic);
  append(header, version);
  append(header, static_cast<std::uint32_t>(masters.size()));
  for (const std::string& name : masters) {
    append(header, static_cast<std::uint16_t>(name.size()));
    header += name;
  }
  append(header, checksum(header));
  file_ << header;
  if (!file_) throw TransactionTraceError(fmt::format("{} cannot be written", path_.string()));
}

void TransactionTraceWriter::add(const TracedTransaction& t) {
  append(block_, t.start.count());
  append(block_, t.end.count());
  append(block_, t.address.value());
  append(block_, t.length);
  append(block_, t.master);
  block_ += static_cast<char>(static_cast<unsigned>(t.command) | (t.is_monitored ? monitored_bit : 0u) |
                              (t.is_poisoned ? poisoned_bit : 0u));
  block_ += static_cast<char>(t.response);
  ++total_;
  if (block_.size() == max_records * record_size) write_block();
}

void TransactionTraceWriter::write_block() {
  std::string count;
  append(count, static_cast<std::uint32_t>(block_.size() / record_size));
  block_.insert(0, count);
  append(block_, checksum(block_));
  file_ << block_;
  block_.clear();
}

void TransactionTraceWriter::finish() {
  if (!block_.empty()) write_block();
  append(block_, std::uint32_t{0});
  append(block_, total_);
  append(block_, checksum(block_));
  file_ << block_;
  file_.close();
  if (!file_) throw TransactionTraceError(fmt::format("{} cannot be written", path_.string()));
}

// ---- reading ----

TransactionTrace TransactionTrace::read(std::istream& in) {
  TransactionTrace trace;
  std::uint64_t at = 0;
  trace.masters = read_masters(in, at);
  for (;;) {
    const std::uint64_t block_at = at;
    Part block(in, at);
    const auto count = block.value<std::uint32_t>("a block of records or the end");
    if (count > max_records)
      throw TransactionTraceError(fmt::format("has a block of {} records at byte {}, expected at most {}",
                                              count, block_at, max_records));
    if (count == 0) {
      const auto total = block.value<std::uint64_t>("the number of records");
      block.check("the end");
      if (total != trace.transactions.size())
        throw TransactionTraceError(fmt::format("has {} records and says {} at byte {}",
                                                trace.transactions.size(), total, block_at + 4));
      if (in.peek() != std::istream::traits_type::eof())
        throw TransactionTraceError(fmt::format("goes on at byte {}, expected its end there", at));
      return trace;
    }
    const std::string records(block.bytes(count * record_size, "records"));
    block.check("a block");
    for (std::size_t i = 0; i < count; ++i)
      trace.transactions.push_back(
          transaction_of(std::string_view(records).substr(i * record_size, record_size), trace.masters.size(),
                         block_at + 4 + i * record_size));
  }
}

std::string TransactionTrace::to_text() const {
  std::size_t width = std::string_view("master").size();
  for (const std::string& name : masters) width = std::max(width, name.size());
  std::string text = fmt::format("{:>16} {:>16} {:<{}} {:<6} {:>18} {:>7} {}\n", "start_ps", "end_ps",
                                 "master", width, "does", "address", "bytes", "response");
  for (const TracedTransaction& t : transactions)
    fmt::format_to(std::back_inserter(text), "{:>16} {:>16} {:<{}} {:<6} {:#018x} {:>7} {}{}{}\n",
                   t.start.count(), t.end.count(), masters[t.master], width, name_of(t.command),
                   t.address.value(), t.length, name_of(t.response), t.is_monitored ? " monitored" : "",
                   t.is_poisoned ? " poisoned" : "");
  return text;
}

}  // namespace asterism
