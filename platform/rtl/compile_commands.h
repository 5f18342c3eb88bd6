// The command lines of a build.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/rtl/block_digest.h"
#include "platform/rtl/child_processes.h"
#include "platform/rtl/toolchain.h"

namespace asterism {

// All flags that influence a library, without paths. They are part of its digest.
std::vector<std::string> build_flags();

// Writes the elaborated design to <folder>/ports.xml.
ChildProgram elaborate(const Toolchain& tools, const BlockConfig& config, const BlockFiles& files,
                       const std::filesystem::path& folder);
// Writes the C++ code of the model to <folder>/model.
ChildProgram verilate(const Toolchain& tools, const BlockConfig& config, const BlockFiles& files,
                      const std::filesystem::path& folder);

// Compiles the runtime that all blocks share to <folder>/*.o. Writes a header to the folder.
std::vector<ChildProgram> compile_runtime(const Toolchain& tools, const std::filesystem::path& folder);
// Compiles the model in <folder>/model with its wrapper to <folder>/*.o. Writes files that include several
// files of the model.
std::vector<ChildProgram> compile_model(const Toolchain& tools, const BlockConfig& config,
                                        const std::string& wrapper, const std::filesystem::path& folder);
// Links the objects in both folders to <folder>/block.so.
ChildProgram link_block(const Toolchain& tools, const std::filesystem::path& runtime,
                        const std::filesystem::path& folder);

}  // namespace asterism
