#include "platform/output_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "platform/config/diagnostics.h"

namespace asterism {

namespace fs = std::filesystem;

OutputFile::OutputFile(const fs::path& file, std::string_view option) : file_(file), option_(option) {
  partial_ = file_;
  partial_ += ".partial";
  std::error_code none;
  if (file_.empty()) refuse("names no file");
  if (fs::is_directory(file_, none)) refuse("is a folder");
  if (fs::exists(partial_, none) && !fs::is_regular_file(partial_, none))
    refuse(fmt::format("cannot be written: {} is in the way", partial_.string()));
  errno = 0;
  if (!std::ofstream(partial_, std::ios::binary))
    refuse(fmt::format("cannot be written: {}", std::strerror(errno)));
}

OutputFile::~OutputFile() {
  std::error_code none;
  if (!kept_) fs::remove(partial_, none);
}

void OutputFile::refuse(std::string_view why) const {
  throw ConfigError(Diagnostic{.origin = Origin::command_line(),
                               .path = std::string(option_),
                               .problem = fmt::format("{} {}", file_.string(), why)});
}

void OutputFile::write(std::string_view text) const {
  std::ofstream out(partial_, std::ios::binary);
  out << text;
  out.close();
  if (!out) refuse("cannot be written to the end");
}

fs::path OutputFile::finish(std::string_view text) {
  write(text);
  std::error_code error;
  fs::rename(partial_, file_, error);
  if (error) refuse(fmt::format("cannot be replaced: {}", error.message()));
  kept_ = true;
  return file_;
}

fs::path OutputFile::leave_partial(std::string_view text) {
  write(text);
  kept_ = true;
  return partial_;
}

}  // namespace asterism
