// Reads a version out of the flash itself and compares it with what memory was: oldest entry first, each laid
// over those before it. Nothing of this is shared with what takes, merges and restores checkpoints.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dimm_ssd/checkpoint_log.h"

namespace asterism {

class CrashAudit {
 public:
  CrashAudit(const FlashImage& flash, std::size_t line_bytes) : flash_(flash), line_(line_bytes) {}

  // What is wrong with the version in this place of the log's directory; nothing when it is the image.
  std::optional<std::string> fault(const CheckpointLog& log, std::size_t place,
                                   std::span<const std::byte> image);

 private:
  bool lay(const CheckpointLog& log, const LogEntry& entry);

  const FlashImage& flash_;
  std::size_t line_;
  std::vector<std::size_t> links_;
  std::vector<std::byte> image_;
  std::vector<std::uint64_t> seen_;  // lines, by page
};

}  // namespace asterism
