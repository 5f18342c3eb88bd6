// Points dealt to ranks: rank 0 gives each that is free the next one, and has all results; every rank runs its own in worker
// processes (point_pool.h).
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "platform/config/config_library.h"
#include "platform/study/point_runner.h"
#include "platform/study/ranks.h"

namespace asterism {

// On rank 0: run_points() where settings.ranks are given. A point without a kind() stays on rank 0, and with it all others.
PointRun run_points_on_ranks(const std::vector<StudyPoint*>& points, const PointRunSettings& settings);

// A point of a kind by name, of which config() is not read yet; null where there is no such kind.
using PointMaker = std::function<std::unique_ptr<StudyPoint>(std::string_view kind)>;
// Where the files are that configs name; what it throws is told as a reason why a point cannot be made.
using LibraryFinder = std::function<ConfigLibrary()>;

// On every other rank: runs what it is given, until rank 0 dismisses it.
void serve_points(Ranks& ranks, const LibraryFinder& library, const PointMaker& make);

// On rank 0, when there is nothing more to run.
void dismiss_ranks(Ranks& ranks);

}  // namespace asterism
