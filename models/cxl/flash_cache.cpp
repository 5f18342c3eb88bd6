#include "cxl/flash_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/page_lines.h"

namespace asterism {
namespace {

constexpr std::size_t line_size = FlashCache::line.count();
constexpr std::uint64_t all_lines = ~std::uint64_t{0};

Bytes dram_size(const DramConfig& dram, const DramPart& part) {
  return part.rank_size() * (std::uint64_t{dram.ranks} * dram.channels * dram.controllers);
}

std::byte* zeros(Bytes size) {
  void* const memory = std::calloc(size.count(), 1);
  if (memory == nullptr) throw std::invalid_argument("the host has no memory for the window of a CXL SSD");
  return static_cast<std::byte*>(memory);
}

// Calls act(number of the line) for each line of `lines`.
template <class Act>
void for_each_line(const std::vector<std::uint64_t>& lines, Act act) {
  for (std::size_t word = 0; word < lines.size(); ++word)
    for (std::uint64_t left = lines[word]; left != 0; left &= left - 1)
      act(static_cast<std::uint32_t>(64 * word) + static_cast<std::uint32_t>(std::countr_zero(left)));
}

}  // namespace

FlashCache::FlashCache(const CxlSsdConfig& config, const FlashPart& flash, const DramPart& dram,
                       FlashImage& image, Sink& sink)
    : size_(config.size),
      page_size_(flash.page),
      parts_(static_cast<std::uint32_t>(flash.page / tracked_page)),
      capacity_(std::max<std::size_t>(config.cache / flash.page, 4)),
      max_saves_(std::size_t{2} * image.geometry().all_planes()),
      is_protected_(config.power_loss_protection),
      read_ahead_(config.read_ahead),
      latency_(config.latency),
      image_(image),
      sink_(sink),
      layer_(config.flash.translation, flash, image, *this),
      matt_(config.matt, static_cast<std::uint32_t>(config.size / tracked_page)),
      dram_(config.dram, dram, dram_size(config.dram, dram)),
      contents_(zeros(config.size)) {
  if (layer_.page_size() * std::uint64_t{layer_.pages()} < size_)
    throw std::invalid_argument(
        fmt::format("the flash has {} logical pages, fewer than the window takes", layer_.pages()));
  first_accesses_.fill(none);
  track_all();
}

void FlashCache::track_all() {
  for (std::uint32_t page = 0; page < matt_.pages(); ++page) matt_.track(page, true);
}

// ---- frames ----

bool FlashCache::is_complete(const Frame& frame) const {
  return std::ranges::all_of(frame.valid, [](std::uint64_t word) { return word == all_lines; });
}

FlashCache::Frame* FlashCache::find(Page page) {
  const auto found = frames_.find(page);
  return found == frames_.end() ? nullptr : &found->second;
}

FlashCache::Frame& FlashCache::insert(Page page) {
  Frame& frame = frames_[page];
  is_full_ = false;
  if (free_slots_.empty()) {
    frame.slot = static_cast<std::uint32_t>(frames_.size() - 1);
  } else {
    frame.slot = free_slots_.back();
    free_slots_.pop_back();
  }
  frame.data.resize(image_.keeps_contents() ? page_size_.count() : 0);
  frame.valid.assign(parts_, layer_.is_mapped(page) ? 0 : all_lines);
  frame.taken.assign(parts_, 0);
  used_.push_front(page);
  frame.place = used_.begin();
  return frame;
}

void FlashCache::drop(Frames::iterator frame) {
  free_slots_.push_back(frame->second.slot);
  used_.erase(frame->second.place);
  frames_.erase(frame);
}

// The frame that leaves next.
std::list<FlashCache::Page>::reverse_iterator FlashCache::last_idle() {
  if (is_full_) return used_.rend();
  const auto last = std::find_if(used_.rbegin(), used_.rend(), [this](Page each) {
    const Frame& frame = frames_.at(each);
    return !frame.is_modified && !frame.is_filling && !frame.is_saving;
  });
  is_full_ = last == used_.rend();
  return last;
}

// A new frame; nullptr: there is none yet.
FlashCache::Frame* FlashCache::make_room(Picoseconds now, Page page) {
  while (frames_.size() >= capacity_) {  // there are more after a poke
    const auto last = last_idle();
    if (last == used_.rend()) {
      const auto first =
          std::ranges::find_if(modified_, [this](const auto& each) { return !is_lost(each.second); });
      if (saving_ == 0 && first != modified_.end()) {
        wanted_.insert(first->second);
        schedule(now);
      }
      return nullptr;
    }
    ++count_.evicted;
    drop(frames_.find(*last));
  }
  return &insert(page);
}

// Reads what the frame does not have.
void FlashCache::fill(Picoseconds now, Page page, Frame& frame) {
  if (std::exchange(frame.is_filling, true)) return;
  ++filling_;
  ++count_.pages_read;
  layer_.read(now, page, tag_of(Operation::fill, page));
}

void FlashCache::read_ahead(Picoseconds now, Page page) {
  const bool is_sequential =
      page != 0 && std::ranges::find(first_accesses_, page - 1) != first_accesses_.end();
  first_accesses_[next_first_] = page;
  next_first_ = (next_first_ + 1) % first_accesses_.size();
  if (!is_sequential) return;
  const auto pages = static_cast<Page>(size_ / page_size_);
  for (Page next = page + 1; next <= page + read_ahead_ && next < pages; ++next) {
    if (frames_.contains(next) || !layer_.is_mapped(next)) continue;
    while (frames_.size() >= capacity_) {
      const auto last = last_idle();
      if (last == used_.rend() || *last == page) return;
      ++count_.evicted;
      drop(frames_.find(*last));
    }
    ++count_.pages_ahead;
    Frame& frame = insert(next);
    frame.is_ahead = true;
    fill(now, next, frame);
  }
}

// ---- accesses ----

FlashCache::Answer FlashCache::prepare(Picoseconds now, Bytes offset, bool is_write, bool is_whole) {
  if (!is_ready()) return Answer::wait;
  if (is_write && read_only()) return Answer::failed;
  const Page page = page_of(offset);
  Frame* frame = find(page);
  const bool was_there = frame != nullptr;
  if (!was_there) {
    frame = make_room(now, page);
    if (frame == nullptr) {
      return saving_ == 0 && filling_ == 0 ? Answer::failed : Answer::wait;
    }
  }
  used_.splice(used_.begin(), used_, frame->place);
  const bool is_first = !was_there || std::exchange(frame->is_ahead, false);
  if (is_first && !(is_write && is_whole)) read_ahead(now, page);
  if (has(frame->valid, line_of(offset)) || (is_write && is_whole)) return Answer::ready;
  if (!frame->is_filling) ++count_.misses;
  fill(now, page, *frame);
  return Answer::wait;
}

bool FlashCache::is_hit(Bytes offset, bool is_write, bool is_whole) const {
  const auto found = frames_.find(page_of(offset));
  return found != frames_.end() && (has(found->second.valid, line_of(offset)) || (is_write && is_whole));
}

Picoseconds FlashCache::time(Picoseconds now, Picoseconds at, Bytes offset, bool is_write, unsigned master) {
  ++(is_write ? count_.writes : count_.reads);
  const Frame& frame = frames_.at(page_of(offset));
  const Bytes place = page_size_ * (frame.slot % capacity_) + offset % page_size_;
  return latency_ + dram_.access(now, {.at = at,
                                       .master = master,
                                       .location = dram_.mapping().locate(place / line),
                                       .is_write = is_write});
}

// The table gives up the lines of one of its pages.
void FlashCache::take_part(std::uint32_t part, Page page, Frame& frame) {
  const std::uint32_t number = page * parts_ + part;
  if (const auto choice = matt_.take(number)) frame.taken[part] |= choice->lines;
  matt_.copied(number);
}

// Where a phase of the table has ended since the page was modified, it takes further lines only when it has
// given up the earlier ones.
void FlashCache::modify(Frame& frame, Page page, std::uint32_t part, std::uint64_t lines) {
  const std::uint32_t number = page * parts_ + part;
  if (matt_.write(number, lines) == Matt::Answer::not_ready) {
    take_part(part, page, frame);
    matt_.write(number, lines);
  }
  if (std::exchange(frame.is_modified, true)) return;
  frame.since = ++sequence_;
  modified_.emplace(frame.since, page);
}

void FlashCache::written(Picoseconds now, Bytes offset, Bytes size) {
  const Page page = page_of(offset);
  Frame& frame = frames_.at(page);
  const std::uint32_t index = line_of(offset);
  if (!frame.data.empty())
    std::memcpy(frame.data.data() + offset % page_size_ / Bytes(1), contents_.get() + offset.count(),
                size.count());
  if (size == line) set(frame.valid, index);
  if (const auto lost = lost_.find(page); lost != lost_.end()) {
    lost->second.written(offset, size);
    if (lost->second.empty()) lost_.erase(lost);
  }
  modify(frame, page, index / 64, std::uint64_t{1} << index % 64);
  schedule(now);
}

void FlashCache::poke(Picoseconds now, Bytes offset, std::span<const std::byte> data) {
  std::ranges::copy(data, contents_.get() + offset.count());
  for (Bytes at = offset, end = offset + Bytes(data.size()); at < end;) {
    const Bytes of_line = std::min(line - at % line, end - at);
    Frame* frame = find(page_of(at));
    if (frame == nullptr) frame = &insert(page_of(at));
    // What the frame does not have of the line is what the host sees.
    if (!has(frame->valid, line_of(at)) && !frame->data.empty()) {
      const Bytes begin = at - at % line;
      std::memcpy(frame->data.data() + begin % page_size_ / Bytes(1), contents_.get() + begin.count(),
                  line_size);
    }
    set(frame->valid, line_of(at));
    written(now, at, of_line);
    at += of_line;
  }
}

bool FlashCache::is_poisoned(Bytes offset) const {
  const auto found = lost_.find(page_of(offset));
  return found != lost_.end() && found->second.touches(offset, Bytes(1));
}

AddressRange FlashCache::sound_around(Bytes offset) const {
  const Page page = page_of(offset);
  const auto next = lost_.lower_bound(page);
  if (next != lost_.end() && next->first == page) return {Address(0), Bytes(0)};
  const std::uint64_t end = next == lost_.end() ? size_ / page_size_ : next->first;
  const std::uint64_t begin = next == lost_.begin() ? 0 : std::prev(next)->first + std::uint64_t{1};
  return {Address((page_size_ * begin).count()), page_size_ * (end - begin)};
}

// ---- faults ----

std::optional<FlashAddress> FlashCache::inject(const FlashFailure& fault) {
  if (!is_ready()) return std::nullopt;
  const std::optional<FlashAddress> place = layer_.place(page_of(fault.offset));
  if (!place) return std::nullopt;
  break_flash(image_, *place, fault);
  return place;
}

// ---- writing back ----

void FlashCache::flush(Picoseconds now) {
  ++count_.flushes;
  Flush& flush = flushes_.emplace_back();
  for (auto& [page, frame] : frames_) {
    if (!frame.is_modified && !frame.is_saving) continue;
    flush.left.emplace(page, frame.saves + (frame.is_modified ? 1 : 0));
    if (frame.is_modified) wanted_.insert(page);
  }
  schedule(now);
  end_flushes(now);
}

void FlashCache::end_flushes(Picoseconds now) {
  while (!flushes_.empty() && flushes_.front().left.empty()) {
    const bool ok = flushes_.front().ok;
    if (!ok) ++count_.failed_flushes;
    flushes_.pop_front();
    sink_.flushed(now, ok);
  }
}

// The flash has become read-only: only programs that are under way can still end.
void FlashCache::give_up_flushes() {
  wanted_.clear();
  for (Flush& flush : flushes_)
    if (std::erase_if(flush.left, [this](const auto& each) { return !frames_.at(each.first).is_saving; }) !=
        0)
      flush.ok = false;
}

// The caller ends the flushes that wait for nothing any more.
void FlashCache::schedule(Picoseconds now) {
  if (!is_ready()) return;
  if (read_only()) return give_up_flushes();
  std::vector<Page> pages(wanted_.begin(), wanted_.end());
  for (const Page page : pages) {
    if (saving_ >= max_saves_) return;
    begin_save(now, page, frames_.at(page));
  }
  // Those that are wanted are about to be saved.
  const auto is_half_modified = [this] { return 2 * (modified_.size() - wanted_.size()) > capacity_; };
  for (auto next = modified_.begin(); next != modified_.end() && is_half_modified();) {
    if (saving_ >= max_saves_) return;
    const Page page = (next++)->second;
    begin_save(now, page, frames_.at(page));
  }
}

// The lines of the frame that the table has: they are in the program that begins.
void FlashCache::take_lines(Page page, Frame& frame) {
  matt_.begin_phase();
  for (std::uint32_t part = 0; part < parts_; ++part) take_part(part, page, frame);
  frame.saving = std::exchange(frame.taken, Lines(parts_, 0));
  for (const std::uint64_t lines : frame.saving)
    count_.lines_written += static_cast<std::uint64_t>(std::popcount(lines));
}

// False: it has to wait, or cannot be saved.
bool FlashCache::begin_save(Picoseconds now, Page page, Frame& frame) {
  if (frame.is_saving || frame.is_filling) return false;
  if (is_lost(page)) {  // until the rest has been written
    for (Flush& flush : flushes_)
      if (flush.left.erase(page) != 0) flush.ok = false;
    wanted_.erase(page);
    return false;
  }
  if (!is_complete(frame)) {
    ++count_.pages_completed;
    wanted_.insert(page);
    fill(now, page, frame);
    return false;
  }
  take_lines(page, frame);
  modified_.erase({frame.since, page});
  wanted_.erase(page);
  frame.is_modified = false;
  frame.is_saving = true;
  ++frame.saves;
  ++saving_;
  ++count_.pages_written;
  layer_.write(now, page, frame.data, tag_of(Operation::save, page));
  return true;
}

void FlashCache::written(Picoseconds at, TranslationLayer::Tag tag, TranslationLayer::Outcome outcome) {
  const auto page = static_cast<Page>(tag);
  Frame& frame = frames_.at(page);
  frame.is_saving = is_full_ = false;
  --saving_;
  const bool ok = outcome == TranslationLayer::Outcome::done;
  if (!ok)
    for (std::uint32_t part = 0; part < parts_; ++part)
      if (frame.saving[part] != 0) modify(frame, page, part, frame.saving[part]);
  frame.saving.clear();
  for (Flush& flush : flushes_) {
    const auto waits = flush.left.find(page);
    if (waits == flush.left.end() || (ok && waits->second > frame.saves)) continue;
    flush.ok = flush.ok && ok;
    flush.left.erase(waits);
  }
  schedule(at);
  end_flushes(at);
  sink_.changed(at);
}

void FlashCache::read_done(Picoseconds at, TranslationLayer::Tag tag, bool is_readable,
                           std::span<const std::byte> data) {
  const auto page = static_cast<Page>(tag);
  Frame& frame = frames_.at(page);
  frame.is_filling = is_full_ = false;
  --filling_;
  Lines missing = frame.valid;
  for (std::uint64_t& word : missing) word = ~word;
  if (is_readable && !data.empty())
    for_each_line(missing, [&](std::uint32_t index) {
      std::memcpy(frame.data.data() + line_size * index, data.data() + line_size * index, line_size);
    });
  frame.valid.assign(parts_, all_lines);
  lost_.erase(page);
  if (!is_readable) {
    PoisonList& poison = lost_[page];
    for_each_line(missing, [&](std::uint32_t index) {
      poison.add(page_size_ * std::uint64_t{page} + line * index, PoisonSource::internal);
    });
    sink_.lost(at, page_size_ * std::uint64_t{page});
  }
  schedule(at);
  end_flushes(at);
  sink_.changed(at);
}

// ---- power ----

void FlashCache::power_up(Picoseconds now) { layer_.power_up(now); }

void FlashCache::advance_to(Picoseconds now) { layer_.advance_to(now); }

void FlashCache::recovered(Picoseconds at) {
  load_contents();
  schedule(at);
  sink_.ready(at);
  end_flushes(at);
  sink_.changed(at);
}

// What the host sees after a loss of power: flash, and the lines of a saved cache.
void FlashCache::load_contents() {
  if (contents_ || !image_.keeps_contents()) {
    if (!contents_) contents_.reset(zeros(size_));
    return;
  }
  contents_.reset(zeros(size_));
  const auto pages = static_cast<Page>((size_ + page_size_ - Bytes(1)) / page_size_);
  for (Page page = 0; page < pages; ++page) {
    const std::optional<FlashAddress> place = layer_.place(page);
    if (!place) continue;
    const std::size_t begin = page_size_.count() * page;
    const std::span<const std::byte> data = image_.page(*place);
    std::memcpy(contents_.get() + begin, data.data(), std::min(data.size(), size_.count() - begin));
  }
  for (const auto& each : frames_) {
    std::byte* const to = contents_.get() + page_size_.count() * each.first;
    const std::byte* const from = each.second.data.data();
    for_each_line(each.second.valid, [&](std::uint32_t index) {
      std::memcpy(to + line_size * index, from + line_size * index, line_size);
    });
  }
}

// Frames that are kept need their modified lines once more: nothing of a program that is broken off counts.
void FlashCache::reset(Reset kind) {
  layer_.reset(kind);
  flushes_.clear();
  wanted_.clear();
  saving_ = filling_ = 0;
  is_full_ = false;
  first_accesses_.fill(none);
  const bool keeps = kind == Reset::warm || (kind == Reset::power_loss && is_protected_);
  for (auto& [page, frame] : frames_) {
    frame.is_filling = frame.is_saving = false;
    for (std::uint32_t part = 0; part < parts_ && !frame.saving.empty(); ++part)
      if (keeps && frame.saving[part] != 0) modify(frame, page, part, frame.saving[part]);
    frame.saving.clear();
  }
  if (kind == Reset::power_loss) (keeps ? count_.saved : count_.dropped) += modified_.size();
  if (keeps) {
    std::vector<Page> clean;
    for (const auto& [page, frame] : frames_)
      if (!frame.is_modified) clean.push_back(page);
    if (kind == Reset::power_loss)
      for (const Page page : clean) drop(frames_.find(page));
  } else {
    frames_.clear();
    used_.clear();
    free_slots_.clear();
    modified_.clear();
    matt_.reset(kind);
    track_all();
  }
  if (kind != Reset::warm) {
    contents_.reset();
    std::erase_if(lost_, [this](const auto& each) { return !frames_.contains(each.first); });
  }
  dram_.reset(kind);
  if (kind == Reset::cold) count_ = {};
}

void FlashCache::report(Statistics& statistics, Picoseconds now) const {
  statistics.add("reads", count_.reads);
  statistics.add("writes", count_.writes);
  statistics.add("misses", count_.misses);
  statistics.add("pages_read", count_.pages_read);
  statistics.add("pages_read_ahead", count_.pages_ahead);
  statistics.add("pages_written", count_.pages_written);
  statistics.add("pages_completed", count_.pages_completed);
  statistics.add("lines_written", count_.lines_written);
  statistics.add("pages_evicted", count_.evicted);
  statistics.add("flushes", count_.flushes);
  statistics.add("failed_flushes", count_.failed_flushes);
  statistics.add("pages_saved_by_reserve", count_.saved);
  statistics.add("pages_lost_with_power", count_.dropped);
  matt_.report(statistics.group("matt"));
  layer_.report(statistics.group("translation"), now);
}

}  // namespace asterism
