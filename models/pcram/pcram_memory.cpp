#include "pcram/pcram_memory.h"

#include <algorithm>

namespace asterism {
namespace {

constexpr unsigned line_bytes = 64;

// Bits [first, first + count).
constexpr std::uint64_t bits_of(unsigned first, std::size_t count) {
  return (count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << first;
}

// All requests are answered at once, so there is nothing that ends later.
struct NoSink final : PcramArray::Sink {
  void written(Picoseconds, PcramArray::Tag, std::uint32_t) override {}
  void read_done(Picoseconds, PcramArray::Tag, const PcramArray::Read&) override {}
};

std::uint64_t number_of(Bytes offset) { return offset / PcramMemory::line; }
unsigned first_of(Bytes offset) { return static_cast<unsigned>(offset.count() % line_bytes); }

}  // namespace

void PcramMemory::overlay(const Buffered& from, unsigned first, std::span<std::byte> data) {
  for (std::size_t i = 0; i < data.size(); ++i)
    if ((from.stored >> (first + i) & 1) != 0) data[i] = from.data[first + i];
}

PcramMemory::Read PcramMemory::read(Picoseconds now, Bytes offset, std::span<std::byte> data) {
  ++counts_.reads;
  const unsigned first = first_of(offset);
  const auto found = buffer_.find(number_of(offset));
  const std::uint64_t stored = found == buffer_.end() ? 0 : found->second.stored;
  Read read{now};
  const bool is_buffered = (~stored & bits_of(first, data.size())) == 0,
             was_read = last_read_ && last_read_->number == number_of(offset);
  counts_.reads_from_buffer += is_buffered || was_read;
  if (!is_buffered) {
    if (!was_read) read_cells(now, number_of(offset));
    std::copy_n(last_read_->bytes.begin() + first, data.size(), data.begin());
    read = {std::max(now, last_read_->arrived), last_read_->is_lost};
    counts_.lost_reads += read.is_lost;
  }
  if (stored != 0) overlay(found->second, first, data);
  return read;
}

void PcramMemory::read_cells(Picoseconds now, std::uint64_t number) {
  const PcramArray::LineRead cells = array_.read_line(now, number);
  last_read_ = {number, cells.end, cells.line.bytes, cells.line.uncorrectable != 0 || lost_.contains(number)};
}

Picoseconds PcramMemory::write(Picoseconds now, Bytes offset, std::span<const std::byte> data) {
  ++counts_.writes;
  const unsigned first = first_of(offset);
  Picoseconds end = now;
  const auto found = buffer_.find(number_of(offset));
  if (found != buffer_.end()) ++counts_.writes_combined;
  Buffered& buffered = found != buffer_.end() ? found->second : space_for(number_of(offset), end);
  std::ranges::copy(data, buffered.data.begin() + first);
  buffered.stored |= bits_of(first, data.size());
  buffered.used = ++uses_;
  waiting_ += end - now;
  return end;
}

// A new line in the buffer, from `now` on, which becomes later if there is no space.
PcramMemory::Buffered& PcramMemory::space_for(std::uint64_t number, Picoseconds& now) {
  while (!leaving_.empty() && leaving_.top() <= now) leaving_.pop();
  if (buffer_.size() + leaving_.size() >= buffer_lines_) {
    now = leaving_.top();
    leaving_.pop();
  }
  Buffered& added = buffer_[number];
  added.used = ++uses_;
  if (buffer_.size() > buffer_lines_ * 3 / 4)
    leaving_.push(write_back(
        now, std::ranges::min_element(buffer_, {}, [](const auto& each) { return each.second.used; })));
  return added;
}

// Removes a line from the buffer. Returns when its pulses begin.
Picoseconds PcramMemory::write_back(Picoseconds now, Buffer::iterator which) {
  auto& [number, buffered] = *which;
  bool is_lost = false;
  if (!buffered.is_whole()) {
    ++counts_.lines_completed;
    read_cells(now, number);
    is_lost = last_read_->is_lost;
    now = last_read_->arrived;
    overlay(buffered, 0, last_read_->bytes);
    buffered.data = last_read_->bytes;
  }
  if (last_read_ && last_read_->number == number) last_read_.reset();
  const PcramArray::LineWrite written = array_.write_line(now, number, buffered.data);
  if (written.is_lost) on_worn(number * line);
  if (is_lost || written.is_lost)
    lost_.insert(number);
  else
    lost_.erase(number);
  buffer_.erase(which);
  return written.times.pulses;
}

void PcramMemory::peek(Bytes offset, std::span<std::byte> data) const {
  const auto cells = array_.peek(number_of(offset));
  std::copy_n(cells.begin() + first_of(offset), data.size(), data.begin());
  if (const auto found = buffer_.find(number_of(offset)); found != buffer_.end())
    overlay(found->second, first_of(offset), data);
}

void PcramMemory::poke(Bytes offset, std::span<const std::byte> data) {
  const unsigned first = first_of(offset);
  auto cells = array_.peek(number_of(offset));
  std::ranges::copy(data, cells.begin() + first);
  array_.poke(number_of(offset), cells);
  last_read_.reset();
  const auto found = buffer_.find(number_of(offset));
  if (found == buffer_.end()) return;
  std::ranges::copy(data, found->second.data.begin() + first);
}

void PcramMemory::advance_to(Picoseconds now) {
  NoSink none;
  array_.advance_to(now, none);
}

void PcramMemory::lose_power(Picoseconds now, bool has_reserve) {
  advance_to(now);
  if (has_reserve) {
    counts_.lines_saved += buffer_.size();
    while (!buffer_.empty()) write_back(now, buffer_.begin());
    array_.finish();
  }
  counts_.lines_dropped += buffer_.size();
  buffer_.clear();
  leaving_ = {};
  last_read_.reset();
  array_.reset(Reset::power_loss);
}

void PcramMemory::report(Statistics& statistics) const {
  statistics.add("reads", counts_.reads);
  statistics.add("writes", counts_.writes);
  statistics.add("reads_from_buffer", counts_.reads_from_buffer);
  statistics.add("writes_combined", counts_.writes_combined);
  statistics.add("lines_completed", counts_.lines_completed);
  statistics.add("lines_in_buffer", std::uint64_t{buffer_.size()});
  statistics.add("lines_saved_at_power_loss", counts_.lines_saved);
  statistics.add("lines_lost_at_power_loss", counts_.lines_dropped);
  statistics.add("lost_reads", counts_.lost_reads);
  statistics.add("store_waits", waiting_);
  array_.report(statistics);
}

}  // namespace asterism
