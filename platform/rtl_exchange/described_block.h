// What a foreign description says of a block, before the ports of its top module are known.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/config/diagnostics.h"

namespace asterism {

// The role of a port: a key of block.json ("clock", "reset", "reset:low", "reset:high", "power_on_reset",
// "idle", "next_event"), a role of a single port ("request", "grant", "interrupt", "interrupt:NUMBER",
// "state", "state:idle,busy", "input:VALUE", "output"), or the key of a port with several signals
// ("bus.address" of a target, "master.address", "in.valid", "out.valid").
struct PortClaim {
  std::string port, role;
  Origin origin;
  std::string reason = {};  // "" if the origin says enough: "its name"
};

// A port as the description has it, which is compared with the RTL.
struct DescribedPort {
  std::string name;
  bool is_output = false;
  unsigned width = 0;  // 0 if it is not known
  Origin origin;
};

// Ports of a protocol for which block.json has no role.
struct ForeignBus {
  std::string name, protocol;
  Origin origin;
  std::vector<std::string> ports;
};

struct DescribedBlock {
  Origin origin;                       // of the description as a whole
  nlohmann::ordered_json block;        // the keys of block.json that are said, without the ports
  std::map<std::string, Origin> said;  // where, by the path in `block`
  std::vector<PortClaim> claims;
  std::vector<PortClaim> defaults;  // of ports for which nothing else gives a role
  std::vector<DescribedPort> ports;
  std::vector<ForeignBus> foreign;
  std::vector<std::string> ignored;  // files that are no part of the block, with their types

  void say(const std::string& key, nlohmann::ordered_json value, const Origin& where) {
    block[key] = std::move(value);
    said[key] = where;
  }
};

struct ImportRequest {
  std::filesystem::path file;
  std::filesystem::path out;                          // block.json, relative to which it names its files
  std::vector<std::filesystem::path> libraries = {};  // folders with .core files
  // Cores that stand for virtual ones, or whose `mapping` says which do.
  std::vector<std::string> mappings = {};
  std::string target = {};                  // of a .core file, or the view of a component
  std::vector<PortClaim> ports = {};        // the user's, which come before those of the file
  std::vector<std::string> overrides = {};  // keys of block.json
};

// The path of a file or a folder as block.json names it; an empty one is the current folder.
inline std::string path_from(const std::filesystem::path& block, const std::filesystem::path& file) {
  const auto absolute = [](const std::filesystem::path& path) {
    return (std::filesystem::current_path() / path).lexically_normal();
  };
  const std::filesystem::path path = absolute(file);
  return (path.has_filename() ? path : path.parent_path())
      .lexically_relative(absolute(block).parent_path())
      .string();
}

// Adds what a .core file has no key for from a block.json: the contract, the roles of ports, registers.
// Returns false if the file is none. Throws ConfigError.
bool describe_by_block_json(const std::filesystem::path& file, const std::filesystem::path& out,
                            DescribedBlock& described);

// Each throws ConfigError, or InputMissing if a file does not exist.
DescribedBlock read_fusesoc_core(const ImportRequest& request);
DescribedBlock read_ipxact_component(const ImportRequest& request);

}  // namespace asterism
