#include "platform/config/built_in_files.h"

namespace asterism {
namespace {

constinit std::span<const BuiltInFile> registered_files;

}  // namespace

RegisteredBuiltInFiles::RegisteredBuiltInFiles(std::span<const BuiltInFile> files) {
  registered_files = files;
}

RegisteredBuiltInFiles::~RegisteredBuiltInFiles() { registered_files = {}; }

std::span<const BuiltInFile> built_in_files() { return registered_files; }

std::optional<std::string_view> built_in_text(const std::filesystem::path& file) {
  if (file.extension() != ".json" || file.parent_path().parent_path() != built_in_root) return std::nullopt;
  for (const BuiltInFile& each : built_in_files())
    if (file.parent_path().filename() == each.kind && file.stem() == each.name) return each.text;
  return std::nullopt;
}

}  // namespace asterism
