#include "memory/dram_channel.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace asterism {
namespace {

constexpr bool is_column(DramCommand c) {
  return c == DramCommand::read || c == DramCommand::write || c == DramCommand::read_precharge ||
         c == DramCommand::write_precharge;
}

// Among the commands of candidates: activates, precharges, and reads or writes.
constexpr std::size_t place_of(DramCommand c) {
  return c == DramCommand::activate ? 0 : c == DramCommand::precharge ? 1 : 2;
}

void push(boost::circular_buffer<DramChannel::Completion>& buffer, DramChannel::Completion completion) {
  if (buffer.full()) buffer.set_capacity(2 * buffer.capacity());
  buffer.push_back(completion);
}

}  // namespace

void DramCounts::count_burst(bool is_write, Tick clocks, Tick waited) {
  data_clocks += clocks;
  (is_write ? write_clocks : read_clocks) += waited;
  std::uint64_t& longest = is_write ? longest_write : longest_read;
  longest = std::max(longest, waited);
}

DramCounts& DramCounts::operator+=(const DramCounts& o) {
  reads += o.reads, writes += o.writes, forwarded += o.forwarded, merged += o.merged, refused += o.refused;
  row_hits += o.row_hits, row_misses += o.row_misses, row_conflicts += o.row_conflicts;
  read_clocks += o.read_clocks, write_clocks += o.write_clocks;
  longest_read = std::max(longest_read, o.longest_read),
  longest_write = std::max(longest_write, o.longest_write);
  data_clocks += o.data_clocks, open_clocks += o.open_clocks;
  for (std::size_t c = 0; c < dram_commands; ++c) commands[c] += o.commands[c];
  return *this;
}

DramChannel::DramChannel(const DramConfig& config, const DramPart& part, std::uint32_t bursts)
    : banks_per_rank_(part.banks),
      refreshed_banks_(refreshed_banks(part, config.refresh == RefreshMode::by_banks)),
      pseudo_channels_(part.pseudo_channels),
      bursts_(bursts),
      read_limit_(config.read_queue),
      write_limit_(config.write_queue),
      write_high_(config.write_high),
      write_low_(config.write_low),
      policy_(config.page_policy),
      read_latency_(part.timing.to_read()),
      write_latency_(part.timing.to_write()),
      burst_(part.timing.burst_clocks()),
      refresh_interval_(part.timing.trefi.count()),
      write_pause_(part.timing.trc.count()),
      starvation_limit_(config.starvation_limit / part.timing.tck),
      refresh_(config.refresh != RefreshMode::none),
      has_column_bus_(part.command_buses == 2),
      refreshed_mask_((~std::uint64_t{0}) >> (64 - refreshed_banks_)),
      all_mask_((~std::uint64_t{0}) >> (64 - banks_per_rank_)),
      timing_(part, config.ranks * part.pseudo_channels, config.refresh == RefreshMode::by_banks),
      ranks_(std::size_t{config.ranks} * part.pseudo_channels),
      banks_(ranks_.size() * part.banks),
      pool_(std::size_t{config.read_queue} + config.write_queue),
      completions_(config.read_queue + 16),
      forwarded_(config.read_queue + 16) {
  for (std::size_t c = 0; c < dram_commands; ++c)
    command_clocks_[c] = command_clocks(part.timing, static_cast<DramCommand>(c));
  if (config.refresh == RefreshMode::by_banks) {
    const BankRefresh& by_banks = *part.bank_refresh;
    refresh_interval_ = by_banks.trefi.count();
    kept_refreshes_ = by_banks.trfc.count() / refresh_interval_ + 2;
    for (const TimingRule& rule : timing_rules(part, true))
      if (rule.scope == TimingScope::rank && rule.previous == DramCommand::activate &&
          rule.next == DramCommand::refresh)
        activate_to_refresh_ = rule.latency;
  }
  postponed_ = config.postponed_refreshes * refresh_interval_ * (banks_per_rank_ / refreshed_banks_);
  reset(0);
}

bool DramChannel::is_on_column_bus(DramCommand command) const {
  return has_column_bus_ && is_column(command);
}

