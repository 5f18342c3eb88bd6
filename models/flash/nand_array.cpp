#include "flash/nand_array.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/random.h"

namespace asterism {

NandArray::NandArray(const FlashPart& part, FlashImage& image)
    : part_(part),
      image_(image),
      transfer_(transfer_time(image.geometry().page, part.bus)),
      planes_of_a_die_(image.geometry().planes),
      planes_(image.geometry().all_planes()),
      dies_(image.geometry().all_dies()),
      channels_(image.geometry().channels) {
  const FlashGeometry& g = geometry();
  for (Channel& channel : channels_) channel.waiting.set_capacity(planes_.size() / channels_.size());
  for (std::uint32_t die = 0; die < dies_.size(); ++die) {
    dies_[die].first_plane = die * g.planes;
    dies_[die].channel = die / (g.packages * g.dies);
    for (Plane& plane : planes_of(dies_[die])) plane.die = die;
  }
  for (std::size_t lane = 0; lane < lanes; ++lane)
    calendar_.set_capacity(lane, lane == transfer_lane ? channels_.size() : dies_.size());
}

void NandArray::record_in(ActivityLog& activity, const std::string& name) {
  activity_ = &activity;
  for (std::size_t channel = 0; channel < channels_.size(); ++channel)
    channel_tracks_.push_back(activity.track(name + ".channel" + std::to_string(channel)));
  for (std::size_t die = 0; die < dies_.size(); ++die)
    die_tracks_.push_back(activity.track(name + ".die" + std::to_string(die)));
}

// ---- operations submitted ----

NandArray::Index NandArray::take(FlashAddress at, Kind kind, Tag tag) {
  const FlashGeometry& g = geometry();
  if (at.plane >= planes_.size() || at.block >= g.blocks || at.page >= g.pages_per_block)
    throw std::out_of_range("no such place in the flash");
  if (free_ == none) {
    free_ = static_cast<Index>(pool_.size());
    pool_.emplace_back();
    if (image_.keeps_contents()) data_.emplace_back();
    if (activity_) program_flows_.emplace_back();
  }
  const Index index = free_;
  Operation& operation = pool_[index];
  free_ = operation.next;
  operation.at = at;
  operation.kind = kind;
  operation.tag = tag;
  operation.order = order_++;
  operation.next = none;
  operation.spare_only = false;
  return index;
}

void NandArray::give_back(Index operation) {
  pool_[operation].next = free_;
  free_ = operation;
}

void NandArray::program(Picoseconds now, FlashAddress at, std::vector<std::byte>&& data,
                        const PageSpare& spare, Tag tag, std::span<const ActivityLog::Flow> flows) {
  if (data.size() != (image_.keeps_contents() ? geometry().page.count() : 0))
    throw std::logic_error("a flash page is programmed whole");
  const Index index = take(at, Kind::program, tag);
  if (image_.keeps_contents()) data_[index] = std::move(data);
  pool_[index].spare = spare;
  if (activity_) program_flows_[index].assign(flows.begin(), flows.end());
  enqueue(now, index);
}
void NandArray::read(Picoseconds now, FlashAddress at, Tag tag) { enqueue(now, take(at, Kind::read, tag)); }
void NandArray::read_spare(Picoseconds now, FlashAddress at, Tag tag) {
  const Index index = take(at, Kind::read, tag);
  pool_[index].spare_only = true;
  enqueue(now, index);
}
void NandArray::erase(Picoseconds now, FlashBlock block, Tag tag) {
  enqueue(now, take({block.plane, block.block, 0}, Kind::erase, tag));
}

void NandArray::enqueue(Picoseconds now, Index operation) {
  Plane& plane = planes_[pool_[operation].at.plane];
  Die& die = dies_[plane.die];
  if (joins_at_once(die, plane, pool_[operation].kind, now)) {
    plane.array = operation;
    return;
  }
  (plane.first == none ? plane.first : pool_[plane.last].next) = operation;
  plane.last = operation;
  touch(plane.die);
  if (!advancing_) start_touched(now);
}

bool NandArray::joins_at_once(const Die& die, const Plane& plane, Kind kind, Picoseconds now) const {
  return die.busy && die.kind == kind && die.since == now && kind != Kind::program && plane.array == none &&
         plane.first == none && (kind == Kind::erase || plane.page_register == none);
}

NandArray::Index NandArray::unqueue(Plane& plane) {
  const Index operation = plane.first;
  plane.first = pool_[operation].next;
  return operation;
}

bool NandArray::next_is(const Plane& plane, Kind kind) const {
  return plane.first != none && pool_[plane.first].kind == kind &&
         (kind == Kind::erase || plane.page_register == none);
}

// ---- operations that begin ----

void NandArray::touch(std::uint32_t die) {
  if (std::exchange(dies_[die].touched, true)) return;
  touched_.push_back(die);
}

// Dies come first: their requests for channels at this instant compete by age.
void NandArray::start_touched(Picoseconds now) {
  for (const std::uint32_t die : touched_) start(now, die);
  for (const std::uint32_t number : touched_) {
    Die& die = dies_[number];
    die.touched = false;
    Channel& channel = channels_[die.channel];
    if (!channel.busy && !channel.waiting.empty()) start_channel(now, channel);
  }
  touched_.clear();
}

void NandArray::start(Picoseconds now, std::uint32_t number) {
  Die& die = dies_[number];
  if (!die.busy && die.arrived != 0 && die.arriving == 0) start_programs(now, number);
  if (die.arriving + die.arrived != 0) return collect_programs(die);
  const Plane* plane = oldest(die);
  if (!plane) return;
  const Kind kind = pool_[plane->first].kind;
  if (!next_is(*plane, kind)) return;
  if (kind == Kind::program) {
    if (!die.busy || (part_.cache_register && die.kind == Kind::program)) collect_programs(die);
  } else if (!die.busy) {
    for (Plane& other : planes_of(die))
      if (next_is(other, kind)) other.array = unqueue(other);
    start_array(now, number, kind);
  }
}

NandArray::Plane* NandArray::oldest(const Die& die) {
  Plane* found = nullptr;
  for (Plane& plane : planes_of(die))
    if (plane.first != none && (!found || pool_[plane.first].order < pool_[found->first].order))
      found = &plane;
  return found;
}

// A program that has arrived keeps its register until the array has taken it, so that it is not collected
// twice.
void NandArray::collect_programs(Die& die) {
  for (Plane& plane : planes_of(die)) {
    if (!next_is(plane, Kind::program)) continue;
    ++die.arriving;
    plane.page_register = unqueue(plane);
    request_channel(die, plane, plane.page_register);
  }
}

void NandArray::start_programs(Picoseconds now, std::uint32_t number) {
  Die& die = dies_[number];
  for (Plane& plane : planes_of(die)) {
    if (plane.page_register == none || pool_[plane.page_register].kind != Kind::program) continue;
    check_order(pool_[plane.page_register]);
    plane.array = plane.page_register;
    if (part_.cache_register) plane.page_register = none;
  }
  die.arrived = 0;
  start_array(now, number, Kind::program);
}

void NandArray::check_order(const Operation& program) const {
  if (image_.next_page(program.at.whole_block()) != program.at.page)
    throw std::logic_error("a flash page was programmed out of order or twice");
}

void NandArray::start_array(Picoseconds now, std::uint32_t number, Kind kind) {
  Die& die = dies_[number];
  die.busy = true;
  die.kind = kind;
  die.since = now;
  const Picoseconds time = kind == Kind::program ? part_.program
                           : kind == Kind::read  ? part_.read
                                                 : part_.erase;
  calendar_.put(static_cast<std::size_t>(kind), now + time, number);
  if (activity_) record_array(now, number, time);
}

void NandArray::request_channel(Die& die, Plane& plane, Index operation) {
  auto& waiting = channels_[die.channel].waiting;
  waiting.push_back({pool_[operation].order, static_cast<std::uint32_t>(&plane - planes_.data())});
  for (std::size_t i = waiting.size() - 1; i > 0 && waiting[i].order < waiting[i - 1].order; --i)
    std::swap(waiting[i], waiting[i - 1]);
}

void NandArray::start_channel(Picoseconds now, Channel& channel) {
  const std::uint32_t plane = channel.waiting.front().plane;
  channel.waiting.pop_front();
  channel.busy = true;
  channel.free_at = now + transfer_;
  channel_time_ += transfer_;
  calendar_.put(transfer_lane, channel.free_at, plane);
  if (activity_) record_transfer(now, channel, planes_[plane].page_register);
}

// ---- the record of a run ----

void NandArray::record_transfer(Picoseconds now, const Channel& channel, Index operation) const {
  const bool is_program = pool_[operation].kind == Kind::program;
  activity_->interval(channel_tracks_[static_cast<std::size_t>(&channel - channels_.data())], now,
                      channel.free_at, is_program ? "data in" : "data out",
                      {{"plane", std::uint64_t{pool_[operation].at.plane}}},
                      is_program ? std::span<const ActivityLog::Flow>(program_flows_[operation])
                                 : std::span<const ActivityLog::Flow>());
}

// Operations of other planes may still join a read or an erase; they have no flows.
void NandArray::record_array(Picoseconds now, std::uint32_t number, Picoseconds time) const {
  const Die& die = dies_[number];
  std::vector<ActivityLog::Flow> flows;
  const Operation* first = nullptr;
  for (std::uint32_t plane = die.first_plane; plane < die.first_plane + planes_of_a_die_; ++plane) {
    const Index operation = planes_[plane].array;
    if (operation == none) continue;
    if (!first) first = &pool_[operation];
    if (die.kind == Kind::program)
      flows.insert(flows.end(), program_flows_[operation].begin(), program_flows_[operation].end());
  }
  const char* const what = die.kind == Kind::program ? "program" : die.kind == Kind::read ? "read" : "erase";
  activity_->interval(die_tracks_[number], now, now + time, what,
                      {{"block", std::uint64_t{first ? first->at.block : 0}},
                       {"page", std::uint64_t{first ? first->at.page : 0}}},
                      flows);
}

// ---- operations that end ----

// A sink may submit new operations, or reset the array, within a call.
void NandArray::advance_to(Picoseconds now, Sink& sink) {
  while (calendar_.is_due(now)) {
    const Picoseconds t = *next_event();
    advancing_ = true;
    do {
      const auto [lane, what] = calendar_.take();
      if (lane == transfer_lane)
        finish_transfer(t, what, sink);
      else
        finish_array(t, what, static_cast<Kind>(lane), sink);
    } while (calendar_.is_next(t));
    advancing_ = false;
    start_touched(t);
  }
}

void NandArray::finish_array(Picoseconds now, std::uint32_t number, Kind kind, Sink& sink) {
  Die& die = dies_[number];
  die.busy = false;
  touch(number);
  for (Plane& plane : planes_of(die)) {
    const Index operation = std::exchange(plane.array, none);
    if (operation == none) continue;
    if (plane.page_register == operation) plane.page_register = none;
    switch (kind) {
      case Kind::program:
        finish_program(now, operation, sink);
        break;
      case Kind::read:
        finish_sensing(now, plane, operation, sink);
        break;
      case Kind::erase:
        finish_erase(now, operation, sink);
        break;
    }
  }
}

void NandArray::finish_program(Picoseconds now, Index index, Sink& sink) {
  Operation& operation = pool_[index];
  const bool failed = fails(operation);
  if (failed)
    image_.tear_program(operation.at, data_of(index), operation.spare);
  else
    image_.program(operation.at, data_of(index), operation.spare);
  ++(failed ? failed_ : programs_);
  if (image_.keeps_contents()) std::vector<std::byte>().swap(data_[index]);
  const Tag tag = operation.tag;
  give_back(index);
  sink.programmed(now, tag, failed ? Outcome::failed : Outcome::done);
}

void NandArray::finish_erase(Picoseconds now, Index index, Sink& sink) {
  Operation& operation = pool_[index];
  const bool failed = fails(operation);
  if (!failed) image_.erase(operation.at.whole_block());
  ++(failed ? failed_ : erases_);
  const Tag tag = operation.tag;
  give_back(index);
  sink.erased(now, tag, failed ? Outcome::failed : Outcome::done);
}

// The register takes the page as it is now: an erase may follow before the channel transfers it.
void NandArray::finish_sensing(Picoseconds now, Plane& plane, Index index, Sink& sink) {
  Operation& operation = pool_[index];
  const FlashImage::PageState state = image_.state(operation.at);
  operation.is_erased = state == FlashImage::PageState::erased;
  operation.is_readable =
      state == FlashImage::PageState::programmed && image_.bit_errors(operation.at) <= part_.correctable_bits;
  operation.spare = operation.is_readable ? image_.spare(operation.at) : PageSpare{};
  ++reads_;
  if (operation.is_readable && image_.bit_errors(operation.at) != 0) ++corrected_;
  if (!operation.is_erased && !operation.is_readable) ++uncorrectable_;
  if (operation.spare_only) return deliver(now, index, sink);
  plane.page_register = index;
  request_channel(dies_[plane.die], plane, index);
}

void NandArray::finish_transfer(Picoseconds now, std::uint32_t number, Sink& sink) {
  Plane& plane = planes_[number];
  Die& die = dies_[plane.die];
  channels_[die.channel].busy = false;
  touch(plane.die);
  const Index operation = plane.page_register;
  if (pool_[operation].kind == Kind::read) {
    plane.page_register = none;
    return deliver(now, operation, sink);
  }
  --die.arriving;
  ++die.arrived;
  sink.transferred(now, pool_[operation].tag);
}

void NandArray::deliver(Picoseconds now, Index index, Sink& sink) {
  const Operation& operation = pool_[index];
  Read read{.data = {},
            .spare = operation.spare,
            .is_readable = operation.is_readable,
            .is_erased = operation.is_erased};
  if (operation.is_readable && !operation.spare_only) read.data = image_.page(operation.at);
  const Tag tag = operation.tag;
  give_back(index);
  sink.read_done(now, tag, read);
}

bool NandArray::wears_out(const Operation& operation) const {
  const FlashBlock block = operation.at.whole_block();
  const std::uint64_t tenth = part_.endurance / 10;
  const std::uint64_t draw = Random(0).at(std::uint64_t{block.plane} * geometry().blocks + block.block);
  const std::uint64_t last = part_.endurance - tenth + (draw >> 32) % (2 * tenth + 1);
  const std::uint64_t erases = image_.erase_count(block);
  if (operation.kind == Kind::erase || erases != last)
    return erases >= last + (operation.kind != Kind::erase);
  return operation.at.page >= (draw & 0xFFFF'FFFF) % (2 * std::uint64_t{geometry().pages_per_block});
}

// ---- the rest ----

void NandArray::reset(Reset) {
  for (Plane& plane : planes_) {
    if (plane.array != none) {
      const Operation& interrupted = pool_[plane.array];
      if (interrupted.kind == Kind::program)
        image_.tear_program(interrupted.at, data_of(plane.array), interrupted.spare), ++torn_;
      if (interrupted.kind == Kind::erase) image_.tear_erase(interrupted.at.whole_block()), ++torn_;
    }
    plane = {.die = plane.die};
  }
  for (Die& die : dies_) die = {.first_plane = die.first_plane, .channel = die.channel, .since = {}};
  for (Channel& channel : channels_) {
    channel.waiting.clear();
    channel.busy = false;
  }
  calendar_.clear();
  touched_.clear();
  pool_.clear();
  data_.clear();
  program_flows_.clear();
  free_ = none;
  advancing_ = false;
}

void NandArray::report(Statistics& statistics, Picoseconds now) const {
  Picoseconds channel_time = channel_time_;
  for (const Channel& channel : channels_)
    if (channel.busy && channel.free_at > now) channel_time -= channel.free_at - now;
  statistics.add("page_reads", reads_);
  statistics.add("page_programs", programs_);
  statistics.add("block_erases", erases_);
  statistics.add("operations_torn", torn_);
  statistics.add("operations_failed", failed_);
  statistics.add("pages_corrected", corrected_);
  statistics.add("pages_uncorrectable", uncorrectable_);
  statistics.add("channel_busy", channel_time);
  std::uint32_t most = 0;
  for (std::uint32_t plane = 0; plane < geometry().all_planes(); ++plane)
    for (std::uint32_t block = 0; block < geometry().blocks; ++block)
      most = std::max(most, image_.erase_count({plane, block}));
  statistics.add("erase_count_max", std::uint64_t{most});
}

}  // namespace asterism
