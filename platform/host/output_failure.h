// An error of the host, not of what the user has given.
#pragma once

#include <exception>
#include <stdexcept>
#include <utility>

#include "platform/config/diagnostics.h"

namespace asterism {

// A file that was opened cannot be written to the end, for example because the disk is full.
class OutputFailure : public std::runtime_error {
 public:
  explicit OutputFailure(Diagnostic problem)
      : std::runtime_error(problem.text()), diagnostic_(std::move(problem)) {}
  const Diagnostic& diagnostic() const { return diagnostic_; }

 private:
  Diagnostic diagnostic_;
};

// Of several outputs of one result: those that can be written are, whichever of the others fail.
class OutputAttempts {
 public:
  template <class Write>
  void attempt(const Write& write) {
    try {
      write();
    } catch (const OutputFailure&) {
      if (!first_) first_ = std::current_exception();
    }
  }
  bool has_failed() const { return first_ != nullptr; }
  void throw_if_any() const {  // the first failure
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::exception_ptr first_;
};

}  // namespace asterism
