// What is wrong with a training run or with the placement of its copies, and in which member.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace asterism {

class TrainingMistake : public std::invalid_argument {
 public:
  TrainingMistake(std::string member, const std::string& problem)
      : std::invalid_argument(problem), member_(std::move(member)) {}
  const std::string& member() const { return member_; }  // of TrainingJob or of CopyPlacement

 private:
  std::string member_;
};

}  // namespace asterism
