#include "platform/study/study_kind.h"

#include <algorithm>

namespace asterism {
namespace {

// Other files register their kinds before the objects of this one are initialised.
std::vector<StudyKind>& registered() {
  static std::vector<StudyKind> kinds;
  return kinds;
}

}  // namespace

std::span<const StudyKind> study_kinds() { return registered(); }

const StudyKind* find_study_kind(std::string_view name) {
  const auto found = std::ranges::find(registered(), name, &StudyKind::name);
  return found == registered().end() ? nullptr : &*found;
}

std::vector<Cell> empty_row(std::string_view kind) {
  return std::vector<Cell>(find_study_kind(kind)->columns.size());
}

RegisteredStudy::RegisteredStudy(StudyKind kind) {
  const auto place = std::ranges::upper_bound(registered(), kind.name, {}, &StudyKind::name);
  registered().insert(place, std::move(kind));
}

}  // namespace asterism
