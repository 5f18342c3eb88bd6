#include "platform/config/file_names.h"

#include <system_error>

namespace asterism {

void refuse_overlong_name(const std::filesystem::path& file, const Origin& origin, const std::string& path) {
  std::error_code error;
  static_cast<void>(std::filesystem::status(file, error));
  if (error != std::errc::filename_too_long) return;
  throw ConfigError(Diagnostic{.origin = origin,
                               .path = path,
                               .problem = "",
                               .expected = "the name of a file",
                               .got = "one of " + std::to_string(file.native().size()) +
                                      " characters, which is too long for the file system"});
}

}  // namespace asterism