void DramChannel::reset(Tick now) {
  counts_ = counts(now);
  timing_.reset();
  std::ranges::fill(banks_, Bank{});
  const std::size_t ranks = ranks_.size() / pseudo_channels_;
  for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
    ranks_[r] = {};
    if (refresh_)
      ranks_[r].refresh_due = now + refresh_interval_ + r / pseudo_channels_ * refresh_interval_ / ranks;
  }
  free_ = none;
  for (std::size_t i = 0; i < pool_.size(); ++i) pool_[i].next = std::exchange(free_, static_cast<Slot>(i));
  all_reads_ = {};
  reads_ = writes_ = 0;
  draining_ = false;
  drained_ = reads_owed_ = 0;
  bus_free_.fill(now);
  writes_from_ = now;
  completions_.clear();
  forwarded_.clear();
  choose();
}

// ---- requests ----

bool DramChannel::has(const Bank& bank, Kind kind, std::uint32_t row, std::uint32_t column) const {
  for (Slot slot = bank.queue[kind].first; slot != none; slot = pool_[slot].next)
    if (pool_[slot].row == row && pool_[slot].column == column) return true;
  return false;
}

// The oldest request for the bank's open row, from this one on.
DramChannel::Slot DramChannel::next_hit(const Bank& bank, Slot from) const {
  while (from != none && pool_[from].row != bank.open_row) from = pool_[from].next;
  return from;
}

bool DramChannel::submit(Tick now, std::uint64_t id, const BlockLocation& at, bool is_write) {
  if (reads_ + writes_ == 0) skip_refreshes(now);
  while (best_.at < now) issue(best_);
  Bank& bank = banks_[at.rank * banks_per_rank_ + at.bank];
  if (has(bank, write, at.row, at.column)) {
    if (is_write) {
      ++counts_.writes, ++counts_.merged;
    } else {
      ++counts_.reads, ++counts_.forwarded;
      ++counts_.read_clocks;
      counts_.longest_read = std::max<std::uint64_t>(counts_.longest_read, 1);
      push(forwarded_, {now + 1, id});
    }
    return true;
  }
  if (is_write ? writes_ == write_limit_ : reads_ == read_limit_) {
    ++counts_.refused;
    return false;
  }
  take(now, id, at, is_write ? write : read);
  return true;
}

void DramChannel::take(Tick now, std::uint64_t id, const BlockLocation& at, Kind kind) {
  const Kind before = direction();
  const Slot slot = free_;
  Entry& entry = pool_[slot];
  free_ = entry.next;
  entry.id = id, entry.arrival = now, entry.age = ages_++;
  entry.row = at.row, entry.column = at.column;
  entry.rank = static_cast<std::uint16_t>(at.rank);
  entry.bank = static_cast<std::uint16_t>(at.rank * banks_per_rank_ + at.bank);
  entry.counted = false;
  entry.bursts = static_cast<std::uint8_t>(bursts_);
  Bank& bank = banks_[entry.bank];
  Rank& rank = ranks_[at.rank];
  const Tick refresh_began = refresh_begins(at.rank);
  Queue& queue = bank.queue[kind];
  entry.previous = queue.last, entry.next = none;
  (queue.empty() ? queue.first : pool_[queue.last].next) = slot;
  queue.last = slot;
  if (bank.open_row == at.row && bank.hit[kind] == none) bank.hit[kind] = slot;
  rank.requests[kind].waiting |= std::uint64_t{1} << at.bank;
  rank.requests[kind].stale |= std::uint64_t{1} << at.bank;
  const bool is_other_refresh = choose_refresh(rank, now);
  if (kind == read) {
    entry.older = all_reads_.last, entry.younger = none;
    (all_reads_.empty() ? all_reads_.first : pool_[all_reads_.last].younger) = slot;
    all_reads_.last = slot;
    ++counts_.reads, ++reads_;
  } else {
    ++counts_.writes, ++writes_;
    begin_or_end_draining();
  }
  const bool may_postpone =
      postponed_ > 0 && (best_.request == none || refresh_begins(at.rank) != refresh_began);
  if (direction() != before || may_postpone || is_other_refresh) return choose();
  if (kind != before || is_urgent_) return;
  renew_candidate(at.rank, at.bank, kind);
  consider(choice_of(bank.candidate[kind], at.rank, at.bank, kind));
}

