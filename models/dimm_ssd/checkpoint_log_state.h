// The state of operations of a CheckpointLog; included only by its own sources.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "dimm_ssd/checkpoint_log.h"
#include "dimm_ssd/checkpoint_log_merge.h"

namespace asterism {

struct CheckpointLog::Open {
  Handle handle;
  StoredCheckpoint info;
  std::shared_ptr<CheckpointBody> body = std::make_shared<CheckpointBody>();
  Phase phase = Phase::open;
  std::uint32_t unwritten = 0;  // pages being written: data, then metadata
  std::uint32_t waiting = 0;    // data pages that wait for space
  bool is_abandoned = false;    // while its root is being written
};

// A merge or a compaction: new bodies, by which one root replaces old ones.
struct CheckpointLog::Collection {
  struct Output {
    std::vector<std::uint64_t> run;         // sequences of the checkpoints that it replaces
    std::shared_ptr<CheckpointBody> body;   // null: the replaced checkpoints have gone
    CheckpointDirectory::Body source = {};  // of a compaction
  };
  // A data page to be freed, with the entries that name it: references [first, last).
  struct Victim {
    std::uint32_t page;
    std::uint32_t live_lines;
    std::size_t first = 0, last = 0;
    bool is_read = false, is_readable = false;
    std::vector<std::byte> data;
  };
  enum class Fate : std::uint8_t { stays, moved, dropped };
  struct Reference {
    std::uint32_t output;  // first the place of the body in the directory
    std::uint32_t entry;   // of its body
    Fate fate = Fate::stays;
    std::uint64_t lines = 0;  // the valid ones
    LogEntry moved;
  };
  static constexpr std::size_t reads_at_once = 32;

  enum class Stage : std::uint8_t { moving, metadata, ready } stage = Stage::metadata;
  std::vector<Output> outputs;
  std::uint32_t unwritten = 0;

  std::vector<Victim> victims;
  std::vector<Reference> references;
  std::size_t next_read = 0, next_move = 0;
  std::uint32_t reserved = 0;  // pages that it may still take
  std::vector<std::byte> buffer;
  std::uint32_t buffer_lines = 0;
  std::vector<std::size_t> buffered;       // references
  std::vector<std::uint32_t> moved_pages;  // kept by their own reference until the outputs name them
};

struct CheckpointLog::Recovery {
  struct Chain {
    RootRecord record;
    std::shared_ptr<CheckpointBody> body;
    std::uint32_t page, crc;  // being read
  };
  unsigned roots_left = 0;
  std::array<std::optional<Root>, LogPages::roots> roots;
  std::array<bool, LogPages::roots> is_mapped{};
  Root root;
  std::vector<Chain> chains;
  std::size_t chains_left = 0;
  bool is_repairing = false;
};

struct CheckpointLog::Restore {
  RestoreSink* sink;
  std::uint64_t sequence;
  std::vector<ImagePiece> pieces;
  std::size_t next = 0, end = 0;  // pieces of the data page that is being read
  bool is_reading = false;
  std::vector<std::byte> data;
};

}  // namespace asterism
