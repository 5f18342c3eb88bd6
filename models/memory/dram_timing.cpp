#include "memory/dram_timing.h"

#include <algorithm>

namespace asterism {
namespace {

constexpr auto bank = TimingScope::bank, bank_group = TimingScope::bank_group, rank = TimingScope::rank,
               other_rank = TimingScope::other_rank;
constexpr auto ACT = DramCommand::activate, PRE = DramCommand::precharge, PREA = DramCommand::precharge_all,
               RD = DramCommand::read, WR = DramCommand::write, RDA = DramCommand::read_precharge,
               WRA = DramCommand::write_precharge, REF = DramCommand::refresh;

struct Clocks {
  std::uint32_t cl, cwl, trcd, trp, tras, trc, tccd_s, tccd_l, trrd_s, trrd_l, tfaw, twr, trtp, twtr_s,
      twtr_l, trfc, trtrs, burst;

  explicit Clocks(const DramTiming& t) {
    const auto n = [](Cycles c) { return static_cast<std::uint32_t>(c.count()); };
    cl = n(t.cl), cwl = n(t.cwl), trcd = n(t.trcd), trp = n(t.trp), tras = n(t.tras), trc = n(t.trc);
    tccd_s = n(t.tccd_s), tccd_l = n(t.tccd_l), trrd_s = n(t.trrd_s), trrd_l = n(t.trrd_l), tfaw = n(t.tfaw);
    twr = n(t.twr), trtp = n(t.trtp), twtr_s = n(t.twtr_s), twtr_l = n(t.twtr_l), trfc = n(t.trfc);
    trtrs = n(t.trtrs), burst = t.burst / 2;
  }
  std::uint32_t written() const { return cwl + burst; }  // write to its last beat
  // The data bus from one command's burst to another's, with a gap of trtrs.
  std::uint32_t read_to_write() const { return cl + burst + trtrs - cwl; }
  std::uint32_t write_to_read() const { return written() + trtrs > cl ? written() + trtrs - cl : 1; }
};

// A row for each of read and read_precharge, write and write_precharge.
void add(std::vector<TimingRule>& rules, TimingScope scope, DramCommand previous, DramCommand next,
         std::uint32_t latency) {
  const auto both = [](DramCommand c) -> std::vector<DramCommand> {
    if (c == RD) return {RD, RDA};
    if (c == WR) return {WR, WRA};
    return {c};
  };
  for (const DramCommand p : both(previous))
    for (const DramCommand n : both(next)) rules.push_back({scope, p, n, latency});
}

void add_columns(std::vector<TimingRule>& rules, const Clocks& t) {
  add(rules, rank, RD, RD, t.tccd_s);
  add(rules, rank, WR, WR, t.tccd_s);
  add(rules, rank, RD, WR, t.read_to_write());
  add(rules, rank, WR, RD, t.written() + t.twtr_s);
  add(rules, bank_group, RD, RD, t.tccd_l);
  add(rules, bank_group, WR, WR, t.tccd_l);
  add(rules, bank_group, WR, RD, t.written() + t.twtr_l);
  add(rules, other_rank, RD, RD, t.burst + t.trtrs);
  add(rules, other_rank, WR, WR, t.burst + t.trtrs);
  add(rules, other_rank, RD, WR, t.read_to_write());
  add(rules, other_rank, WR, RD, t.write_to_read());
  add(rules, bank, ACT, RD, t.trcd);
  add(rules, bank, ACT, WR, t.trcd);
}

void add_rows(std::vector<TimingRule>& rules, const Clocks& t) {
  const std::vector<TimingRule> rows = {
      {rank, ACT, ACT, t.trrd_s},
      {bank_group, ACT, ACT, t.trrd_l},
      {rank, ACT, ACT, t.tfaw, 4},
      {bank, ACT, ACT, t.trc},
      {bank, ACT, PRE, t.tras},
      {bank, RD, PRE, t.trtp},
      {bank, WR, PRE, t.written() + t.twr},
      {bank, PRE, ACT, t.trp},
      {bank, RDA, ACT, t.trtp + t.trp},
      {bank, WRA, ACT, t.written() + t.twr + t.trp},
      {bank, WR, ACT, t.written() + t.twr + t.trp},  // where a read after it closes the row
      // A whole rank.
      {rank, ACT, PREA, t.tras},
      {rank, RD, PREA, t.trtp},
      {rank, WR, PREA, t.written() + t.twr},
      {rank, RDA, PREA, t.trtp},
      {rank, WRA, PREA, t.written() + t.twr},
      {rank, PREA, ACT, t.trp},
      {rank, ACT, REF, t.trc},
      {rank, PRE, REF, t.trp},
      {rank, PREA, REF, t.trp},
      {rank, RDA, REF, t.trtp + t.trp},
      {rank, WRA, REF, t.written() + t.twr + t.trp},
      {rank, REF, ACT, t.trfc},
      {rank, REF, PREA, t.trfc},
      {rank, REF, REF, t.trfc},
  };
  rules.insert(rules.end(), rows.begin(), rows.end());
}

void raise(Tick& bound, Tick to) { bound = std::max(bound, to); }

}  // namespace

std::vector<TimingRule> timing_rules(const DramPart& part) {
  const Clocks t(part.timing);
  std::vector<TimingRule> rules;
  add_columns(rules, t);
  add_rows(rules, t);
  // Without bank groups their rules are the same as those of the rank.
  if (part.bank_groups == 1) std::erase_if(rules, [](const TimingRule& r) { return r.scope == bank_group; });
  return rules;
}

DramTimingState::DramTimingState(const DramPart& part, std::uint32_t ranks)
    : ranks_count_(ranks),
      banks_per_rank_(part.banks),
      groups_per_rank_(part.bank_groups),
      ranks_(ranks),
      groups_(std::size_t{ranks} * part.bank_groups),
      banks_(std::size_t{ranks} * part.banks),
      histories_(ranks) {
  const std::vector<TimingRule> rules = timing_rules(part);
  for (std::size_t c = 0; c < dram_commands; ++c) {
    first_[c] = static_cast<std::uint32_t>(rules_.size());
    for (const TimingRule& rule : rules) {
      if (rule.previous != static_cast<DramCommand>(c)) continue;
      rules_.push_back({rule.scope, static_cast<std::uint8_t>(rule.next),
                        static_cast<std::uint8_t>(rule.window), rule.latency});
      has_window_[c] = has_window_[c] || rule.window > 1;
    }
  }
  first_[dram_commands] = static_cast<std::uint32_t>(rules_.size());
}

void DramTimingState::reset() {
  for (auto* level : {&ranks_, &groups_, &banks_}) std::ranges::fill(*level, Ready{});
  std::ranges::fill(histories_, std::array<History, dram_commands>{});
}

void DramTimingState::issue(DramCommand command, std::uint32_t rank, std::uint32_t bank, Tick at) {
  const auto c = static_cast<std::size_t>(command);
  if (has_window_[c]) {
    History& history = histories_[rank][c];
    history.at[history.next] = at;
    history.next = (history.next + 1) % max_window;
    history.count = std::min(history.count + 1, max_window);
  }
  Ready& of_rank = ranks_[rank];
  Ready& of_group = groups_[rank * groups_per_rank_ + bank % groups_per_rank_];
  Ready& of_bank = banks_[rank * banks_per_rank_ + bank];
  for (const Rule& rule : after(command)) {
    const Tick bound = at + rule.latency;
    switch (rule.scope) {
      case TimingScope::bank:
        raise(of_bank.at[rule.next], bound);
        break;
      case TimingScope::bank_group:
        raise(of_group.at[rule.next], bound);
        break;
      case TimingScope::rank:
        if (rule.window == 1)
          raise(of_rank.at[rule.next], bound);
        else
          bound_window(rule, command, rank);
        break;
      case TimingScope::channel:
        for (Ready& ready : ranks_) raise(ready.at[rule.next], bound);
        break;
      case TimingScope::other_rank:
        for (std::uint32_t r = 0; r < ranks_count_; ++r)
          if (r != rank) raise(ranks_[r].at[rule.next], bound);
        break;
    }
  }
}

void DramTimingState::bound_window(const Rule& rule, DramCommand command, std::uint32_t rank) {
  const History& history = histories_[rank][static_cast<std::size_t>(command)];
  if (history.count < rule.window) return;
  const std::uint32_t oldest = (history.next + max_window - rule.window) % max_window;
  raise(ranks_[rank].at[rule.next], history.at[oldest] + rule.latency);
}

}  // namespace asterism
