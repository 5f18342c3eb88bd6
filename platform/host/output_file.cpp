#include "platform/host/output_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "platform/host/output_failure.h"

namespace asterism {

namespace fs = std::filesystem;

OutputFile::OutputFile(const fs::path& file, std::string_view option) : file_(file), option_(option) {
  std::error_code none;
  if (file_.empty()) refuse("names no file");
  if (fs::is_directory(file_, none)) refuse("is a folder");
  resolve();
  errno = 0;
  if (direct_) {
    partial_ = target_;
    if (access(target_.c_str(), W_OK) != 0)
      refuse(fmt::format("cannot be written: {}", std::strerror(errno)));
    return;  // opening a FIFO would wait for its reader
  }
  partial_ = target_;
  partial_ += ".partial";
  const fs::file_status there = fs::symlink_status(partial_, none);
  if (fs::exists(there) && !fs::is_regular_file(there))
    refuse(fmt::format("cannot be written: {} is in the way", partial_.string()));
  if (!std::ofstream(partial_, std::ios::binary))
    refuse(fmt::format("cannot be written: {}", std::strerror(errno)));
}

OutputFile::~OutputFile() {
  std::error_code none;
  if (!kept_ && !direct_) fs::remove(partial_, none);
}

// Follows symbolic links, even to a file that does not exist yet, to find the target.
void OutputFile::resolve() {
  std::error_code none;
  target_ = file_;
  const fs::file_status status = fs::status(file_, none);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    if (!fs::is_fifo(status) && !fs::is_character_file(status)) refuse("is neither a file nor a stream");
    direct_ = true;
    return;
  }
  for (const char* stream : {"/dev/stdout", "/dev/stderr"})
    if (fs::exists(status) && fs::equivalent(file_, stream, none))
      refuse(fmt::format("is where {} goes already", stream + 5));
  for (int links = 0; fs::is_symlink(target_, none); ++links) {
    if (links == 40) refuse("cannot be written: too many symlinks");
    target_ = target_.parent_path() / fs::read_symlink(target_, none);
  }
}

Diagnostic OutputFile::problem(std::string_view why) const {
  return {.origin = Origin::command_line(),
          .path = std::string(option_),
          .problem = fmt::format("{} {}", file_.string(), why)};
}

void OutputFile::refuse(std::string_view why) const { throw ConfigError(problem(why)); }

void OutputFile::write(std::string_view text) const {
  errno = 0;
  std::ofstream out(partial_, std::ios::binary);
  out << text;
  out.close();
  if (!out)
    throw OutputFailure(problem(fmt::format("cannot be written to the end: {}", std::strerror(errno))));
}

fs::path OutputFile::finish(std::string_view text) {
  write(text);
  std::error_code error;
  if (!direct_) fs::rename(partial_, target_, error);
  if (error) throw OutputFailure(problem(fmt::format("cannot be replaced: {}", error.message())));
  kept_ = true;
  return file_;
}

fs::path OutputFile::leave_partial(std::string_view text) {
  write(text);
  kept_ = true;
  return partial_;
}

}  // namespace asterism
