// What a checkpoint takes to each of the media of dong2011 Table XI, measured on two whole nodes in one simulation: it starts
// `asterism run` with the scenario of the medium, and reads what the firmware has timed.
#pragma once

#include <filesystem>

#include "platform/study/study_kind.h"

namespace asterism {

extern const StudyKind checkpoint_media_study;

// The command: this program, or the one of the build where a test runs.
std::filesystem::path command_of_this_build();

}  // namespace asterism