void DramChannel::release(Tick now, Slot slot, Kind kind) {
  Entry& entry = pool_[slot];
  Bank& bank = banks_[entry.bank];
  Queue& queue = bank.queue[kind];
  (entry.previous == none ? queue.first : pool_[entry.previous].next) = entry.next;
  (entry.next == none ? queue.last : pool_[entry.next].previous) = entry.previous;
  if (bank.hit[kind] == slot)
    bank.hit[kind] = next_hit(bank, entry.next);  // the requests before it are for other rows
  if (queue.empty()) {
    ranks_[entry.rank].requests[kind].waiting &= ~(std::uint64_t{1} << in_rank(entry));
    choose_refresh(ranks_[entry.rank], now);
  }
  entry.next = std::exchange(free_, slot);
  if (kind == read) {
    (entry.older == none ? all_reads_.first : pool_[entry.older].younger) = entry.younger;
    (entry.younger == none ? all_reads_.last : pool_[entry.younger].older) = entry.older;
    --reads_;
    reads_owed_ = reads_ == 0 || reads_owed_ == 0 ? 0 : reads_owed_ - 1;
  } else {
    --writes_;
    ++drained_;
  }
  begin_or_end_draining();
}

void DramChannel::begin_or_end_draining() {
  if (!draining_) {
    draining_ = writes_ >= write_high_ && reads_owed_ == 0;
    drained_ = 0;
  } else if (writes_ <= write_low_) {
    draining_ = false;
  } else if (drained_ >= write_limit_ && reads_ > 0) {
    draining_ = false;
    reads_owed_ = reads_;
  }
}

// ---- scheduling ----

void DramChannel::find_candidate(Candidate& candidate, std::uint32_t r, std::uint32_t b, Kind kind,
                                 bool oldest_only) const {
  const Bank& bank = banks_[r * banks_per_rank_ + b];
  const bool is_open = bank.open_row != Bank::closed;
  std::uint64_t precedence = std::uint64_t{1} << 62;
  if (is_open && bank.hit[kind] != none && (!oldest_only || bank.hit[kind] == bank.queue[kind].first)) {
    candidate.request = bank.hit[kind];
    candidate.command = kind == read ? DramCommand::read : DramCommand::write;
  } else {
    candidate.request = bank.queue[kind].first;
    candidate.command = is_open ? DramCommand::precharge : DramCommand::activate;
    precedence <<= 1;
  }
  const Entry& entry = pool_[candidate.request];
  candidate.order = precedence | entry.age;
  candidate.from = std::max(timing_.of_bank(candidate.command, r, b), entry.arrival);
}

void DramChannel::renew_candidate(std::uint32_t r, std::uint32_t b, Kind kind) {
  Requests& of = ranks_[r].requests[kind];
  const std::uint64_t bit = std::uint64_t{1} << b;
  of.stale &= ~bit;
  for (std::uint64_t& banks : of.next) banks &= ~bit;
  Candidate& candidate = banks_[r * banks_per_rank_ + b].candidate[kind];
  find_candidate(candidate, r, b, kind, false);
  of.next[place_of(candidate.command)] |= bit;
}

// Finds the candidates again that have changed.
void DramChannel::renew_candidates(std::uint32_t r, Kind kind) {
  const Requests& of = ranks_[r].requests[kind];
  for (std::uint64_t changed = of.waiting & of.stale; changed != 0; changed &= changed - 1)
    renew_candidate(r, static_cast<std::uint32_t>(std::countr_zero(changed)), kind);
}

// The banks of the next refresh.
std::uint64_t DramChannel::covered_by_refresh(const Rank& rank) const {
  return refreshed_mask_ << rank.refresh_from;
}

// The banks with requests.
std::uint64_t DramChannel::wanted_banks(const Rank& rank) {
  return rank.requests[read].waiting | rank.requests[write].waiting;
}

