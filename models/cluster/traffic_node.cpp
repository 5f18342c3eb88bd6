#include "cluster/traffic_node.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/random.h"

namespace asterism {

TrafficNode::TrafficNode(const ClusterConfig& config, std::uint64_t seed, NodeNumber number,
                         Environment around, BuddyMutant mutant)
    : config_(config),
      seed_(seed),
      number_(number),
      mutant_(mutant),
      event_queue_(around.event_queue),
      network_(around.network),
      management_(around.management),
      places_(config.program),
      protocol_(config, *this, *this, mutant),
      extra_(config.program.message_size.count()) {}

// ---- the network and the management ----

void TrafficNode::lose(Loss loss) {
  if (loss == Loss::node) is_dead_ = true;
  protocol_.lose(loss);
  network_.clear(number_);
  halos_ = {};
  received_ = {};
  awaited_part_.reset();
  if (program_) std::ranges::fill(program_->words(), 0);
}

void TrafficNode::membership(const Membership& membership) {
  if (is_dead_) return;
  membership_ = membership;
  network_.clear(number_);
  halos_ = {};
  received_ = {};
  awaited_part_.reset();
  const Rank rank = membership.rank_of(number_);
  if (rank != no_rank && (!program_ || rank != protocol_.rank()))
    program_.emplace(seed_, rank, config_.program.words);
  protocol_.begin(membership_, rank);
}

NodeNumber TrafficNode::node_of(Rank rank) const {
  return rank == storage_rank ? config_.storage_node() : membership_.node_of_rank.at(rank);
}

void TrafficNode::send(Message message, std::span<const std::byte> data, SendQueue queue) {
  message.epoch = membership_.epoch;
  message.from = protocol_.rank();
  network_.send({.source = number_, .destination = node_of(message.to), .payload = message.encode(data)},
                queue);
}

void TrafficNode::receive(Frame frame) {
  if (is_dead_) return;
  const std::span<const std::byte> payload(frame.payload);
  const std::optional<Message> message = Message::decode_header(payload);
  const bool is_of_this_epoch =
      message && (message->epoch == membership_.epoch || mutant_ == BuddyMutant::accepts_old_epochs);
  if (!is_of_this_epoch || message->to != protocol_.rank()) {
    ++counts_.stale_frames;
    return;
  }
  const auto data = payload.subspan(Message::header_size);
  if (message->kind == MessageKind::halo)
    receive_halo(*message, data);
  else if (message->kind == MessageKind::traffic)
    receive_extra(*message);
  else
    protocol_.receive(*message, data);
}

void TrafficNode::at(Picoseconds when, std::function<void()> action) {
  event_queue_.at(when, [this, generation = generation_, action = std::move(action)] {
    if (generation == generation_) action();
  });
}

void TrafficNode::cancel_all() {
  ++generation_;
  places_.reset();
}

void TrafficNode::not_recoverable(std::string reason) {
  management_.not_recoverable(number_, std::move(reason));
}

void TrafficNode::restored(std::uint64_t version) {
  mark(RankMark::restored, version);
  if (on_restored_) on_restored_(protocol_.rank(), version);
}

// ---- the program ----

void TrafficNode::begin_state() { program_->begin(); }

void TrafficNode::run_from(std::uint64_t step) {
  step_ = step;
  is_running_ = true;
  is_computing_ = false;
  if (step_ == config_.program.steps) return management_.finished(number_, program_->result());
  mark(RankMark::step_begun, step_ + 1);
  send_halos();
  try_compute();
}

void TrafficNode::send_halos() {
  const Rank self = protocol_.rank(), ranks = membership_.ranks();
  const auto send_edge = [&](Rank to, std::uint64_t side, std::uint64_t word) {
    std::array<std::byte, sizeof word> data;
    std::memcpy(data.data(), &word, sizeof word);
    send({.kind = MessageKind::halo,
          .to = to,
          .number = step_,
          .offset = side,
          .total = sizeof word,
          .owner = self},
         data, SendQueue::application);
  };
  send_edge((self + 1) % ranks, 0, program_->last());
  send_edge((self + ranks - 1) % ranks, 1, program_->first());
}

void TrafficNode::receive_halo(const Message& halo, std::span<const std::byte> data) {
  Halo taken{.step = halo.number, .is_there = true};
  if (halo.offset > 1 || data.size() != sizeof taken.word) return;
  std::memcpy(&taken.word, data.data(), sizeof taken.word);
  // A neighbour that was reset in this epoch begins again: its halos are older than those needed now.
  Halo& known = halos_[halo.offset][halo.number % 2];
  if (known.is_there && known.step > taken.step) return;
  known = taken;
  try_compute();
}

void TrafficNode::try_compute() {
  if (!is_running_ || is_computing_) return;
  for (const auto& side : halos_)
    if (const Halo& halo = side[step_ % 2]; !halo.is_there || halo.step != step_) return;
  is_computing_ = true;
  if (config_.program.parts != 0) return compute_part(0);
  if (config_.program.messages != 0) spread_extra(0);
  at(now() + config_.program.step_time, [this] { computed(); });
}

void TrafficNode::send_extra(std::uint32_t index) {
  const Rank self = protocol_.rank(), ranks = membership_.ranks();
  const std::uint32_t side = index % 2;
  const Rank to = (self + (side == 0 ? 1 : ranks - 1)) % ranks;
  send({.kind = MessageKind::traffic,
        .to = to,
        .number = step_,
        .offset = side,
        .total = extra_.size(),
        .owner = self},
       extra_, SendQueue::application);
}

// Sends a further message and schedules the next one, spread over the step's time.
void TrafficNode::spread_extra(std::uint32_t index) {
  send_extra(index);
  if (index + 1 < config_.program.messages)
    at(now() + config_.program.step_time / config_.program.messages,
       [this, index] { spread_extra(index + 1); });
}

void TrafficNode::receive_extra(const Message& message) {
  if (config_.program.parts == 0 || message.offset > 1) return;
  Received& known = received_[message.offset][message.number % 2];
  if (known.step != message.number) known = {.step = message.number};
  ++known.count;
  try_next_part();
}

void TrafficNode::compute_part(std::uint32_t part) {
  at(now() + part_time(part), [this, part] { part_computed(part); });
}

// The same for a step that is computed again after a recovery.
Picoseconds TrafficNode::part_time(std::uint32_t part) const {
  const ClusterProgramConfig& program = config_.program;
  const Picoseconds mean = program.step_time / program.parts;
  if (program.jitter == 0) return mean;
  const std::uint64_t of_rank = Random(seed_).at(protocol_.rank());
  const double drawn = static_cast<double>(Random(of_rank).at(step_ * program.parts + part)) * 0x1p-64;
  const double factor = 1 + program.jitter * (2 * drawn - 1);
  return Picoseconds(static_cast<std::uint64_t>(static_cast<double>(mean.count()) * factor));
}

void TrafficNode::part_computed(std::uint32_t part) {
  const std::uint32_t share = config_.program.messages / config_.program.parts;
  for (std::uint32_t i = part * share; i < (part + 1) * share; ++i) send_extra(i);
  awaited_part_ = part;
  try_next_part();
}

// Whether both neighbours' messages of the step's parts up to this one are there.
bool TrafficNode::has_messages(std::uint32_t part) const {
  const std::uint64_t sent = std::uint64_t{part + 1} * (config_.program.messages / config_.program.parts);
  for (std::uint64_t side = 0; side < 2; ++side) {
    const Received& received = received_[side][step_ % 2];
    const std::uint64_t needed = (sent + 1 - side) / 2;  // the first of two goes to the right
    if (needed > (received.step == step_ ? received.count : 0)) return false;
  }
  return true;
}

void TrafficNode::try_next_part() {
  if (!awaited_part_ || !has_messages(*awaited_part_)) return;
  const std::uint32_t part = *std::exchange(awaited_part_, std::nullopt);
  if (part + 1 < config_.program.parts)
    compute_part(part + 1);
  else
    computed();
}

void TrafficNode::computed() {
  program_->step(halos_[0][step_ % 2].word, halos_[1][step_ % 2].word);
  ++step_;
  mark(RankMark::step_ended, step_);
  is_running_ = is_computing_ = false;
  if (protocol_.is_due(step_))
    protocol_.checkpoint(step_);
  else
    run_from(step_);
}

}  // namespace asterism
