// An oracle for runs of a cluster with firmware in which faults occur. It shares no code with the firmware or
// the management: it uses the faults that the scenario injects, and the places of copies that `events.jsonl`
// reports.
//
// It reads the events and keeps, for every version of every rank, the nodes that have a copy, as two bounds:
//
//   sure      the copy was reported (`copy_held`) or promised (by a commit or a recovery: everything is held
//             twice), and no event since then can have removed it
//   possible  the copy may also be there: it was on its way and may have arrived, or the link of its node was
//             down and the node may have kept it
//
// A loss removes everything on what was lost; a node that gets another rank discards all of its copies; the
// global store keeps its copies. Independently of what the cluster reports, the following must hold:
//
//   - A rollback goes to a version that is not older than the newest one of which the state of every rank is
//     sure, and not newer than the newest one of which the state of every rank is possible.
//   - "no checkpoint is left" is correct only if no version is sure for every rank and the program may not
//     restart from the beginning. The named ranks must include all of which no copy is possible, and none of
//     which a copy is sure.
//   - "no spare is left" is correct only for the rank of a node that was lost at least a detection time ago,
//     if no node of its kind is up without a rank.
//   - A node fails only by a fault in it, and not by a chip fault that the code corrects.
//   - A run that ends well has the result of the run without faults.
//
// In most cases the bounds are equal, and only one version is correct.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace asterism {

struct ClusterShape {
  unsigned ranks = 4, firmware_ranks = 2, firmware_spares = 1, spares = 1;  // numbered as in docs/cluster.md
  std::string placement = "memory";
  std::uint64_t interval = 6, global_every = 0;
  bool restart_from_beginning = false;
  bool corrects_a_chip = false;
  std::uint64_t detection_ps = 1'000'000'000;

  unsigned store() const { return ranks + firmware_spares + spares; }
  bool is_firmware(unsigned node) const {
    return node < firmware_ranks || (node >= ranks && node < ranks + firmware_spares);
  }
};

struct InjectedFault {
  std::uint64_t at_ps = 0;
  std::string kind;  // as in a scenario: node_loss, chip...
  unsigned node = 0;
  std::uint64_t restore_after_ps = 0;  // of a link_loss
};

struct ClusterEnd {
  int status = 0;
  std::string result;  // of all ranks; "" if there is none
};

// The moments at which a loss occurred.
struct LossMoment {
  unsigned node = 0;
  bool in_checkpoint = false;  // some rank has its own copy of a version that is not committed
  // A version that goes to the global store is committed, and the store does not have it of every rank.
  bool in_global = false;
  bool in_recovery = false;  // an epoch has begun, and not every rank has its state
};

class ClusterFailureOracle {
 public:
  ClusterFailureOracle(ClusterShape shape, std::vector<InjectedFault> faults, std::string right_result);

  // Judges a whole run. Returns descriptions of the mistakes; an empty list if there are none.
  std::vector<std::string> judge(const std::vector<nlohmann::json>& events, const ClusterEnd& end);

  const std::vector<LossMoment>& losses() const { return losses_; }
  unsigned decisions() const { return decisions_; }    // rollbacks, and ends without one
  unsigned determined() const { return determined_; }  // decisions for which only one version was right

 private:
  using Time = std::uint64_t;
  using Node = unsigned;
  using Rank = unsigned;
  using Version = std::uint64_t;
  using Event = nlohmann::json;
  struct Copies {
    std::set<Node> sure, possible;
  };
  struct Best {
    std::optional<Version> sure, possible;  // nullopt if there is no such version
  };
  struct Fault : InjectedFault {
    bool has_occurred = false;
  };
  struct Notice {
    Time at;
    Node node;
    bool is_whole;  // the node or its link is lost, not only its memory, SSD or GPU state
  };

  template <class... Parts>
  void wrong(const Parts&... parts);
  void advance(Time now);
  void see(const Event& event);

  Node holder(Rank rank) const { return holders_[rank]; }
  Node buddy_holder(Rank rank) const { return holders_[(rank + 1) % shape_.ranks]; }
  std::optional<Rank> rank_of(Node node) const;
  bool is_up(Node node) const { return !dead_.contains(node) && !down_until_.contains(node); }
  bool takes(const std::string& kind, bool is_own) const;
  bool has_lost(Node node, bool is_own) const;

  void hold(Rank rank, Version version, Node node);
  void promise(Version version);
  void store_keeps(Rank rank, Version version);
  void drop_everywhere(Node node, bool for_sure);
  void drop_older(Version than);
  void drop_newer(Version than, bool for_sure);
  Best best() const;
  bool is_held(Rank rank, const Copies& copies, bool for_sure) const;
  bool has_any(Rank rank, bool for_sure) const;

  void commit(Version version);
  void recovery(Version version);
  void node_failed(const Event& event);
  void node_loss(const Event& event);
  void apply_fault(Node node, const std::string& kind);
  void rank_moved(const Event& event);
  void begin_epoch();
  void rollback(Version version);
  void not_recoverable(const std::string& reason);
  void no_spare(const std::string& reason, bool is_firmware);
  void no_checkpoint(const std::string& reason);
  void judge_end(const ClusterEnd& end);

  const ClusterShape shape_;
  const std::string right_result_;
  std::vector<Fault> faults_;
  std::vector<std::string> mistakes_;
  Time now_ = 0;

  std::vector<Node> holders_;  // indexed by rank
  std::set<Node> dead_;
  std::map<Node, Time> down_until_;  // 0: permanently
  std::vector<Notice> notices_;
  std::map<Node, Time> unheld_;  // lost nodes that hold a rank, with the time of the notice
  std::map<Node, std::set<std::string>> lost_in_epoch_;
  std::set<Node> failed_now_;
  std::map<Node, Rank> last_rank_;  // of nodes that lost their rank

  std::vector<std::map<Version, Copies>> copies_;  // indexed by rank
  Version committed_ = 0, dumped_ = 0, draining_ = 0, stored_of_all_ = 0;
  bool in_recovery_ = false;
  Best at_epoch_;
  std::vector<bool> had_sure_, had_possible_;  // whether there was any version when the epoch began
  std::optional<std::string> reason_;

  std::vector<LossMoment> losses_;
  unsigned decisions_ = 0, determined_ = 0;
};

}  // namespace asterism
