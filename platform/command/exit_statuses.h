// The exit statuses that a verb can return, for its help.
#pragma once

#include <initializer_list>
#include <string>

#include "platform/host/exit_status.h"

namespace asterism {

struct MeaningOfStatus {
  ExitStatus status;
  const char* meaning;
};

// "Exit status: 0 success, 64 usage, ...": those that every verb can return, with those that are given beside
// them or in their place.
std::string exit_statuses(std::initializer_list<MeaningOfStatus> own = {});

}  // namespace asterism
