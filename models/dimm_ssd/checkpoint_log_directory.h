// The checkpoints that a log holds, and those that it must keep: names, versions, visibility and
// dependencies.
//
// A directory is a value: a change is made in a copy, which replaces the original when its root is durable.
//
// The chain of a checkpoint consists of the checkpoints that form its image: from the newest full checkpoint
// of its name up to it. A run consists of checkpoints of one chain that merging replaces by one: hidden
// checkpoints and the visible one after them, or the full one at the start and those that follow it.
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
  bool visible = true;  // false: discarded or expired, and kept because younger ones need it
  bool readable = true;
};

// The part of a checkpoint in flash, which does not change after it is stored.
struct CheckpointBody {
  std::vector<LogEntry> entries;
  std::vector<std::uint32_t> metadata;  // logical pages of the metadata chain
  std::uint32_t metadata_crc = 0;       // of the first page
  bool lost = false;                    // the metadata cannot be read: nothing is known of the checkpoint
};

class CheckpointDirectory {
 public:
  using Body = std::shared_ptr<const CheckpointBody>;

  const std::vector<StoredCheckpoint>& stored() const { return stored_; }
  const CheckpointBody& body(std::size_t index) const { return *bodies_[index]; }
  const std::vector<Body>& bodies() const { return bodies_; }
  std::uint64_t next_sequence() const { return next_sequence_; }

  const StoredCheckpoint* newest(const std::string& name, std::uint64_t limit) const;  // readable ones only
  const StoredCheckpoint* find(const std::string& name, std::uint64_t version) const;
  std::size_t index_of(std::uint64_t sequence) const;  // stored().size() if there is none
  // Indices, oldest first; empty if a part of the chain is missing or lost.
  std::vector<std::size_t> chain(std::size_t index) const;
  std::vector<const CheckpointBody*> chain_bodies(std::size_t index) const;
  // Whether an incremental checkpoint can be committed after the last one of this name.
  bool can_continue(const std::string& name) const;

  // Commits a checkpoint: hides a version of the same number, and those that expire.
  void add(StoredCheckpoint checkpoint, Body body, std::uint32_t versions);
  void hide(std::uint64_t sequence);
  void set_readable(std::size_t index, bool readable) { stored_[index].readable = readable; }
  // Drops hidden checkpoints that no readable visible one needs. Of visible ones that cannot be read only the
  // record is kept, because their remains would form a wrong image. The last chain of a name stays if
  // `is_continued`.
  void prune(const std::function<bool(const std::string& name)>& is_continued);
  // Hides visible checkpoints that cannot be read, by which nothing is lost.
  bool hide_unreadable();

  // The sequences of each run of two or more checkpoints, oldest first. The last one stays.
  std::vector<std::vector<std::uint64_t>> runs() const;
  // Whether all checkpoints of a run are there and none is lost.
  bool holds(const std::vector<std::uint64_t>& run) const;
  // Replaces a run by one body. Returns false if the directory no longer holds the run.
  bool replace(const std::vector<std::uint64_t>& run, Body body);

  Root to_root(std::uint64_t generation, std::uint32_t line_bytes) const;
  // The bodies are in the order of the records.
  static CheckpointDirectory from_root(const Root& root, std::vector<Body> bodies);

 private:
  void erase(std::size_t index);

  std::vector<StoredCheckpoint> stored_;  // in the order of commits
  std::vector<Body> bodies_;
  std::uint64_t next_sequence_ = 1;
};

}  // namespace asterism
