// Random use of the PCRAM level, aimed at its steps: the power fails, or the device refuses, at each step of
// a save, of the clearing of a header, of a discard and of a load, with none, one or both slots in use, and
// cells lose bits. Every version that was reported safe must be found with its contents, and no version may
// be found that was never written. States are counted from outside: by the command of the device when it
// stopped (test_machine.h). A listed state that no trial reaches fails the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "checkpoint/test_machine.h"
#include "checkpoint/two_regions.h"

extern "C" {
#include "checkpoint/checkpoint.h"
#include "checkpoint/pcram_level.h"
}

namespace {

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Counts by name; only listed states can be counted.
class States {
 public:
  States() {
    for (const std::string slot : {"0", "1"})
      for (const std::string step : {"clear_header", "first_page", "middle_page", "last_page", "save_header",
                                     "clear_other", "clear_discarded", "load"})
        add("power failure " + step + " slot " + slot);
    // The state before the operation; a header is cleared if both slots are in use.
    for (const std::string held : {"0", "1", "2"})
      for (const std::string step : {"first_page", "middle_page", "last_page", "save_header"})
        add("power failure " + step + " of " + held);
    for (const std::string held : {"1", "2"})
      for (const std::string step : {"clear_other", "clear_discarded", "load"})
        add("power failure " + step + " of " + held);
    // The header is in the first two lines of its page.
    for (const std::string line : {"0", "1", "2"})
      for (const std::string step : {"clear_header", "save_header", "clear_other", "clear_discarded"})
        add("line " + line + " of " + step);
    for (const std::string error : {"bus_error", "worn_out"})
      for (const std::string step : {"clear_header", "page", "save_header", "clear_other", "clear_discarded"})
        add("error " + error + " at " + step);
    // Two interruptions in a row, without a complete write between them.
    for (const std::string first : {"clear_header", "page", "save_header", "load"})
      for (const std::string second : {"page", "save_header", "load"}) add("pair " + first + " " + second);
    for (const std::string which : {"newer", "older"})
      for (const std::string what : {"bits header", "bits page", "unreadable page"}) add(what + " " + which);
    // A torn header does not count as a header.
    for (const std::string state : {"gone behind clear_header", "gone behind clear_discarded",
                                    "there behind save_header", "gone behind save_header"})
      add("version " + state);
    for (const std::string held : {"1", "2"})
      for (const std::string what : {"discard", "restore", "write_again"}) add(what + " of " + held);
    for (const std::string held : {"0", "1", "2"}) add("write of " + held);
  }
  void count(const std::string& name) {
    const auto at = counts_.find(name);
    if (at == counts_.end()) throw std::logic_error("a state that is not listed: " + name);
    ++at->second;
  }
  std::vector<std::string> not_reached() const {
    std::vector<std::string> names;
    for (const auto& [name, count] : counts_)
      if (count == 0) names.push_back(name);
    return names;
  }

 private:
  void add(const std::string& name) { counts_[name] = 0; }
  std::map<std::string, std::uint64_t> counts_;
};

class Trial : TwoRegions<2000> {
 public:
  Trial(std::uint64_t seed, bool is_stack, States& states) : random_(seed), states_(states) {
    machine.reset();
    machine.has_pcram = true;
    machine.is_stack = is_stack;
    machine.has_dimm_ssd = false;  // it would take what PCRAM refuses
    start();
  }

  // The number of power failures.
  unsigned run(unsigned steps) {
    for (unsigned i = 0; i < steps; ++i) {
      switch (below(10)) {
        case 0:
          restart(below(2) != 0);
          break;
        case 1:
          discard();
          break;
        case 2:
          restore();
          break;
        case 3:
          lose_bits();
          break;
        default:
          write();
      }
      check();
    }
    return cuts_;
  }

 private:
  static constexpr std::uint64_t magic = 0x324d415243505453;
  static constexpr std::size_t version_at = 40;  // in a header

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  std::string held() const { return std::to_string(held_.size()); }

