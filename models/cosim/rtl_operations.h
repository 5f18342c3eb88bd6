// RTL that answers operations one at a time, in place of a model (Impl::rtl) or in lockstep with it
// (Impl::lockstep): the common part of the blocks of all contracts with in.valid and out.valid.
//
// An operation is given to the block in one cycle of its clock, and its answer is read in the first cycle in
// which out.valid is high, up to `max_cycles` cycles later; then the next operation may start. An operation
// at time T begins in the first cycle from T on, or when the previous one has ended, if that is later: the
// RTL may lag behind, and times in the traces are those of the RTL. Latencies in the node are those of the
// model, whatever the RTL takes.
//
// In lockstep every answer is compared with the model's. A difference or a failure of the RTL is reported by
// on_mismatch; from then on the model answers and nothing is compared, unless the comparison continues after
// a difference (OnMismatch). With Impl::rtl only a failure is a mismatch.
//
// reset: every kind resets the RTL.
//
// For a block of a new contract, write a class that attaches to the hook of its model and defines the
// operation and the answer:
//
//   class RtlAdder final : public AdderHook, public RtlOperationsOf<AdderOperation, AdderAnswer> {
//    public:
//     RtlAdder(std::shared_ptr<const RtlLibrary> library, const Settings& settings,
//              const RtlOptions& options)
//         : RtlOperationsOf(std::move(library), {.instance = settings.instance, .impl = settings.impl}),
//           ports_(rtl()),                           // throws unless they are those of the contract
//           sums_(coverage_group("sums", {"exact", "carried"})) {
//       check_parameters(rtl(), {{"Width", settings.width}});
//       begin(options);
//     }
//     void add(Picoseconds now, unsigned a, unsigned b, unsigned& sum) override {
//       sum = operate(now, {a, b}, {sum}).sum;
//     }
//     void reset(Reset) override { restart(); }
//
//    private:
//     ...                                              // and the functions of RtlOperationsOf
//   };
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/statistics.h"
#include "base/swap_config.h"
#include "cosim/coverage.h"
#include "cosim/lockstep.h"
#include "cosim/mismatch.h"
#include "cosim/report_text.h"
#include "cosim/rtl_library.h"
#include "cosim/rtl_options.h"
#include "cosim/rtl_timeline.h"

namespace asterism {

// The part that does not depend on the operations.
class RtlOperations {
 public:
  RtlOperations(const RtlOperations&) = delete;
  RtlOperations& operator=(const RtlOperations&) = delete;

  // Called for the first mismatches: once, unless the comparison continues after a mismatch.
  std::function<void(const Lockstep::Mismatch&)> on_mismatch;

  // Call it at the end of the run: extends a trace on demand up to now.
  void finish(Picoseconds now);

  const std::string& instance() const { return rtl_.name(); }
  std::uint64_t operations() const { return asked_; }
  const std::optional<Lockstep::Mismatch>& mismatch() const { return mismatches_.first(); }
  std::uint64_t mismatches() const { return mismatches_.count(); }
  Impl impl() const { return settings_.impl; }
  const Coverage& coverage() const { return coverage_; }
  // With the block's key in expect.coverage; nullopt unless it is in lockstep.
  std::optional<BlockCoverage> block_coverage(std::string block) const;
  void report(Statistics& statistics) const;
  // For the summary of a run: the number of operations, and the coverage.
  std::vector<std::string> summary() const;

 protected:
  struct Settings {
    std::string instance;  // "node.memory.codec"
    Impl impl = Impl::lockstep;
    Frequency clock = 1_GHz;
    OnMismatch on_mismatch = OnMismatch::stop;
    SwapTrace trace = {};
    std::uint64_t max_cycles = 1000;  // in clock cycles
    bool answers_at_once = true;      // out.valid is also valid in the cycle of the operation
  };
  RtlOperations(std::shared_ptr<const RtlLibrary> library, Settings settings);
  ~RtlOperations() = default;

  // Called after contract, ports and parameters were checked: resets the RTL and starts its time. Throws
  // RtlError for a block without a clock.
  void begin(const RtlOptions& options);
  void restart();

  const RtlInstance& rtl() const { return rtl_; }
  bool is_over() const { return mismatches_.is_over(); }  // the model answers and nothing is compared
  // The reference stays valid.
  Coverage::Group& coverage_group(std::string name, std::vector<std::string> points) {
    return coverage_.group(std::move(name), std::move(points));
  }

