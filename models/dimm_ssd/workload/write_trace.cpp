#include "dimm_ssd/workload/write_trace.h"

#include <algorithm>

#include "base/quantity_text.h"
#include "matt/matt.h"

namespace asterism {

WriteTrace::WriteTrace(Open open, std::string name, Picoseconds interval)
    : open_(std::move(open)), name_(std::move(name)), interval_(interval) {
  lines_.emplace(open_(), name_);
  while (const auto request = read()) {
    ++requests_;
    pages_ = std::max(pages_, request->page + 1);
    const std::uint64_t index = request->time / interval_;
    if (index >= max_intervals)
      lines_->refuse("expected a time before " + to_text(interval_ * max_intervals) + ", the end of " +
                     std::to_string(max_intervals) + " intervals, got " + to_text(request->time));
    intervals_ = static_cast<std::uint32_t>(index) + 1;
  }
  if (requests_ == 0) throw TraceError(name_ + ": has no request");
}

std::optional<WriteRequest> WriteTrace::read() {
  const std::span<const std::string_view> fields = lines_->next();
  if (fields.empty()) return std::nullopt;
  if (fields.size() != 3)
    lines_->refuse("expected 3 fields (time page line), got " + std::to_string(fields.size()));
  const Picoseconds time = lines_->time(fields[0]);
  const auto page = static_cast<std::uint32_t>(lines_->number_below(fields[1], "a page", max_written_pages));
  const auto line =
      static_cast<std::uint32_t>(lines_->number_below(fields[2], "a line", Matt::lines_per_page));
  return WriteRequest{time, page, line};
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
