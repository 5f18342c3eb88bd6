#include "memory/dram_trace.h"

#include <fmt/format.h>

#include <array>
#include <boost/container/static_vector.hpp>
#include <charconv>

#include "base/quantity_text.h"

namespace asterism {
namespace {

constexpr std::size_t longest_line = 1024;
constexpr Picoseconds latest = 1'000'000_s;
using Fields3 =
    boost::container::static_vector<std::string_view, 4>;  // one more shows that there are too many

Fields3 fields_of(std::string_view text) {
  Fields3 fields;
  text = text.substr(0, text.find('#'));
  constexpr std::string_view blanks = " \t\r";
  while (fields.size() < fields.capacity()) {
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) break;
    text.remove_prefix(first);
    const std::size_t end = std::min(text.find_first_of(blanks), text.size());
    fields.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return fields;
}

// What a field shows of itself in a message.
std::string quoted(std::string_view text) {
  std::string shown = "\"";
  for (const char c : text.substr(0, 40)) shown += c >= ' ' && c <= '~' ? c : '?';
  return shown + (text.size() > 40 ? "...\"" : "\"");
}

std::optional<std::uint64_t> number(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

}  // namespace

DramTraceSource::DramTraceSource(std::unique_ptr<std::istream> in, std::string name, Bytes size)
    : in_(std::move(in)), name_(std::move(name)), size_(size) {
  in_->peek();  // a folder opens, and fails here
  if (in_->bad()) throw DramTraceError(name_ + ": cannot be read");
}

void DramTraceSource::refuse(const std::string& problem) const {
  throw DramTraceError(fmt::format("{}:{}: {}", name_, line_, problem));
}

std::optional<DramAccess> DramTraceSource::next() {
  std::array<char, longest_line + 2> buffer;
  for (;;) {
    in_->getline(buffer.data(), buffer.size());
    const auto got = static_cast<std::size_t>(in_->gcount());
    if (in_->bad()) throw DramTraceError(name_ + ": cannot be read");
    if (got == 0) return std::nullopt;
    ++line_;
    if (in_->fail()) refuse(fmt::format("expected a line of at most {} characters", longest_line));
    const std::string_view text(buffer.data(), in_->eof() ? got : got - 1);
    if (!fields_of(text).empty()) return parse(text);
  }
}

DramAccess DramTraceSource::parse(std::string_view line) {
  const Fields3 fields = fields_of(line);
  if (fields.size() < 2 || fields.size() > 3)
    refuse(fmt::format("expected 2 or 3 fields (R|W address [time]), got {}{}",
                       fields.size() > 3 ? "at least " : "", fields.size()));
  DramAccess access;
  if (fields[0] != "R" && fields[0] != "W") refuse(fmt::format("expected R or W, got {}", quoted(fields[0])));
  access.is_write = fields[0] == "W";
  const bool has_prefix = fields[1].starts_with("0x") || fields[1].starts_with("0X");
  const auto address = number(fields[1].substr(has_prefix ? 2 : 0), 16);
  if (!address)
    refuse(fmt::format("expected a hexadecimal address such as 0x1f40, got {}", quoted(fields[1])));
  if (Bytes(*address) >= size_)
    refuse(fmt::format("expected an address below {:#x}, the size of the memory, got {:#x}", size_.count(),
                       *address));
  access.block = *address / 64;
  if (fields.size() == 3) try {
      const auto plain = number(fields[2], 10);
      access.earliest = plain ? Picoseconds(*plain) : parse_quantity<Picoseconds>(fields[2]);
    } catch (const std::invalid_argument& error) {
      refuse(fmt::format("expected a time such as 12.5ns, got {}: {}", quoted(fields[2]), error.what()));
    }
  if (fields.size() == 3 && access.earliest < last_)
    refuse(fmt::format("expected a time of at least {}, that of an access before, got {}", to_text(last_),
                       to_text(access.earliest)));
  if (access.earliest > latest)
    refuse(fmt::format("expected a time of at most {}, got {}", to_text(latest), to_text(access.earliest)));
  last_ = std::max(last_, access.earliest);
  access.earliest = last_;
  return access;
}

}  // namespace asterism
