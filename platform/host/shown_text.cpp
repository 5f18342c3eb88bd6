#include "platform/host/shown_text.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

namespace asterism {

ShownText::ShownText() : file_(memfd_create("shown", MFD_CLOEXEC)) {
  if (file_ < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
}

ShownText::~ShownText() { close(file_); }

std::string_view ShownText::unseen(std::string_view text) {
  std::string shown(text.size(), '\0');
  const ssize_t length = pread(file_, shown.data(), shown.size(), static_cast<off_t>(at_));
  shown.resize(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  const auto differ = std::ranges::mismatch(text, shown);
  const auto equal = static_cast<std::size_t>(differ.in1 - text.begin());
  const std::string_view rest = text.substr(equal);
  at_ += equal;
  if (rest.empty()) return rest;
  // Without memory for it, the text may be shown again later.
  if (ftruncate(file_, static_cast<off_t>(at_)) == 0 &&
      pwrite(file_, rest.data(), rest.size(), static_cast<off_t>(at_)) == static_cast<ssize_t>(rest.size()))
    at_ += rest.size();
  return rest;
}

}  // namespace asterism
