// Garbage collection, wear levelling and retirement of blocks: all three move the valid pages of a block
// within its plane, and then erase the block or mark it bad.
//
// A collection never runs out of space: writes leave it the last erased block of a plane, the valid pages of
// a block fit in one, and the erase returns one. While no block is erased, at most one block, the last erased
// one, is therefore being filled, with copies of a single block; TranslationRecovery discards these if a
// power failure leaves a plane in this state.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "flash/translation_layer.h"

namespace asterism {
namespace {

constexpr std::uint32_t moves_at_once = 4;  // per plane: hides the transfers, and occupies few buffers

}  // namespace

// Returns false if there is none. Without an erased block, moved pages go to the block that is being written.
bool TranslationLayer::open_new_block(Index plane, Stream stream) {
  Open& open = planes_[plane].open[stream];
  if (blocks_.erased_blocks(plane) == 0) {
    if (stream != moved || planes_[plane].open[host].block == none) return false;
    std::swap(open, planes_[plane].open[host]);
    return true;
  }
  open.block = blocks_.open(plane, stream == moved && planes_[plane].job.kind == Job::Kind::level);
  return true;
}

// Free pages for moved pages; the last erased block only counts for jobs that will return one.
std::uint64_t TranslationLayer::room(Index number, bool last_too) const {
  const Plane& plane = planes_[number];
  const auto left = [&](Stream stream) -> std::uint64_t {
    const Index block = plane.open[stream].block;
    return block == none ? 0 : list_.data_pages() - blocks_[block].fill;
  };
  const std::uint64_t erased = blocks_.erased_blocks(number);
  if (erased == 0) return plane.open[moved].block != none ? left(moved) : left(host);
  return left(moved) + (last_too ? erased : erased - 1) * list_.data_pages();
}

// While a block with `valid` pages is collected, its plane frees as many pages as the block has others.
// Writes may take these evenly: while the pages of the block move, the free pages of the plane fall by a
// block, which the erase returns. Below this line, a write waits for the next moves. The line ends a
// quarter of a block below the two erased blocks that opening one takes, or below garbage_threshold:
// higher, more pages are free, and so more have to move; lower, a write finds the open block full before
// there is another one, and waits for the rest of the collection.
bool TranslationLayer::keeps_pace(Index number) const {
  const Plane& plane = planes_[number];
  if (plane.job.kind != Job::Kind::collect) return true;
  const std::uint64_t pages = list_.data_pages();
  std::uint64_t free = blocks_.erased_blocks(number) * pages;
  for (const Stream stream : {host, moved})
    if (const Index block = plane.open[stream].block; block != none) free += pages - blocks_[block].fill;
  const std::uint64_t valid = std::max(plane.job.valid, 1u), left = blocks_[plane.job.block].valid;
  const std::uint64_t kept = std::min(config_.garbage_threshold, 2u);  // blocks
  return (free + pages / 4) * valid > (kept * valid + left) * pages;
}

bool TranslationLayer::is_collecting() const {
  return std::ranges::any_of(planes_, [](const Plane& plane) { return plane.job.active(); });
}

void TranslationLayer::start_due_job(Picoseconds now, Index number) {
  if (blocks_.erased_blocks(number) <= config_.garbage_threshold) {
    const Index victim = blocks_.victim(number, room(number, true), sequence_);
    if (victim != none) return start_job(now, number, victim, Job::Kind::collect);
  }
  const Index failed = blocks_.failed_block(number);
  if (failed != none && blocks_[failed].valid <= room(number, false))
    start_job(now, number, failed, Job::Kind::retire);
}

void TranslationLayer::start_job(Picoseconds now, Index number, Index block, Job::Kind kind) {
  Plane& plane = planes_[number];
  blocks_.collect(block);
  plane.job = Job{.block = block, .valid = blocks_[block].valid, .kind = kind};
  if (kind == Job::Kind::level) std::swap(plane.open[moved], plane.open[aside]);
  if (kind == Job::Kind::collect) ++count_.collections;
  if (kind == Job::Kind::level) ++count_.levelled;
  continue_job(now, number);
}

void TranslationLayer::continue_job(Picoseconds now, Index number) {
  Job& job = planes_[number].job;
  if (blocks_[job.block].valid == 0) job.page = list_.data_pages();
  while (!job.aborted && job.moving < moves_at_once && job.page < list_.data_pages()) {
    const Index place = job.block * geometry_.pages_per_block + job.page++;
    const Index page = logical_[place];
    if (page == none || places_[page] != place) continue;
    const Index slot = take_slot();
    slots_[slot].page = page;
    slots_[slot].source = place;
    ++job.moving;
    read_flash(now, place, Operation::move_read, slot);
  }
  if (job.moving == 0) end_job(now, number);
}

void TranslationLayer::end_job(Picoseconds now, Index number) {
  Plane& plane = planes_[number];
  if (plane.job.kind == Job::Kind::level) merge_aside_block(number);
  const Index block = plane.job.block;
  if (plane.job.aborted) {
    plane.job = {};
    return blocks_.put_back(block, sequence_);
  }
  if (blocks_[block].valid != 0) throw std::logic_error("a block is given up while pages in it are valid");
  if (plane.job.kind == Job::Kind::retire) {
    plane.job = {};
    retire(now, block);
    return collect(now, number);
  }
  ++under_way_;
  array_.erase(now, address(block * geometry_.pages_per_block).whole_block(),
               tag_of(Operation::erase, number));
}

// After levelling two blocks may be open for moved pages: the one with more free pages stays open.
void TranslationLayer::merge_aside_block(Index number) {
  Plane& plane = planes_[number];
  if (plane.open[aside].block == none) return;
  const auto fill = [&](Stream stream) { return blocks_[plane.open[stream].block].fill; };
  if (plane.open[moved].block == none || fill(aside) < fill(moved))
    std::swap(plane.open[moved], plane.open[aside]);
  if (plane.open[aside].block == none) return;
  blocks_.close(plane.open[aside].block, sequence_);
  plane.open[aside].block = none;
}

// ---- the pages that move ----

// A page that can no longer be read is lost. The mark that replaces it must have priority over any older
// copy, and not over a write that already has its sequence number: the job waits for such a write.
void TranslationLayer::move_read_done(Picoseconds at, Index slot, const NandArray::Read& read) {
  Slot& s = slots_[slot];
  if (places_[s.page] != s.source) return drop_move(at, slot);
  const bool is_lost = !read.is_readable;
  if (is_lost && busy_[s.page] != none && slots_[busy_[s.page]].place != none)
    return read_flash(at, s.source, Operation::move_read, slot);
  const Index plane = blocks_.plane_of(block_of(s.source));
  if (!open_block(plane, moved)) {
    planes_[plane].job.aborted = true;
    return drop_move(at, slot);
  }
  s.sequence = is_lost ? ++sequence_ : read.spare.sequence;
  if (is_lost) ++count_.lost;
  const auto kind = is_lost ? TranslationPage::lost : static_cast<TranslationPage>(read.spare.kind);
  program(at, plane, moved, slot, kind, is_lost ? blank() : std::vector(read.data.begin(), read.data.end()));
}

void TranslationLayer::move_done(Picoseconds at, Index slot, Outcome outcome) {
  Slot& s = slots_[slot];
  const Index place = std::exchange(s.place, none);
  const Index block = block_of(place);
  --blocks_[block].pending;
  if (outcome == Outcome::failed) {
    block_failed(at, block);
    return read_flash(at, s.source, Operation::move_read, slot);
  }
  if (places_[s.page] == s.source) map(s.page, place, block);
  ++count_.moved;
  drop_move(at, slot);
}

void TranslationLayer::drop_move(Picoseconds at, Index slot) {
  const Index plane = blocks_.plane_of(block_of(slots_[slot].source));
  give_slot(slot);
  --planes_[plane].job.moving;
  continue_job(at, plane);
  pump(at);
  check_progress(at);
}

void TranslationLayer::erase_done(Picoseconds at, Index number, Outcome outcome) {
  const Index block = std::exchange(planes_[number].job, {}).block;
  if (outcome == Outcome::failed) {
    retire(at, block);
  } else {
    ++blocks_[block].erases;
    blocks_.add_erased(block);
    level_wear(at, number, block);
  }
  collect(at, number);
  pump(at);
  check_progress(at);
}

// A half-filled block that waits for moved pages may hold cold data, too.
void TranslationLayer::level_wear(Picoseconds now, Index number, Index worn) {
  if (blocks_.erased_blocks(number) < 2 || read_only_) return;
  Open& open = planes_[number].open[moved];
  if (open.block != none && blocks_.is_apart(open.block, worn))
    blocks_.close(std::exchange(open.block, none), sequence_);
  const Index resting = blocks_.resting_block(worn);
  if (resting != none) start_job(now, number, resting, Job::Kind::level);
}

// ---- blocks that fail ----

void TranslationLayer::block_failed(Picoseconds now, Index block) {
  if (blocks_[block].has_failed) return;
  const Index plane = blocks_.plane_of(block);
  for (Open& open : planes_[plane].open)
    if (open.block == block) open.block = none;
  blocks_.fail(block);
  update_capacity(plane);
  check_capacity(now);
}

void TranslationLayer::retire(Picoseconds now, Index block) {
  const Index plane = blocks_.plane_of(block);
  blocks_.retire(block);
  array_.image().mark_bad({plane, block - plane * geometry_.blocks});
  ++count_.retired;
  update_capacity(plane);
  check_capacity(now);
}

// With at most this number of valid pages, a plane without a block to write to has either two erased blocks
// or garbage in closed ones: one block is open for moved pages, and one is kept erased.
void TranslationLayer::update_capacity(Index plane) {
  const std::uint64_t good = blocks_.good_blocks(plane);
  planes_[plane].capacity = good > 2 ? (good - 2) * list_.data_pages() - 1 : 0;
}

// A page that is being rewritten takes two pages temporarily.
void TranslationLayer::check_capacity(Picoseconds now) {
  std::uint64_t capacity = 0;
  for (const Plane& plane : planes_) capacity += plane.capacity;
  if (capacity <= pages_) become_read_only(now);
}

void TranslationLayer::become_read_only(Picoseconds now) {
  read_only_ = true;
  while (!waiting_.empty()) answer_later(now, take_first(waiting_));
}

// So many blocks have failed while pages were moved that nothing can be moved any more.
void TranslationLayer::check_progress(Picoseconds now) {
  if (!waiting_.empty() && under_way_ == 0) become_read_only(now);
}

}  // namespace asterism
