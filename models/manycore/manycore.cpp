#include "manycore/manycore.h"

#include <algorithm>
#include <stdexcept>

#include "base/engine.h"

namespace asterism {
namespace {

struct ArrivalList final : PacketNetwork::Sink {
  void arrived(Picoseconds, const PacketNetwork::Packet& packet) override { tags.push_back(packet.tag); }
  std::vector<std::uint64_t> tags;
};

std::uint32_t flits_of(std::uint64_t bits, unsigned channel_bits) {
  return static_cast<std::uint32_t>((bits + channel_bits - 1) / channel_bits);
}

double uniform(Random& draws) { return static_cast<double>(draws.next() >> 11) * 0x1p-53; }

std::vector<std::uint32_t> nodes_except(const std::vector<std::uint32_t>& taken, std::uint32_t nodes) {
  std::vector<std::uint32_t> left;
  for (std::uint32_t node = 0; node < nodes; ++node)
    if (std::find(taken.begin(), taken.end(), node) == taken.end()) left.push_back(node);
  return left;
}

}  // namespace

class Manycore::CoreSink final : public TraceCore::Sink {
 public:
  CoreSink(Manycore& chip, std::uint32_t core) : chip_(chip), core_(core) {}
  void missed(Picoseconds at, const TraceCore::Miss& miss) override { chip_.missed(core_, at, miss); }

