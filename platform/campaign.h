// `asterism study campaign`: from one snapshot a run for each fault of a list, and how each ended beside the run without one.
//
// The list is JSON lines, each a fault as in a scenario's "faults". Outcomes, by the run's end and by what its firmware
// left:
//   masked     the same, and nothing noticed
//   corrected  the same, and more errors corrected
//   recovered  the same, after losses and restores
//   detected   another end, which the firmware, the machine or the cluster told
//   silent     the end of a run in which nothing went wrong, and other files, or not what the scenario expects; where neither
//              leaves files and nothing was lost: other words on the consoles
//   hang       no end, or nothing left that could happen
//   crashed    the simulator ended by a signal or an internal error: only this run is lost
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "platform/study/study_kind.h"
#include "platform/verbs.h"

namespace asterism {

// What stands for it where a study's file is named.
inline constexpr std::string_view campaign = "campaign";

// Its keys, as JSON Schema or as text.
std::string campaign_keys(bool as_text);

// Status: expectation when a run was silent, hung or crashed; interrupted after SIGINT. Throws ConfigError, by file and line for
// faults that are none.
int verb_campaign(const StudyArguments& arguments);

// The run of one fault, by the name of its kind: of no study, but a rank may be given one.
inline constexpr std::string_view campaign_trial = "campaign_trial";
std::unique_ptr<StudyPoint> make_campaign_trial();

}  // namespace asterism
