#include "cluster_scale/cluster_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <queue>

#include "cluster_scale/buddy_copies.h"
#include "cluster_scale/component_failures.h"

namespace asterism {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

template <class Enum>
std::size_t index_of(Enum value) {
  return static_cast<std::size_t>(value);
}

class Conductor {
 public:
  Conductor(const ClusterSetup& setup, std::uint64_t seed, ClusterNetwork& network)
      : setup_(setup), network_(network), failures_(setup, seed), copies_(copies_of(setup)) {
    result_.seed = seed;
    for (std::uint32_t i = 0; i < setup.spares; ++i) spares_.push(Seconds());
  }

  ClusterResult run() {
    next_failure_ = failures_.next();
    bool is_whole = false;  // the last interval, with its check
    while (!(is_whole && done_ == setup_.iterations) && !gave_up()) {
      is_whole = interval();
      if (!is_whole) recover();
    }
    end_transfers();
    result_.finished = is_whole && done_ == setup_.iterations;
    result_.wrong = corrupt_.has_value();
    result_.time = ClusterNetwork::now();
    result_.work = setup_.iteration * static_cast<double>(done_);
    result_.rework = computed_ - result_.work;
    return result_;
  }

 private:
  enum class Event { time, checkpoint, other, setback };

  // Iterations that are under way. At `from` so much of their work was done, including what copies to buddies
  // have cost since.
  struct Computing {
    Seconds from, nominal, overhead;
    double slowdown = 0;
    bool was_slow = slowdown > 0;

    Seconds progress(Seconds now) const { return nominal + (now - from) / (1 + slowdown); }
    void slow_down(double to, Seconds now) {
      nominal = progress(now);
      from = now;
      slowdown = to;
      was_slow = true;
    }
  };
  struct SlowNode {
    std::uint32_t node;
    Seconds found;
  };
  // The state is wrong since this work of the program.
  struct Corruption {
    std::uint32_t node;
    Seconds since;
  };

  static BuddyCopies copies_of(const ClusterSetup& setup) {
    if (setup.replicas == 2) return BuddyCopies(setup.group);
    return BuddyCopies([places = ClusterPlaces(setup)](std::uint32_t node) { return places.holders(node); });
  }

  // Runs from the last dump to the next one and, if checkpoints are blocking, until the buddies have their
  // copies. False if the program has to recover.
  bool interval() {
    if (!compute_checked(std::min(since_ + setup_.interval, setup_.iterations))) return false;
    if (done_ == setup_.iterations) return true;
    if (setup_.checkpoint == ClusterCheckpoint::just_in_time) {
      since_ = dumped_ = done_;
      ++since_global_;
      begin_drain(done_);
      return true;
    }
    for (result_.late += copies_transfer_ != nullptr; copies_transfer_;) {
      if (!compute_checked(done_ + 1)) return false;
      if (done_ == setup_.iterations) return true;
    }
    const Seconds begin = ClusterNetwork::now();
    const bool dumped = sleep_until(begin + setup_.dump);
    result_.dump += ClusterNetwork::now() - begin;
    if (!dumped) return false;
    since_ = dumped_ = done_;
    copies_transfer_ = network_.start(TransferKind::copies);
    copies_began_ = ClusterNetwork::now();
    return setup_.checkpoint == ClusterCheckpoint::semi_blocking || wait_for_copies();
  }

  bool wait_for_copies() {
    const Seconds begin = ClusterNetwork::now();
    Event event = Event::other;
    while (copies_transfer_ && event != Event::setback) event = next(Seconds(never));
    result_.blocked += ClusterNetwork::now() - begin;
    undone_ = setup_.iteration * static_cast<double>(done_);
    return event != Event::setback;
  }

  // Runs until that many iterations are done, and checks the state after every so many. Just in time, all may
  // be done already: a failure has interrupted the last check, which is made again.
  bool compute_checked(std::uint64_t target) {
    const std::uint64_t every = setup_.check_every;
    if (every == 0) return compute(target);
    while (done_ < target || (verified_ < done_ && done_ == setup_.iterations)) {
      if (!compute(std::min(target, (done_ / every + 1) * every))) return false;
      if ((done_ % every == 0 || done_ == setup_.iterations) && !check()) return false;
    }
    return true;
  }

