#include "flash/translation_layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace asterism {
namespace {

// The maximum number of logical pages, whatever the over-provisioning: without the block that is being
// written, the one that takes moved pages, and those that collection keeps erased.
std::uint64_t max_pages(const TranslationConfig& config, const FlashGeometry& g,
                        const TranslationList& list) {
  const std::uint32_t reserve = config.garbage_threshold + 2;
  if (g.blocks <= reserve)
    throw std::invalid_argument(fmt::format(
        "{} blocks in a plane of the flash are too few: with a garbage_threshold of {} it takes {} "
        "or more",
        g.blocks, config.garbage_threshold, reserve + 1));
  if (g.pages_per_block < list.pages() + 2)
    throw std::invalid_argument(
        fmt::format("{} pages in a block of the flash are too few: its list takes {}, and there must be 2 or "
                    "more for data",
                    g.pages_per_block, list.pages()));
  return std::uint64_t{g.all_planes()} * (g.blocks - reserve) * list.data_pages();
}

}  // namespace

std::uint32_t TranslationLayer::pages_of(const TranslationConfig& config, const FlashGeometry& geometry) {
  const std::uint64_t offered =
      geometry.all_pages() * (1000 - std::min(config.over_provisioning, 1000u)) / 1000;
  const TranslationList list(geometry.page, geometry.pages_per_block);
  const std::uint64_t pages = std::min(offered, max_pages(config, geometry, list));
  if (pages == 0) throw std::invalid_argument("the over-provisioning of the flash leaves no page to offer");
  if (geometry.all_pages() >= none)
    throw std::invalid_argument(
        fmt::format("{} pages of flash are more than can be mapped", geometry.all_pages()));
  return static_cast<Index>(pages);
}

TranslationLayer::TranslationLayer(const TranslationConfig& config, const FlashPart& part, FlashImage& image,
                                   Sink& sink)
    : config_(config),
      geometry_(image.geometry()),
      list_(geometry_.page, geometry_.pages_per_block),
      pages_per_block_(geometry_.pages_per_block),
      array_(part, image),
      sink_(sink),
      keeps_contents_(image.keeps_contents()),
      blocks_(config, geometry_, list_.data_pages()) {
  pages_ = pages_of(config, geometry_);
  planes_.resize(geometry_.all_planes());
  const std::uint32_t dies = geometry_.packages * geometry_.dies * geometry_.planes;
  for (std::uint32_t plane = 0; plane < geometry_.planes; ++plane)
    for (std::uint32_t die = 0; die < geometry_.dies; ++die)
      for (std::uint32_t package = 0; package < geometry_.packages; ++package)
        for (std::uint32_t channel = 0; channel < geometry_.channels; ++channel)
          order_.push_back(channel * dies + (package * geometry_.dies + die) * geometry_.planes + plane);
  reset(Reset::cold);
}

TranslationLayer::~TranslationLayer() = default;

std::uint32_t TranslationLayer::pages() const { return pages_; }
Bytes TranslationLayer::page_size() const { return geometry_.page; }
bool TranslationLayer::ready() const { return state_ == State::ready; }
bool TranslationLayer::read_only() const { return read_only_; }

FlashAddress TranslationLayer::address(Index place) const {
  const Index block = block_of(place);
  return {block / geometry_.blocks, block % geometry_.blocks, place % geometry_.pages_per_block};
}

std::optional<FlashAddress> TranslationLayer::place(std::uint32_t page) const {
  if (!is_mapped(page)) return std::nullopt;
  return address(places_[page]);
}

bool TranslationLayer::is_mapped(std::uint32_t page) const {
  return page < places_.size() && places_[page] != none;
}

std::vector<std::byte> TranslationLayer::blank() const {
  return std::vector<std::byte>(keeps_contents_ ? geometry_.page.count() : 0);
}

// ---- slots and queues ----

TranslationLayer::Index TranslationLayer::take_slot() {
  if (free_slot_ == none) {
    slots_.emplace_back();
    return static_cast<Index>(slots_.size() - 1);
  }
  const Index slot = free_slot_;
  free_slot_ = slots_[slot].next;
  Slot& s = slots_[slot];
  s.place = s.source = s.next = s.later = s.last = none;
  s.is_write = s.has_left = s.is_trimmed = false;
  return slot;
}

