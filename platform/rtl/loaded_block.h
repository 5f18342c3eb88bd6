// A block.json, read and checked, with the files that it names.
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
  std::vector<std::string> overrides;  // those of the request, including its radix
  ConfigDocument document;
  BlockConfig config;
  BlockFiles files;
};

// Reads only the description. Throws ConfigError.
LoadedBlock read_description(const BlockRequest& request);
// Finds the files that the description names, relative to block.file, which need not exist. Throws
// InputMissing if one does not exist.
void find_files(LoadedBlock& block);
// Also finds the files. Throws InputMissing if one does not exist.
LoadedBlock load_block(const BlockRequest& request);

// Whether a file in a folder of `include` belongs to the block, by its extension. Others, such as logs and
// the results of runs, change without a consequence for it.
bool may_be_included(const std::filesystem::path& file);

// The path as it is printed and passed to programs: relative to the current folder if it is below it.
std::filesystem::path short_path(const std::filesystem::path& path);

std::string digest_of(const LoadedBlock& block, const Toolchain& tools);

std::string variant_text(const BlockConfig& config);   // "Radix=64, assertions"
std::string contract_text(const BlockConfig& config);  // "arbiter"

}  // namespace asterism