  // Runs until that many iterations are done.
  bool compute(std::uint64_t target) {
    const Seconds begin = ClusterNetwork::now();
    const Seconds length = setup_.iteration * static_cast<double>(target - done_);
    computing_ = Computing{.from = begin, .nominal = {}, .overhead = {}, .slowdown = slowdown()};
    Computing& c = *computing_;
    for (;;) {
      const Event event =
          next(c.from + (length - c.nominal) * (1 + c.slowdown) + c.overhead * (1 + c.slowdown));
      if (event == Event::time) break;
      if (event == Event::checkpoint) c.overhead += setup_.overhead;
      if (event == Event::setback) {
        const Seconds now = ClusterNetwork::now(), progress = c.progress(now);
        const Seconds overhead = std::min(c.overhead, progress);
        account(overhead, progress - overhead, c.was_slow ? now - begin - progress : Seconds());
        undone_ = setup_.iteration * static_cast<double>(done_) + (progress - overhead);
        computing_.reset();
        return false;
      }
      if (slowdown() != c.slowdown) c.slow_down(slowdown(), ClusterNetwork::now());
    }
    const Seconds slow = ClusterNetwork::now() - begin - length - c.overhead;
    account(c.overhead, length, c.was_slow ? slow : Seconds());
    computing_.reset();
    done_ = target;
    return true;
  }
  double slowdown() const { return slow_ ? setup_.slowdown : 0; }

  // All nodes compare their state with what it has to be.
  bool check() {
    const Seconds begin = ClusterNetwork::now();
    const bool checked = sleep_until(begin + setup_.check);
    result_.check += ClusterNetwork::now() - begin;
    if (!checked) return false;
    if (corrupt_) return find_corruption(), false;
    verified_ = done_;
    if (global_) verified_global_ = global_;
    return true;
  }

  // Only what was saved before the last check that found nothing is known to be right.
  void find_corruption() {
    begin_recovery(ClusterFailureKind::corruption);
    noticed_ = distrust_ = true;
    undone_ = setup_.iteration * static_cast<double>(done_);
    give_up_checkpoint();
    lose_node(corrupt_->node);
  }
  void account(Seconds overhead, Seconds computed, Seconds slow) {
    result_.overhead += overhead;
    computed_ += computed;
    result_.slow += slow;
    result_.lost[index_of(ClusterFailureKind::slow)] += slow;
  }

  bool sleep_until(Seconds time) {
    Event event = Event::other;
    while (event != Event::time && event != Event::setback) event = next(time);
    if (event == Event::setback) undone_ = setup_.iteration * static_cast<double>(done_);
    return event == Event::time;
  }

  // Waits for the next event, at the latest until `until`.
  Event next(Seconds until) {
    for (;;) {
      if (copies_transfer_ && copies_transfer_->done()) return commit(), Event::checkpoint;
      if (drain_ && drain_->done()) return end_drain(), Event::other;
      for (const auto& [node, transfer] : repairs_)
        if (transfer->done()) return end_repair(node), Event::other;
      for (const auto& transfer : restarts_)
        if (transfer->done()) return Event::other;
      const Seconds now = ClusterNetwork::now();
      if (next_failure_ && next_failure_->at <= now) {
        const bool setback = fail(*next_failure_);
        next_failure_ = failures_.next();
        return setback ? Event::setback : Event::other;
      }
      const bool looks_for_slow = slow_ && !recovering_;
      if (looks_for_slow && slow_->found <= now) return find_slow(), Event::setback;
      if (until <= now) return Event::time;
      if (gave_up()) return Event::setback;
      const Seconds failure = next_failure_ ? next_failure_->at : Seconds(never);
      const Seconds found = looks_for_slow ? slow_->found : Seconds(never);
      network_.wait_until(std::min({until, failure, found, setup_.give_up}));
    }
  }

  // ---- checkpoints ----

  void commit() {
    result_.network_bytes += copies_transfer_->bytes_moved();
    result_.overlap += ClusterNetwork::now() - copies_began_;
    copies_transfer_.reset();
    ++result_.checkpoints;
    ++since_global_;
    checkpoint_ = dumped_;
    for (const auto& [node, transfer] : repairs_) result_.network_bytes += transfer->bytes_moved();
    repairs_.clear();
    copies_.all();
    begin_drain(checkpoint_);
  }

