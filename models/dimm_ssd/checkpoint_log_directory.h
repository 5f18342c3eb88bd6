// Which checkpoints a log holds, and which of them it must keep: names, versions, what hides what, what needs
// what.
//
// A directory is a value: a change is made on a copy, which takes the place of the original when its root is
// durable.
//
// The chain of a checkpoint is what its image is put together from: from the newest full checkpoint of its
// name up to it. A run is what merging makes one of: hidden checkpoints and the visible one that they are
// older than, of one chain; or the full one at its start and what follows it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dimm_ssd/checkpoint_log_format.h"

namespace asterism {

struct StoredCheckpoint {
  std::string name;
  std::uint64_t version = 0;
  std::uint64_t sequence = 0;      // grows with every commit
  std::uint32_t memory_pages = 0;  // of the image
  bool full = false;
  bool visible = true;  // false: discarded or too old, and kept because younger ones need it
  bool readable = true;
};

// What is in flash of a checkpoint; does not change once it is stored.
struct CheckpointBody {
  std::vector<LogEntry> entries;
  std::vector<std::uint32_t> metadata;  // logical pages of the chain
  std::uint32_t metadata_crc = 0;       // of the first
  bool lost = false;                    // the chain cannot be read: nothing is known of it
};

class CheckpointDirectory {
 public:
  using Body = std::shared_ptr<const CheckpointBody>;

  const std::vector<StoredCheckpoint>& stored() const { return stored_; }
  const CheckpointBody& body(std::size_t index) const { return *bodies_[index]; }
  const std::vector<Body>& bodies() const { return bodies_; }
  std::uint64_t next_sequence() const { return next_sequence_; }

  const StoredCheckpoint* newest(const std::string& name, std::uint64_t limit) const;  // readable ones
  const StoredCheckpoint* find(const std::string& name, std::uint64_t version) const;
  std::size_t index_of(std::uint64_t sequence) const;  // stored().size(): none
  // Indices, oldest first; empty when a part of it is missing or lost.
  std::vector<std::size_t> chain(std::size_t index) const;
  std::vector<const CheckpointBody*> chain_bodies(std::size_t index) const;
  // An incremental checkpoint can be committed behind the last one of this name.
  bool can_continue(const std::string& name) const;

  // A commit: hides a version of the same number, and those that are too old.
  void add(StoredCheckpoint checkpoint, Body body, std::uint32_t versions);
  void hide(std::uint64_t sequence);
  void set_readable(std::size_t index, bool readable) { stored_[index].readable = readable; }
  // Drops hidden ones that no readable visible one needs, and of visible ones that cannot be read all but
  // their record: put together from what is left, they would be something else. The last chain of a name for
  // which `is_continued` stays.
  void prune(const std::function<bool(const std::string& name)>& is_continued);
  // Hides visible ones that cannot be read: nothing is lost by it.
  bool hide_unreadable();

  // Sequences of each run of two or more checkpoints, oldest first. The last one is it that stays.
  std::vector<std::vector<std::uint64_t>> runs() const;
  // All of a run are there and none is lost.
  bool holds(const std::vector<std::uint64_t>& run) const;
  // Puts one body in the place of a run. False: the directory does not hold it any more.
  bool replace(const std::vector<std::uint64_t>& run, Body body);

  Root to_root(std::uint64_t generation, std::uint32_t line_bytes) const;
  // Bodies are in the order of the records.
  static CheckpointDirectory from_root(const Root& root, std::vector<Body> bodies);

 private:
  void erase(std::size_t index);

  std::vector<StoredCheckpoint> stored_;  // in the order of commits
  std::vector<Body> bodies_;
  std::uint64_t next_sequence_ = 1;
};

}  // namespace asterism
