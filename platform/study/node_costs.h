// The costs of checkpoints of a node by itself, as measured by a run of simulated nodes: the object
// node.checkpoint_costs of its stats.json.
//
//   state_bytes             the size of a node's checkpoint
//   dump_ps                 the time that the program is stalled for the local copy
//   overlap_ps              the time from its end until the buddy holds the copy
//   overhead_ps             the time that the program loses meanwhile by sharing link and memory
//   drain_bytes_per_second  the bandwidth of a global copy in the background
//   restart_ps              the time from the loss of a node until its state is on the spare
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/units.h"
#include "resilience/seconds.h"

namespace asterism {

class NodeCosts {
 public:
  // Throws std::invalid_argument, with the file, if the file has no such object;
  // std::filesystem::filesystem_error if it cannot be opened.
  explicit NodeCosts(const std::filesystem::path& stats);

  // They throw std::invalid_argument with file and field if the field is missing or not a whole number, or if
  // it is 0 and must not be, because the run had none of these. The message names `key` as the key to give
  // instead.
  Seconds time(const std::string& field, bool above_zero, const std::string& key) const;
  std::uint64_t count(const std::string& field, const std::string& key) const;

 private:
  std::uint64_t number(const std::string& field, bool above_zero, const std::string& key) const;

  std::string file_;
  nlohmann::json costs_;
};

}  // namespace asterism
