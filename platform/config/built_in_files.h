// Files of configs/ that are built into the program, which needs no such folder then. The library of nodes
// has those that a node may name (cmake/package/built_in_configs.cmake).
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

namespace asterism {

struct BuiltInFile {
  std::string_view kind, name, text;
};

// The files are found as long as this object exists, of which a program has one.
class RegisteredBuiltInFiles {
 public:
  explicit RegisteredBuiltInFiles(std::span<const BuiltInFile> files);
  ~RegisteredBuiltInFiles();
  RegisteredBuiltInFiles(const RegisteredBuiltInFiles&) = delete;
  RegisteredBuiltInFiles& operator=(const RegisteredBuiltInFiles&) = delete;
};

std::span<const BuiltInFile> built_in_files();

// The folder of their paths: "asterism:configs/dram/ddr3_1600_2gb_x8.json".
inline const std::filesystem::path built_in_root{"asterism:configs"};
// nullopt: it is not the path of such a file.
std::optional<std::string_view> built_in_text(const std::filesystem::path& file);

}  // namespace asterism
