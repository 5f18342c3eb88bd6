// A rank's part in buddy double checkpointing, blocking or semi-blocking (ni2012), with global copies in the background, and in
// the recovery from them; rank 0's part in bringing the ranks together too. message.h says what they say to each other.
//
//   standing at a step   dump -> parts to the buddy -> stored -> complete -> commit
//                        the program goes on after the dump (semi-blocking) or after the commit (blocking)
//   a new epoch          offer -> restore -> load or fetch, parts to the buddy -> ready -> resume
//
// It knows nothing of networks and time: a node around it carries messages, moves bytes and runs the program. A checkpoint
// waits for the last one's commit, and for a global copy that holds the place of one of its own two versions.
//
// Not modelled: compression, copies of more than one buddy.
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

// Faults of the protocol itself, to see that they are found.
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
       {drops_before_commit, "drops_before_commit", "the older version goes when the newer one is dumped"},
       {counts_partial, "counts_partial", "a copy of which only parts have come is offered"},
       {stored_too_early, "stored_too_early", "a buddy says that it holds a copy when its first part comes"},
       {commits_too_early, "commits_too_early", "rank 0 commits when all ranks but one are complete"},
       {accepts_old_epochs, "accepts_old_epochs", "messages of older epochs are taken for ones of this"},
       {copies_not_resent, "copies_not_resent", "the program goes on although a buddy lacks a copy"},
       {keeps_what_was_lost, "keeps_what_was_lost", "a node offers copies whose bytes were lost"},
       {restores_older, "restores_older", "rank 0 goes back to an older version than it could"},
       {loses_a_wakeup, "loses_a_wakeup", "a checkpoint that waits for a commit is not begun by it"}});
}

class BuddyProtocol {
 public:
  // The program, and what is told of it.
  class Program {
   public:
    virtual ~Program() = default;
    virtual void begin_state() = 0;  // the first one
    virtual std::span<std::byte> state() = 0;
    virtual void run_from(std::uint64_t step) = 0;  // from this step's end, by the state
    virtual void stop() = 0;                        // what it does is of an older epoch
    virtual void not_recoverable(std::string reason) = 0;
    virtual void restored(std::uint64_t version) = 0;  // the rank has its state again
    virtual void mark(RankMark mark, std::uint64_t number) = 0;
  };

  BuddyProtocol(const ClusterConfig& config, NodeServices& services, Program& program,
                BuddyMutant mutant = BuddyMutant::none);

  // A new epoch; no_rank for a spare, which drops all that it holds.
  void begin(const Membership& membership, Rank self);
  void shut_down();  // says and does nothing any more
  // It has lost this, and stands still until the next epoch.
  void lose(Loss loss);

  // Of this epoch, to this rank, and of another kind than halo and traffic.
  void receive(const Message& message, std::span<const std::byte> data);
  // A frame of this queue has left.
  void sent(SendQueue queue);

  bool is_due(std::uint64_t step) const;
  // The program stands at the end of a step that is due, until run_from().
  void checkpoint(std::uint64_t step);

  const CopyStore& copies() const { return copies_; }
  Rank rank() const { return self_; }
  bool stalled() const { return checkpoint_step_.has_value(); }  // for a checkpoint
  bool dumping() const { return dumping_; }
  bool overlapping() const { return sending_.has_value(); }  // its copy is on its way to the buddy
  bool draining() const { return draining_.has_value(); }    // or to storage
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
  bool silent_ = true;  // has lost something, or has nothing to say

  std::optional<std::uint64_t> checkpoint_step_;
  bool dumping_ = false;
  std::optional<std::uint64_t> sending_;      // to the buddy, which has not all of it
  std::optional<std::uint64_t> uncommitted_;  // dumped
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
