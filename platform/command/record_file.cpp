#include "platform/command/record_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "platform/config/diagnostics.h"

namespace asterism {

std::ifstream open_recorded(const std::filesystem::path& file) {
  std::error_code none;
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file, none))
    throw InputMissing(Diagnostic::of_file(
        file.string(), fmt::format("trace cannot be read: {}", std::strerror(in ? EISDIR : errno))));
  return in;
}

RunRecord read_record(const std::filesystem::path& file, RunRecord::Truncated truncated) {
  std::ifstream in = open_recorded(file);
  try {
    return RunRecord::read(in, truncated);
  } catch (const RunRecordError& error) {
    throw ConfigError(Diagnostic::of_file(file.string(), fmt::format("file {}", error.what())));
  }
}

}  // namespace asterism
