// From block.json to a library that rtl_library.h loads: read, checked, Verilated, compiled, kept.
//
// A library is kept under the digest of all that it was built from: the description with its parameters, the contents
// of sources and include folders, the versions of Verilator, compiler and interface. So nothing is built twice, going
// back to an old source is free, and nobody has to say "clean". Libraries lie in rtl/ beside the program;
// ASTERISM_RTL_CACHE names another folder. A build that fails or is killed leaves nothing behind: it works in a folder
// of its own, which becomes the entry by a rename.
//
// A mistake in the block is a ConfigError: of the description with its line; of the SystemVerilog with Verilator's own
// file:line:column and words.
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

// block.json with what a user or a node says on top.
struct BlockRequest {
  std::filesystem::path file;               // block.json; or a library, which is taken as it is
  std::vector<std::string> overrides = {};  // "parameters.Radix=16", "assertions=true"
  std::optional<std::uint32_t> radix = {};  // for the parameter that the block names as its `radix`
};

struct BuiltBlock {
  std::filesystem::path library;
  bool was_there = false;
  std::string name;        // "lrg_arbiter"
  std::string parameters;  // "Radix=64", "Radix=64, assertions"
};

// Builds unless it is there, which takes no program to be started. Throws ConfigError, InputMissing for a file or a tool
// that is not there, and Interrupted (child_processes.h) when SIGINT or SIGTERM ended it. `tell` gets a line for what takes time: "building lrg_arbiter (Radix=11)".
BuiltBlock build_block(const BlockRequest& request, const std::function<void(const std::string&)>& tell);

// Reads and checks the description alone, neither ports nor sources: what `asterism check` can know without Verilator.
BlockConfig read_block(const BlockRequest& request);

// A block's file as a user writes it, "rtl/lrg_arbiter/block.json": from here, or else upwards from the current folder
// and from the program, as configs/ is found. Throws InputMissing.
std::filesystem::path locate_block(const std::string& file, const Origin& origin, const std::string& path);

struct KnownBlock {
  std::string name, contract;
  std::filesystem::path file;  // block.json
  std::string parameters;      // "Radix=64"
  enum class State { built, stale, not_built } state = State::not_built;
  std::filesystem::path library;  // "" unless it is built
};
// The blocks of the installation's rtl/, and those that were built from elsewhere.
std::vector<KnownBlock> known_blocks();

}  // namespace asterism
