// Adoption of the state that TranslationRecovery has found, reset, and statistics.
#include <algorithm>
#include <stdexcept>

#include "flash/translation_layer.h"

namespace asterism {

void TranslationLayer::power_up(Picoseconds now) {
  if (state_ != State::off) throw std::logic_error("the flash is powered up twice");
  state_ = State::recovering;
  ++count_.recoveries;
  recovery_ = std::make_unique<TranslationRecovery>(array_, list_, pages_);
  recovery_->start(now, tag_of(Operation::recover, 0));
  if (recovery_->done()) nothing_to_read_at_ = now;
}

void TranslationLayer::take_over(Picoseconds now) {
  places_ = recovery_->resolve();
  sequence_ = recovery_->newest();
  for (const Index place : places_) {
    if (place == none) continue;
    ++blocks_[block_of(place)].valid;
    ++planes_[blocks_.plane_of(block_of(place))].used;
  }
  for (Index plane = 0; plane < planes_.size(); ++plane) take_over_plane(plane);
  recovery_.reset();
  state_ = State::ready;
  check_capacity(now);
  for (Index plane = 0; plane < planes_.size(); ++plane) collect(now, plane);
  sink_.recovered(now);
}

void TranslationLayer::take_over_plane(Index plane) {
  using Shape = TranslationRecovery::Shape;
  using BlockState = TranslationBlocks::State;
  for (const TranslationRecovery::Entry& entry : recovery_->entries(plane))
    logical_[entry.place] = entry.logical;
  std::vector<Index> closed, partial;
  for (Index i = 0; i < geometry_.blocks; ++i) {
    const Index block = plane * geometry_.blocks + i;
    const TranslationRecovery::Found& found = recovery_->found(block);
    blocks_.found(block, found.shape == Shape::bad ? BlockState::bad : BlockState::unknown,
                  array_.image().erase_count({plane, i}));
    blocks_[block].fill = found.fill;
    if (found.shape == Shape::erased) blocks_.add_erased(block);
    if (found.shape == Shape::full) closed.push_back(block);
    if (found.shape == Shape::partial) (blocks_[block].valid != 0 ? partial : closed).push_back(block);
  }
  // The blocks with the most free pages are filled further.
  std::ranges::stable_sort(partial, {}, [this](Index block) { return blocks_[block].fill; });
  for (std::size_t i = 0; i < partial.size(); ++i) {
    if (i < aside)
      resume(plane, static_cast<Stream>(i), partial[i]);
    else
      closed.push_back(partial[i]);
  }
  for (const Index block : closed) blocks_.close(block, recovery_->found(block).newest);
  update_capacity(plane);
}

void TranslationLayer::resume(Index plane, Stream stream, Index block) {
  Open& open = planes_[plane].open[stream];
  open.block = block;
  blocks_[block].state = TranslationBlocks::State::open;
  for (const TranslationRecovery::Entry& entry : recovery_->entries(plane))
    if (block_of(entry.place) == block)
      open.sequences[entry.place % geometry_.pages_per_block] = entry.sequence;
}

void TranslationLayer::reset(Reset kind) {
  array_.reset(kind);
  state_ = State::off;
  read_only_ = false;
  nothing_to_read_at_.reset();
  recovery_.reset();
  blocks_.clear();
  places_.assign(pages_, none);
  logical_.assign(geometry_.all_pages(), none);
  busy_.assign(pages_, none);
  for (Plane& plane : planes_) {
    for (Open& open : plane.open) {
      open.block = none;
      open.sequences.assign(list_.data_pages(), 0);
    }
    plane.job = {};
    plane.used = plane.capacity = 0;
  }
  next_in_order_ = 0;
  sequence_ = under_way_ = 0;
  slots_.clear();
  free_slot_ = none;
  waiting_ = answers_ = {};
}

void TranslationLayer::report(Statistics& statistics, Picoseconds now) const {
  statistics.add("page_writes", count_.writes);
  statistics.add("page_reads", count_.reads);
  statistics.add("pages_trimmed", count_.trims);
  statistics.add("page_programs", count_.programs + count_.lists);
  statistics.add("list_programs", count_.lists);
  statistics.add("collections", count_.collections);
  statistics.add("wear_levellings", count_.levelled);
  statistics.add("pages_moved", count_.moved);
  statistics.add("pages_lost", count_.lost);
  statistics.add("reads_unreadable", count_.unreadable);
  statistics.add("blocks_retired", count_.retired);
  statistics.add("recoveries", count_.recoveries);
  std::uint32_t least = none, most = 0;
  for (Index block = 0; block < geometry_.all_blocks(); ++block) {
    if (blocks_[block].state == TranslationBlocks::State::bad) continue;
    least = std::min(least, blocks_[block].erases);
    most = std::max(most, blocks_[block].erases);
  }
  statistics.add("erase_count_min", std::uint64_t{least == none ? 0 : least});
  statistics.add("erase_count_max", std::uint64_t{most});
  Statistics& flash = statistics.group("flash");
  array_.report(flash, now);
}

}  // namespace asterism
