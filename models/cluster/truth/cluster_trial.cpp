#include "cluster/truth/cluster_trial.h"

#include <optional>
#include <vector>

#include "base/fields.h"
#include "base/random.h"
#include "cluster/truth/cluster_states.h"

namespace asterism {

static_assert(member_count<ClusterTrialConfig>() == 2);
void describe(Fields& f, ClusterTrialConfig& c) {
  f("aim", c.aim, "The moments at which losses are injected.", one_of<ClusterAim>());
  f("mutant", c.mutant, "A seeded fault of the protocol, which the trials must find.", one_of<BuddyMutant>());
}

ClusterTrialCounts& ClusterTrialCounts::operator+=(const ClusterTrialCounts& other) {
  finished += other.finished;
  not_recoverable += other.not_recoverable;
  no_spare += other.no_spare;
  for (std::size_t i = 0; i < losses.size(); ++i) losses[i] += other.losses[i];
  in_checkpoint += other.in_checkpoint;
  in_global += other.in_global;
  in_recovery += other.in_recovery;
  of_both_buddies += other.of_both_buddies;
  commits += other.commits;
  global_commits += other.global_commits;
  epochs += other.epochs;
  recoveries += other.recoveries;
  from_storage += other.from_storage;
  from_beginning += other.from_beginning;
  stale_frames += other.stale_frames;
  return *this;
}

namespace {

constexpr std::uint64_t max_instants = 2'000'000;

std::uint64_t between(Random& random, std::uint64_t low, std::uint64_t high) {
  return low + random.below(high - low + 1);
}
template <class E>
E any_of(Random& random) {
  const auto names = enum_names(E{});
  return names[random.below(names.size())].value;
}
template <class T>
T one_of_these(Random& random, std::initializer_list<T> values) {
  return *(values.begin() + random.below(values.size()));
}

ClusterConfig any_cluster(const ClusterTrialConfig& config, Random& random) {
  ClusterConfig c;
  c.nodes = static_cast<std::uint32_t>(between(random, 2, 6));
  c.spares = static_cast<std::uint32_t>(between(random, 0, 4));
  c.network.bandwidth =
      Bandwidth(one_of_these<std::uint64_t>(random, {100'000'000, 1'000'000'000, 5'000'000'000}));
  c.network.latency = Picoseconds(between(random, 1, 20) * 1'000'000);
  c.network.policy = any_of<SendPolicy>(random);
  c.detection = Picoseconds(one_of_these<std::uint64_t>(random, {5, 50, 500}) * 1'000'000);
  c.storage.bandwidth = Bandwidth(one_of_these<std::uint64_t>(random, {50'000'000, 1'000'000'000}));
  c.checkpoint.protocol = any_of<CheckpointProtocol>(random);
  c.checkpoint.placement = any_of<CopyPlacement>(random);
  c.checkpoint.interval = between(random, 1, 5);
  const bool is_global = config.aim == ClusterAim::global || random.below(5) < 3;
  c.checkpoint.global_every = is_global ? static_cast<std::uint32_t>(between(random, 1, 3)) : 0;
  c.checkpoint.restart_from_beginning = random.below(3) == 0;
  if (c.network.policy == SendPolicy::lottery && random.below(2) == 0)
    c.checkpoint.overlap = Picoseconds(between(random, 1, 200) * 1'000'000);
  c.program.words = one_of_these<std::uint64_t>(random, {1, 3, 512, 513, 1100});
  c.program.steps = between(random, 6, 25);
  c.program.step_time = Picoseconds(one_of_these<std::uint64_t>(random, {2, 20, 100}) * 1'000'000);
  c.program.memory_bandwidth = Bandwidth(one_of_these<std::uint64_t>(random, {100'000'000, 10'000'000'000}));
  c.program.ssd_write = Bandwidth(one_of_these<std::uint64_t>(random, {10'000'000, 500'000'000}));
  c.program.ssd_read = Bandwidth(one_of_these<std::uint64_t>(random, {50'000'000, 1'000'000'000}));
  c.program.messages = static_cast<std::uint32_t>(one_of_these<std::uint64_t>(random, {0, 0, 3}));
  return c;
}

// A planned loss, or two losses of buddies at once.
struct Plan {
  ClusterAim aim;
  std::uint64_t instants;  // number of matching instants that pass before the loss
  Loss loss, other;
  Picoseconds restore_after;
  std::uint64_t target;
  bool is_done = false;
};

Plan any_plan(const ClusterTrialConfig& config, Random& random) {
  Plan plan{};
  plan.aim = config.aim;
  while (plan.aim == ClusterAim::any) plan.aim = any_of<ClusterAim>(random);
  const bool is_aimed = plan.aim != ClusterAim::time && plan.aim != ClusterAim::buddies;
  plan.instants = random.below(is_aimed ? (random.below(2) == 0 ? 6 : 60) : 1200);
  plan.loss = any_of<Loss>(random);
  plan.other = any_of<Loss>(random);
  plan.restore_after = Picoseconds(random.below(3) == 0 ? 0 : between(random, 1, 600) * 1'000'000);
  plan.target = random.next();
  return plan;
}

class Trial final : public EventLog {
 public:
  Trial(const ClusterTrialConfig& config, std::uint64_t seed, ClusterStates& states)
      : random_(seed),
        states_(states),
        config_(any_cluster(config, random_)),
        oracle_(config_, seed),
        cluster_(config_, seed, *this, config.mutant) {
    for (std::uint64_t i = random_.below(7); i != 0; --i) plans_.push_back(any_plan(config, random_));
    // The first loss starts the recovery at which the others are aimed.
    if (config.aim == ClusterAim::recovery && !plans_.empty()) plans_.front().aim = ClusterAim::time;
  }

  ClusterTrialCounts run() {
    cluster_.begin();
    oracle_.inspect(cluster_);
    std::uint64_t instants = 0;
    while (!cluster_.management().outcome() && cluster_.event_queue().step()) {
      oracle_.inspect(cluster_);
      for (Plan& plan : plans_) consider(plan);
      if (++instants > max_instants) throw ClusterTrialFailure("the run does not end");
    }
    oracle_.end(cluster_);
    const Management::Outcome& outcome = *cluster_.management().outcome();
    ++(outcome.finished                                 ? counts_.finished
       : outcome.reason.starts_with("no traffic spare") ? counts_.no_spare
                                                        : counts_.not_recoverable);
    if (!outcome.finished)
      note_path(outcome.reason.starts_with("no traffic spare") ? RecoveryPath::no_spare
                                                               : RecoveryPath::not_recoverable);
    counts_.epochs = cluster_.management().membership().epoch;
    for (NodeNumber number = 0; number < config_.storage_node(); ++number)
      counts_.stale_frames += cluster_.node(number)->counts().stale_frames;
    return counts_;
  }

 private:
  void record(Picoseconds, std::string_view, std::string_view kind,
              std::initializer_list<Detail> details) override {
    std::uint64_t version = 0;
    for (const auto& [name, value] : details)
      if (name == "version") version = std::get<std::uint64_t>(value);
    const Membership& membership = cluster_.management().membership();
    if (kind == "checkpoint_commit") {
      ++counts_.commits;
      oracle_.commit(membership, version);
      committed_ = version;
      lost_before_ = lost_since_rollback_ = std::nullopt;
      recovering_from_ = std::nullopt;
    } else if (kind == "global_commit") {
      ++counts_.global_commits;
      oracle_.global_commit(version);
    } else if (kind == "rollback") {
      oracle_.rollback(version);
      counts_.from_storage += oracle_.last_was_from_storage() ? 1 : 0;
      counts_.from_beginning += version == 0 ? 1 : 0;
      note_rollback(version);
    } else if (kind == "recovery") {
      ++counts_.recoveries;
      oracle_.recovery(membership, version);
      committed_ = version;
      recovering_from_ = std::nullopt;
      between_ = LossesBetween::recovery;
    }
  }

  bool any_rank(bool (BuddyProtocol::*is_so)() const) const {
    for (const NodeNumber number : cluster_.management().membership().node_of_rank)
      if ((cluster_.node(number)->protocol().*is_so)()) return true;
    return false;
  }
  bool is_in_checkpoint() const {
    return any_rank(&BuddyProtocol::dumping) || (any_rank(&BuddyProtocol::overlapping) && !is_in_recovery());
  }
  bool is_in_recovery() const { return any_rank(&BuddyProtocol::recovering); }

  bool is_time_for(const Plan& plan) const {
    switch (plan.aim) {
      case ClusterAim::checkpoint:
        return is_in_checkpoint();
      case ClusterAim::global:
        return any_rank(&BuddyProtocol::draining);
      case ClusterAim::recovery:
        return is_in_recovery();
      default:
        return true;
    }
  }

  void note_path(RecoveryPath path) {
    if (lost_since_rollback_) states_.path(*lost_since_rollback_, path);
    lost_since_rollback_ = std::nullopt;
  }
  void note_rollback(std::uint64_t version) {
    const ClusterCheckpointConfig& c = config_.checkpoint;
    const RecoveryPath path = version == 0                      ? RecoveryPath::beginning
                              : oracle_.last_was_from_storage() ? RecoveryPath::storage
                                                                : RecoveryPath::copies;
    note_path(path);
    states_.storage(c.protocol, c.placement, path);
    states_.returns(c.protocol, version == 0            ? ReturnTo::beginning
                                : version == committed_ ? ReturnTo::committed
                                : version > committed_  ? ReturnTo::newer
                                                        : ReturnTo::older);
    recovering_from_ = path;
  }

  // The phases of the node's rank, a bit for each BuddyPhase.
  std::uint32_t phases_of(NodeNumber number) const {
    const BuddyProtocol& protocol = cluster_.node(number)->protocol();
    std::uint32_t phases = 0;
    const auto add = [&](bool is_so, BuddyPhase phase) {
      if (is_so) phases |= 1u << static_cast<unsigned>(phase);
    };
    add(protocol.recovering(), BuddyPhase::recovery);
    add(protocol.dumping(), BuddyPhase::local_copy);
    add(protocol.overlapping() && !protocol.recovering(), BuddyPhase::buddy_copy);
    add(protocol.draining(), BuddyPhase::global_copy);
    add(protocol.stalled() && !protocol.dumping() && !protocol.overlapping(), BuddyPhase::waiting);
    add(phases == 0, BuddyPhase::computing);
    return phases;
  }
  LossRole role_of(NodeNumber number) const {
    const Rank rank = cluster_.management().membership().rank_of(number);
    return rank == no_rank ? LossRole::spare : rank == 0 ? LossRole::rank_zero : LossRole::rank;
  }
  void note_loss(NodeNumber node, Loss loss) {
    const LossRole role = role_of(node);
    states_.loss(loss, role, phases_of(node));
    if (role == LossRole::spare) return;
    if (lost_before_) states_.again(*lost_before_, loss, between_);
    if (recovering_from_) states_.broken(loss, *recovering_from_);
    lost_before_ = lost_since_rollback_ = loss;
    between_ = LossesBetween::nothing;
  }

  void consider(Plan& plan) {
    if (plan.is_done || !is_time_for(plan)) return;
    if (plan.instants-- != 0) return;
    plan.is_done = true;
    const auto rank = static_cast<Rank>(plan.target % config_.nodes);
    const std::vector<NodeNumber> nodes = cluster_.management().membership().node_of_rank;
    if (plan.aim == ClusterAim::buddies) {
      ++counts_.of_both_buddies;
      const NodeNumber buddy = nodes[(rank + 1) % config_.nodes];
      if (can_lose(buddy) && can_lose(nodes[rank]))
        states_.buddies(plan.loss, plan.other, phases_of(nodes[rank]));
      lose(buddy, plan.other, plan.restore_after);
    }
    // One in eight losses hits any node, which may be a spare.
    const bool is_any = plan.target / config_.nodes % 8 == 0 && plan.aim != ClusterAim::buddies;
    lose(is_any ? static_cast<NodeNumber>(plan.target / 64 % config_.storage_node()) : nodes[rank], plan.loss,
         plan.restore_after);
  }

  bool can_lose(NodeNumber node) const {
    return !cluster_.management().outcome() && cluster_.network().link_is_up(node);
  }
  void lose(NodeNumber node, Loss loss, Picoseconds restore_after) {
    if (!can_lose(node)) return;
    note_loss(node, loss);
    ++counts_.losses[static_cast<std::size_t>(loss)];
    counts_.in_checkpoint += is_in_checkpoint() ? 1 : 0;
    counts_.in_global += any_rank(&BuddyProtocol::draining) ? 1 : 0;
    counts_.in_recovery += is_in_recovery() ? 1 : 0;
    cluster_.lose(node, loss, restore_after);
    oracle_.loss(node, loss);
  }

  Random random_;
  ClusterStates& states_;
  const ClusterConfig config_;
  ClusterOracle oracle_;
  TrafficCluster cluster_;
  std::vector<Plan> plans_;
  ClusterTrialCounts counts_;

  // For ClusterStates.
  std::uint64_t committed_ = 0;              // version committed last
  std::optional<Loss> lost_before_;          // last loss of a rank since the last commit
  std::optional<Loss> lost_since_rollback_;  // last loss since the last rollback
  LossesBetween between_ = LossesBetween::nothing;
  std::optional<RecoveryPath> recovering_from_;
};

}  // namespace

ClusterTrialCounts run_cluster_trial(const ClusterTrialConfig& config, std::uint64_t seed,
                                     ClusterStates* states) try {
  ClusterStates of_trial;
  return Trial(config, seed, states ? *states : of_trial).run();
} catch (const std::logic_error& error) {
  throw ClusterTrialFailure(error.what());
}

}  // namespace asterism
