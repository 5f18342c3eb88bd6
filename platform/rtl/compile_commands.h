// The command lines of a build.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/rtl/block_digest.h"
#include "platform/rtl/child_processes.h"
#include "platform/rtl/toolchain.h"

namespace asterism {

// All that decides how a library is made, apart from paths: part of its digest.
std::vector<std::string> build_flags();

// Writes the elaborated design as <folder>/ports.xml.
ChildProgram elaborate(const Toolchain& tools, const BlockConfig& config, const BlockFiles& files,
                       const std::filesystem::path& folder);
// Writes the model's C++ into <folder>/model.
ChildProgram verilate(const Toolchain& tools, const BlockConfig& config, const BlockFiles& files,
                      const std::filesystem::path& folder);

// The runtime that all blocks share: <folder>/*.o. Writes a header into the folder.
std::vector<ChildProgram> compile_runtime(const Toolchain& tools, const std::filesystem::path& folder);
// The model in <folder>/model with its wrapper: <folder>/*.o. Writes files that include several of its own.
std::vector<ChildProgram> compile_model(const Toolchain& tools, const BlockConfig& config,
                                        const std::string& wrapper, const std::filesystem::path& folder);
// <folder>/block.so of the objects in both folders.
ChildProgram link_block(const Toolchain& tools, const std::filesystem::path& runtime,
                        const std::filesystem::path& folder);

}  // namespace asterism
