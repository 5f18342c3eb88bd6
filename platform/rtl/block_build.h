// Builds a library that rtl_library.h loads from a block.json: reads and checks the description, runs
// Verilator, compiles the model, and keeps the library.
//
// A library is kept under the digest of everything that it was built from: the description with its
// parameters, the contents of sources and include folders, and the versions of Verilator, compiler and
// interface. So nothing is built twice, returning to an old source costs nothing, and no "clean" is
// necessary. Libraries are in rtl/ next to the program; ASTERISM_RTL_CACHE names another folder. A build that
// fails or is killed leaves nothing: it works in a folder of its own, which becomes the entry by a rename.
//
// An error in the block is a ConfigError: in the description with its line; in the SystemVerilog with
// Verilator's own file:line:column and text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platform/config/diagnostics.h"
#include "platform/rtl/block_config.h"

namespace asterism {

// A block.json and the overrides of a user or a node.
struct BlockRequest {
  std::filesystem::path file;               // block.json; or a library, which is used as it is
  std::vector<std::string> overrides = {};  // "parameters.Radix=16", "assertions=true"
  std::optional<std::uint32_t> radix = {};  // for the parameter that the block names as its `radix`
};

struct BuiltBlock {
  std::filesystem::path library;
  bool was_built_before = false;
  std::string name;        // "lrg_arbiter"
  std::string parameters;  // "Radix=64", "Radix=64, assertions"
};

// Builds a block unless its library exists, in which case no program is started. Throws ConfigError,
// InputMissing if a file or a tool is missing, and Interrupted (child_processes.h) if SIGINT or SIGTERM ended
// the build. `report` is called with a line before a step that takes time: "building lrg_arbiter (Radix=11)".
BuiltBlock build_block(const BlockRequest& request, const std::function<void(const std::string&)>& report);

// Reads and checks only the description, neither ports nor sources. `asterism check` uses it, because it does
// not run Verilator.
BlockConfig read_block(const BlockRequest& request);

// What is wrong with a block, which the user has named at `path`, in the place of one of another contract.
std::optional<Diagnostic> contract_problem(const BlockConfig& block, BlockContract wanted,
                                           const Origin& origin, const std::string& path);

// Finds the file of a block that a user names, for example "rtl/lrg_arbiter/block.json": relative to the
// current folder, else to a folder above it or above the program, like configs/. (The rule may_be_beside()
// has replaced a path relative to the file with the key, which `path` is.) Throws InputMissing with these
// places.
std::filesystem::path locate_block(const std::string& file, const Origin& origin, const std::string& path);

struct KnownBlock {
  std::string name, contract;
  std::filesystem::path file;  // block.json
  std::string parameters;      // "Radix=64"
  enum class State { built, stale, not_built } state = State::not_built;
  std::filesystem::path library;  // "" unless it is built
};
// The blocks in rtl/ of the installation, and those that were built from other folders.
std::vector<KnownBlock> known_blocks();

}  // namespace asterism
