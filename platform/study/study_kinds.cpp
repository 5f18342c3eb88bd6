#include <array>

#include "platform/study/study_kind.h"
#include "platform/study/swizzle_switch_study.h"

namespace asterism {

std::span<const StudyKind> study_kinds() {
  static const std::array kinds = {swizzle_switch_study};
  return kinds;
}

}  // namespace asterism
