#include "tests/platform/cluster_failure_oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

namespace asterism {
namespace {

constexpr const char* no_firmware_spare = "no spare with firmware is left for rank ";
constexpr const char* no_traffic_spare = "no traffic spare is left for rank ";
constexpr const char* no_copies = "no checkpoint is left of every rank";
constexpr const char* none_at_all = ": none at all of rank ";

bool is_whole(const std::string& kind) { return kind == "node_loss" || kind == "link_loss"; }

// Converts the word for the loss in an event of management to the kind of fault.
std::string kind_of_loss(const std::string& lost) {
  return lost == "gpu" ? "gpu_state_loss" : lost + "_loss";
}

bool is_of_cluster(const std::string& kind) {
  constexpr std::array kinds{"node_loss", "link_loss", "memory_loss", "ssd_loss", "gpu_state_loss"};
  return std::ranges::find(kinds, kind) != kinds.end();
}

std::string words(std::optional<std::uint64_t> version) {
  return version ? fmt::format("version {}", *version) : "no version";
}

// Parses a list such as "1, 3".
std::optional<std::set<unsigned>> numbers_in(const std::string& text) {
  std::set<unsigned> numbers;
  std::istringstream list(text);
  for (std::string item; std::getline(list, item, ',');) {
    std::istringstream one(item);
    unsigned number = 0;
    if (!(one >> number) || !(one >> std::ws).eof()) return std::nullopt;
    numbers.insert(number);
  }
  return numbers;
}

}  // namespace

ClusterFailureOracle::ClusterFailureOracle(ClusterShape shape, std::vector<InjectedFault> faults,
                                           std::string right_result)
    : shape_(std::move(shape)),
      right_result_(std::move(right_result)),
      copies_(shape_.ranks),
      had_sure_(shape_.ranks),
      had_possible_(shape_.ranks) {
  for (InjectedFault& fault : faults) faults_.push_back({std::move(fault)});
  for (Rank rank = 0; rank < shape_.ranks; ++rank) holders_.push_back(rank);
}

template <class... Parts>
void ClusterFailureOracle::wrong(const Parts&... parts) {
  std::ostringstream text;
  text << "at " << now_ << " ps: ";
  (text << ... << parts);
  mistakes_.push_back(text.str());
}

std::vector<std::string> ClusterFailureOracle::judge(const std::vector<nlohmann::json>& events,
                                                     const ClusterEnd& end) {
  for (const Event& event : events) {
    advance(event["time_ps"]);
    see(event);
    if (reason_) break;  // the firmware ends when it is informed of the reason
  }
  judge_end(end);
  return mistakes_;
}

void ClusterFailureOracle::see(const Event& event) {
  const std::string kind = event["kind"], source = event["source"];
  if (kind == "node_failed") return node_failed(event);
  if (source == "management") {
    if (kind == "node_loss") return node_loss(event);
    if (kind == "rank_moved") return rank_moved(event);
    if (kind == "not_recoverable") return not_recoverable(event["reason"]);
  }
  if (source != "cluster") return;
  if (kind == "copy_held") return hold(event["rank"], event["version"], event["node"]);
  if (kind == "checkpoint_commit") return commit(event["version"]);
  if (kind == "rollback") return rollback(event["version"]);
  if (kind == "recovery") return recovery(event["version"]);
}

// ---- time ----

void ClusterFailureOracle::advance(Time now) {
  if (now != now_) failed_now_.clear();
  now_ = now;
  for (const Fault& fault : faults_) {
    if (!is_of_cluster(fault.kind) || fault.has_occurred || fault.at_ps >= now) continue;
    const bool is_idle =
        dead_.contains(fault.node) || (down_until_.contains(fault.node) && fault.kind != "node_loss");
    if (!is_idle) wrong("the ", fault.kind, " of node ", fault.node, " at ", fault.at_ps, " did nothing");
  }
  std::erase_if(faults_, [&](const Fault& fault) { return is_of_cluster(fault.kind) && fault.at_ps < now; });
  std::erase_if(down_until_, [&](const auto& down) { return down.second != 0 && down.second <= now; });
  std::vector<Notice> noticed;
  for (const Notice& notice : notices_)
    if (notice.at <= now) noticed.push_back(notice);
  std::erase_if(notices_, [&](const Notice& notice) { return notice.at <= now; });
  for (const Notice& notice : noticed) {
    if (!rank_of(notice.node)) continue;
    if (notice.is_whole)
      unheld_[notice.node] = notice.at;
    else
      begin_epoch();
  }
  for (const auto& [node, at] : unheld_)
    if (at < now) wrong("node ", node, " was lost, and at ", at, " its rank was not moved");
  std::erase_if(unheld_, [&](const auto& unheld) { return unheld.second < now; });
}

// ---- copies ----

std::optional<ClusterFailureOracle::Rank> ClusterFailureOracle::rank_of(Node node) const {
  const auto found = std::ranges::find(holders_, node);
  if (found == holders_.end()) return std::nullopt;
  return static_cast<Rank>(found - holders_.begin());
}

bool ClusterFailureOracle::takes(const std::string& kind, bool is_own) const {
  const bool is_on_ssd = shape_.placement == "full_ssd" || (shape_.placement == "half_ssd" && !is_own);
  if (kind == "memory_loss") return !is_on_ssd;
  if (kind == "ssd_loss") return is_on_ssd;
  return kind != "gpu_state_loss";
}

bool ClusterFailureOracle::has_lost(Node node, bool is_own) const {
  const auto lost = lost_in_epoch_.find(node);
  return lost != lost_in_epoch_.end() &&
         std::ranges::any_of(lost->second, [&](const std::string& kind) { return takes(kind, is_own); });
}

void ClusterFailureOracle::hold(Rank rank, Version version, Node node) {
  Copies& copies = copies_[rank][version];
  copies.possible.insert(node);
  const bool is_own = node == holder(rank);
  if (node == shape_.store() || !has_lost(node, is_own)) copies.sure.insert(node);
  if (node == shape_.store()) return store_keeps(rank, version);
  dumped_ = std::max(dumped_, version);
  if (is_own) copies.possible.insert(buddy_holder(rank));  // the copy to the buddy is on its way from now on
}

// The store keeps the newest version that it has of all ranks, and the newest version of each rank.
void ClusterFailureOracle::store_keeps(Rank rank, Version version) {
  const Node store = shape_.store();
  const bool is_of_all = std::ranges::all_of(copies_, [&](const auto& versions) {
    const auto found = versions.find(version);
    return found != versions.end() && found->second.sure.contains(store);
  });
  if (is_of_all) stored_of_all_ = std::max(stored_of_all_, version);
  if (stored_of_all_ >= draining_) draining_ = 0;
  for (Rank owner = 0; owner < shape_.ranks; ++owner)
    for (auto& [older, copies] : copies_[owner])
      if (older < stored_of_all_ || (owner == rank && older < version && older != stored_of_all_))
        copies.sure.erase(store);
}

void ClusterFailureOracle::drop_everywhere(Node node, bool for_sure) {
  for (auto& versions : copies_)
    for (auto& [version, copies] : versions) {
      copies.sure.erase(node);
      if (for_sure) copies.possible.erase(node);
    }
}

// Nodes may discard older versions, but need not, so these copies are no longer sure.
void ClusterFailureOracle::drop_older(Version than) {
  for (auto& versions : copies_)
    for (auto& [version, copies] : versions)
      if (version < than) std::erase_if(copies.sure, [&](Node node) { return node != shape_.store(); });
}

void ClusterFailureOracle::drop_newer(Version than, bool for_sure) {
  const auto in_node = [&](Node node) { return node != shape_.store(); };
  for (auto& versions : copies_)
    for (auto& [version, copies] : versions) {
      if (version <= than) continue;
      std::erase_if(copies.sure, in_node);
      if (for_sure) std::erase_if(copies.possible, in_node);
    }
}

// A commit or a recovery promises that both copies of every rank exist.
void ClusterFailureOracle::promise(Version version) {
  for (Rank rank = 0; rank < shape_.ranks; ++rank) {
    Copies& copies = copies_[rank][version];
    for (const bool is_own : {true, false}) {
      const Node node = is_own ? holder(rank) : buddy_holder(rank);
      if (has_lost(node, is_own)) continue;
      copies.sure.insert(node);
      copies.possible.insert(node);
    }
  }
}

// Only the nodes that a recovery asks count.
bool ClusterFailureOracle::is_held(Rank rank, const Copies& copies, bool for_sure) const {
  return std::ranges::any_of(for_sure ? copies.sure : copies.possible, [&](Node node) {
    return node == holder(rank) || node == buddy_holder(rank) || node == shape_.store();
  });
}

ClusterFailureOracle::Best ClusterFailureOracle::best() const {
  Best best;
  if (shape_.restart_from_beginning) best = {0, 0};
  std::set<Version> versions;
  for (const auto& of_rank : copies_)
    for (const auto& [version, copies] : of_rank) versions.insert(version);
  const auto is_of_all = [&](Version version, bool for_sure) {
    for (Rank rank = 0; rank < shape_.ranks; ++rank) {
      const auto found = copies_[rank].find(version);
      if (found == copies_[rank].end() || !is_held(rank, found->second, for_sure)) return false;
    }
    return true;
  };
  for (const Version version : versions) {
    if (is_of_all(version, true)) best.sure = version;
    if (is_of_all(version, false)) best.possible = version;
  }
  return best;
}

bool ClusterFailureOracle::has_any(Rank rank, bool for_sure) const {
  return std::ranges::any_of(copies_[rank],
                             [&](const auto& version) { return is_held(rank, version.second, for_sure); });
}

// ---- what the cluster announces ----

void ClusterFailureOracle::commit(Version version) {
  committed_ = std::max(committed_, version);
  promise(version);
  drop_older(version);
  const bool is_global = shape_.global_every != 0 && version / shape_.interval % shape_.global_every == 0;
  if (is_global && version > stored_of_all_) draining_ = version;
}

void ClusterFailureOracle::recovery(Version version) {
  if (!in_recovery_) wrong("a recovery, though nothing was lost");
  in_recovery_ = false;
  committed_ = dumped_ = version;
  drop_newer(version, true);
  if (version == 0) return;
  promise(version);
  drop_older(version);
}

// ---- losses ----

void ClusterFailureOracle::node_failed(const Event& event) {
  const Node node = event["node"];
  unsigned chips = 0, others = 0;
  for (const Fault& fault : faults_) {
    if (fault.node != node || fault.at_ps > now_ || is_of_cluster(fault.kind)) continue;
    ++(fault.kind == "chip" ? chips : others);
  }
  if (chips + others == 0)
    wrong("node ", node, " failed, though no fault had occurred in it: ", event["reason"]);
  else if (shape_.corrects_a_chip && chips == 1 && others == 0)
    wrong("node ", node, " failed by one chip, which its code corrects: ", event["reason"]);
  failed_now_.insert(node);
}

void ClusterFailureOracle::node_loss(const Event& event) {
  const Node node = event["node"];
  const std::string kind = kind_of_loss(event["lost"]);
  const auto fault = std::ranges::find_if(faults_, [&](const Fault& each) {
    return each.at_ps == now_ && each.node == node && each.kind == kind && !each.has_occurred;
  });
  if (fault != faults_.end()) {
    fault->has_occurred = true;
    if (kind == "link_loss")
      down_until_[node] = fault->restore_after_ps == 0 ? 0 : now_ + fault->restore_after_ps;
  } else if (kind != "node_loss" || !failed_now_.contains(node)) {
    wrong("the ", kind, " of node ", node, " was not injected");
  }
  apply_fault(node, kind);
}

void ClusterFailureOracle::apply_fault(Node node, const std::string& kind) {
  losses_.push_back({node, dumped_ > committed_, draining_ != 0, in_recovery_});
  if (kind == "node_loss") dead_.insert(node);
  lost_in_epoch_[node].insert(kind);
  notices_.push_back({now_ + shape_.detection_ps, node, is_whole(kind)});
  for (Rank rank = 0; rank < shape_.ranks; ++rank)
    for (auto& [version, copies] : copies_[rank]) {
      if (!takes(kind, node == holder(rank))) continue;
      copies.sure.erase(node);
      if (kind != "link_loss") copies.possible.erase(node);
    }
}

void ClusterFailureOracle::rank_moved(const Event& event) {
  const Rank rank = event["rank"];
  const Node from = event["from_node"], to = event["to_node"];
  if (holder(rank) != from) wrong("rank ", rank, " was not on node ", from);
  if (unheld_.erase(from) == 0) wrong("node ", from, " was not lost, and loses its rank");
  if (to != from && rank_of(to)) wrong("node ", to, " has a rank already");
  if (shape_.is_firmware(to) != shape_.is_firmware(from)) wrong("node ", to, " is of another kind");
  // A node that is lost may be chosen only as long as the loss is not noticed yet.
  const bool is_known_as_lost =
      !is_up(to) && std::ranges::none_of(notices_, [&](const Notice& notice) { return notice.node == to; });
  if (is_known_as_lost) wrong("rank ", rank, " moves to node ", to, ", which is lost");
  // A node that is still up may be too busy to notice that it lost its rank, and keeps its copies if it gets
  // the same rank again.
  if (to != from) drop_everywhere(from, !shape_.is_firmware(from) || dead_.contains(from));
  const auto had = last_rank_.find(to);
  if (to != from) drop_everywhere(to, had == last_rank_.end() || had->second != rank);
  last_rank_[from] = rank;
  holders_[rank] = to;
  begin_epoch();
}

void ClusterFailureOracle::begin_epoch() {
  in_recovery_ = true;
  lost_in_epoch_.clear();
  for (const auto& [node, until] : down_until_) lost_in_epoch_[node].insert("link_loss");
  for (const Node node : dead_) lost_in_epoch_[node].insert("node_loss");
  at_epoch_ = best();
  for (Rank rank = 0; rank < shape_.ranks; ++rank) {
    had_sure_[rank] = has_any(rank, true);
    had_possible_[rank] = has_any(rank, false);
  }
}

// ---- what it decides ----

void ClusterFailureOracle::rollback(Version version) {
  if (!in_recovery_) wrong("a rollback, though nothing was lost");
  const Best now = best();
  const std::optional<Version> newest = std::max(at_epoch_.possible, now.possible);
  ++decisions_;
  if (at_epoch_.sure == newest) ++determined_;
  if (version < at_epoch_.sure.value_or(0))
    wrong("it goes back to version ", version, ", though ", words(at_epoch_.sure), " is held of every rank");
  if (version == 0 && !shape_.restart_from_beginning) wrong("it begins anew, which it may not");
  if (!newest || version > *newest)
    wrong("it goes back to version ", version, ", though ", words(newest), " is the newest that can be held");
  drop_newer(version, false);
  for (Rank rank = 0; rank < shape_.ranks && version != 0; ++rank)
    copies_[rank][version].possible.insert({holder(rank), buddy_holder(rank)});
}

void ClusterFailureOracle::not_recoverable(const std::string& reason) {
  reason_ = reason;
  ++decisions_;
  if (reason.starts_with(no_firmware_spare))
    return no_spare(reason.substr(std::string(no_firmware_spare).size()), true);
  if (reason.starts_with(no_traffic_spare))
    return no_spare(reason.substr(std::string(no_traffic_spare).size()), false);
  if (reason.starts_with(no_copies)) return no_checkpoint(reason.substr(std::string(no_copies).size()));
  wrong("it is not recoverable, and the reason is none that is known: ", reason);
}

void ClusterFailureOracle::no_spare(const std::string& reason, bool is_firmware) {
  ++determined_;
  const auto numbers = numbers_in(reason.substr(0, reason.find(':')));
  if (!numbers || numbers->size() != 1 || *numbers->begin() >= shape_.ranks)
    return wrong("the reason names no rank: ", reason);
  const Rank rank = *numbers->begin();
  const Node node = holder(rank);
  if (!unheld_.contains(node)) return wrong("the node of rank ", rank, " was not lost");
  if (shape_.is_firmware(node) != is_firmware) wrong("rank ", rank, " needs a spare of another kind");
  for (Node spare = 0; spare < shape_.store(); ++spare)
    if (shape_.is_firmware(spare) == is_firmware && is_up(spare) && (spare == node || !rank_of(spare)))
      wrong("there is a spare for rank ", rank, ": node ", spare);
}

void ClusterFailureOracle::no_checkpoint(const std::string& reason) {
  if (!in_recovery_) wrong("no checkpoint is left, though nothing was lost");
  if (at_epoch_.sure == at_epoch_.possible) ++determined_;
  if (at_epoch_.sure)
    wrong("it is not recoverable, though ", words(at_epoch_.sure), " is held of every rank");
  std::set<Rank> named;
  if (reason.starts_with(none_at_all)) {
    const auto numbers = numbers_in(reason.substr(std::string(none_at_all).size()));
    if (!numbers) return wrong("the reason names no ranks: ", reason);
    named = *numbers;
  } else if (!reason.empty()) {
    return wrong("the reason goes on in a way that is not known: ", reason);
  }
  for (Rank rank = 0; rank < shape_.ranks; ++rank) {
    if (named.contains(rank) && had_sure_[rank]) wrong("of rank ", rank, " there is a copy");
    if (!named.contains(rank) && !had_possible_[rank] && !has_any(rank, false))
      wrong("of rank ", rank, " there is no copy either");
  }
}

void ClusterFailureOracle::judge_end(const ClusterEnd& end) {
  if (!end.result.empty() && end.result != right_result_)
    wrong("the result is ", end.result, ", not ", right_result_);
  if (end.status == 0) {
    if (end.result.empty()) wrong("there is no result");
    if (reason_) wrong("the run ends well, though it said: ", *reason_);
  } else if (end.status != 67 || !reason_) {
    wrong("the run ends with status ", end.status, reason_ ? "" : ", and no reason");
  } else if (!end.result.empty()) {
    wrong("it is not recoverable, and has a result: ", end.result);
  }
}

}  // namespace asterism