  void begin_drain(std::uint64_t of) {
    if (setup_.global_every == 0 || drain_ || since_global_ < setup_.global_every) return;
    drain_ = network_.start(TransferKind::drain);
    draining_ = of;
    since_global_ = 0;
  }

  void end_drain() {
    result_.network_bytes += drain_->bytes_moved();
    drain_.reset();
    ++result_.global_copies;
    global_ = draining_;
    if (draining_ <= verified_) verified_global_ = draining_;
  }
  void give_up_drain() {
    if (!drain_) return;
    result_.network_bytes += drain_->bytes_moved();
    drain_.reset();
    ++result_.global_given_up;
    since_global_ = setup_.global_every;
  }
  void give_up_checkpoint() {
    if (!copies_transfer_) return;
    result_.network_bytes += copies_transfer_->bytes_moved();
    copies_transfer_.reset();
    ++result_.given_up;
  }

  // Sends the copies that pairs lack of the checkpoint from the node that has them.
  void begin_repairs() {
    if (is_just_in_time()) return;
    for (const std::uint32_t node : copies_.damaged()) {
      const unsigned copies = copies_.repairable(node);
      if (copies == 0 || repairs_.contains(node)) continue;
      repairs_.emplace(node, network_.send_copies(node, copies));
    }
  }
  void end_repair(std::uint32_t node) {
    const auto repair = repairs_.find(node);
    result_.network_bytes += repair->second->bytes_moved();
    repairs_.erase(repair);
    copies_.repair(node);
    ++result_.repairs;
  }
  void end_repairs() {
    for (const auto& [node, transfer] : repairs_) result_.network_bytes += transfer->bytes_moved();
    repairs_.clear();
  }
  void end_restarts() {
    for (const auto& transfer : restarts_) result_.network_bytes += transfer->bytes_moved();
    restarts_.clear();
  }
  // The run is over; transfers that are under way are dropped.
  void end_transfers() {
    for (Transfer* transfer : {copies_transfer_.get(), drain_.get()})
      if (transfer) result_.network_bytes += transfer->bytes_moved();
    copies_transfer_.reset();
    drain_.reset();
    end_repairs();
    end_restarts();
  }

  // ---- failures ----

  // Takes the losses of a failure into account. True if the program has to recover.
  bool fail(const PlacedFailure& failure) {
    ++result_.failures[index_of(failure.kind)];
    if (failure.kind == ClusterFailureKind::corruption) return begin_corruption(failure), false;
    if (failure.kind == ClusterFailureKind::slow) return begin_slow(failure), false;
    const bool loses_node = failure.kind == ClusterFailureKind::node ||
                            failure.kind == ClusterFailureKind::link ||
                            failure.kind == ClusterFailureKind::burst;
    const bool loses_copies =
        loses_node || failure.kind == (setup_.copies == CopyDevice::ssd ? ClusterFailureKind::ssd
                                                                        : ClusterFailureKind::dram);
    const bool setback = failure.kind != ClusterFailureKind::ssd;
    if (setback && !recovering_) {
      begin_recovery(failure.kind);
      if (is_just_in_time()) keep_replicas();
    }
    if (setback) noticed_ = planned_ = false;
    const bool loses_replica = setback && is_just_in_time();
    if (loses_replica || (loses_copies && !is_just_in_time())) lose_copies(failure.node);
    if (setback || loses_copies) give_up_checkpoint();
    if (loses_node) take_spare(failure.node, failure.at);
    if (!setback && loses_copies) begin_repairs();
    return setback;
  }

  void begin_recovery(ClusterFailureKind from) {
    struck_ = from;
    recovering_ = true;
  }

  void lose_copies(std::uint32_t node) {
    copies_.lose(node);
    const auto repair = repairs_.find(node & ~1u);
    if (repair != repairs_.end()) {
      result_.network_bytes += repair->second->bytes_moved();
      repairs_.erase(repair);
    }
    give_up_drain();
  }
  void take_spare(std::uint32_t node, Seconds at) {
    spares_.push(at + setup_.spare_return);
    spare_ready_ = std::max(spare_ready_, spares_.top());
    spares_.pop();
    on_spare_.push_back(node);
    if (slow_ && slow_->node == node) slow_.reset();
  }
  // A node that is taken out of the machine.
  void lose_node(std::uint32_t node) {
    lose_copies(node);
    take_spare(node, ClusterNetwork::now());
  }

