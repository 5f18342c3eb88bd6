#include "base/file_kind.h"

namespace asterism {
namespace {

// Other files register their kinds before the objects of this one are initialised.
std::vector<FileKind>& registered() {
  static std::vector<FileKind> kinds;
  return kinds;
}

}  // namespace

std::span<const FileKind> file_kinds() { return registered(); }

void register_file_kind(FileKind kind) { registered().push_back(std::move(kind)); }

}  // namespace asterism