 private:
  Manycore& chip_;
  std::uint32_t core_;
};

Manycore::Manycore(const ManycoreConfig& config, const Workload& workload, PacketNetwork& network,
                   std::uint64_t seed)
    : config_(config),
      network_(network),
      controllers_(controller_nodes(config.memory, network.nodes())),
      request_flits_(flits_of(config.request_bits, network.channel_bits())),
      data_flits_(flits_of(config.block.count() * 8, network.channel_bits())),
      cycle_(duration(1_cycles, config.core.clock)),
      bank_latency_(duration(config.l2.latency, config.core.clock)),
      block_time_(transfer_time(config.block, config.memory.bandwidth)),
      l1_latency_(duration(config.coherence.latency, config.core.clock)) {
  tiles_ = nodes_except(controllers_, network.nodes());
  if (workload.cores > tiles_.size())
    throw std::invalid_argument("a workload of " + std::to_string(workload.cores) + " cores does not fit " +
                                std::to_string(tiles_.size()) + " tiles");
  if ((config.coherence.owned > 0 || config.coherence.shared > 0) && workload.cores < 2)
    throw std::invalid_argument("a workload of one core shares no blocks");
  const Random seeds(seed);
  for (std::uint32_t core = 0; core < workload.cores; ++core)
    cores_.emplace_back(config.core, workload, config.instructions, seeds.at(core));
  core_wakes_.resize(cores_.size());
  banks_.resize(tiles_.size());
  channel_free_.resize(std::size_t{config.memory.count} * config.memory.channels);
  running_ = cores();
  for (std::uint32_t core = 0; core < cores(); ++core) schedule(0_ps, Event::Kind::core, core);
}

void Manycore::reset(Reset kind) {
  network_.reset(kind);
  for (TraceCore& core : cores_) core.reset(kind);
  std::fill(core_wakes_.begin(), core_wakes_.end(), std::nullopt);
  std::fill(banks_.begin(), banks_.end(), Bank{});
  std::fill(channel_free_.begin(), channel_free_.end(), 0_ps);
  transactions_.clear();
  unused_.clear();
  events_ = {};
  order_ = 0;
  counts_ = {};
  running_ = cores();
  for (std::uint32_t core = 0; core < cores(); ++core) schedule(0_ps, Event::Kind::core, core);
}

std::optional<Picoseconds> Manycore::next_event() const {
  const auto own = events_.empty() ? std::nullopt : std::optional(events_.top().at);
  return earlier(own, network_.next_event());
}

// Step by step, because anything that arrives may cause an event before those known now.
void Manycore::advance_to(Picoseconds now, Sink& sink) {
  ArrivalList arrivals;
  for (auto step = next_event(); step && *step <= now; step = next_event()) {
    network_.advance_to(*step, arrivals);
    for (const std::uint64_t tag : arrivals.tags) arrived(static_cast<TransactionId>(tag), *step, sink);
    arrivals.tags.clear();
    while (!events_.empty() && events_.top().at <= *step) {
      const Event event = events_.top();
      events_.pop();
      handle(event, sink);
    }
  }
}

Manycore::Counts Manycore::counts() const {
  Counts counts = counts_;
  for (const TraceCore& core : cores_) {
    counts.l1_misses += core.misses();
    counts.l2_misses += core.l2_misses();
    counts.stalled += core.stalled();
  }
  return counts;
}

void Manycore::schedule(Picoseconds at, Event::Kind kind, std::uint32_t which) {
  if (kind == Event::Kind::core) core_wakes_[which] = at;
  events_.push({at, order_++, kind, which});
}

void Manycore::handle(const Event& event, Sink& sink) {
  switch (event.kind) {
    case Event::Kind::core:
      if (core_wakes_[event.which] == event.at) run_core(event.which, event.at, sink);
      return;
    case Event::Kind::bank:
      banks_[event.which].wake_pending = false;
      return serve(event.which, event.at);
    case Event::Kind::accessed:
      return accessed(event.which, event.at, sink);
    case Event::Kind::fetched: {
      Transaction& t = transactions_[event.which];
      t.stage = Stage::fill;
      return send(controllers_[t.controller], tiles_[t.bank], data_flits_, event.which, event.at);
    }
    case Event::Kind::looked_up: {
      const Transaction& t = transactions_[event.which];
      const bool data = t.stage == Stage::answer;
      return send(tiles_[t.other], tiles_[t.core], data ? data_flits_ : request_flits_, event.which,
                  event.at);
    }
  }
}

// ---- cores ----

void Manycore::run_core(std::uint32_t core, Picoseconds now, Sink& sink) {
  CoreSink misses(*this, core);
  core_wakes_[core].reset();
  cores_[core].advance_to(now, misses);
  core_changed(core, sink);
}

// An answer may have delayed a core's next event: the earlier event stays in the queue and is skipped.
void Manycore::core_changed(std::uint32_t core, Sink& sink) {
  if (const auto at = cores_[core].finished()) {
    --running_;
    return sink.core_finished(*at, core);
  }
  if (const auto next = cores_[core].next_event(); next && core_wakes_[core] != next)
    schedule(*next, Event::Kind::core, core);
}

void Manycore::missed(std::uint32_t core, Picoseconds at, const TraceCore::Miss& miss) {
  Transaction t{.core = core, .number = miss.number, .block = miss.block, .since = at, .in_l2 = miss.in_l2};
  std::uint64_t block = miss.block;  // its digits are used for several choices, independent of each other
  const auto digit = [&block](std::size_t base) {
    const auto value = static_cast<std::uint32_t>(block % base);
    block /= base;
    return value;
  };
  t.bank = digit(banks_.size());
  t.controller = digit(controllers_.size());
  t.channel = digit(config_.memory.channels);
  Random draws(miss.block);  // of the miss alone, so that they do not depend on the network
  const bool dirty = uniform(draws) < config_.coherence.dirty;
  const double kind = uniform(draws);
  t.owned = t.in_l2 && kind < config_.coherence.owned;
  t.shared = !t.owned && kind >= config_.coherence.owned &&
             kind < config_.coherence.owned + config_.coherence.shared;
  if (t.owned) t.other = other_core(core, draws);
  const auto victim_bank = static_cast<std::uint32_t>(draws.below(banks_.size()));
  const TransactionId id = begin(t);
  if (t.bank == core) {
    banks_[core].queue.push_back(id);
    serve(core, at);
  } else {
    send(tiles_[core], tiles_[t.bank], request_flits_, id, at);
  }
  if (!dirty) return;
  ++counts_.write_backs;
  const TransactionId write_back = begin({.core = core, .bank = victim_bank, .stage = Stage::write_back});
  if (victim_bank == core) return take_write_back(write_back, at);
  send(tiles_[core], tiles_[victim_bank], data_flits_, write_back, at);
}

Manycore::TransactionId Manycore::begin(const Transaction& transaction) {
  if (unused_.empty()) {
    unused_.push_back(static_cast<TransactionId>(transactions_.size()));
    transactions_.emplace_back();
  }
  const TransactionId id = unused_.back();
  unused_.pop_back();
  transactions_[id] = transaction;
  return id;
}

std::uint32_t Manycore::other_core(std::uint32_t core, Random& draws) const {
  const auto drawn = static_cast<std::uint32_t>(draws.below(cores() - 1));
  return drawn < core ? drawn : drawn + 1;
}

void Manycore::complete(TransactionId id, Picoseconds now, Sink& sink) {
  if (--transactions_[id].awaited != 0) return;
  const Transaction t = transactions_[id];
  end(id);
  ++counts_.returned;
  counts_.waited += now - t.since;
  CoreSink misses(*this, t.core);
  cores_[t.core].returned(t.number, now, misses);
  core_changed(t.core, sink);
}

// ---- banks and memory ----

void Manycore::serve(std::uint32_t number, Picoseconds now) {
  Bank& bank = banks_[number];
  while (!bank.queue.empty()) {
    if (bank.free_at > now) {
      if (!bank.wake_pending) schedule(bank.free_at, Event::Kind::bank, number);
      bank.wake_pending = true;
      return;
    }
    Transaction& t = transactions_[bank.queue.front()];
    if (!t.in_l2 && bank.misses == config_.l2.mshrs) return;  // continues when a block has arrived
    bank.misses += !t.in_l2;
    bank.free_at = now + cycle_;
    t.stage = Stage::access;
    schedule(now + bank_latency_, Event::Kind::accessed, bank.queue.front());
    bank.queue.pop_front();
  }
}

// A write-back needs the port for a cycle, and no MSHR: it does not wait behind misses.
void Manycore::take_write_back(TransactionId id, Picoseconds now) {
  Transaction& t = transactions_[id];
  Bank& bank = banks_[t.bank];
  bank.free_at = std::max(bank.free_at, now) + cycle_;
  if (t.bank == t.core) return end(id);
  t.stage = Stage::acknowledge;
  send(tiles_[t.bank], tiles_[t.core], request_flits_, id, now);
}

void Manycore::accessed(TransactionId id, Picoseconds now, Sink& sink) {
  Transaction& t = transactions_[id];
  if (t.in_l2) return answer(id, now, sink);
  t.stage = Stage::fetch;
  send(tiles_[t.bank], controllers_[t.controller], request_flits_, id, now);
}

void Manycore::invalidate_sharers(TransactionId id, Picoseconds now) {
  const Transaction miss = transactions_[id];
  Random draws(~miss.block);
  transactions_[id].awaited += config_.coherence.sharers;
  for (std::uint32_t i = 0; i < config_.coherence.sharers; ++i) {
    ++counts_.invalidations;
    const TransactionId message = begin({.core = miss.core,
                                         .bank = miss.bank,
                                         .other = other_core(miss.core, draws),
                                         .miss = id,
                                         .stage = Stage::invalidate});
    Transaction& t = transactions_[message];
    if (t.bank != t.other) {
      send(tiles_[t.bank], tiles_[t.other], request_flits_, message, now);
      continue;
    }
    t.stage = Stage::invalidated;  // the sharer is on the bank's own tile
    schedule(now + l1_latency_, Event::Kind::looked_up, message);
  }
}

void Manycore::spill(const Transaction& miss, Picoseconds now) {
  Random draws(miss.block ^ 0x5A5A5A5A5A5A5A5Au);
  if (uniform(draws) >= config_.coherence.dirty) return;
  ++counts_.write_backs;
  const TransactionId id = begin({.bank = miss.bank,
                                  .controller = static_cast<std::uint32_t>(draws.below(controllers_.size())),
                                  .channel = static_cast<std::uint32_t>(draws.below(config_.memory.channels)),
                                  .stage = Stage::spill});
  const Transaction& t = transactions_[id];
  send(tiles_[t.bank], controllers_[t.controller], data_flits_, id, now);
}

void Manycore::fetch(TransactionId id, Picoseconds now) {
  const Transaction& t = transactions_[id];
  Picoseconds& free = channel_free_[std::size_t{t.controller} * config_.memory.channels + t.channel];
  const Picoseconds start = std::max(now, free);
  free = start + block_time_;
  schedule(start + config_.memory.latency, Event::Kind::fetched, id);
}

void Manycore::answer(TransactionId id, Picoseconds now, Sink& sink) {
  if (transactions_[id].shared) invalidate_sharers(id, now);
  Transaction& t = transactions_[id];
  if (t.owned) {
    ++counts_.forwards;
    t.stage = Stage::forward;
    if (t.bank != t.other) return send(tiles_[t.bank], tiles_[t.other], request_flits_, id, now);
    t.stage = Stage::answer;  // the owner is on the bank's own tile
    return schedule(now + l1_latency_, Event::Kind::looked_up, id);
  }
  t.stage = Stage::answer;
  if (t.bank == t.core) return complete(id, now, sink);
  send(tiles_[t.bank], tiles_[t.core], data_flits_, id, now);
}

// ---- the network ----

void Manycore::send(std::uint32_t from, std::uint32_t to, std::uint32_t flits, TransactionId id,
                    Picoseconds now) {
  ++counts_.packets;
  counts_.flits += flits;
  network_.send({from, to, flits, id}, now);
}

void Manycore::arrived(TransactionId id, Picoseconds now, Sink& sink) {
  const Transaction t = transactions_[id];
  switch (t.stage) {
    case Stage::request:
      banks_[t.bank].queue.push_back(id);
      return serve(t.bank, now);
    case Stage::fetch:
      return fetch(id, now);
    case Stage::fill:
      --banks_[t.bank].misses;
      spill(t, now);
      answer(id, now, sink);
      return serve(t.bank, now);
    case Stage::forward:
      transactions_[id].stage = Stage::answer;
      return schedule(now + l1_latency_, Event::Kind::looked_up, id);
    case Stage::answer:
      return complete(id, now, sink);
    case Stage::write_back:
      return take_write_back(id, now);
    case Stage::acknowledge:
      return end(id);
    case Stage::spill: {
      Picoseconds& free = channel_free_[std::size_t{t.controller} * config_.memory.channels + t.channel];
      free = std::max(now, free) + block_time_;
      return end(id);
    }
    case Stage::invalidate:
      transactions_[id].stage = Stage::invalidated;
      return schedule(now + l1_latency_, Event::Kind::looked_up, id);
    case Stage::invalidated:
      end(id);
      return complete(t.miss, now, sink);
    case Stage::access:
      break;
  }
  throw std::logic_error("a packet arrived that was not sent");
}

// ---- a whole run ----

ManycoreResult run_manycore(const ManycoreConfig& config, const Workload& workload, PacketNetwork& network,
                            std::uint64_t seed, const ManycoreControl& control) {
  struct Ends final : Manycore::Sink {
    void core_finished(Picoseconds at, std::uint32_t) override {
      ++cores;
      last = at;
      sum += at;
    }
    std::uint32_t cores = 0;
    Picoseconds last, sum;
  } ends;

  Manycore chip(config, workload, network, seed);
  ManycoreResult result;
  // The rate is a sum over the cores, and each executes all instructions.
  const double misses =
      static_cast<double>(workload.l1_mpki) / 1e3 * static_cast<double>(config.instructions);
  Picoseconds now;
  for (std::uint64_t steps = 0; !chip.finished(); ++steps) {
    if (steps % 4096 == 0) {
      if (control.stop.stop_requested()) result.reason = "stopped";
      if (control.progress && misses > 0)
        control.progress(std::min(1.0, static_cast<double>(chip.counts().returned) / misses));
    }
    const auto next = chip.next_event();
    if (!next) result.reason = "packets are lost: cores wait and nothing moves";
    if (next && *next > control.limit) result.reason = "the time limit was reached first";
    if (!result.reason.empty()) break;
    now = *next;
    chip.advance_to(now, ends);
  }
  result.finished = chip.finished();
  result.time = result.finished ? ends.last : now;
  result.cores = ends.cores;
  if (ends.cores != 0) result.mean_time = ends.sum / ends.cores;
  result.counts = chip.counts();
  return result;
}

}  // namespace asterism
