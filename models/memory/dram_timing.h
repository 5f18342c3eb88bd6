// The timing constraints of a DRAM part as rows of data, and the one checker that reads them.
//
// A row gives the number of clocks after a `previous` command at which a `next` one may follow, within its
// scope: "rank, read, write, 9". A window of n counts from the nth last `previous` (tFAW: four activates).
// Sources: JESD79-3F, JESD79-4, JESD79-5, JESD235, JESD238 and JESD209-5, with the names of dram_part.h. That
// a bus for commands carries one command at a time is not in the table.
//
// A refresh is that of a whole rank, or that of the same bank of each group or of a single bank, which leaves
// the others usable; precharge_all closes what it refreshes. Each kind has rows of its own.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "memory/dram_part.h"

namespace asterism {

enum class DramCommand : std::uint8_t {
  activate,
  precharge,
  precharge_all,  // of the banks of a refresh
  read,
  write,
  read_precharge,  // the row closes by itself afterwards
  write_precharge,
  refresh,
};
constexpr std::size_t dram_commands = 8;

enum class TimingScope : std::uint8_t { channel, rank, bank_group, bank, other_rank };

struct TimingRule {
  TimingScope scope;
  DramCommand previous, next;
  std::uint32_t latency;     // clocks
  std::uint32_t window = 1;  // at most 4

  bool operator==(const TimingRule&) const = default;
};
constexpr std::uint32_t max_window = 4;

// By banks: refreshes are those of part.bank_refresh.
std::vector<TimingRule> timing_rules(const DramPart& part, bool by_banks = false);

// The banks that a refresh covers are as many successive ones of a rank as this.
inline std::uint32_t refreshed_banks(const DramPart& part, bool by_banks) {
  return by_banks ? part.bank_refresh->banks : part.banks;
}

// The clocks for which a command occupies its bus.
std::uint32_t command_clocks(const DramTiming& timing, DramCommand command);

using Tick = std::uint64_t;  // clocks of the part since the simulation began

// Computes the time at which each command may be issued after the commands so far. Banks are numbered within
// their rank; bank % bank groups, a power of two, is the group. `ranks` counts those of all pseudo-channels;
// rank % pseudo-channels is the pseudo-channel. A read or write that closes its row may be issued when a
// plain one may, for which to ask.
class DramTimingState {
 public:
  DramTimingState(const DramPart& part, std::uint32_t ranks, bool by_banks = false);

  // For precharge_all and refresh of a rank any bank may be given.
  Tick earliest(DramCommand command, std::uint32_t rank, std::uint32_t bank) const {
    return std::max({of_bank(command, rank, bank), of_group(command, rank, bank), of_rank(command, rank)});
  }
  // The same by the rules of one scope each; those of the channel and of other ranks are in of_rank().
  Tick of_bank(DramCommand command, std::uint32_t rank, std::uint32_t bank) const {
    return banks_[rank * banks_per_rank_ + bank].at[static_cast<std::size_t>(command)];
  }
  Tick of_group(DramCommand command, std::uint32_t rank, std::uint32_t bank) const {
    return groups_[rank * groups_per_rank_ + group(bank)].at[static_cast<std::size_t>(command)];
  }
  Tick of_rank(DramCommand command, std::uint32_t rank) const {
    return ranks_[rank].at[static_cast<std::size_t>(command)];
  }
  // When all banks of a refresh, from this one on, may be given the command.
  Tick earliest_of_refresh(DramCommand command, std::uint32_t rank, std::uint32_t first) const {
    Tick latest = earliest(command, rank, first);
    for (std::uint32_t bank = first + 1; has_bank_rules_ && bank < first + refreshed_banks_; ++bank)
      latest = std::max(latest, earliest(command, rank, bank));
    return latest;
  }
  // Commands may be given in any order of time: each rule keeps the latest bound. For precharge_all and
  // refresh, `bank` is the first one that they cover.
  void issue(DramCommand command, std::uint32_t rank, std::uint32_t bank, Tick at);
  void reset();

 private:
  struct alignas(64) Ready {
    std::array<Tick, dram_commands> at{};
  };
  struct Rule {
    std::uint32_t latency;
    std::uint8_t next;
    std::uint8_t window;
  };
  // The rules of a previous command that bound the same: they are applied together.
  enum Bounded : std::uint8_t { one_bank, one_group, one_rank, by_window, all_ranks, other_ranks, bounded };
  struct History {  // the last activates of a rank, the oldest at `next`
    std::array<Tick, max_window> at{};
    std::uint32_t next = 0, count = 0;
  };

  static Bounded bounded_by(const TimingRule& rule);
  std::span<const Rule> after(DramCommand command, Bounded what) const {
    const std::size_t i = static_cast<std::size_t>(command) * bounded + what;
    return {rules_.data() + first_[i], first_[i + 1] - first_[i]};
  }
  static void raise(Ready& ready, std::span<const Rule> rules, Tick at) {
    for (const Rule& rule : rules) ready.at[rule.next] = std::max(ready.at[rule.next], at + rule.latency);
  }
  std::uint32_t group(std::uint32_t bank) const { return bank & (groups_per_rank_ - 1); }
  static void bound_window(const Rule& rule, const History& history, Ready& ready);

  std::uint32_t ranks_count_, banks_per_rank_, groups_per_rank_, pseudo_channels_, refreshed_banks_;
  bool has_bank_rules_;      // of refreshes
  std::vector<Rule> rules_;  // by the previous command, and by what they bound
  std::array<std::uint32_t, dram_commands * bounded + 1> first_{};
  std::vector<Ready> ranks_, groups_, banks_;
  std::vector<std::array<History, dram_commands>> histories_;  // by rank
};

}  // namespace asterism
