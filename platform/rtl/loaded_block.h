// block.json read and checked, and the files that it names, found.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/config/config_document.h"
#include "platform/rtl/block_build.h"
#include "platform/rtl/block_digest.h"

namespace asterism {

struct LoadedBlock {
  std::filesystem::path file;
  std::vector<std::string> overrides;  // of the request, its radix too
  ConfigDocument document;
  BlockConfig config;
  BlockFiles files;
};

// The description alone; throws ConfigError.
LoadedBlock read_description(const BlockRequest& request);
// With its files; throws InputMissing for those that are not there.
LoadedBlock load_block(const BlockRequest& request);

std::string digest_of(const LoadedBlock& block, const Toolchain& tools);

std::string variant_text(const BlockConfig& config);   // "Radix=64, assertions"
std::string contract_text(const BlockConfig& config);  // "arbiter"

}  // namespace asterism
