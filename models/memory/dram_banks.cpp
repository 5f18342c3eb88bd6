#include "memory/dram_banks.h"

#include <algorithm>

namespace asterism {

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

DramBanks::DramBanks(const DramConfig& config, const DramPart& part)
    : banks_per_rank_(part.banks),
      closes_(config.page_policy == PagePolicy::closed),
      refresh_(config.refresh),
      read_latency_(part.timing.cl.count() + part.timing.burst / 2),
      write_latency_(part.timing.cwl.count() + part.timing.burst / 2),
      burst_(part.timing.burst / 2),
      refresh_interval_(part.timing.trefi.count()),
      timing_(part, config.ranks),
      ranks_(config.ranks),
      open_rows_(std::size_t{config.ranks} * part.banks, closed) {
  reset(0);
}

void DramBanks::reset(Tick now) {
  counts_ = counts(now);
  timing_.reset();
  std::ranges::fill(open_rows_, closed);
  for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
    ranks_[r] = {};
    if (refresh_) ranks_[r].refresh_due = now + refresh_interval_ + r * refresh_interval_ / ranks_.size();
  }
}

void DramBanks::note(DramCommand command, std::uint32_t rank, std::uint32_t bank, Tick at) {
  timing_.issue(command, rank, bank, at);
  ++counts_.commands[static_cast<std::size_t>(command)];
}

void DramBanks::close(std::uint32_t rank, std::uint32_t bank, Tick at) {
  open_row(rank, bank) = closed;
  Rank& of = ranks_[rank];
  if (--of.open_banks == 0 && at > of.open_since) counts_.open_clocks += at - of.open_since;
}

void DramBanks::close_all(std::uint32_t r) {
  const Rank& rank = ranks_[r];
  if (rank.open_banks == 0) return;
  const Tick at = std::max(rank.refresh_due, timing_.earliest(DramCommand::precharge_all, r, 0));
  note(DramCommand::precharge_all, r, 0, at);
  for (std::uint32_t bank = 0; bank < banks_per_rank_; ++bank)
    if (open_row(r, bank) != closed) close(r, bank, at);
}

void DramBanks::refresh(std::uint32_t r) {
  Rank& rank = ranks_[r];
  close_all(r);
  note(DramCommand::refresh, r, 0, std::max(rank.refresh_due, timing_.earliest(DramCommand::refresh, r, 0)));
  rank.refresh_due += refresh_interval_;
}

// Nobody has asked: of the refreshes due until now, all but the first and the last leave nothing behind.
void DramBanks::skip_refreshes(Tick now) {
  for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
    Rank& rank = ranks_[r];
    if (rank.refresh_due >= now || now - rank.refresh_due < 3 * refresh_interval_) continue;
    close_all(r);
    const std::uint64_t skipped = (now - rank.refresh_due) / refresh_interval_ - 1;
    rank.refresh_due += skipped * refresh_interval_;
    counts_.commands[static_cast<std::size_t>(DramCommand::refresh)] += skipped;
  }
}

Tick DramBanks::access(Tick begin, const BlockLocation& location, bool is_write) {
  const std::uint32_t r = location.rank, b = location.bank;
  if (refresh_) skip_refreshes(begin);
  ++(is_write ? counts_.writes : counts_.reads);
  for (bool counted = false;;) {
    const std::uint32_t row = open_row(r, b);
    const bool is_open = row != closed, is_hit = row == location.row;
    const DramCommand command = is_hit    ? is_write ? DramCommand::write : DramCommand::read
                                : is_open ? DramCommand::precharge
                                          : DramCommand::activate;
    const Tick at = std::max(begin, timing_.earliest(command, r, b));
    if (at >= ranks_[r].refresh_due) {
      refresh(r);
      continue;
    }
    if (!counted) ++(is_hit ? counts_.row_hits : is_open ? counts_.row_conflicts : counts_.row_misses);
    counted = true;
    if (is_hit) return move(location, is_write, begin, at);
    note(command, r, b, at);
    if (is_open) {
      close(r, b, at);
    } else {
      if (ranks_[r].open_banks++ == 0) ranks_[r].open_since = at;
      open_row(r, b) = location.row;
    }
  }
}

// The column command of a row that is open.
Tick DramBanks::move(const BlockLocation& location, bool is_write, Tick begin, Tick at) {
  const DramCommand command = is_write  ? closes_ ? DramCommand::write_precharge : DramCommand::write
                              : closes_ ? DramCommand::read_precharge
                                        : DramCommand::read;
  note(command, location.rank, location.bank, at);
  if (closes_) close(location.rank, location.bank, at);
  const Tick done = at + (is_write ? write_latency_ : read_latency_);
  counts_.count_burst(is_write, burst_, done - begin);
  return done;
}

DramCounts DramBanks::counts(Tick now) const {
  DramCounts counts = counts_;
  for (const Rank& rank : ranks_) {
    Tick open_until = now;
    if (refresh_ && rank.refresh_due <= now) {  // not yet made up for
      counts.commands[static_cast<std::size_t>(DramCommand::refresh)] +=
          (now - rank.refresh_due) / refresh_interval_ + 1;
      open_until = rank.refresh_due;
    }
    if (rank.open_banks > 0 && open_until > rank.open_since)
      counts.open_clocks += open_until - rank.open_since;
  }
  return counts;
}

}  // namespace asterism
