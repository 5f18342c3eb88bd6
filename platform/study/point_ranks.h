// Points distributed to ranks: rank 0 sends the next point to each rank that is free and collects all
// results. Every rank runs its points in worker processes (point_pool.h).
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "platform/config/config_library.h"
#include "platform/study/point_runner.h"
#include "platform/study/ranks.h"

namespace asterism {

// On rank 0: run_points() if settings.ranks is given. If a point has no kind(), all points stay on rank 0.
PointRun run_points_on_ranks(const std::vector<StudyPoint*>& points, const PointRunSettings& settings);

// Makes a point of a kind by name, whose config() has not been read yet; null if there is no such kind.
using PointMaker = std::function<std::unique_ptr<StudyPoint>(std::string_view kind)>;
// Finds the files that configs name. An exception is reported as the reason why a point cannot be made.
using LibraryFinder = std::function<ConfigLibrary()>;

// On every other rank: runs the points that it receives until rank 0 dismisses it.
void serve_points(Ranks& ranks, const LibraryFinder& library, const PointMaker& make);

// On rank 0, after the last run.
void dismiss_ranks(Ranks& ranks);

}  // namespace asterism
