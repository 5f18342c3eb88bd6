#include "base/trace_lines.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/quantity_text.h"

namespace asterism {
namespace {

constexpr std::size_t longest_line = 1024;
constexpr Picoseconds latest = 1'000'000_s;

void split(std::string_view text, std::vector<std::string_view>& fields) {
  fields.clear();
  text = text.substr(0, text.find('#'));
  constexpr std::string_view blanks = " \t\r";
  for (;;) {
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return;
    text.remove_prefix(first);
    const std::size_t end = std::min(text.find_first_of(blanks), text.size());
    fields.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

}  // namespace

TraceLines::TraceLines(std::unique_ptr<std::istream> in, std::string name)
    : in_(std::move(in)), name_(std::move(name)), line_(longest_line + 2, '\0') {
  in_->peek();  // a folder opens, and fails here
  if (in_->bad()) throw TraceError(name_ + ": cannot be read");
}

std::span<const std::string_view> TraceLines::next() {
  for (;;) {
    in_->getline(line_.data(), static_cast<std::streamsize>(line_.size()));
    const auto got = static_cast<std::size_t>(in_->gcount());
    if (in_->bad()) throw TraceError(name_ + ": cannot be read");
    if (got == 0) return {};
    ++number_;
    if (in_->fail()) refuse("expected a line of at most " + std::to_string(longest_line) + " characters");
    split(std::string_view(line_).substr(0, in_->eof() ? got : got - 1), fields_);
    if (!fields_.empty()) return fields_;
  }
}

void TraceLines::refuse(const std::string& problem) const {
  throw TraceError(name_ + ":" + std::to_string(number_) + ": " + problem);
}

Picoseconds TraceLines::duration(std::string_view field, Picoseconds longest) const {
  Picoseconds time;
  try {
    const auto plain = plain_number(field, 10);
    time = plain ? Picoseconds(*plain) : parse_quantity<Picoseconds>(field);
  } catch (const std::invalid_argument& error) {
    refuse("expected a time such as 12.5ns, got " + quoted_text(field) + ": " + error.what());
  }
  if (time > longest) refuse("expected a time of at most " + to_text(longest) + ", got " + to_text(time));
  return time;
}

Picoseconds TraceLines::time(std::string_view field) {
  const Picoseconds time = duration(field, latest);
  if (time < last_)
    refuse("expected a time of at least " + to_text(last_) + ", that of an access before, got " +
           to_text(time));
  return last_ = time;
}

std::uint64_t TraceLines::number_below(std::string_view field, std::string_view what,
                                       std::uint64_t limit) const {
  const bool is_hexadecimal = field.starts_with("0x") || field.starts_with("0X");
  const auto value = plain_number(field.substr(is_hexadecimal ? 2 : 0), is_hexadecimal ? 16 : 10);
  if (!value || *value >= limit)
    refuse("expected " + std::string(what) + " below " + std::to_string(limit) + ", got " +
           quoted_text(field));
  return *value;
}

std::optional<std::uint64_t> plain_number(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::string quoted_text(std::string_view text) {
  std::string shown = "\"";
  for (const char c : text.substr(0, 40)) shown += c >= ' ' && c <= '~' ? c : '?';
  return shown + (text.size() > 40 ? "...\"" : "\"");
}

}  // namespace asterism