void TranslationLayer::give_slot(Index slot) {
  if (!slots_[slot].data.empty()) std::vector<std::byte>().swap(slots_[slot].data);
  slots_[slot].flows.clear();
  slots_[slot].next = free_slot_;
  free_slot_ = slot;
}

void TranslationLayer::append(Queue& queue, Index slot) {
  slots_[slot].next = none;
  (queue.empty() ? queue.first : slots_[queue.last].next) = slot;
  queue.last = slot;
}

TranslationLayer::Index TranslationLayer::take_first(Queue& queue) {
  const Index slot = queue.first;
  queue.first = slots_[slot].next;
  return slot;
}

// ---- requests ----

void TranslationLayer::check_request(Index page) const {
  if (!ready()) throw std::logic_error("the mapping of the flash has not been read back");
  if (page >= pages_) throw std::out_of_range("no such logical page of the flash");
}

void TranslationLayer::write(Picoseconds now, std::uint32_t page, std::vector<std::byte> data, Tag tag,
                             std::vector<ActivityLog::Flow> flows) {
  check_request(page);
  if (data.size() != (keeps_contents_ ? geometry_.page.count() : 0))
    throw std::logic_error("a logical page is written whole");
  ++count_.writes;
  const Index slot = take_slot();
  Slot& s = slots_[slot];
  s.page = page;
  s.tag = tag;
  s.is_write = true;
  s.data = std::move(data);
  s.flows = std::move(flows);
  request(now, slot);
  check_progress(now);
}

void TranslationLayer::read(Picoseconds now, std::uint32_t page, Tag tag) {
  check_request(page);
  ++count_.reads;
  const Index slot = take_slot();
  slots_[slot].page = page;
  slots_[slot].tag = tag;
  request(now, slot);
}

void TranslationLayer::trim(std::uint32_t page) {
  check_request(page);
  ++count_.trims;
  unmap(page);
  for (Index slot = busy_[page]; slot != none; slot = slots_[slot].later) slots_[slot].is_trimmed = true;
}

// Requests for a page wait for a pending write of the page.
void TranslationLayer::request(Picoseconds now, Index slot) {
  Index& first = busy_[slots_[slot].page];
  if (first != none) {
    slots_[slots_[first].last].later = slot;
    slots_[first].last = slot;
    return;
  }
  if (slots_[slot].is_write) {
    first = slot;
    slots_[slot].last = slot;
  }
  begin(now, slot);
}

void TranslationLayer::begin(Picoseconds now, Index slot) {
  Slot& s = slots_[slot];
  if (!s.is_write) {
    s.place = places_[s.page];
    if (s.place == none) return answer_later(now, slot);
    return read_flash(now, s.place, Operation::read, slot);
  }
  if (read_only_) return answer_later(now, slot);
  const bool is_first = waiting_.empty();
  if (is_first && dispatch(now, slot)) return;
  append(waiting_, slot);
  // Trims since the last operation may have made garbage, and have not started a collection.
  for (Index plane = 0; is_first && plane < planes_.size(); ++plane) collect(now, plane);
}

bool TranslationLayer::takes_writes(Index number) const {
  const Plane& plane = planes_[number];
  if (plane.used >= plane.capacity) return false;
  const std::uint32_t erased = blocks_.erased_blocks(number);
  if (plane.open[host].block == none && erased < 2) return false;
  if (!plane.job.active()) return true;
  return config_.pace_writes ? erased >= 1 && keeps_pace(number) : erased >= 2;
}

TranslationLayer::Index TranslationLayer::choose_plane() const {
  std::uint32_t place = next_in_order_;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (takes_writes(order_[place])) return place;
    place = place + 1 == order_.size() ? 0 : place + 1;
  }
  return none;
}

bool TranslationLayer::dispatch(Picoseconds now, Index slot) {
  const Index place = choose_plane();
  if (place == none) return false;
  next_in_order_ = place + 1 == order_.size() ? 0 : place + 1;
  const Index plane = order_[place];
  Slot& s = slots_[slot];
  s.sequence = ++sequence_;
  ++planes_[plane].used;
  open_block(plane, host);
  std::vector<std::byte> data = s.data;  // kept until it is programmed, because the block may fail
  program(now, plane, host, slot, TranslationPage::data, std::move(data));
  collect(now, plane);
  return true;
}