  // While the program recovers there is no state that could become wrong.
  void begin_corruption(const PlacedFailure& failure) {
    if (recovering_ || corrupt_) return;
    Seconds work = setup_.iteration * static_cast<double>(done_);
    if (computing_)
      work += std::max(computing_->progress(ClusterNetwork::now()) - computing_->overhead, Seconds());
    corrupt_ = Corruption{failure.node, work};
  }
  void begin_slow(const PlacedFailure& failure) {
    if (!slow_) slow_ = SlowNode{failure.node, failure.at + setup_.slow_found};
  }
  // The program stops for a spare. Its state is saved first, so that at most an iteration is repeated.
  void find_slow() {
    begin_recovery(ClusterFailureKind::slow);
    noticed_ = planned_ = true;
    give_up_checkpoint();
    if (is_just_in_time()) keep_replicas();
  }

  bool is_just_in_time() const { return setup_.checkpoint == ClusterCheckpoint::just_in_time; }

  // All nodes have their state of the last iteration that was complete.
  void keep_replicas() {
    copies_.all();
    checkpoint_ = done_;
    if (!computing_) return;
    const double more = std::floor(computing_->progress(ClusterNetwork::now()) / setup_.iteration + 1e-9);
    checkpoint_ += static_cast<std::uint64_t>(more);
  }

  // After a failure: recovers until the program runs again. A failure meanwhile begins the recovery again.
  void recover() {
    if (gave_up()) return;
    const Seconds begin = ClusterNetwork::now();
    ClusterRecovery how{};
    do {
      end_restarts();
      end_repairs();
      if (planned_ && !save_planned()) continue;
      if (!wait_for_detection() || !wait_for_spare()) continue;
      how = level();
      if (come_back(how)) break;
    } while (!gave_up());
    if (gave_up()) return;
    ++result_.recoveries[index_of(how)];
    if (how == ClusterRecovery::local || how == ClusterRecovery::buddy) {
      for (const std::uint32_t node : copies_.without_own()) copies_.restore_own(node);
      done_ = checkpoint_;
    } else {
      copies_.none();
      done_ = how == ClusterRecovery::global ? (distrust_ ? *verified_global_ : *global_) : 0;
      checkpoint_ = done_;
    }
    trust_again();
    const Seconds undone = undone_ - setup_.iteration * static_cast<double>(done_);
    result_.lost_work += undone;
    result_.lost[index_of(struck_)] += undone + (ClusterNetwork::now() - begin);
    recovering_ = false;
    since_ = done_;
    on_spare_.clear();
    begin_repairs();
  }

  // What the run has come back from is right, and newer copies of wrong data are not used any more.
  void trust_again() {
    if (distrust_) global_ = verified_global_;
    if (corrupt_ && setup_.iteration * static_cast<double>(done_) <= corrupt_->since) corrupt_.reset();
    verified_ = std::min(verified_, done_);
    noticed_ = planned_ = distrust_ = false;
  }

  // A checkpoint of the last iteration that is complete, before the slow node goes. Just in time, its replica
  // has that state, too.
  bool save_planned() {
    const Seconds begin = ClusterNetwork::now(), undone = undone_;
    const std::uint64_t given_up = result_.given_up;
    bool saved = is_just_in_time() || sleep_until(begin + setup_.dump);
    if (saved && !is_just_in_time()) {
      dumped_ = static_cast<std::uint64_t>(std::floor(undone / setup_.iteration + 1e-9));
      copies_transfer_ = network_.start(TransferKind::copies);
      copies_began_ = begin;
      while (copies_transfer_ && saved) saved = next(Seconds(never)) != Event::setback;
      saved = saved && result_.given_up == given_up;  // otherwise an SSD has failed: again
    }
    undone_ = undone;
    result_.restart += ClusterNetwork::now() - begin;
    if (saved) {
      planned_ = false;
      lose_node(slow_->node);
    }
    return saved;
  }

  bool wait_for_detection() {
    if (noticed_) return true;
    const Seconds begin = ClusterNetwork::now(), undone = undone_;
    const bool noticed = sleep_until(begin + setup_.detection);
    undone_ = undone;
    result_.detection += ClusterNetwork::now() - begin;
    return noticed;
  }

