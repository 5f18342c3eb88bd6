// The protocol engine of one rank: buddy double checkpointing, blocking or semi-blocking (ni2012), with
// global copies in the background, and recovery from these copies. Rank 0 also coordinates the ranks.
// message.h documents the messages.
//
//   checkpoint at a step   dump -> parts to the buddy -> stored -> complete -> commit
//                          the program resumes after the dump (semi-blocking) or after the commit (blocking)
//   a new epoch            offer -> restore -> load or fetch, parts to the buddy -> ready -> resume
//
// The engine is independent of networks and time: the node around it carries messages, moves bytes and runs
// the program. A checkpoint starts only when the previous one has been committed, and when no global copy
// still occupies one of the rank's two versions.
//
// Not modelled: compression, and copies on more than one buddy.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cluster/cluster_config.h"
#include "cluster/copy_sender.h"
#include "cluster/copy_store.h"
#include "cluster/membership.h"
#include "cluster/message.h"
#include "cluster/rank_zero.h"

namespace asterism {

// Mutants: seeded faults of the protocol, which the trials in truth/ must find.
enum class BuddyMutant : std::uint8_t {
  none,
  drops_before_commit,
  counts_partial,
  stored_too_early,
  commits_too_early,
  accepts_old_epochs,
  copies_not_resent,
  keeps_what_was_lost,
  restores_older,
  loses_a_wakeup
};
constexpr auto enum_names(BuddyMutant) {
  using enum BuddyMutant;
  return std::to_array<EnumName<BuddyMutant>>(
      {{none, "none"},
       {drops_before_commit, "drops_before_commit",
        "the older version is dropped as soon as the newer one is dumped"},
       {counts_partial, "counts_partial", "a copy is offered although some of its parts are missing"},
       {stored_too_early, "stored_too_early", "a buddy reports a copy as stored when its first part arrives"},
       {commits_too_early, "commits_too_early", "rank 0 commits when all ranks but one are complete"},
       {accepts_old_epochs, "accepts_old_epochs", "messages of older epochs are accepted"},
       {copies_not_resent, "copies_not_resent", "the program resumes although a buddy lacks a copy"},
       {keeps_what_was_lost, "keeps_what_was_lost", "a node offers copies whose bytes were lost"},
       {restores_older, "restores_older", "rank 0 restores an older version than the newest available one"},
       {loses_a_wakeup, "loses_a_wakeup", "a checkpoint that waits for a commit does not start with it"}});
}

class BuddyProtocol {
 public:
  // The program that the rank computes, and the sink of the engine's notifications.
  class Program {
   public:
    virtual ~Program() = default;
    virtual void begin_state() = 0;  // makes the initial state
    virtual std::span<std::byte> state() = 0;
    virtual void run_from(std::uint64_t step) = 0;  // runs from the end of this step with the current state
    virtual void stop() = 0;                        // abandons the computation: it belongs to an older epoch
    virtual void not_recoverable(std::string reason) = 0;
    virtual void restored(std::uint64_t version) = 0;  // the rank has its state again
    virtual void mark(RankMark mark, std::uint64_t number) = 0;
  };

  BuddyProtocol(const ClusterConfig& config, NodeServices& services, Program& program,
                BuddyMutant mutant = BuddyMutant::none);

  // Begins a new epoch. `self` is no_rank for a spare, which drops all its copies.
  void begin(const Membership& membership, Rank self);
  void shut_down();  // stops the program; the engine sends nothing more until begin()
  // The node has suffered this loss. The engine stays inactive until the next epoch.
  void lose(Loss loss);

  // The message must be of this epoch, addressed to this rank, and of another kind than halo and traffic.
  void receive(const Message& message, std::span<const std::byte> data);
  // A frame of this queue has been sent, so that the queue may accept another.
  void sent(SendQueue queue);

  bool is_due(std::uint64_t step) const;  // whether a checkpoint is taken after this step
  // The program has reached the end of a step that is due; it stalls until Program::run_from().
  void checkpoint(std::uint64_t step);

  const CopyStore& copies() const { return copies_; }
  Rank rank() const { return self_; }
  bool stalled() const { return checkpoint_step_.has_value(); }  // the program waits for a checkpoint
  bool dumping() const { return dumping_; }
  bool overlapping() const { return sending_.has_value(); }  // the rank's copy is being sent to its buddy
  bool draining() const { return draining_.has_value(); }    // the rank's copy is being sent to storage
  bool recovering() const { return recovering_; }

 private:
  void send(MessageKind kind, Rank to, std::uint64_t number, std::span<const std::byte> data = {});
  std::vector<Holding> holdings() const;
  CopyPlace place_of(Rank owner) const;

  void try_dump();
  void dumped(std::uint64_t version);
  void send_copy(std::uint64_t version);
  void run_program_from(std::uint64_t step);
  void receive_part(const Message& part, std::span<const std::byte> data);
  void protected_copy_stored(std::uint64_t version);
  void buddy_stored(std::uint64_t version);
  void committed(std::uint64_t version);
  void start_global(std::uint64_t version);
  void global_stored(std::uint64_t version);
  void set_tickets();

  void offer();
  void decide();
  RecoveryChoice older_than(const RecoveryChoice& choice) const;
  void send_requested_copy(const Message& fetch);
  void restore(std::uint64_t version, std::byte flags);
  void load(std::uint64_t version);
  void loaded(std::uint64_t version);
  void try_ready();
  void resume(std::uint64_t version);

  const ClusterConfig& config_;
  NodeServices& services_;
  Program& program_;
  const BuddyMutant mutant_;
  CopyStore copies_;
  CopySender sender_;
  RankZero rank_zero_;

  Membership membership_;
  Rank self_ = no_rank;
  bool silent_ = true;  // a spare, or a node that has lost something: sends nothing and ignores messages

  std::optional<std::uint64_t> checkpoint_step_;
  bool dumping_ = false;
  std::optional<std::uint64_t> sending_;      // version of which the buddy has not yet received all parts
  std::optional<std::uint64_t> uncommitted_;  // version that is dumped, or being dumped, and not committed
  std::uint64_t committed_ = 0;
  std::optional<std::uint64_t> draining_, wants_draining_;

  bool recovering_ = false;
  std::optional<std::uint64_t> restoring_;
  bool lacks_state_ = false, buddy_lacks_copy_ = false, has_loaded_ = false;
  bool from_storage_ = false;

  Picoseconds interval_since_;
  std::uint64_t frames_since_[2] = {};
};

}  // namespace asterism