void TranslationLayer::pump(Picoseconds now) {
  while (!waiting_.empty()) {
    const Index slot = waiting_.first;
    const Index next = slots_[slot].next;
    if (!dispatch(now, slot)) return;
    waiting_.first = next;
  }
}

// ---- requests without a flash operation ----

void TranslationLayer::answer_later(Picoseconds now, Index slot) {
  slots_[slot].answer_at = now;
  append(answers_, slot);
}

void TranslationLayer::answer(Picoseconds at) {
  const Index slot = take_first(answers_);
  if (slots_[slot].is_write) return write_done(at, slot, Outcome::failed);
  finish_read(at, slot, {});
}

std::optional<Picoseconds> TranslationLayer::next_of_all() const {
  auto next = array_.next_event();
  if (!answers_.empty()) next = earlier(next, slots_[answers_.first].answer_at);
  return earlier(next, nothing_to_read_at_);
}

void TranslationLayer::advance_to(Picoseconds now) {
  for (auto t = next_event(); t && *t <= now; t = next_event()) {
    if (nothing_to_read_at_)
      take_over(*std::exchange(nothing_to_read_at_, std::nullopt));
    else if (!answers_.empty() && slots_[answers_.first].answer_at <= *t)
      answer(*t);
    else
      array_.advance_to(*t, *this);
  }
}

// ---- programs ----

// The open block of the stream must have a free page.
void TranslationLayer::program(Picoseconds now, Index plane, Stream stream, Index slot, TranslationPage kind,
                               std::vector<std::byte>&& data) {
  Open& open = planes_[plane].open[stream];
  Slot& s = slots_[slot];
  TranslationBlocks::Block& block = blocks_[open.block];
  const std::uint32_t page = block.fill++;
  ++block.pending;
  s.place = open.block * geometry_.pages_per_block + page;
  logical_[s.place] = s.page;
  open.sequences[page] = s.sequence;
  ++count_.programs;
  ++under_way_;
  const PageSpare spare{s.page, s.sequence, static_cast<std::uint32_t>(kind)};
  array_.program(now, {plane, open.block - plane * geometry_.blocks, page}, std::move(data), spare,
                 tag_of(stream == host ? Operation::write : Operation::move, slot), s.flows);
  close_if_full(now, plane, stream);
}

void TranslationLayer::close_if_full(Picoseconds now, Index plane, Stream stream) {
  Open& open = planes_[plane].open[stream];
  if (open.block == none || blocks_[open.block].fill < list_.data_pages()) return;
  write_list(now, plane, open);
  open.block = none;
}

void TranslationLayer::write_list(Picoseconds now, Index plane, const Open& open) {
  const Index first_place = open.block * geometry_.pages_per_block;
  for (std::uint32_t i = 0; i < list_.pages(); ++i) {
    std::vector<std::byte> data = blank();
    for (std::uint32_t page = list_.first_of(i); keeps_contents_ && page < list_.end_of(i); ++page)
      TranslationList::put(data, page - list_.first_of(i),
                           {logical_[first_place + page], open.sequences[page]});
    const bool is_last = i + 1 == list_.pages();
    ++blocks_[open.block].pending;
    ++count_.lists;
    ++under_way_;
    array_.program(now, {plane, open.block - plane * geometry_.blocks, list_.data_pages() + i},
                   std::move(data), {open.block, i, static_cast<std::uint32_t>(TranslationPage::list)},
                   tag_of(Operation::list, open.block | (is_last ? last_list_page : 0)));
  }
}

void TranslationLayer::list_done(Picoseconds at, Index block, bool is_last, Outcome outcome) {
  const Index plane = blocks_.plane_of(block);
  --blocks_[block].pending;
  if (outcome == Outcome::failed)
    block_failed(at, block);
  else if (is_last && !blocks_[block].has_failed)
    blocks_.close(block, sequence_);
  collect(at, plane);
  pump(at);
  check_progress(at);
}

