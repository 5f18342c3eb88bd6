#include "memory/dram_timing.h"

#include <algorithm>

namespace asterism {
namespace {

constexpr auto bank = TimingScope::bank, bank_group = TimingScope::bank_group, rank = TimingScope::rank,
               other_rank = TimingScope::other_rank;
constexpr auto ACT = DramCommand::activate, PRE = DramCommand::precharge, PREA = DramCommand::precharge_all,
               RD = DramCommand::read, WR = DramCommand::write, RDA = DramCommand::read_precharge,
               WRA = DramCommand::write_precharge, REF = DramCommand::refresh;

std::uint32_t count(Cycles c) { return static_cast<std::uint32_t>(c.count()); }

struct Clocks {
  std::uint32_t cl, cwl, trcd, trcd_wr, trp, tras, trc, tccd_s, tccd_l, tccd_l_wr, trrd_s, trrd_l, tfaw, twr,
      trtp, twtr_s, twtr_l, trfc, trtrs, burst;

  explicit Clocks(const DramTiming& t) {
    cl = count(t.cl), cwl = count(t.cwl), trp = count(t.trp), tras = count(t.tras), trc = count(t.trc);
    trcd = count(t.trcd), trcd_wr = count(t.trcd_wr.value_or(t.trcd));
    tccd_s = count(t.tccd_s), tccd_l = count(t.tccd_l), tccd_l_wr = count(t.tccd_l_wr.value_or(t.tccd_l));
    trrd_s = count(t.trrd_s), trrd_l = count(t.trrd_l), tfaw = count(t.tfaw);
    twr = count(t.twr), trtp = count(t.trtp), twtr_s = count(t.twtr_s), twtr_l = count(t.twtr_l);
    trfc = count(t.trfc), trtrs = count(t.trtrs), burst = t.burst_clocks();
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

void add_columns(std::vector<TimingRule>& rules, const Clocks& t, std::uint32_t read_to_write) {
  add(rules, rank, RD, RD, t.tccd_s);
  add(rules, rank, WR, WR, t.tccd_s);
  add(rules, rank, RD, WR, read_to_write);
  add(rules, rank, WR, RD, t.written() + t.twtr_s);
  add(rules, bank_group, RD, RD, t.tccd_l);
  add(rules, bank_group, WR, WR, t.tccd_l_wr);
  add(rules, bank_group, WR, RD, t.written() + t.twtr_l);
  add(rules, other_rank, RD, RD, t.burst + t.trtrs);
  add(rules, other_rank, WR, WR, t.burst + t.trtrs);
  add(rules, other_rank, RD, WR, t.read_to_write());
  add(rules, other_rank, WR, RD, t.write_to_read());
  add(rules, bank, ACT, RD, t.trcd);
  add(rules, bank, ACT, WR, t.trcd_wr);
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
  };
  rules.insert(rules.end(), rows.begin(), rows.end());
}

// The rows of refreshes of a rank, or of banks, and of the precharges before them.
void add_refreshes(std::vector<TimingRule>& rules, const Clocks& t, TimingScope scope, std::uint32_t trfc) {
  const std::vector<TimingRule> rows = {
      {scope, ACT, PREA, t.tras},
      {scope, RD, PREA, t.trtp},
      {scope, WR, PREA, t.written() + t.twr},
      {scope, RDA, PREA, t.trtp},
      {scope, WRA, PREA, t.written() + t.twr},
      {scope, PREA, ACT, t.trp},
      {scope, ACT, REF, t.trc},
      {scope, PRE, REF, t.trp},
      {scope, PREA, REF, t.trp},
      {scope, RDA, REF, t.trtp + t.trp},
      {scope, WRA, REF, t.written() + t.twr + t.trp},
      {scope, WR, REF, t.written() + t.twr + t.trp},  // where a read after it closes the row
      {scope, REF, ACT, trfc},
      {scope, REF, PREA, trfc},
      {scope, REF, REF, trfc},
  };
  rules.insert(rules.end(), rows.begin(), rows.end());
}

}  // namespace

std::uint32_t command_clocks(const DramTiming& timing, DramCommand command) {
  switch (command) {
    case ACT:
      return static_cast<std::uint32_t>(timing.activate_clocks());
    case RD:
    case WR:
    case RDA:
    case WRA:
      return static_cast<std::uint32_t>(timing.column_clocks());
    default:
      return 1;
  }
}

std::vector<TimingRule> timing_rules(const DramPart& part, bool by_banks) {
  const DramTiming& timing = part.timing;
  const Clocks t(timing);
  std::vector<TimingRule> rules;
  add_columns(rules, t, timing.trtw ? count(*timing.trtw) : t.read_to_write());
  add_rows(rules, t);
  if (by_banks) {
    const BankRefresh& refresh = *part.bank_refresh;
    add_refreshes(rules, t, bank, count(refresh.trfc));
    rules.push_back({rank, REF, ACT, count(refresh.trrefd)});
    rules.push_back({rank, REF, REF, count(refresh.trefresh)});
    rules.push_back({rank, ACT, REF, t.trrd_s});
  } else {
    add_refreshes(rules, t, rank, t.trfc);
  }
  if (timing.tppd)
    for (const DramCommand previous : {PRE, PREA})
      for (const DramCommand next : {PRE, PREA}) rules.push_back({rank, previous, next, count(*timing.tppd)});
  // Without bank groups their rules are the same as those of the rank.
  if (part.bank_groups == 1) std::erase_if(rules, [](const TimingRule& r) { return r.scope == bank_group; });
  // From the first clock of a command to the first of another.
  for (TimingRule& rule : rules) {
    const std::uint32_t from_first = rule.latency + command_clocks(timing, rule.previous);
    rule.latency = from_first - std::min(from_first, command_clocks(timing, rule.next));
  }
  return rules;
}

DramTimingState::DramTimingState(const DramPart& part, std::uint32_t ranks, bool by_banks)
    : ranks_count_(ranks),
      banks_per_rank_(part.banks),
      groups_per_rank_(part.bank_groups),
      pseudo_channels_(part.pseudo_channels),
      refreshed_banks_(asterism::refreshed_banks(part, by_banks)),
      has_bank_rules_(by_banks),
      ranks_(ranks),
      groups_(std::size_t{ranks} * part.bank_groups),
      banks_(std::size_t{ranks} * part.banks),
      histories_(ranks) {
  for (std::size_t c = 0; c < dram_commands; ++c) {
    for (std::size_t what = 0; what < bounded; ++what) {
      first_[c * bounded + what] = static_cast<std::uint32_t>(rules_.size());
      for (const TimingRule& rule : timing_rules(part, by_banks)) {
        if (rule.previous != static_cast<DramCommand>(c) || bounded_by(rule) != what) continue;
        if (rule.next == RDA || rule.next == WRA) continue;                     // as a plain read or write
        if (what == other_ranks && ranks_count_ == pseudo_channels_) continue;  // there are none
        rules_.push_back(
            {rule.latency, static_cast<std::uint8_t>(rule.next), static_cast<std::uint8_t>(rule.window)});
      }
    }
  }
  first_.back() = static_cast<std::uint32_t>(rules_.size());
}

DramTimingState::Bounded DramTimingState::bounded_by(const TimingRule& rule) {
  switch (rule.scope) {
    case TimingScope::channel:
      return all_ranks;
    case TimingScope::rank:
      return rule.window > 1 ? by_window : one_rank;
    case TimingScope::bank_group:
      return one_group;
    case TimingScope::bank:
      return one_bank;
    case TimingScope::other_rank:
      break;
  }
  return other_ranks;
}

void DramTimingState::reset() {
  for (auto* level : {&ranks_, &groups_, &banks_}) std::ranges::fill(*level, Ready{});
  std::ranges::fill(histories_, std::array<History, dram_commands>{});
}

void DramTimingState::issue(DramCommand command, std::uint32_t rank, std::uint32_t bank, Tick at) {
  Ready* const of_bank = &banks_[rank * banks_per_rank_ + bank];
  const bool is_of_refresh = command == DramCommand::refresh || command == DramCommand::precharge_all;
  raise(*of_bank, after(command, one_bank), at);
  for (std::uint32_t b = 1; is_of_refresh && b < refreshed_banks_; ++b)
    raise(of_bank[b], after(command, one_bank), at);
  raise(groups_[rank * groups_per_rank_ + group(bank)], after(command, one_group), at);
  raise(ranks_[rank], after(command, one_rank), at);
  if (const std::span<const Rule> rules = after(command, by_window); !rules.empty()) {
    History& history = histories_[rank][static_cast<std::size_t>(command)];
    history.at[history.next] = at;
    history.next = (history.next + 1) % max_window;
    history.count = std::min(history.count + 1, max_window);
    for (const Rule& rule : rules) bound_window(rule, history, ranks_[rank]);
  }
  if (const std::span<const Rule> rules = after(command, all_ranks); !rules.empty())
    for (Ready& ready : ranks_) raise(ready, rules, at);
  if (const std::span<const Rule> rules = after(command, other_ranks); !rules.empty())
    for (std::uint32_t r = rank % pseudo_channels_; r < ranks_count_; r += pseudo_channels_)
      if (r != rank) raise(ranks_[r], rules, at);
}

void DramTimingState::bound_window(const Rule& rule, const History& history, Ready& ready) {
  if (history.count < rule.window) return;
  const std::uint32_t oldest = (history.next + max_window - rule.window) % max_window;
  ready.at[rule.next] = std::max(ready.at[rule.next], history.at[oldest] + rule.latency);
}

}  // namespace asterism
