#include "cluster/buddy_protocol.h"

#include <algorithm>
#include <utility>

namespace asterism {

namespace {

constexpr std::uint64_t parts_of(std::uint64_t bytes) {
  return (bytes + Message::max_data - 1) / Message::max_data;
}

}  // namespace

BuddyProtocol::BuddyProtocol(const ClusterConfig& config, NodeServices& services, Program& program,
                             BuddyMutant mutant)
    : config_(config), services_(services), program_(program), mutant_(mutant), sender_(services, copies_) {}

void BuddyProtocol::send(MessageKind kind, Rank to, std::uint64_t number, std::span<const std::byte> data) {
  services_.send({.kind = kind, .to = to, .number = number, .owner = self_}, data, SendQueue::application);
}

CopyPlace BuddyProtocol::place_of(Rank owner) const {
  const CopyPlacement placement = config_.checkpoint.placement;
  const bool is_on_ssd =
      placement == CopyPlacement::full_ssd || (placement == CopyPlacement::half_ssd && owner != self_);
  return is_on_ssd ? CopyPlace::ssd : CopyPlace::memory;
}

// ---- epochs and losses ----

void BuddyProtocol::begin(const Membership& membership, Rank self) {
  services_.cancel_all();
  sender_.clear();
  program_.stop();
  membership_ = membership;
  self_ = self;
  silent_ = self == no_rank;
  checkpoint_step_.reset();
  dumping_ = recovering_ = false;
  sending_.reset();
  uncommitted_.reset();
  draining_.reset();
  wants_draining_.reset();
  restoring_.reset();
  committed_ = 0;
  copies_.drop_if([&](const StateCopy& copy) {
    const bool is_for_me =
        !silent_ && (copy.owner == self_ || copy.owner == membership_.protected_rank_of(self_));
    return !is_for_me || (!copy.valid && mutant_ != BuddyMutant::counts_partial);
  });
  if (silent_) return;
  if (self_ == 0) rank_zero_.begin(membership_.ranks(), config_.has_storage());
  if (membership_.epoch == 1) {
    program_.begin_state();
    run_program_from(0);
    return;
  }
  recovering_ = true;
  offer();
}

void BuddyProtocol::shut_down() {
  silent_ = true;
  services_.cancel_all();
  sender_.clear();
  program_.stop();
}

void BuddyProtocol::lose(Loss loss) {
  shut_down();
  const bool all = loss == Loss::node || loss == Loss::link;
  const auto is_lost = [&](const StateCopy& copy) {
    const CopyPlace place = place_of(copy.owner);
    return !copy.valid || all || (loss == Loss::memory && place == CopyPlace::memory) ||
           (loss == Loss::ssd && place == CopyPlace::ssd);
  };
  if (mutant_ == BuddyMutant::keeps_what_was_lost)
    copies_.clear_bytes_if(is_lost);
  else
    copies_.drop_if(is_lost);
}

void BuddyProtocol::sent(SendQueue queue) {
  if (!silent_) sender_.pump(queue);
}

void BuddyProtocol::receive(const Message& message, std::span<const std::byte> data) {
  if (silent_) return;
  const std::uint64_t version = message.number;
  switch (message.kind) {
    case MessageKind::chunk:
    case MessageKind::state:
      return receive_part(message, data);
    case MessageKind::stored:
      return buddy_stored(version);
    case MessageKind::complete:
      if (rank_zero_.complete(message.from, version, mutant_ == BuddyMutant::commits_too_early ? 1 : 0))
        for (Rank rank = 0; rank < membership_.ranks(); ++rank) send(MessageKind::commit, rank, version);
      return;
    case MessageKind::commit:
      return committed(version);
    case MessageKind::offer:
      if (rank_zero_.offered(message.from, decode_offer(data))) decide();
      return;
    case MessageKind::restore:
      if (data.size() > self_) restore(version, data[self_]);
      return;
    case MessageKind::fetch:
      return send_requested_copy(message);
    case MessageKind::ready:
      if (rank_zero_.ready(message.from, version))
        for (Rank rank = 0; rank < membership_.ranks(); ++rank) send(MessageKind::resume, rank, version);
      return;
    case MessageKind::resume:
      return resume(version);
    case MessageKind::global_stored:
      return global_stored(version);
    case MessageKind::halo:
    case MessageKind::traffic:
    case MessageKind::global:
    case MessageKind::inventory:
      return;  // messages for the program or for storage
  }
}

// ---- checkpoints ----

bool BuddyProtocol::is_due(std::uint64_t step) const {
  return step != 0 && step < config_.program.steps && step % config_.checkpoint.interval == 0;
}

void BuddyProtocol::checkpoint(std::uint64_t step) {
  checkpoint_step_ = step;
  program_.mark(RankMark::stalled, step);
  try_dump();
}

// A rank has at most two copies of its own state.
void BuddyProtocol::try_dump() {
  if (!checkpoint_step_ || dumping_ || uncommitted_ || copies_.valid_count(self_) >= 2) return;
  dumping_ = true;
  uncommitted_ = checkpoint_step_;
  set_tickets();
  program_.mark(RankMark::dump_begun, *checkpoint_step_);
  const Picoseconds end =
      services_.occupy(place_of(self_), CopyAccess::write, Bytes(program_.state().size()));
  services_.at(end, [this, version = *checkpoint_step_] { dumped(version); });
}

void BuddyProtocol::dumped(std::uint64_t version) {
  dumping_ = false;
  program_.mark(RankMark::dumped, version);
  copies_.put(self_, version, program_.state());
  if (mutant_ == BuddyMutant::drops_before_commit)
    copies_.drop_if([&](const StateCopy& copy) { return copy.version < version; });
  send_copy(version);
  if (config_.checkpoint.protocol == CheckpointProtocol::semi_blocking) run_program_from(version);
}

void BuddyProtocol::send_copy(std::uint64_t version) {
  sending_ = version;
  sender_.start(MessageKind::chunk, membership_.buddy_of(self_), self_, version, place_of(self_));
}

void BuddyProtocol::run_program_from(std::uint64_t step) {
  checkpoint_step_.reset();
  program_.run_from(step);
}

// A part of a copy of the protected rank's state, or of the rank's own state from its buddy or storage.
void BuddyProtocol::receive_part(const Message& part, std::span<const std::byte> data) {
  const bool is_own = part.kind == MessageKind::state;
  if (part.owner != (is_own ? self_ : membership_.protected_rank_of(self_))) return;
  if (is_own && (restoring_ != part.number || !lacks_state_)) return;
  if (part.offset == 0 && !is_own) {
    std::uint64_t newest_older = 0;
    for (const StateCopy& copy : copies_.all())
      if (copy.owner == part.owner && copy.valid && copy.version < part.number)
        newest_older = std::max(newest_older, copy.version);
    copies_.drop_if(
        [&](const StateCopy& copy) { return copy.owner == part.owner && copy.version != newest_older; });
    if (mutant_ == BuddyMutant::stored_too_early) send(MessageKind::stored, part.owner, part.number);
  }
  const bool complete = copies_.add(part, data);
  const Picoseconds written = services_.occupy(place_of(part.owner), CopyAccess::write, Bytes(data.size()));
  if (!complete) return;
  services_.at(written, [this, is_own, owner = part.owner, version = part.number] {
    copies_.set_valid(owner, version);
    if (is_own)
      loaded(version);
    else
      protected_copy_stored(version);
  });
}

void BuddyProtocol::protected_copy_stored(std::uint64_t version) {
  send(MessageKind::stored, membership_.protected_rank_of(self_), version);
}

void BuddyProtocol::buddy_stored(std::uint64_t version) {
  if (sending_ != version) return;
  sending_.reset();
  if (restoring_) {
    buddy_lacks_copy_ = false;
    return try_ready();
  }
  program_.mark(RankMark::held_twice, version);
  send(MessageKind::complete, 0, version);
}

void BuddyProtocol::committed(std::uint64_t version) {
  if (uncommitted_ == version) uncommitted_.reset();
  committed_ = version;
  program_.mark(RankMark::committed, version);
  copies_.drop_if([&](const StateCopy& copy) {
    const bool is_draining = copy.owner == self_ && draining_ == copy.version;
    return copy.valid && copy.version < version && !is_draining;
  });
  if (config_.is_global(version)) start_global(version);
  if (config_.checkpoint.protocol == CheckpointProtocol::blocking && checkpoint_step_ == version)
    return run_program_from(version);
  if (mutant_ != BuddyMutant::loses_a_wakeup) try_dump();
}

// Global copies are sent one at a time: the next one starts when storage holds the previous one.
void BuddyProtocol::start_global(std::uint64_t version) {
  wants_draining_ = version;
  if (draining_) return;
  draining_ = std::exchange(wants_draining_, std::nullopt);
  program_.mark(RankMark::drain_begun, version);
  sender_.start(MessageKind::global, storage_rank, self_, version, place_of(self_));
}

void BuddyProtocol::global_stored(std::uint64_t version) {
  if (draining_ != version) return;
  draining_.reset();
  program_.mark(RankMark::drained, version);
  copies_.drop_if([&](const StateCopy& copy) {
    return copy.owner == self_ && copy.version == version && version < committed_;
  });
  if (wants_draining_) start_global(*wants_draining_);
  try_dump();
}

// ni2012, section 4.3: the application gets as many tickets as it sends frames in the requested overlap time,
// the checkpoint as many as it has frames; both numbers are those of the previous interval.
void BuddyProtocol::set_tickets() {
  const Picoseconds overlap = config_.checkpoint.overlap, now = services_.now();
  const Picoseconds interval = now - interval_since_;
  interval_since_ = now;
  std::uint64_t frames[2];
  for (const SendQueue queue : {SendQueue::application, SendQueue::checkpoint}) {
    const auto i = static_cast<std::size_t>(queue);
    const std::uint64_t sent = services_.frames_sent(queue);
    frames[i] = sent - std::min(sent, std::exchange(frames_since_[i], sent));
  }
  if (overlap == Picoseconds() || interval == Picoseconds()) return;
  if (frames[1] == 0) frames[1] = parts_of(program_.state().size());  // the first checkpoint
  const auto tickets = [](std::uint64_t count) {
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(count, 1, 1'000'000'000));
  };
  services_.set_tickets(tickets(scale(frames[0], overlap.count(), interval.count())), tickets(frames[1]));
}

// ---- recovery ----

std::vector<Holding> BuddyProtocol::holdings() const {
  std::vector<Holding> all;
  for (const StateCopy& copy : copies_.all())
    if (copy.valid || mutant_ == BuddyMutant::counts_partial) all.push_back({copy.owner, copy.version});
  return all;
}

void BuddyProtocol::offer() {
  const std::vector<Holding> held = holdings();
  send(MessageKind::offer, 0, held.size(), encode_offer(held));
  if (self_ == 0 && config_.has_storage()) send(MessageKind::inventory, storage_rank, 0);
}

// For BuddyMutant::restores_older.
RecoveryChoice BuddyProtocol::older_than(const RecoveryChoice& choice) const {
  const auto without = [&](std::vector<Holding> holdings) {
    std::erase_if(holdings, [&](const Holding& h) { return h.version == choice.version; });
    return holdings;
  };
  std::vector<std::vector<Holding>> rank_offers;
  for (const auto& holdings : rank_zero_.rank_offers()) rank_offers.push_back(without(holdings));
  return choose_recovery(rank_offers, without(rank_zero_.storage_offer())).value_or(choice);
}

void BuddyProtocol::decide() {
  std::optional<RecoveryChoice> choice =
      choose_recovery(rank_zero_.rank_offers(), rank_zero_.storage_offer());
  if (!choice && config_.checkpoint.restart_from_beginning)
    choice = RecoveryChoice{0, std::vector<std::byte>(membership_.ranks())};
  if (!choice)
    return program_.not_recoverable(
        why_not_recoverable(rank_zero_.rank_offers(), rank_zero_.storage_offer()));
  if (mutant_ == BuddyMutant::restores_older) choice = older_than(*choice);
  for (Rank rank = 0; rank < membership_.ranks(); ++rank)
    send(MessageKind::restore, rank, choice->version, choice->flags);
}

void BuddyProtocol::send_requested_copy(const Message& fetch) {
  sender_.start(MessageKind::state, fetch.from, fetch.owner, fetch.number, place_of(fetch.owner));
}

void BuddyProtocol::restore(std::uint64_t version, std::byte flags) {
  restoring_ = version;
  has_loaded_ = false;
  lacks_state_ = (flags & restore_flag::lacks_state) != std::byte{};
  buddy_lacks_copy_ = (flags & restore_flag::lacks_copy) != std::byte{};
  from_storage_ = (flags & restore_flag::from_storage) != std::byte{};
  if (mutant_ == BuddyMutant::copies_not_resent) buddy_lacks_copy_ = false;
  copies_.drop_if([&](const StateCopy& copy) { return copy.version > version; });
  if (version == 0) {
    program_.begin_state();
    program_.restored(0);
    has_loaded_ = true;
    buddy_lacks_copy_ = false;
    return try_ready();
  }
  if (lacks_state_) {
    const Rank holder = from_storage_ ? storage_rank : membership_.buddy_of(self_);
    send(MessageKind::fetch, holder, version);
    return;
  }
  if (buddy_lacks_copy_) send_copy(version);
  services_.at(services_.occupy(place_of(self_), CopyAccess::read, Bytes(program_.state().size())),
               [this, version] { loaded(version); });
}

// The rank's own copy is valid, and has been read.
void BuddyProtocol::loaded(std::uint64_t version) {
  const StateCopy* copy = copies_.find(self_, version);
  if (!copy) return;
  std::ranges::copy(copy->bytes, program_.state().begin());
  has_loaded_ = true;
  program_.restored(version);
  if (lacks_state_ && buddy_lacks_copy_) send_copy(version);
  try_ready();
}

void BuddyProtocol::try_ready() {
  if (has_loaded_ && !buddy_lacks_copy_) send(MessageKind::ready, 0, *restoring_);
}

void BuddyProtocol::resume(std::uint64_t version) {
  if (restoring_ != version) return;
  restoring_.reset();
  recovering_ = false;
  committed_ = version;
  copies_.drop_if([&](const StateCopy& copy) { return copy.valid && copy.version < version; });
  if (config_.is_global(version) && !from_storage_) start_global(version);
  interval_since_ = services_.now();
  for (const SendQueue queue : {SendQueue::application, SendQueue::checkpoint})
    frames_since_[static_cast<std::size_t>(queue)] = services_.frames_sent(queue);
  run_program_from(version);
}

}  // namespace asterism