// Whether requests wait for banks of the next refresh.
bool DramChannel::is_wanted(std::uint32_t r) const {
  return (wanted_banks(ranks_[r]) & covered_by_refresh(ranks_[r])) != 0;
}

// From when nothing else starts in these banks.
Tick DramChannel::refresh_forced(const Rank& rank) const {
  return refresh_ ? rank.refresh_due + postponed_ : never;
}

Tick DramChannel::refresh_begins(std::uint32_t r) const {
  return postponed_ > 0 && is_wanted(r) ? refresh_forced(ranks_[r]) : ranks_[r].refresh_due;
}

DramChannel::Choice DramChannel::choice_of(const Candidate& candidate, std::uint32_t r, std::uint32_t b,
                                           Kind kind) const {
  const Tick at = std::max(
      {candidate.from, timing_.of_group(candidate.command, r, b), of_rank(candidate.command, r, kind)});
  const bool is_covered = (covered_by_refresh(ranks_[r]) >> b & 1) != 0;
  const bool is_too_late = (is_covered && at >= refresh_forced(ranks_[r])) ||
                           (candidate.command == DramCommand::activate && at >= activates_end(r));
  return {is_too_late ? never : at, candidate.order, candidate.request, candidate.command, r};
}

// From when an activate of any bank would delay the refresh that is next and due. Activates may follow each
// other sooner than a refresh may follow one, so that it might never come.
Tick DramChannel::activates_end(std::uint32_t r) const {
  if (activate_to_refresh_ == 0 || is_open_to_refresh(r)) return never;
  const Tick delays = refresh_candidate(r).at + 1;
  return std::max(refresh_begins(r) + activate_to_refresh_, delays) - activate_to_refresh_;
}

// Not before, by what all banks of a rank have in common.
Tick DramChannel::of_rank(DramCommand command, std::uint32_t r, Kind kind) const {
  const Tick first = kind == write && !draining_ ? writes_from_ : 0;
  return std::max({timing_.of_rank(command, r), bus_free(command), first});
}

// Chooses the first command for requests of these banks, if it is before the best one so far and before
// `end`.
void DramChannel::consider_banks(std::uint32_t r, std::uint64_t banks, Kind kind, Tick end) {
  Tick at = std::min(best_.at, end);
  std::uint64_t order = at < end ? best_.order : 0;
  const Candidate* found = nullptr;
  for (const DramCommand command : {kind == read ? DramCommand::read : DramCommand::write,
                                    DramCommand::precharge, DramCommand::activate}) {
    std::uint64_t left = banks & ranks_[r].requests[kind].next[place_of(command)];
    if (left == 0) continue;
    const Tick from = of_rank(command, r, kind);
    if (from > at) continue;
    const Tick end_of_command = command == DramCommand::activate ? activates_end(r) : never;
    if (from >= end_of_command) continue;
    for (; left != 0; left &= left - 1) {
      const auto b = static_cast<std::uint32_t>(std::countr_zero(left));
      const Candidate& candidate = banks_[r * banks_per_rank_ + b].candidate[kind];
      const Tick own = std::max({candidate.from, timing_.of_group(command, r, b), from});
      if (own > at || (own == at && candidate.order >= order) || own >= end_of_command) continue;
      at = own, order = candidate.order;
      found = &candidate;
    }
  }
  if (found != nullptr) best_ = {at, order, found->request, found->command, r};
}

DramChannel::Choice DramChannel::refresh_candidate(std::uint32_t r) const {
  const Rank& rank = ranks_[r];
  Choice choice;
  choice.rank = r;
  choice.command = is_open_to_refresh(r) ? DramCommand::precharge_all : DramCommand::refresh;
  choice.at = std::max({refresh_begins(r), timing_.earliest_of_refresh(choice.command, r, rank.refresh_from),
                        bus_free(choice.command)});
  return choice;
}

