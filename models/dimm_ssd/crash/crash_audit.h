// Reads a version from the flash image and compares it with the memory contents that it should hold: the
// oldest entry first, each later entry overwriting those before it. The code shares nothing with the code
// that takes, merges and restores checkpoints.
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

  // Describes the first difference between `image` and the version at this place of the log's directory;
  // nullopt if there is none.
  std::optional<std::string> fault(const CheckpointLog& log, std::size_t place,
                                   std::span<const std::byte> image);

 private:
  bool overlay(const CheckpointLog& log, const LogEntry& entry);

  const FlashImage& flash_;
  std::size_t line_;
  std::vector<std::size_t> links_;
  std::vector<std::byte> image_;
  std::vector<std::uint64_t> seen_;  // lines found so far, a bit each, by page
};

}  // namespace asterism
