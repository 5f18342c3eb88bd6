// The messages of processes that run points, and how they are sent: as CBOR.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "platform/study/study_kind.h"

namespace asterism {

// To a process that runs points.
struct StartPoints {
  unsigned workers;
};
struct PointTask {
  std::uint64_t index;
  std::string kind, config;  // from which the point is made
  bool keeps_a_part;
};
struct StopPoints {};   // stops the points under way
struct EndPoints {};    // ends the workers
struct DismissRank {};  // after the last run

// From a process that runs points.
struct PointOutcome {
  std::uint64_t index;
  std::optional<std::vector<Cell>> row = {};  // nothing for a point that was not done
  bool partial = false;                       // a stop was requested during the point
  std::string detail = {};                    // StudyPoint::detail()
  std::exception_ptr error = {};
  std::string crash =
      {};  // how the process that ran the point ended, "killed by SIGSEGV"; "" if it did not end
};
struct PointProgress {
  std::uint64_t index;
  double share;       // StudyPoint::share_done()
  std::string words;  // StudyPoint::progress()
};
struct SignalReceived {};

using PointMessage = std::variant<StartPoints, PointTask, StopPoints, EndPoints, DismissRank, PointOutcome,
                                  PointProgress, SignalReceived>;

// An error other than StudyMistake, StudyFileMissing and StudyFailure arrives as a std::runtime_error with
// its text.
std::string to_bytes(const PointMessage& message);
// Throws nlohmann::json::exception for bytes that to_bytes() has not made.
PointMessage read_point_message(const std::string& bytes);

// Runs the point in the calling thread.
PointOutcome run_point(StudyPoint& point, std::uint64_t index, const std::stop_token& stop);

}  // namespace asterism