// Whether a bank that the next refresh covers is open.
bool DramChannel::is_open_to_refresh(std::uint32_t r) const {
  const Rank& rank = ranks_[r];
  if (rank.open_banks == 0 || refreshed_banks_ == banks_per_rank_) return rank.open_banks > 0;
  const Bank* first = &banks_[r * banks_per_rank_ + rank.refresh_from];
  return std::any_of(first, first + refreshed_banks_,
                     [](const Bank& b) { return b.open_row != Bank::closed; });
}

void DramChannel::consider(const Choice& choice) {
  if (choice.at < best_.at || (choice.at == best_.at && choice.order < best_.order)) best_ = choice;
}

void DramChannel::choose() {
  best_ = {};
  is_urgent_ = false;
  const Kind kind = direction();
  for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
    const Rank& rank = ranks_[r];
    const std::uint64_t waiting = rank.requests[kind].waiting, covered = covered_by_refresh(rank);
    if (waiting == 0) continue;
    renew_candidates(r, kind);
    if ((waiting & ~covered) != 0) consider_banks(r, waiting & ~covered, kind, never);
    if ((waiting & covered) != 0) consider_banks(r, waiting & covered, kind, refresh_forced(rank));
  }
  if (kind == read && !all_reads_.empty() && best_.at != never) {
    const Entry& oldest = pool_[all_reads_.first];
    if (best_.at > oldest.arrival + starvation_limit_) {
      is_urgent_ = true;
      const std::uint32_t bank = in_rank(oldest);
      Candidate candidate;
      find_candidate(candidate, oldest.rank, bank, kind, true);
      best_ = choice_of(candidate, oldest.rank, bank, kind);
    }
  }
  if (refresh_)
    for (std::uint32_t r = 0; r < ranks_.size(); ++r)
      if (refresh_begins(r) <= best_.at) consider(refresh_candidate(r));
}

void DramChannel::count_first_command(Entry& entry, DramCommand command) {
  if (entry.counted) return;
  entry.counted = true;
  if (is_column(command))
    ++counts_.row_hits;
  else if (command == DramCommand::activate)
    ++counts_.row_misses;
  else
    ++counts_.row_conflicts;
}

void DramChannel::note(DramCommand command, std::uint32_t rank, std::uint32_t bank, Tick at) {
  timing_.issue(command, rank, bank, at);
  const bool is_of_refresh = command == DramCommand::refresh || command == DramCommand::precharge_all;
  const std::uint64_t changed = is_of_refresh ? covered_by_refresh(ranks_[rank]) : std::uint64_t{1} << bank;
  for (Requests& of : ranks_[rank].requests) of.stale |= changed;
  ++counts_.commands[static_cast<std::size_t>(command)];
  if (log != nullptr) log->push_back({command, rank, bank, at});
}

void DramChannel::find_hits(Bank& bank) {
  for (const Kind kind : {read, write}) bank.hit[kind] = next_hit(bank, bank.queue[kind].first);
}

void DramChannel::open(std::uint32_t rank, std::uint32_t bank, std::uint32_t row, Tick at) {
  if (ranks_[rank].open_banks++ == 0) ranks_[rank].open_since = at;
  Bank& opened = banks_[rank * banks_per_rank_ + bank];
  opened.open_row = row;
  find_hits(opened);
}

void DramChannel::close(std::uint32_t rank, std::uint32_t bank, Tick at) {
  Bank& closed = banks_[rank * banks_per_rank_ + bank];
  closed.open_row = Bank::closed;
  closed.hit = {none, none};
  Rank& of = ranks_[rank];
  if (--of.open_banks == 0 && at > of.open_since) counts_.open_clocks += at - of.open_since;
}

void DramChannel::close_for_refresh(std::uint32_t rank, Tick at) {
  const std::uint32_t from = ranks_[rank].refresh_from;
  for (std::uint32_t b = from; b < from + refreshed_banks_; ++b)
    if (banks_[rank * banks_per_rank_ + b].open_row != Bank::closed) close(rank, b, at);
}

void DramChannel::refreshed(Rank& rank) const {
  rank.refresh_due += refresh_interval_;
  rank.refreshed |= covered_by_refresh(rank);
  if (rank.refreshed == all_mask_) rank.refreshed = 0;
  find_refresh(rank);
}

