// Writes what a block.json says as a .core file of FuseSoC (CAPI2) and as a component in IP-XACT
// (IEEE 1685-2022).
//
// A .core file has the files, the top module and the parameters, and lists block.json, as a file that tools
// ignore, for the rest. IP-XACT has also ports, the interfaces to which they belong, and registers. The roles
// of a contract are the logical ports of an interface of the library asterism:interface with the contract's
// name; what only a simulator needs is in one with the name simulation. import_block() reads both back.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace asterism {

struct ExportRequest {
  std::filesystem::path block;              // block.json
  std::vector<std::string> overrides = {};  // keys of it
  std::string vendor, library, version;     // the name is that of the block
};

// The text of the file `out`, relative to which it names the block's files. Throws ConfigError and
// InputMissing.
std::string fusesoc_core_of(const ExportRequest& request, const std::filesystem::path& out);
std::string ipxact_component_of(const ExportRequest& request, const std::filesystem::path& out);

}  // namespace asterism
