// Compares a block that takes operations one at a time with its model: each operation goes to both, and their
// complete answers are compared. The testbench of such a block derives its pair from this class and defines
// the model's operation and the coverage of answers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/reset.h"
#include "cosim/coverage.h"
#include "testbenches/testbench.h"

namespace asterism {

// Ports are those of the block's contract; an Operation has a kind, and an Answer an operator ==.
template <class Model, class Ports, class Operation, class Answer>
class OperationPair {
 public:
  using Kind = decltype(Operation::kind);

  OperationPair(Model model, const std::string& block, const std::vector<std::string>& overrides)
      : model_(std::move(model)),
        rtl_(library_of(block, overrides), block),
        ports_(rtl_),
        idle_(rtl_.port("idle")) {
    rtl_.reset();
  }
  virtual ~OperationPair() = default;
  OperationPair(const OperationPair&) = delete;
  OperationPair& operator=(const OperationPair&) = delete;

  // Returns false if the answers differ.
  bool run(const Operation& operation) {
    operations_.hit(static_cast<std::size_t>(operation.kind));
    answer_ = ask_model(operation);
    const std::optional<Answer> answer = ask_rtl(operation);
    if (answer == answer_) return true;
    difference_ = to_text(operation) + ": model " + to_text(operation, answer_) + "; RTL " +
                  (answer ? to_text(operation, *answer) : "does not answer");
    return false;
  }
  // Makes the operation with the RTL only; returns nullopt if there is no answer.
  std::optional<Answer> ask_rtl(const Operation& operation) {
    ports_.ask(operation);
    rtl_.run(1);
    ports_.ask_nothing();
    for (cycles_ = 1; cycles_ < max_cycles; ++cycles_) {
      rtl_.settle();
      idle_was_honest_ = idle_was_honest_ && !idle_.is_set();
      if (ports_.answers()) {
        const Answer answer = read(operation);
        rtl_.edge();
        rtl_.settle();
        idle_was_honest_ = idle_was_honest_ && idle_.is_set();
        return answer;
      }
      rtl_.edge();
    }
    return std::nullopt;
  }
  // Resets both; the RTL gets no operation for `pause` cycles.
  void reset(unsigned pause = 0) {
    model_.reset(Reset::warm);
    rtl_.reset();
    rtl_.run(pause);
    resets_.hit(0);
  }
  // Returns the number of cycles without an operation until the RTL is idle.
  unsigned cycles_until_idle() {
    unsigned cycles = 0;
    for (rtl_.settle(); !idle_.is_set() && cycles < max_cycles; rtl_.settle()) {
      rtl_.edge();
      ++cycles;
    }
    return cycles;
  }

  const Model& model() const { return model_; }
  RtlInstance& rtl() { return rtl_; }
  Ports& ports() { return ports_; }
  // For the last operation: the model's answer, and the cycles from in.valid to out.valid.
  const Answer& answer() const { return answer_; }
  unsigned cycles() const { return cycles_; }
  // How the answers differed, or "" if all were equal.
  const std::string& difference() const { return difference_; }
  bool idle_was_honest() const { return idle_was_honest_; }
  const Coverage& coverage() const { return coverage_; }

 protected:
  // Makes the operation with the model, and counts the coverage.
  virtual Answer ask_model(const Operation& operation) = 0;
  // Called in the cycle in which the ports have an answer.
  virtual Answer read(const Operation& operation) = 0;

  Model model_;
  Coverage coverage_;

 private:
  static constexpr unsigned max_cycles = 10'000;  // more than any operation takes

  RtlInstance rtl_;
  Ports ports_;
  RtlPort idle_;
  Answer answer_ = {};
  unsigned cycles_ = 0;
  bool idle_was_honest_ = true;
  std::string difference_;
  Coverage::Group& operations_ = coverage_.group("operations", points_of<Kind>());
  Coverage::Group& resets_ = coverage_.group("resets", {"reset"});
};

}  // namespace asterism
