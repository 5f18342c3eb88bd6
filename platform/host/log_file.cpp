#include "platform/host/log_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "platform/host/output_failure.h"

namespace asterism {

LogFile::LogFile(const std::filesystem::path& file) : file_(file) {
  errno = 0;
  out_.open(file, std::ios::binary);
  if (!out_) error_ = errno;
}

void LogFile::write(std::string_view text) {
  if (!out_) return;
  errno = 0;
  out_ << text << std::flush;
  if (!out_) error_ = errno;
}

void LogFile::check() const {
  if (out_) return;
  throw OutputFailure(
      Diagnostic::of_file(file_.string(), fmt::format("cannot be written: {}", std::strerror(error_))));
}

}  // namespace asterism
