// What processes that run points tell each other, and how it is sent: as CBOR.
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

// To whoever runs points.
struct StartPoints {
  unsigned workers;
};
struct PointTask {
  std::uint64_t index;
  std::string kind, config;  // what the point is made of
  bool keeps_a_part;
};
struct StopPoints {};   // those under way
struct EndPoints {};    // the workers
struct DismissRank {};  // there is nothing more to do

// From it.
struct PointOutcome {
  std::uint64_t index;
  std::optional<std::vector<Cell>> row = {};  // nothing for one that was not done
  bool partial = false;                       // a stop came into it
  std::string detail = {};                    // StudyPoint::detail()
  std::exception_ptr error = {};
  std::string crash = {};  // "killed by SIGSEGV": how the process ended that ran it; "" when it did not
};
struct PointProgress {
  std::uint64_t index;
  double share;       // StudyPoint::share_done()
  std::string words;  // StudyPoint::progress()
};
struct SignalCame {};

using PointMessage = std::variant<StartPoints, PointTask, StopPoints, EndPoints, DismissRank, PointOutcome,
                                  PointProgress, SignalCame>;

// An error that is none of StudyMistake, StudyFileMissing and StudyFailure arrives as a std::runtime_error with its words.
std::string to_bytes(const PointMessage& message);
// Throws nlohmann::json::exception for what to_bytes() has not made.
PointMessage read_point_message(const std::string& bytes);

// Runs it here and now.
PointOutcome run_point(StudyPoint& point, std::uint64_t index, const std::stop_token& stop);

}  // namespace asterism