  void start() {
    checkpoint_initialize();
    if (checkpoint_use_pcram(0, true) != checkpoint_ok) throw Failure("PCRAM is not there");
    protect();
  }
  void restart(bool power) {
    if (power)
      machine.power_loss();
    else
      machine.warm_reset();
    calm();
    start();
  }
  static void calm() {
    machine.next_pcram_error = pcram_ok;
    machine.saves_until_pcram_error = 0;
    machine.lines_until_power_failure = machine.loads_until_power_failure = -1;
  }

  // ---- interrupted commands ----

  static std::string slot_of(std::uint32_t place) {
    const std::uint32_t size = machine.is_stack ? pcram_layer_pages() : pcram_pages() / 2;
    return std::to_string(place / size);
  }
  // A step of a write: with two slots in use, the first page that is saved is a cleared header.
  std::string step_of_write(const TestMachine::Stop& stop) const {
    if (stop.first_word == magic) return "save_header";
    const std::uint32_t cleared = stop.saved - saved_before_ != 0 && clears_first_ ? 1 : 0;
    const std::uint32_t page = stop.saved - saved_before_ - cleared;
    if (stop.first_word == 0 && stop.saved == saved_before_) return "clear_header";
    if (stop.first_word == 0) return "clear_other";
    return page == 0 ? "first_page" : page + 1 == checkpoint_pages() ? "last_page" : "middle_page";
  }
  static bool is_page(const std::string& step) { return step.find("page") != std::string::npos; }

  void power_failure(const std::string& step) {
    ++cuts_;
    const TestMachine::Stop& stop = *machine.stopped;
    states_.count("power failure " + step + " slot " + slot_of(stop.place));
    if (step != "clear_header") states_.count("power failure " + step + " of " + held());
    if (!is_page(step) && step != "load")
      states_.count("line " + std::to_string(std::min<std::size_t>(stop.line, 2)) + " of " + step);
    const std::string simple = is_page(step) ? "page" : step;
    if (last_cut_ && *last_cut_ != "clear_other" && *last_cut_ != "clear_discarded" &&
        simple.rfind("clear", 0) != 0)
      states_.count("pair " + *last_cut_ + " " + simple);
    last_cut_ = simple;
    restart(true);
  }
  void refused(const std::string& step, PcramError error) {
    states_.count(std::string("error ") + (error == pcram_bus_error ? "bus_error" : "worn_out") + " at " +
                  (is_page(step) ? "page" : step));
    has_refused_clear_ = has_refused_clear_ || step.rfind("clear", 0) == 0;
    // The level hides what it could not discard until it is started again.
    if (step != "clear_discarded" || error != pcram_bus_error || below(2) != 0) restart(below(2) != 0);
  }

  // ---- operations ----

  void write() {
    const bool again = !held_.empty() && below(4) == 0;
    // A number may be used again after a discard.
    const bool anew = versions_ != 0 && below(6) == 0;
    const std::uint64_t version = again  ? held_[below(held_.size())]
                                  : anew ? 1 + below(versions_)
                                         : ++versions_;
    const std::uint64_t contents = ++contents_;
    states_.count((again ? "write_again of " : "write of ") + held());
    // The slot that was not used last is overwritten.
    if (held_.size() == 2) gone_ = held_.front();
    must_.clear();
    if (!held_.empty()) must_.push_back(held_.size() == 2 ? held_.back() : held_.front());
    may_hold_[version].insert(contents);
    fill(contents);
    clears_first_ = held_.size() == 2;
    saved_before_ = machine.pages_saved;
    const auto dice = below(8);
    const PcramError error = below(2) != 0 ? pcram_bus_error : pcram_worn_out;
    if (dice < 3) {
      const std::uint64_t page = below(checkpoint_pages() + 3);
      machine.lines_until_power_failure =
          static_cast<int>(page * 64 + (below(2) != 0 ? below(3) : below(64)));
    } else if (dice == 3) {
      machine.next_pcram_error = error;
      machine.saves_until_pcram_error = static_cast<int>(below(5));
    }
    machine.stopped.reset();
    try {
      const CheckpointStatus status = checkpoint_write("a", version);
      if (status == checkpoint_ok) {
        may_hold_[version] = {contents};
        must_.push_back(version);
        last_cut_.reset();
      } else if (!machine.stopped) {
        throw Failure("a write fails without a reason");
      } else {
        refused(step_of_write(*machine.stopped), error);
      }
    } catch (const PowerLoss&) {
      const std::string step = step_of_write(*machine.stopped);
      power_failure(step);
      if (step == "clear_header" && gone_) count_version(step, *gone_);
      if (step == "save_header" && !again) count_version(step, version);
    }
    calm();
    gone_.reset();
  }