  // The steps of one operation: the cycle in which the inputs of an operation at time `now` are set; the
  // cycle in which the outputs have its answer, which can be read; and the end of that cycle. A failure of
  // the RTL throws RtlError.
  void seek(Picoseconds now);
  void await_answer();
  void leave_cycle();

  // Counts a difference, or a failure of the RTL; `describe` is called only for the first ones.
  using Describe = std::function<Lockstep::Mismatch()>;
  void add_difference(Picoseconds at, const Describe& describe) { add(at, false, describe); }
  void add_failure(Picoseconds at, const RtlError& error, const Describe& describe);

  // "lines, phase": the names of the fields that are not equal.
  static std::string unequal(std::initializer_list<std::pair<const char*, bool>> fields);

 private:
  void start(Picoseconds at);
  void add(Picoseconds at, bool rtl_failed, const Describe& describe);
  // The last operations with their answers, for the report: "write 0x12 -> ready".
  virtual std::vector<std::pair<Picoseconds, std::string>> past_answers() const = 0;

  Settings settings_;
  RtlInstance rtl_;
  RtlPort in_valid_, out_valid_;
  std::optional<RtlTimeline> timeline_;
  Mismatches mismatches_;
  std::uint64_t asked_ = 0;
  Coverage coverage_;
};

// Both types have an operator ==.
template <class Operation, class Answer>
class RtlOperationsOf : public RtlOperations {
 protected:
  using RtlOperations::RtlOperations;
  ~RtlOperationsOf() = default;

  // Returns the answer of the RTL, or that of the model if the RTL has failed.
  Answer operate(Picoseconds now, const Operation& operation, const Answer& model);

 private:
  // Sets the inputs of the operation's cycle, including in.valid.
  virtual void ask(const Operation& operation) = 0;
  // Reads the outputs of the cycle in which out.valid is high. What only the model knows is taken from
  // `model`.
  virtual Answer read(const Operation& operation, const Answer& model) const = 0;
  // Counts the operation for the coverage.
  virtual void count(const Operation& operation, const Answer& answer) = 0;
  // For the report: the fields that differ ("lines, phase"); the operation; the answer, with the values that
  // differ from `other` if it is given; and a line of the history, "asked -> answered" by default.
  virtual std::string difference(const Answer& model, const Answer& rtl) const = 0;
  virtual std::string asked_text(const Operation& operation) const = 0;
  virtual std::string answer_text(const Operation& operation, const Answer& answer,
                                  const Answer* other) const = 0;
  virtual std::string past_text(const Operation& operation, const Answer& answer) const {
    return asked_text(operation) + " -> " + answer_text(operation, answer, nullptr);
  }

  std::vector<std::pair<Picoseconds, std::string>> past_answers() const override;

  struct Past {
    Picoseconds at;
    Operation operation;
    Answer answer;
  };
  LastFew<Past> past_;
};

template <class Operation, class Answer>
Answer RtlOperationsOf<Operation, Answer>::operate(Picoseconds now, const Operation& operation,
                                                   const Answer& model) {
  if (is_over()) return model;
  Past& past = past_.next();
  past = {now, operation, model};
  Answer rtl;
  try {
    seek(now);
    ask(operation);
    await_answer();
    rtl = read(operation, model);
    leave_cycle();
  } catch (const RtlError& error) {
    const auto described = [&] {
      return Lockstep::Mismatch{.asked = asked_text(operation),
                                .model = answer_text(operation, model, nullptr)};
    };
    add_failure(now, error, described);
    return model;
  }
  if (impl() == Impl::lockstep && rtl != model) {
    const auto described = [&] {
      return Lockstep::Mismatch{.what = difference(model, rtl),
                                .asked = asked_text(operation),
                                .model = answer_text(operation, model, &rtl),
                                .rtl = answer_text(operation, rtl, &model)};
    };
    add_difference(now, described);
    if (!is_over()) count(operation, model);
    return model;
  }
  past.answer = rtl;
  count(operation, rtl);
  return rtl;
}

template <class Operation, class Answer>
std::vector<std::pair<Picoseconds, std::string>> RtlOperationsOf<Operation, Answer>::past_answers() const {
  std::vector<std::pair<Picoseconds, std::string>> all;
  past_.for_each(
      [&](const Past& past) { all.emplace_back(past.at, past_text(past.operation, past.answer)); });
  return all;
}

}  // namespace asterism