// Whether the next refresh remains that of these banks, which are closed for it. If it may wait, it does so
// until it is forced; after that no other one takes its place, or it might never come.
bool DramChannel::is_settled(const Rank& rank, Tick now) const {
  if (postponed_ == 0) return rank.is_closing;
  if (now >= refresh_forced(rank)) return true;
  return rank.is_closing && (wanted_banks(rank) & covered_by_refresh(rank)) == 0;
}

bool DramChannel::choose_refresh(Rank& rank, Tick now) const {
  return refreshed_banks_ != banks_per_rank_ && !is_settled(rank, now) && find_refresh(rank);
}

// Of the refreshes that are left in this round, the first one whose banks have no requests. Returns whether
// it is another one than before.
bool DramChannel::find_refresh(Rank& rank) const {
  rank.is_closing = false;
  if (refreshed_banks_ == banks_per_rank_) return false;
  const std::uint64_t left = all_mask_ & ~rank.refreshed;
  const std::uint64_t wanted = wanted_banks(rank);
  auto chosen = static_cast<std::uint32_t>(std::countr_zero(left));
  for (std::uint64_t banks = left; banks != 0;) {
    const auto first = static_cast<std::uint32_t>(std::countr_zero(banks));
    const std::uint64_t covered = refreshed_mask_ << first;
    if ((wanted & covered) == 0) {
      chosen = first;
      break;
    }
    banks &= ~covered;
  }
  return std::exchange(rank.refresh_from, chosen) != chosen;
}

// That many refreshes of a rank without requests.
void DramChannel::skip_refreshes_of(Rank& rank, std::uint64_t count) const {
  const std::uint64_t of_round = banks_per_rank_ / refreshed_banks_;
  for (; count > 0 && rank.refreshed != 0; --count) refreshed(rank);
  rank.refresh_due += count / of_round * of_round * refresh_interval_;
  for (count %= of_round; count > 0; --count) refreshed(rank);
}

// It may be the best one: that changes only at the end.
void DramChannel::issue(const Choice& choice) {
  for (Tick& bus : bus_free_) bus = std::max(bus, choice.at);  // commands are issued in the order of time
  bus_free(choice.command) = choice.at + command_clocks_[static_cast<std::size_t>(choice.command)];
  switch (choice.command) {
    case DramCommand::activate:
    case DramCommand::precharge: {
      Entry& request = pool_[choice.request];
      const std::uint32_t bank = in_rank(request);
      count_first_command(request, choice.command);
      note(choice.command, choice.rank, bank, choice.at);
      if (choice.command == DramCommand::activate)
        open(choice.rank, bank, request.row, choice.at);
      else
        close(choice.rank, bank, choice.at);
      break;
    }
    case DramCommand::precharge_all:
      note(choice.command, choice.rank, ranks_[choice.rank].refresh_from, choice.at);
      close_for_refresh(choice.rank, choice.at);
      ranks_[choice.rank].is_closing = true;
      break;
    case DramCommand::refresh:
      note(choice.command, choice.rank, ranks_[choice.rank].refresh_from, choice.at);
      refreshed(ranks_[choice.rank]);
      break;
    default:
      issue_column(choice);
  }
  choose();
}

// Whether the row closes with this access, when its request has left the queue.
DramCommand DramChannel::column_command(const Bank& bank, Kind kind) const {
  const bool further_hit = bank.hit[read] != none || bank.hit[write] != none;
  const bool closes = !further_hit && (policy_ == PagePolicy::closed ||
                                       (policy_ == PagePolicy::open_adaptive && bank.has_requests()));
  if (kind == read) return closes ? DramCommand::read_precharge : DramCommand::read;
  return closes ? DramCommand::write_precharge : DramCommand::write;
}