  void count_version(const std::string& step, std::uint64_t version) {
    states_.count(std::string("version ") + (is_there(version) ? "there" : "gone") + " behind " + step);
  }

  void discard() {
    if (held_.empty()) return;
    states_.count("discard of " + held());
    const std::uint64_t version = held_[below(held_.size())];
    must_ = held_;
    std::erase(must_, version);
    const auto dice = below(4);
    const PcramError error = below(2) != 0 ? pcram_bus_error : pcram_worn_out;
    if (dice == 0) machine.lines_until_power_failure = static_cast<int>(below(2) != 0 ? below(3) : below(64));
    if (dice == 1) machine.next_pcram_error = error;
    machine.stopped.reset();
    try {
      if (checkpoint_discard("a", version) != checkpoint_ok) throw Failure("a discard is refused");
      if (is_there(version)) throw Failure("a version is there that was discarded");
      if (machine.stopped)
        refused("clear_discarded", error);
      else if (!has_refused_clear_)
        may_hold_.erase(version);
    } catch (const PowerLoss&) {
      power_failure("clear_discarded");
      count_version("clear_discarded", version);
    }
    calm();
  }

  void restore() {
    if (held_.empty()) return;
    states_.count("restore of " + held());
    const std::size_t which = below(held_.size());
    const std::uint64_t version = held_[which];
    must_ = held_;
    const auto dice = below(4);
    if (dice == 0) machine.loads_until_power_failure = static_cast<int>(below(checkpoint_pages()));
    if (dice == 1) machine.next_pcram_error = pcram_uncorrectable;
    try {
      fill(0);
      const CheckpointStatus status = checkpoint_restore("a", version);
      if (dice == 1) {
        if (status == checkpoint_ok) throw Failure("a checkpoint is restored that cannot be read");
        states_.count(std::string("unreadable page ") + (which + 1 == held_.size() ? "newer" : "older"));
        std::erase(must_, version);
      } else if (status != checkpoint_ok || !is_one_of(version)) {
        throw Failure("a version is not restored");
      }
    } catch (const PowerLoss&) {
      power_failure("load");
    }
    calm();
  }

