// `asterism study campaign`: a fault-injection campaign. For each fault of a list it runs the scenario from
// one snapshot, and classifies the run by comparing it with the run that has no fault.
//
// The list has one JSON object per line; each is a fault as in a scenario's "faults". The outcome depends on
// how the run ended and on the files that its firmware left:
//   masked     the run ended in the same way with the same files, and no error was noticed
//   corrected  the same, and more errors were corrected
//   recovered  the same, after losses and restores
//   detected   the run ended in another way, which the firmware, the node or the cluster reported
//   silent     the run ended as if nothing had gone wrong, but its files differ, or it does not meet the
//              scenario's expectations; if neither run leaves files and nothing was lost: the console output
//              differs
//   hang       the run did not end, or no event was left that could continue it
//   NAME       of the key `printed`: the console has its words, and that of the run without a fault has not.
//              It comes before all others, but crashed
//   crashed    the simulator ended by a signal or by an internal error; only this run is lost
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "platform/command/study_output.h"

namespace asterism {

class Ranks;
class StudyPoint;

// The word that selects it in the place of a study's file.
inline constexpr std::string_view campaign = "campaign";

// Returns the exit status: `expectation` if a run was silent, hung or crashed; `interrupted` after SIGINT.
// Throws ConfigError; for an invalid fault it names the file and the line.
int verb_campaign(const StudyArguments& arguments, Ranks* ranks);

// The run of one fault as a study point. It belongs to no study kind, but rank 0 sends it to other ranks by
// this name.
inline constexpr std::string_view campaign_trial = "campaign_trial";
std::unique_ptr<StudyPoint> make_campaign_trial();

}  // namespace asterism
