// What checkpoints cost a node by itself, as a run of simulated nodes has measured it: the object node.checkpoint_costs
// of its stats.json.
//
//   state_bytes             of a node's checkpoint
//   dump_ps                 the program stands still for the local copy
//   overlap_ps              from its end until the buddy holds the copy
//   overhead_ps             what the program loses meanwhile by sharing link and memory
//   drain_bytes_per_second  of a global copy in the background
//   restart_ps              from the loss of a node until its state is on the spare
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/units.h"
#include "resilience/seconds.h"

namespace asterism {

class NodeCosts {
 public:
  // Throws std::invalid_argument, with the file, for what is no such file; std::filesystem::filesystem_error when it cannot
  // be opened.
  explicit NodeCosts(const std::filesystem::path& stats);

  // Throw std::invalid_argument naming file and field when that is missing or no whole number, or when it is 0 and
  // must be above: the run had none of these. `key` gives it in the field's place.
  Seconds time(const std::string& field, bool above_zero, const std::string& key) const;
  std::uint64_t count(const std::string& field, const std::string& key) const;

 private:
  std::uint64_t number(const std::string& field, bool above_zero, const std::string& key) const;

  std::string file_;
  nlohmann::json costs_;
};

}  // namespace asterism