void DramChannel::issue_column(const Choice& choice) {
  Entry& entry = pool_[choice.request];
  const Kind kind = choice.command == DramCommand::read ? read : write;
  count_first_command(entry, choice.command);
  const std::uint32_t bank = in_rank(entry);
  if (--entry.bursts > 0) return note(choice.command, choice.rank, bank, choice.at);
  const Tick done = choice.at + (kind == read ? read_latency_ : write_latency_);
  counts_.count_burst(kind == write, burst_ * bursts_, done - entry.arrival);
  if (kind == read) {
    writes_from_ = done + write_pause_;
    push(completions_, {done, entry.id});
  }
  release(choice.at, choice.request, kind);
  const DramCommand command = column_command(banks_[entry.bank], kind);
  note(command, choice.rank, bank, choice.at);
  if (command != choice.command) close(choice.rank, bank, choice.at);
}

// ---- events ----

Tick DramChannel::next_event() const {
  Tick next = reads_ + writes_ > 0 ? best_.at : never;
  if (!completions_.empty()) next = std::min(next, completions_.front().at);
  if (!forwarded_.empty()) next = std::min(next, forwarded_.front().at);
  return next;
}

std::optional<DramChannel::Completion> DramChannel::advance(Tick now) {
  const auto earlier = [this]() -> boost::circular_buffer<Completion>& {
    if (forwarded_.empty()) return completions_;
    if (completions_.empty()) return forwarded_;
    return completions_.front().at <= forwarded_.front().at ? completions_ : forwarded_;
  };
  for (;;) {
    boost::circular_buffer<Completion>& buffer = earlier();
    const Tick completed = buffer.empty() ? never : buffer.front().at;
    if (completed <= now && completed <= best_.at) {
      const Completion completion = buffer.front();
      buffer.pop_front();
      return completion;
    }
    if (best_.at > now) return std::nullopt;
    if (reads_ + writes_ == 0) {
      if (completed > now) {
        skip_refreshes(now);
        if (best_.at > now) return std::nullopt;
      }
    }
    issue(best_);
  }
}

// No request waits: of the refreshes due until now, only the first ones, which close rows, and the last ones
// have an effect on the state.
void DramChannel::skip_refreshes(Tick now) {
  bool changed = false;
  // Of this round and the next one: the rest of a round may leave banks open.
  const std::uint64_t parts = banks_per_rank_ / refreshed_banks_, of_all_banks = parts == 1 ? 1 : 2 * parts;
  for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
    Rank& rank = ranks_[r];
    if (rank.refresh_due >= now ||
        now - rank.refresh_due < (of_all_banks + kept_refreshes_ + 1) * refresh_interval_)
      continue;
    while (rank.open_banks > 0) {
      const Choice closing = refresh_candidate(r);
      issue(closing);
    }
    const std::uint64_t skipped = (now - rank.refresh_due) / refresh_interval_ - kept_refreshes_;
    skip_refreshes_of(rank, skipped);
    counts_.commands[static_cast<std::size_t>(DramCommand::refresh)] += skipped;
    changed = true;
  }
  if (changed) choose();
}

// ---- figures ----

// When the refreshes that are due will have closed the last open bank of an idle rank.
Tick DramChannel::closed_by_refreshes(std::uint32_t r) const {
  Rank rank = ranks_[r];
  std::uint64_t open = 0;
  for (std::uint32_t b = 0; b < banks_per_rank_; ++b)
    if (banks_[r * banks_per_rank_ + b].open_row != Bank::closed) open |= std::uint64_t{1} << b;
  Tick last = rank.refresh_due;
  while (open != 0) {
    last = rank.refresh_due;
    open &= ~covered_by_refresh(rank);
    refreshed(rank);
  }
  return last;
}

DramCounts DramChannel::counts(Tick now) const {
  DramCounts counts = counts_;
  for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
    const Rank& rank = ranks_[r];
    Tick open_until = now;
    if (refresh_ && rank.refresh_due <= now && reads_ + writes_ == 0) {  // not yet caught up
      counts.commands[static_cast<std::size_t>(DramCommand::refresh)] +=
          (now - rank.refresh_due) / refresh_interval_ + 1;
      open_until = std::min(now, closed_by_refreshes(r));
    }
    if (rank.open_banks > 0 && open_until > rank.open_since)
      counts.open_clocks += open_until - rank.open_since;
  }
  return counts;
}

}  // namespace asterism
