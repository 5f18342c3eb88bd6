#include "nvme/nvme_disk.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace asterism {
namespace {

constexpr std::size_t block_size = NvmeDisk::block.count();

// Copies the blocks of `mask` between two flash pages.
void copy_blocks(std::span<std::byte> to, std::span<const std::byte> from, std::uint32_t mask) {
  for (; mask != 0; mask &= mask - 1) {
    const std::size_t at = static_cast<std::size_t>(std::countr_zero(mask)) * block_size;
    std::ranges::copy(from.subspan(at, block_size), to.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

}  // namespace

NvmeDisk::NvmeDisk(const NvmeConfig& config, const FlashPart& part, FlashImage& image, Sink& sink)
    : keeps_contents_(image.keeps_contents()),
      blocks_per_page_(static_cast<std::uint32_t>(part.page / block)),
      whole_(mask_of(0, blocks_per_page_)),
      capacity_(std::max<std::size_t>(config.cache / part.page, 2)),
      max_operations_(std::size_t{2} * image.geometry().all_planes()),
      linger_(config.linger),
      sink_(sink),
      image_(image),
      layer_(config.flash.translation, part, image, *this) {}

Bytes NvmeDisk::size_of(const NvmeConfig& config, const FlashPart& part) {
  const std::uint64_t pages =
      TranslationLayer::pages_of(config.flash.translation, config.flash.geometry(part));
  return block * (pages * (part.page / block));
}

// ---- requests ----

void NvmeDisk::read(Picoseconds now, std::uint64_t first, std::uint32_t count, Tag tag) {
  count_.read += count;
  const std::uint64_t page = first / blocks_per_page_;
  Reading reading{.tag = tag,
                  .page = static_cast<std::uint32_t>(page),
                  .first = static_cast<std::uint32_t>(first % blocks_per_page_),
                  .count = count,
                  .is_in_flash = layer_.is_mapped(static_cast<std::uint32_t>(page))};
  const Mask wanted = mask_of(reading.first, count);
  if (const auto found = entries_.find(page); found != entries_.end()) {
    reading.cached = found->second.dirty & wanted;
    if (reading.cached != 0) reading.data = found->second.data;
    if (found->second.stage == Stage::saving) reading.is_in_flash = true;  // by the time that it is read
  }
  if (reading.cached == wanted) {
    count_.hits += count;
    Answer answer{.kind = Answer::Kind::read, .at = now, .tag = tag};
    if (keeps_contents_) {
      const auto from = reading.data.begin() + static_cast<std::ptrdiff_t>(reading.first * block_size);
      answer.data.assign(from, from + static_cast<std::ptrdiff_t>(count * block_size));
    }
    answers_.push_back(std::move(answer));
    return;
  }
  const std::uint64_t number = next_operation_++;
  readings_.emplace(number, std::move(reading));
  layer_.read(now, static_cast<std::uint32_t>(page), tag_of(Operation::read, number));
}

void NvmeDisk::write(Picoseconds now, std::uint64_t first, std::uint32_t count, std::vector<std::byte> data,
                     Tag tag) {
  if (layer_.read_only()) {
    ++count_.failed;
    answers_.push_back({.kind = Answer::Kind::accepted, .at = now, .tag = tag, .ok = false});
    return;
  }
  Waiting write{first, count, std::move(data), tag};
  if (!waiting_.empty() || !take(now, write)) {
    ++count_.waited;
    waiting_.push_back(std::move(write));
  }
  schedule(now);
}

// Puts a write into the cache; false: there is no room.
bool NvmeDisk::take(Picoseconds now, const Waiting& write) {
  const std::uint64_t page = write.first / blocks_per_page_;
  auto found = entries_.find(page);
  if (found == entries_.end()) {
    if (entries_.size() >= capacity_) return false;
    found = entries_.try_emplace(page).first;
    found->second.data.resize(keeps_contents_ ? blocks_per_page_ * block_size : 0);
  }
  Entry& entry = found->second;
  unlist(page, entry);
  const auto first = static_cast<std::uint32_t>(write.first % blocks_per_page_);
  const Mask mask = mask_of(first, write.count);
  if (keeps_contents_)
    std::ranges::copy(write.data, entry.data.begin() + static_cast<std::ptrdiff_t>(first * block_size));
  count_.written += write.count;
  count_.overwritten += static_cast<std::uint64_t>(std::popcount(entry.fresh & mask));
  ++sequence_;
  if (entry.first == none) {
    entry.first = sequence_;
    entry.since = now;
  }
  entry.dirty |= mask;
  entry.fresh |= mask;
  if (entry.is_blocked && entry.dirty == whole_ && !layer_.read_only()) {
    entry.is_blocked = false;
    --blocked_;
  }
  list(page, entry);
  answers_.push_back({.kind = Answer::Kind::accepted, .at = now, .tag = write.tag});
  return true;
}

void NvmeDisk::admit(Picoseconds now) {
  const bool read_only = layer_.read_only();
  while (!read_only && !waiting_.empty() && take(now, waiting_.front())) waiting_.pop_front();
  if (waiting_.empty() || !(read_only || is_stuck())) return;
  for (const Waiting& write : waiting_) {
    ++count_.failed;
    answers_.push_back({.kind = Answer::Kind::accepted, .at = now, .tag = write.tag, .ok = false});
  }
  waiting_.clear();
}

void NvmeDisk::persist(Picoseconds now, Tag tag) {
  persisting_.push_back({tag, sequence_, 0, ~std::uint64_t{0}});
  flush_until_ = sequence_;
  schedule(now);
  answer_persisted(now);
}

void NvmeDisk::persist(Picoseconds now, std::uint64_t first, std::uint32_t count, Tag tag) {
  const Persisting request{tag, sequence_, first / blocks_per_page_, (first + count - 1) / blocks_per_page_};
  for (auto at = entries_.lower_bound(request.first_page);
       at != entries_.end() && at->first <= request.last_page; ++at) {
    unlist(at->first, at->second);
    at->second.urgent = sequence_;
    list(at->first, at->second);
  }
  persisting_.push_back(request);
  schedule(now);
  answer_persisted(now);
}

void NvmeDisk::deallocate(Picoseconds now, std::uint64_t first, std::uint64_t count) {
  const std::uint64_t end = (first + count) / blocks_per_page_;
  for (std::uint64_t page = (first + blocks_per_page_ - 1) / blocks_per_page_; page < end; ++page) {
    ++count_.deallocated;
    if (const auto found = entries_.find(page); found != entries_.end()) {
      unlist(page, found->second);
      blocked_ -= found->second.is_blocked ? 1 : 0;
      entries_.erase(found);
    }
    layer_.trim(static_cast<std::uint32_t>(page));
  }
  admit(now);
  schedule(now);
  answer_persisted(now);
}

std::optional<FlashAddress> NvmeDisk::inject(const FlashFailure& failure) {
  const std::uint64_t page = failure.offset / (block * blocks_per_page_);
  if (!layer_.ready() || page >= layer_.pages()) return std::nullopt;
  const std::optional<FlashAddress> place = layer_.place(static_cast<std::uint32_t>(page));
  if (place) break_flash(image_, *place, failure);
  return place;
}

// ---- from the cache to flash ----

void NvmeDisk::list(std::uint64_t page, const Entry& entry) {
  if (entry.stage != Stage::waiting || entry.is_blocked || entry.dirty == 0) return;
  order_.emplace(entry.first, page);
  if (is_due(entry)) due_.emplace(entry.first, page);
}

void NvmeDisk::unlist(std::uint64_t page, const Entry& entry) {
  order_.erase({entry.first, page});
  due_.erase({entry.first, page});
}

std::optional<std::uint64_t> NvmeDisk::choose(Picoseconds now) const {
  if (order_.empty()) return std::nullopt;
  const auto& [first, page] = *order_.begin();
  const bool is_full = !waiting_.empty() || entries_.size() > capacity_ / 2;
  if (is_full || first <= flush_until_ || entries_.at(page).since + linger_ <= now) return page;
  if (!due_.empty()) return due_.begin()->second;
  return std::nullopt;
}

void NvmeDisk::schedule(Picoseconds now) {
  schedule_at_.reset();
  if (!layer_.ready()) return;
  while (operations_.size() < max_operations_) {
    const auto page = choose(now);
    if (!page) break;
    begin_save(now, *page, entries_.at(*page));
  }
  if (operations_.size() < max_operations_ && !order_.empty())
    schedule_at_ = entries_.at(order_.begin()->second).since + linger_;
}

void NvmeDisk::begin_save(Picoseconds now, std::uint64_t page, Entry& entry) {
  unlist(page, entry);
  entry.operation = next_operation_++;
  operations_.emplace(entry.operation, page);
  if (entry.dirty == whole_ || !layer_.is_mapped(static_cast<std::uint32_t>(page)))
    return program(now, page, entry);
  ++count_.completed;
  entry.stage = Stage::completing;
  layer_.read(now, static_cast<std::uint32_t>(page), tag_of(Operation::complete, entry.operation));
}

void NvmeDisk::program(Picoseconds now, std::uint64_t page, Entry& entry) {
  ++count_.pages;
  entry.stage = Stage::saving;
  entry.saving_first = std::exchange(entry.first, none);
  entry.fresh = 0;
  layer_.write(now, static_cast<std::uint32_t>(page), entry.data, tag_of(Operation::save, entry.operation));
}

void NvmeDisk::block_entry(Picoseconds now, std::uint64_t page, Entry& entry) {
  ++count_.failed;
  entry.stage = Stage::waiting;
  entry.first = std::min(entry.first, std::exchange(entry.saving_first, none));
  entry.fresh = entry.dirty;
  if (entry.dirty == whole_ && !layer_.read_only()) {
    list(page, entry);  // the rest has come meanwhile
  } else {
    entry.is_blocked = true;
    ++blocked_;
  }
  admit(now);
}

void NvmeDisk::completed(Picoseconds at, std::uint64_t operation, bool is_readable,
                         std::span<const std::byte> data) {
  const auto which = operations_.find(operation);
  const std::uint64_t page = which->second;
  const auto found = entries_.find(page);
  if (found == entries_.end() || found->second.operation != operation) {
    operations_.erase(which);  // it was deallocated
  } else if (!is_readable && layer_.is_mapped(static_cast<std::uint32_t>(page)) &&
             found->second.dirty != whole_) {
    operations_.erase(which);
    block_entry(at, page, found->second);
  } else {
    if (!data.empty()) copy_blocks(found->second.data, data, whole_ & ~found->second.dirty);
    return program(at, page, found->second);
  }
  schedule(at);
  answer_persisted(at);
}

void NvmeDisk::written(Picoseconds at, TranslationLayer::Tag tag, TranslationLayer::Outcome outcome) {
  const std::uint64_t operation = tag & ~(~TranslationLayer::Tag{0} << operation_shift);
  const auto which = operations_.find(operation);
  const std::uint64_t page = which->second;
  operations_.erase(which);
  if (const auto found = entries_.find(page);
      found != entries_.end() && found->second.operation == operation) {
    Entry& entry = found->second;
    if (outcome == TranslationLayer::Outcome::failed) {
      block_entry(at, page, entry);
    } else if (entry.fresh == 0) {
      entries_.erase(found);
    } else {
      entry.stage = Stage::waiting;
      entry.saving_first = none;
      entry.dirty = entry.fresh;
      list(page, entry);
    }
  }
  admit(at);
  schedule(at);
  answer_persisted(at);
}

// ---- answers ----

// Whether a request to persist has ended, and how.
std::optional<bool> NvmeDisk::result_of(const Persisting& request) const {
  bool ok = true;
  for (auto at = entries_.lower_bound(request.first_page);
       at != entries_.end() && at->first <= request.last_page; ++at) {
    const Entry& entry = at->second;
    if (std::min(entry.first, entry.saving_first) > request.until) continue;
    if (!entry.is_blocked) return std::nullopt;
    ok = false;
  }
  return ok;
}

void NvmeDisk::answer_persisted(Picoseconds now) {
  for (auto at = persisting_.begin(); at != persisting_.end();) {
    const auto ok = result_of(*at);
    if (!ok) {
      ++at;
      continue;
    }
    ++count_.persisted;
    answers_.push_back({.kind = Answer::Kind::durable, .at = now, .tag = at->tag, .ok = *ok});
    at = persisting_.erase(at);
  }
}

void NvmeDisk::recovered(Picoseconds at) {
  sink_.ready(at);
  admit(at);
  schedule(at);
}

void NvmeDisk::read_done(Picoseconds at, TranslationLayer::Tag tag, bool is_readable,
                         std::span<const std::byte> data) {
  const std::uint64_t number = tag & ~(~TranslationLayer::Tag{0} << operation_shift);
  if (static_cast<Operation>(tag >> operation_shift) == Operation::complete)
    return completed(at, number, is_readable, data);
  const auto found = readings_.find(number);
  Reading reading = std::move(found->second);
  readings_.erase(found);
  // A page that was never written, or was deallocated meanwhile, reads as zeros.
  if (!is_readable && reading.is_in_flash && layer_.is_mapped(reading.page)) {
    ++count_.unreadable;
    return sink_.read_done(at, reading.tag, false, {});
  }
  if (!keeps_contents_) return sink_.read_done(at, reading.tag, true, {});
  std::vector<std::byte> page(blocks_per_page_ * block_size);
  if (!data.empty()) std::ranges::copy(data, page.begin());
  if (reading.cached != 0) copy_blocks(page, reading.data, reading.cached);
  sink_.read_done(at, reading.tag, true,
                  std::span(page).subspan(reading.first * block_size, reading.count * block_size));
}

// ---- the engine ----

std::optional<Picoseconds> NvmeDisk::next_event() const {
  const auto next = earlier(layer_.next_event(), schedule_at_);
  return answers_.empty() ? next : earlier(next, answers_.front().at);
}

void NvmeDisk::advance_to(Picoseconds now) {
  for (auto t = next_event(); t && *t <= now; t = next_event()) {
    if (!answers_.empty() && answers_.front().at <= *t) {
      const Answer answer = std::move(answers_.front());
      answers_.pop_front();
      if (answer.kind == Answer::Kind::accepted)
        sink_.accepted(*t, answer.tag, answer.ok);
      else if (answer.kind == Answer::Kind::durable)
        sink_.durable(*t, answer.tag, answer.ok);
      else
        sink_.read_done(*t, answer.tag, answer.ok, answer.data);
    } else if (schedule_at_ && *schedule_at_ <= *t) {
      schedule(*t);
    } else {
      layer_.advance_to(*t);
    }
  }
}

void NvmeDisk::reset(Reset kind) {
  layer_.reset(kind);
  operations_.clear();
  waiting_.clear();
  readings_.clear();
  persisting_.clear();
  answers_.clear();
  order_.clear();
  due_.clear();
  schedule_at_.reset();
  flush_until_ = 0;
  blocked_ = 0;
  if (kind != Reset::warm) return entries_.clear();
  for (auto& [page, entry] : entries_) {
    entry.stage = Stage::waiting;
    entry.first = std::min(entry.first, std::exchange(entry.saving_first, none));
    entry.fresh = entry.dirty;
    entry.urgent = 0;
    entry.is_blocked = false;
    list(page, entry);
  }
}

void NvmeDisk::report(Statistics& statistics, Picoseconds now) const {
  statistics.add("blocks_read", count_.read);
  statistics.add("blocks_read_from_cache", count_.hits);
  statistics.add("blocks_written", count_.written);
  statistics.add("blocks_overwritten_in_cache", count_.overwritten);
  statistics.add("pages_saved", count_.pages);
  statistics.add("pages_completed", count_.completed);
  statistics.add("pages_deallocated", count_.deallocated);
  statistics.add("writes_that_waited", count_.waited);
  statistics.add("persisted", count_.persisted);
  statistics.add("failed", count_.failed);
  statistics.add("unreadable", count_.unreadable);
  layer_.report(statistics.group("translation"), now);
}

}  // namespace asterism
