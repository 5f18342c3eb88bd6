#include "dimm_ssd/workload/write_trace.h"

#include <algorithm>

#include "base/quantity_text.h"
#include "matt/matt.h"

namespace asterism {
namespace {

std::uint32_t number_below(const TraceLines& lines, std::string_view field, const char* what,
                           std::uint64_t limit) {
  const bool is_hexadecimal = field.starts_with("0x") || field.starts_with("0X");
  const auto value = plain_number(field.substr(is_hexadecimal ? 2 : 0), is_hexadecimal ? 16 : 10);
  if (!value || *value >= limit)
    lines.refuse("expected a " + std::string(what) + " below " + std::to_string(limit) + ", got " +
                 quoted_text(field));
  return static_cast<std::uint32_t>(*value);
}

}  // namespace

WriteTrace::WriteTrace(Open open, std::string name, Picoseconds interval)
    : open_(std::move(open)), name_(std::move(name)), interval_(interval) {
  lines_.emplace(open_(), name_);
  while (const auto request = read()) {
    ++requests_;
    pages_ = std::max(pages_, request->page + 1);
    const std::uint64_t index = request->time / interval_;
    if (index >= most_intervals)
      lines_->refuse("expected a time before " + to_text(interval_ * most_intervals) + ", the end of " +
                     std::to_string(most_intervals) + " intervals, got " + to_text(request->time));
    intervals_ = static_cast<std::uint32_t>(index) + 1;
  }
  if (requests_ == 0) throw TraceError(name_ + ": has no request");
}

std::optional<WriteRequest> WriteTrace::read() {
  const std::span<const std::string_view> fields = lines_->next();
  if (fields.empty()) return std::nullopt;
  if (fields.size() != 3)
    lines_->refuse("expected 3 fields (time page line), got " + std::to_string(fields.size()));
  return WriteRequest{lines_->time(fields[0]), number_below(*lines_, fields[1], "page", most_written_pages),
                      number_below(*lines_, fields[2], "line", Matt::lines_per_page)};
}

void WriteTrace::begin_interval(std::uint32_t index) {
  if (index == 0) {
    lines_.emplace(open_(), name_);
    ahead_ = read();
  }
  begin_ = interval_ * index;
  while (ahead_ && ahead_->time < begin_) ahead_ = read();
}

std::size_t WriteTrace::next(std::span<WriteRequest> requests) {
  std::size_t made = 0;
  for (; made < requests.size() && ahead_ && ahead_->time - begin_ < interval_; ++made) {
    requests[made] = *ahead_;
    requests[made].time -= begin_;
    ahead_ = read();
  }
  return made;
}

}  // namespace asterism
