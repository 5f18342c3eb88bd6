#include "platform/study/study_kind.h"

namespace asterism {

std::span<const StudyKind> study_kinds() { return {}; }

}  // namespace asterism