void TranslationLayer::map(Index page, Index place, Index block) {
  unmap(page);
  places_[page] = place;
  blocks_.add_valid(block);
  ++planes_[blocks_.plane_of(block)].used;
}

void TranslationLayer::unmap(Index page) {
  const Index place = std::exchange(places_[page], none);
  if (place == none) return;
  const Index block = block_of(place);
  blocks_.take_valid(block, sequence_);
  --planes_[blocks_.plane_of(block)].used;
}

// Called for a write that was programmed or has failed finally.
void TranslationLayer::write_done(Picoseconds at, Index slot, Outcome outcome) {
  const Tag tag = slots_[slot].tag;
  next_of_page(at, slot);
  give_slot(slot);
  pump(at);
  check_progress(at);
  sink_.written(at, tag, outcome);
}

// Begins the requests that waited for this write of the page: reads, up to and including the next write.
void TranslationLayer::next_of_page(Picoseconds at, Index done) {
  const Index page = slots_[done].page;
  const Index last = slots_[done].last;
  Index slot = slots_[done].later;
  busy_[page] = none;
  while (slot != none) {
    const Index later = slots_[slot].later;
    if (slots_[slot].is_write) {
      busy_[page] = slot;
      slots_[slot].last = last;
      return begin(at, slot);
    }
    begin(at, slot);
    slot = later;
  }
}

void TranslationLayer::read_flash(Picoseconds now, Index place, Operation operation, Index slot) {
  ++under_way_;
  array_.read(now, address(place), tag_of(operation, slot));
}

void TranslationLayer::finish_read(Picoseconds at, Index slot, const NandArray::Read& read) {
  const Tag tag = slots_[slot].tag;
  const bool was_written = slots_[slot].place != none;
  give_slot(slot);
  const bool is_readable =
      read.is_readable && read.spare.kind == static_cast<std::uint32_t>(TranslationPage::data);
  if (was_written && !is_readable) ++count_.unreadable;
  sink_.read_done(at, tag, is_readable, is_readable ? read.data : std::span<const std::byte>{});
}

// ---- reports of the array ----

void TranslationLayer::transferred(Picoseconds at, NandArray::Tag tag) {
  if (operation_of(tag) != Operation::write) return;
  Slot& s = slots_[static_cast<Index>(tag)];
  if (!std::exchange(s.has_left, true)) sink_.left_buffer(at, s.tag);
}

void TranslationLayer::programmed(Picoseconds at, NandArray::Tag tag, Outcome outcome) {
  --under_way_;
  const auto index = static_cast<Index>(tag);
  switch (operation_of(tag)) {
    case Operation::list:
      return list_done(at, index, (tag & last_list_page) != 0, outcome);
    case Operation::move:
      return move_done(at, index, outcome);
    default:
      break;
  }
  Slot& s = slots_[index];
  const Index place = std::exchange(s.place, none);
  const Index block = block_of(place);
  const Index plane = blocks_.plane_of(block);
  --blocks_[block].pending;
  --planes_[plane].used;
  if (outcome == Outcome::failed) {
    block_failed(at, block);
    collect(at, plane);
    begin(at, index);
    return check_progress(at);
  }
  const Index replaced = places_[s.page];
  if (!s.is_trimmed) map(s.page, place, block);
  if (replaced != none) collect(at, blocks_.plane_of(block_of(replaced)));
  if (blocks_[block].has_failed) collect(at, plane);
  write_done(at, index, Outcome::done);
}

void TranslationLayer::erased(Picoseconds at, NandArray::Tag tag, Outcome outcome) {
  --under_way_;
  erase_done(at, static_cast<Index>(tag), outcome);
}

void TranslationLayer::read_done(Picoseconds at, NandArray::Tag tag, const NandArray::Read& read) {
  const auto index = static_cast<Index>(tag);
  if (operation_of(tag) == Operation::recover) {
    recovery_->read_done(at, index, read);
    if (recovery_->done()) take_over(at);
    return;
  }
  --under_way_;
  switch (operation_of(tag)) {
    case Operation::move_read:
      return move_read_done(at, index, read);
    default:
      return finish_read(at, index, read);
  }
}

}  // namespace asterism