  bool wait_for_spare() {
    const Seconds begin = ClusterNetwork::now(), undone = undone_;
    const bool ready = sleep_until(spare_ready_);
    undone_ = undone;
    result_.spare_wait += ClusterNetwork::now() - begin;
    return ready;
  }

  // Just in time, the state of the replicas is as wrong as that of the others.
  ClusterRecovery level() const {
    const bool trusted = !distrust_ || (!is_just_in_time() && checkpoint_ <= verified_);
    if (trusted && copies_.recoverable())
      return copies_.without_own().empty() ? ClusterRecovery::local : ClusterRecovery::buddy;
    return (distrust_ ? verified_global_ : global_) ? ClusterRecovery::global : ClusterRecovery::start;
  }

  bool come_back(ClusterRecovery how) {
    const Seconds begin = ClusterNetwork::now(), undone = undone_;
    if (is_just_in_time() && how == ClusterRecovery::buddy && !sleep_until(begin + setup_.dump)) {
      undone_ = undone;
      result_.restart += ClusterNetwork::now() - begin;
      return false;
    }
    if (how == ClusterRecovery::buddy) {
      for (const std::uint32_t node : copies_.without_own())
        restarts_.push_back(
            network_.restart(node, copies_.source(node), std::ranges::count(on_spare_, node) > 0));
    }
    if (how == ClusterRecovery::global || how == ClusterRecovery::start) give_up_drain();
    if (how == ClusterRecovery::global) restarts_.push_back(network_.start(TransferKind::restore));
    const bool by_network = !restarts_.empty();
    const bool back = by_network ? wait_for_restarts() : sleep_until(begin + setup_.restart);
    undone_ = undone;
    result_.restart += ClusterNetwork::now() - begin;
    return back;
  }
  bool wait_for_restarts() {
    const auto ended = [](const auto& transfer) { return transfer->done(); };
    while (!restarts_.empty()) {
      if (next(Seconds(never)) == Event::setback) return false;
      for (const auto& transfer : restarts_)
        if (transfer->done()) result_.network_bytes += transfer->bytes_moved();
      std::erase_if(restarts_, ended);
    }
    return true;
  }

  bool gave_up() const { return ClusterNetwork::now() >= setup_.give_up; }

  const ClusterSetup& setup_;
  ClusterNetwork& network_;
  ComponentFailures failures_;
  ClusterResult result_;
  std::optional<PlacedFailure> next_failure_;

  std::uint64_t done_ = 0;        // iterations
  std::uint64_t since_ = 0;       // the iteration at which the interval began
  std::uint64_t dumped_ = 0;      // the iteration of the copies on their way to buddies
  std::uint64_t checkpoint_ = 0;  // the iteration of the copies that buddies have
  std::uint64_t verified_ = 0;    // the iteration of the last check that has found nothing
  // The iterations of the newest copy on the file system, and of the newest before that check.
  std::optional<std::uint64_t> global_, verified_global_;
  std::uint64_t draining_ = 0;
  std::uint32_t since_global_ = 0;  // checkpoints since a global copy was begun
  Seconds computed_, undone_;       // at a failure: the progress of the program
  std::optional<Computing> computing_;
  std::optional<SlowNode> slow_;
  std::optional<Corruption> corrupt_;
  bool recovering_ = false;
  bool noticed_ = false;   // without `detection`: a check or an iteration's length has shown it
  bool planned_ = false;   // the slow node is still there, and the state can be saved
  bool distrust_ = false;  // of all that was saved after the last check that has found nothing
  ClusterFailureKind struck_ = ClusterFailureKind::node;  // what the program recovers from

  BuddyCopies copies_;
  std::unique_ptr<Transfer> copies_transfer_, drain_;
  Seconds copies_began_;
  std::map<std::uint32_t, std::unique_ptr<Transfer>> repairs_;  // by the even node of the pair
  std::vector<std::unique_ptr<Transfer>> restarts_;
  std::priority_queue<Seconds, std::vector<Seconds>, std::greater<>>
      spares_;  // the time from which each is available
  Seconds spare_ready_;
  std::vector<std::uint32_t> on_spare_;
};

}  // namespace

ClusterResult run_cluster(const ClusterSetup& setup, std::uint64_t seed, ClusterNetwork& network) {
  ClusterResult result;
  network.run([&] { result = Conductor(setup, seed, network).run(); });
  return result;
}

}  // namespace asterism