  // Flips bits of cells, which only a checksum detects.
  void lose_bits() {
    if (held_.empty()) return;
    const std::size_t which = below(held_.size());
    const std::uint64_t version = held_[which];
    must_ = held_;
    const std::string order = which + 1 == held_.size() ? " newer" : " older";
    std::erase(must_, version);
    if (below(2) != 0) {
      states_.count("bits header" + order);
      for (const std::uint32_t header : headers_of(version))
        machine.pcram[header][below(80)] ^= static_cast<std::uint8_t>(1u << below(8));
      restart(below(2) != 0);
      if (is_there(version)) throw Failure("a broken header is taken");
    } else {
      states_.count("bits page" + order);
      for (const std::uint32_t header : headers_of(version)) flip_page(header);
      fill(0);
      if (checkpoint_restore("a", version) == checkpoint_ok) throw Failure("broken contents are restored");
    }
  }
  // Reads the cells. There may be a second checkpoint, which is torn or could not be cleared.
  static std::vector<std::uint32_t> headers_of(std::uint64_t version) {
    std::vector<std::uint32_t> found;
    for (const auto& [place, page] : machine.pcram) {
      std::uint64_t word, of;
      std::memcpy(&word, page.data(), sizeof word);
      std::memcpy(&of, page.data() + version_at, sizeof of);
      if (word == magic && of == version) found.push_back(place);
    }
    return found;
  }
  void flip_page(std::uint32_t header) {
    const std::uint32_t slot = slot_of(header) == "0" ? 0 : 1;
    const std::uint32_t place = machine.is_stack ? pcram_place_of(&vector[1000], slot) : header + 3;
    machine.pcram[place][below(4096)] ^= static_cast<std::uint8_t>(1u << below(8));
  }

  // ---- conditions ----

  static std::vector<std::uint64_t> there() {
    std::vector<std::uint64_t> found;
    std::uint64_t version = checkpoint_any_version;
    while (checkpoint_find_newest("a", version, &version) == checkpoint_ok) {
      found.push_back(version);
      if (version-- == 0) break;
    }
    return found;
  }
  static bool is_there(std::uint64_t version) {
    const std::vector<std::uint64_t> all = there();
    return std::ranges::find(all, version) != all.end();
  }

  // holds() overwrites the regions with the expected contents.
  bool is_one_of(std::uint64_t version) const {
    const std::vector<std::uint64_t> words(std::begin(vector), std::end(vector));
    const std::string label = text;
    return std::ranges::any_of(may_hold_.at(version), [&](std::uint64_t contents) {
      std::ranges::copy(words, vector);
      std::memcpy(text, label.c_str(), label.size() + 1);
      return holds(contents);
    });
  }

  // The next write does not overwrite the version that was read last.
  void check() {
    std::vector<std::uint64_t> found = there();
    for (const std::uint64_t version : must_)
      if (std::ranges::find(found, version) == found.end())
        throw Failure("version " + std::to_string(version) + " was reported safe and is gone");
    std::ranges::shuffle(found, random_);
    for (const std::uint64_t version : found) {
      if (!may_hold_.contains(version)) throw Failure("a version is found that was never written");
      fill(0);
      if (checkpoint_restore("a", version) != checkpoint_ok || !is_one_of(version))
        throw Failure("version " + std::to_string(version) + " is found and is not what was written");
    }
    held_ = must_ = found;
  }

  std::mt19937_64 random_;
  States& states_;
  std::vector<std::uint64_t> held_;                            // versions, the one used last at the end
  std::vector<std::uint64_t> must_;                            // versions of these that must be found
  std::map<std::uint64_t, std::set<std::uint64_t>> may_hold_;  // contents written as each version
  std::uint64_t versions_ = 0, contents_ = 0;
  bool clears_first_ = false;
  bool has_refused_clear_ = false;  // the cells keep a checkpoint that was discarded
  std::uint32_t saved_before_ = 0;
  std::optional<std::uint64_t> gone_;
  std::optional<std::string> last_cut_;
  unsigned cuts_ = 0;
};

class PcramLevelTrial : public testing::TestWithParam<bool> {};

TEST_P(PcramLevelTrial, ReportedCheckpointsAreKeptAndEveryListedStateIsReached) {
  States states;
  unsigned power_failures = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) try {
      power_failures += Trial(seed, GetParam(), states).run(30);
    } catch (const Failure& failure) {
      FAIL() << "seed " << seed << ": " << failure.what();
    }
  EXPECT_GT(power_failures, 5000u);
  EXPECT_THAT(states.not_reached(), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(OnModulesAndStack, PcramLevelTrial, testing::Bool(),
                         [](const auto& info) { return info.param ? "Stack" : "Modules"; });

}  // namespace
