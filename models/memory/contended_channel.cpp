#include "memory/contended_channel.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace asterism {
namespace {

constexpr Tick never = DramChannel::never;
constexpr double allowance = 640;  // work in ticks that bins may be ahead of the channel: waits even it out
constexpr double alone = 1e-3;     // reads of others in a tick
constexpr double pause = 0.75;     // of the row cycles for which writes wait until reads have paused

// Of less than 2^63, for which hosts have an instruction.
double number(Tick ticks) { return static_cast<double>(static_cast<std::int64_t>(ticks)); }
double ratio(double part, double all) { return all > 0 ? part / all : 0; }
// Not of a negative number.
Tick rounded(double ticks) {
  constexpr double half = 0.5;
  return static_cast<Tick>(static_cast<std::int64_t>(ticks + half));
}

}  // namespace

ContendedChannel::ContendedChannel(const DramConfig& config, const DramPart& part, const DramCurves& curves,
                                   std::uint32_t bursts)
    : curves_(curves),
      config_(config),
      banks_per_rank_(part.banks),
      bursts_(bursts),
      meter_(config.ranks * part.banks) {
  const DramTiming& t = part.timing;
  const auto clocks = [](Cycles cycles) { return static_cast<Tick>(cycles.count()); };
  // From the first clock of a command to the first of another.
  const Tick activate = t.activate_clocks(), column = t.column_clocks();
  // All bursts of a block but the last one come before the time that is called that of its data.
  const Tick further = (bursts - 1) * clocks(t.tccd_l);
  burst_ = Tick{bursts} * t.burst_clocks();
  cl_ = t.to_read() + further - burst_;
  trcd_ = clocks(t.trcd) + activate - column, trp_ = clocks(t.trp) + 1 - activate;
  tras_ = clocks(t.tras) + activate - 1, trc_ = clocks(t.trc);
  trtp_ = clocks(t.trtp) + column - 1 + further, tccd_ = bursts * clocks(t.tccd_l);
  turn_ = t.trtw ? clocks(*t.trtw) + clocks(t.cwl) + clocks(t.twtr_s)
                 : clocks(t.cl) + burst_ + clocks(t.trtrs) + clocks(t.twtr_s);
  activate_ = std::max(number(clocks(t.trrd_s)), number(clocks(t.tfaw)) / 4) / config.ranks;
  write_cycle_ =
      number(clocks(t.trcd_wr.value_or(t.trcd)) + clocks(t.cwl) + burst_ + clocks(t.twr) + clocks(t.trp));
  write_activate_ = std::max(activate_, write_cycle_ / (config.ranks * part.banks)) * curves.write_activate;
  rank_switch_ = number(clocks(t.trtrs)) * (1 - 1.0 / config.ranks) * curves.rank_switch;

  const bool by_banks = config.refresh == RefreshMode::by_banks;
  refreshed_shift_ = static_cast<unsigned>(std::countr_zero(refreshed_banks(part, by_banks)));
  trfc_ = clocks(by_banks ? part.bank_refresh->trfc : t.trfc);
  refresh_interval_ = clocks(by_banks ? part.bank_refresh->trefi : t.trefi);
  trefi_ = refresh_interval_ * (part.banks >> refreshed_shift_);
  refreshed_.resize(std::size_t{config.ranks} * part.banks >> refreshed_shift_);
  // Its share of the queues.
  for (std::uint32_t* size :
       {&config_.read_queue, &config_.write_queue, &config_.write_high, &config_.write_low})
    *size = (*size + part.pseudo_channels - 1) / part.pseudo_channels;
  config_.write_low = std::min(config_.write_low, config_.write_high - 1);
  mean_queue_ = (config_.write_high + config_.write_low) / 2.0;
  bank_groups_ = part.bank_groups;
  write_distance_ = t.tccd_l_wr ? number(bursts * clocks(*t.tccd_l_wr)) : 0;
  // The bus waits for refreshes of ranks only.
  refresh_share_ =
      config.refresh == RefreshMode::all_bank ? number(trfc_ + clocks(t.trp)) / number(trefi_) : 0;
  restart(0);
}

void ContendedChannel::restart(Tick now) {
  std::ranges::fill(refreshed_, Refreshed{});
  const std::size_t of_rank = refreshed_.size() / config_.ranks;
  for (std::size_t i = 0; i < refreshed_.size(); ++i) {
    const std::size_t rank = i / of_rank, turn = i % of_rank;
    refreshed_[i].first_refresh =
        now + (turn + 1) * refresh_interval_ + rank * refresh_interval_ / config_.ranks;
  }
  backlog_ = 0;
  derive();
}

ContendedChannel::Master& ContendedChannel::master(std::uint32_t id) {
  if (last_ < ids_.size() && ids_[last_] == id) return masters_[last_];
  last_ = static_cast<std::size_t>(std::ranges::find(ids_, id) - ids_.begin());
  if (last_ < ids_.size()) return masters_[last_];
  ids_.push_back(id);
  return masters_.emplace_back(static_cast<std::uint32_t>(masters_.size()),
                               std::size_t{config_.ranks} * banks_per_rank_);
}

Tick ContendedChannel::access(Tick committed, const Request& request) {
  meter_.commit(committed, [this](const LoadMeter::Bin& bin) { charge(bin); });
  Master& asking = master(request.master);
  const Tick start = come(asking, request);
  const Tick end = request.is_write ? write(asking, request, start) : read(asking, request, start);
  if (!request.is_posted) asking.until = std::min(asking.until, end);
  return end;
}

// When a request comes to the channel.
Tick ContendedChannel::come(Master& master, const Request& request) const {
  if (request.at >= master.until) master.shift = 0;
  if (master.debt >= 1 && !request.is_posted) {
    const Tick paid = static_cast<Tick>(master.debt);
    master.shift += paid;
    master.debt -= number(paid);
    master.until = never;
  }
  return request.at + master.shift;
}

// ---- the load of the channel ----

// What a bin has asked for beyond what the channel can do, its masters have been answered too early.
void ContendedChannel::charge(const LoadMeter::Bin& bin) {
  const double asked = number(bin.reads) * state_.read + number(bin.writes) * state_.write;
  backlog_ = std::max(0.0, backlog_ + asked - number(LoadMeter::bin_length) * (1 - refresh_share_));
  const double over = backlog_ - allowance;
  if (over > 0) {
    backlog_ = allowance;
    if (bin.masters.size() > 1)  // a single one waits for its own requests
      for (const std::uint32_t m : bin.masters) masters_[m].debt += over;
  }
  derive();
}

void ContendedChannel::derive() {
  const LoadMeter::Rates& rates = meter_.rates();
  const double opening = ratio(rates.opening_reads, rates.reads), burst = number(burst_);
  State& s = state_;
  s.opening_writes = ratio(rates.opening_writes, rates.writes);
  s.read = burst + curves_.burst_overhead +
           opening * (opening * std::max(0.0, activate_ - burst) + curves_.activate_overhead + rank_switch_);
  const std::uint32_t group = config_.write_high - config_.write_low;
  s.write = burst + curves_.burst_overhead + s.opening_writes * std::max(0.0, write_activate_ - burst) +
            (1 - s.opening_writes) * beside_a_write() + number(turn_) * curves_.turnaround / group;
  const double cycle = number(trc_), hit = number(tccd_);
  s.bank = opening * cycle + (1 - opening) * hit;
  s.bank_square = opening * cycle * cycle + (1 - opening) * hit * hit;
  s.write_load = rates.writes * s.write;
  const double in_cycle = rates.reads * cycle * pause;
  const double pauses = std::max(0.02, 1 - rates.reads * s.read) / (1 + in_cycle + in_cycle * in_cycle / 2);
  const double needed = s.write_load / pauses;
  s.draining = needed * needed / (curves_.drain_knee * curves_.drain_knee + needed * needed);
  s.waiting_writes = s.draining * mean_queue_;
  s.waiting_per_write = ratio(s.waiting_writes, rates.writes);
  s.drain = group * s.write;
  s.writes_per_read =
      std::min(ratio(s.write_load, rates.reads * s.read), config_.write_queue * s.write / s.read);
  s.turned = (1 - s.draining) * s.write_load * number(turn_) * curves_.idle_turnaround;
}

// What a write of an open row waits for the one before it in its bank group, as each master writes one row
// after the other.
double ContendedChannel::beside_a_write() const {
  const double groups = std::clamp<double>(meter_.masters(), 1, bank_groups_);
  return std::max(0.0, write_distance_ / groups - number(burst_));
}

// ---- refresh ----

// Of banks that are refreshed together, until `at`.
std::uint64_t ContendedChannel::refreshes(std::size_t banks, Tick at) const {
  const Refreshed& r = refreshed_[banks];
  if (at - r.asked_from < trefi_) return r.asked;
  if (config_.refresh == RefreshMode::none || at < r.first_refresh) return 0;
  r.asked = (at - r.first_refresh) / trefi_ + 1;
  r.asked_from = due(banks, r.asked);
  return r.asked;
}

Tick ContendedChannel::after_refresh(std::size_t banks, Tick at) const {
  const std::uint64_t done = refreshes(banks, at);
  if (done == 0) return at;
  const Tick begins = due(banks, done);
  const bool had_rows = refreshed_[banks].open_since < begins && config_.page_policy != PagePolicy::closed;
  return std::max(at, begins + (had_rows ? trp_ : 0) + trfc_);
}

// When the bus is free for a read whose column command, for `data`, would come after a refresh is due.
Tick ContendedChannel::over_refresh(const Request& request, Bank& bank, Tick data, Tick activated,
                                    bool waited) const {
  const std::uint64_t done = refreshes(refreshed_with(request.location), data - cl_);
  if (done <= bank.refreshes) return data;
  const Tick begins = due(refreshed_with(request.location), done);
  const Tick resumed = (activated < begins ? std::max(begins, activated + tras_) : begins) + trp_ + trfc_;
  bank.refreshes = done;
  bank.precharge = resumed + tras_, bank.activate = resumed + trc_;
  data = waited ? data + trp_ + trfc_ : resumed + trcd_ + cl_;
  bank.column = data - cl_ + tccd_;
  return data;
}

void ContendedChannel::note_open(std::size_t banks, Tick at) {
  Refreshed& r = refreshed_[banks];
  const std::uint64_t done = refreshes(banks, at);
  if (done < r.refreshes) return;
  if (done > r.refreshes && r.open_since != never) {
    const Tick closed = due(banks, r.refreshes + 1);
    counts_.open_clocks += closed - std::min(closed, r.open_since);
    r.open_since = never;
  }
  r.refreshes = done;
  r.open_since = std::min(r.open_since, at);
}

// ---- requests ----

// A wait varies from nothing to twice its mean.
double ContendedChannel::vary(Master& master) {
  return static_cast<double>(master.variation.next() >> 11) * 0x1p-52;
}

Tick ContendedChannel::write(Master& master, const Request& request, Tick start) {
  const std::uint32_t number_of_bank = request.location.rank * banks_per_rank_ + request.location.bank;
  Bank& bank = master.banks[number_of_bank];
  // A row is opened once in each drain, as reads close it in between.
  const double own_writes = meter_.met(master.number).own_writes, all_writes = meter_.rates().writes;
  const double of_drain = own_writes * (config_.write_high - config_.write_low);
  master.reopened += of_drain > all_writes ? all_writes / of_drain : own_writes > 0 ? 1 : 0;
  const bool opens = bank.written_row != request.location.row || master.reopened >= 1;
  if (opens) master.reopened = 0;
  bank.written_row = request.location.row;
  const double burst = number(burst_);
  const double work = burst + (opens ? std::max(0.0, write_activate_ - burst) : beside_a_write()) +
                      number(turn_) * curves_.turnaround / (config_.write_high - config_.write_low);
  const double passed = start > master.written ? number(start - master.written) : 0;
  master.queued = std::max(0.0, master.queued - passed) + work;
  master.written = std::max(master.written, start);
  const double wait = std::max(0.0, master.queued - config_.write_queue * work);
  if (request.is_posted) {  // its next request is later by that time
    master.debt += wait;
    master.queued -= wait;
  }
  const Tick taken = start + rounded(wait);
  meter_.add(taken, {.master = master.number, .place = number_of_bank, .is_write = true, .opens = opens});

  ++counts_.writes;
  counts_.count_burst(true, burst_, 0);
  ++(!opens ? counts_.row_hits : state_.draining > 0.5 ? counts_.row_misses : counts_.row_conflicts);
  note_open(refreshed_with(request.location), taken);
  return taken;
}

// The probability that the page policy has closed a row because something waits for its bank.
double ContendedChannel::closed_by_policy(const LoadMeter::Met& met) const {
  if (config_.page_policy != PagePolicy::open_adaptive) return config_.page_policy == PagePolicy::closed;
  const double writes = std::min(state_.waiting_writes, state_.waiting_per_write * met.place_writes);
  const double reads = met.place_waiting + met.place_reads * number(trcd_ + cl_);
  const double wait = (writes + reads) * curves_.row_closing + writes * writes / 2;
  return 1 - 1 / (1 + wait);
}

ContendedChannel::Row ContendedChannel::find_row(Master& master, const Bank& bank, const LoadMeter::Met& met,
                                                 std::uint32_t row, Tick start) const {
  const double closed = closed_by_policy(met);
  // Writes in one drain for one row open it once.
  const double writes = met.place_writes * (1 - state_.draining * (1 - state_.opening_writes));
  const double others = met.place_reads + writes;
  double hit = 0, conflict = 0;
  if (bank.row == row) {
    const double x = bank.served > start ? 0 : others * number(start - bank.served);
    hit = bank.served > start ? 1 : (1 - closed) / (1 + x + x * x / 2);
    conflict = (1 - hit) * (1 - closed);
  } else if (bank.row != Bank::none) {
    conflict = bank.served > start ? 0 : 1 - closed;
  } else {
    const double x = others * number(std::min(start, trefi_)) / 2;
    conflict = x / (1 + x) * (1 - closed);
  }
  master.hit += hit, master.conflict += conflict, master.miss += 1 - hit - conflict;
  if (master.hit >= master.conflict && master.hit >= master.miss) return --master.hit, Row::hit;
  if (master.conflict >= master.miss) return --master.conflict, Row::conflict;
  return --master.miss, Row::miss;
}

// When the column command comes, by this master's commands alone.
Tick ContendedChannel::column(Bank& bank, Row row, Tick from) const {
  Tick at = std::max(from, bank.column);
  if (row != Row::hit) {
    if (row == Row::conflict) from = std::max(from, bank.precharge) + trp_;
    const Tick activate = std::max(from, bank.activate);
    at = activate + trcd_;
    bank.precharge = activate + tras_, bank.activate = activate + trc_;
  }
  bank.column = at + tccd_;
  bank.precharge = std::max(bank.precharge, at + trtp_);
  bank.activate = std::max(bank.activate, at + trtp_ + trp_);
  return at;
}

// The reads of others that get places in the queue before a read of this master does.
double ContendedChannel::in_front_of_queue(const Master& master, const LoadMeter::Met& met) const {
  const double waiting = met.waiting - config_.read_queue;
  if (waiting <= 0) return 0;
  const double turns = number(master.in_flight.size()) + 0.5;
  return std::min(waiting, turns * std::max(0.0, meter_.masters() - 1.0));
}

double ContendedChannel::bank_wait(const LoadMeter::Met& met) const {
  return state_.bank * met.place_waiting + curves_.bank_residual * met.place_reads * state_.bank_square +
         curves_.write_recovery * (1 - state_.draining) * met.place_writes * write_cycle_ * write_cycle_;
}

// While a read waits for `waits`, writes are drained, and it may come during a drain: in a closed loop of few
// requests, each drain meets each request at most once.
double ContendedChannel::drain_wait(const Master& master, const LoadMeter::Met& met, double waits) const {
  const State& s = state_;
  if (s.write_load == 0) return 0;
  const double cycle = met.own_reads > 0 ? std::max(master.latency, master.peak / met.own_reads) : s.drain;
  const double part = std::min(1.0, cycle / s.drain);
  const double met_drain = std::min(0.95, s.write_load) * s.drain * part * (1 - part / 2) * curves_.drain;
  const double meanwhile = waits * s.writes_per_read;
  return s.draining * std::sqrt(meanwhile * meanwhile + met_drain * met_drain) + s.turned;
}

// What the master's own reads that are ahead of this one keep the bus from it, which is `ready` then. They
// all are under way.
ContendedChannel::Ahead ContendedChannel::own_reads(Master& master, Tick ready) const {
  master.peak = std::max(master.peak - 1.0 / 64, 1.0 + number(master.in_flight.size()));
  const double burst = number(burst_);
  const double opening = burst + std::max(0.0, activate_ - burst) + curves_.activate_overhead + rank_switch_;
  Ahead result;
  for (const InFlight& ahead : master.in_flight) {
    if (ahead.ready > ready || ahead.ended <= ready) continue;
    if (ahead.ended >= ready + burst_)
      result.wait += ahead.opens ? opening : burst;
    else
      result.wait += number(ahead.ended - ready);
    result.last = std::max(result.last, ahead.ended);
  }
  return result;
}

// Whether a read of another row than the last one is served with reads of its row that are in the queue. The
// bank goes from row to row once for all reads that are there.
bool ContendedChannel::joins_other_row(const Master& master, Bank& bank, std::uint32_t row, Tick start) {
  if (bank.row == row || bank.others_served <= start) return false;
  std::size_t rows = 1;
  bool is_there = false;
  for (const Bank::Other& other : bank.others) {
    if (other.served <= start) continue;
    ++rows;
    is_there |= other.row == row;
  }
  if (!is_there) return false;
  const double of_each_row = std::max(1.0, master.peak / number(rows));
  bank.switches += 1 / of_each_row;
  if (bank.switches < 1) return true;
  bank.switches -= 1;
  return false;
}

void ContendedChannel::leave_row(Bank& bank) {
  Bank::Other* oldest = bank.others.data();
  for (Bank::Other& other : bank.others) {
    const bool is_same = other.row == bank.row;
    if (is_same || other.served < oldest->served) oldest = &other;
    if (is_same) break;
  }
  *oldest = {bank.row, bank.served};
  bank.others_served = std::max(bank.others_served, bank.served);
}

Tick ContendedChannel::read(Master& master, const Request& request, Tick came) {
  const BlockLocation& location = request.location;
  const std::uint32_t place = location.rank * banks_per_rank_ + location.bank;
  const LoadMeter::Met& met = meter_.met(master.number);
  Bank& bank = master.banks[place];
  const std::size_t refreshed = place >> refreshed_shift_;
  const Tick start = after_refresh(refreshed, came);
  if (const std::uint64_t done = refreshes(refreshed, start); done > bank.refreshes) {
    bank.refreshes = done;
    bank.row = Bank::none;
  }
  while (!master.in_flight.empty() && master.in_flight.oldest().ended <= start)
    master.in_flight.forget_oldest();
  const double in_front = in_front_of_queue(master, met);
  const Tick queued = start + rounded(in_front * state_.read);
  const bool joins = joins_other_row(master, bank, location.row, queued);
  // A read that opens the row for it is in the queue.
  const bool follows = joins || (bank.row == location.row && bank.served > queued);
  const Row row = joins ? Row::hit : find_row(master, bank, met, location.row, queued);
  const double for_bank = follows ? 0 : bank_wait(met) * vary(master);
  const Tick column_at = column(bank, row, start + rounded(for_bank));
  const Tick ready = column_at + cl_;

  const Ahead own = own_reads(master, ready);
  const double waiting = in_front + std::min<double>(met.waiting, config_.read_queue);
  const double others = state_.read * (waiting + curves_.channel_residual * met.reads * state_.read);
  const double variation = vary(master);  // of which the square is taken, so that few reads wait for long
  const double waits = others * variation * variation * 0.75 + own.wait;
  const double wait = waits + drain_wait(master, met, waits);
  Tick data = ready + rounded(wait);
  if (met.reads < alone) data = std::max(data, own.last);
  const Tick resumed = over_refresh(request, bank, data, row == Row::hit ? 0 : column_at - trcd_, wait > 0);
  const InFlight answered{ready + (resumed - data), resumed + burst_, row != Row::hit};
  data = resumed;

  master.in_flight.add(answered);
  master.latency += (number(answered.ended - start) - master.latency) / 16;
  if (bank.row != location.row) leave_row(bank);
  bank.served = data - cl_;
  bank.row = location.row;
  const Tick alone_until_column = row == Row::hit ? 0 : row == Row::miss ? trcd_ : trcd_ + trp_;
  const Tick waited_for_bank = follows ? 0 : column_at - alone_until_column - start;
  meter_.add(data, {.master = master.number,
                    .place = place,
                    .opens = row != Row::hit,
                    .waited = static_cast<float>(data - ready),
                    .place_waited = static_cast<float>(waited_for_bank)});
  waited_ += for_bank + wait;
  count_read(row, answered.ended - came);
  note_open(refreshed, data);
  return answered.ended;
}

void ContendedChannel::count_read(Row row, Tick latency) {
  ++counts_.reads;
  counts_.count_burst(false, burst_, latency);
  ++(row == Row::hit ? counts_.row_hits : row == Row::miss ? counts_.row_misses : counts_.row_conflicts);
}

// ---- figures ----

void ContendedChannel::reset(Tick now) {
  counts_ = counts(now);
  meter_.reset(now);
  masters_.clear();
  ids_.clear();
  restart(now);
}

void ContendedChannel::clear_counts() {
  counts_ = {};
  waited_ = 0;
}

DramCounts ContendedChannel::counts(Tick now) const {
  DramCounts counts = counts_;
  const auto command = [&](DramCommand c) -> std::uint64_t& {
    return counts.commands[static_cast<std::size_t>(c)];
  };
  const bool closes = config_.page_policy == PagePolicy::closed;
  command(DramCommand::activate) = counts.row_misses + counts.row_conflicts;
  command(DramCommand::precharge) = counts.row_conflicts;
  command(DramCommand::read) = counts.reads * bursts_, command(DramCommand::write) = counts.writes * bursts_;
  if (closes) {  // with the last burst of each
    command(DramCommand::read) -= command(DramCommand::read_precharge) = counts.reads;
    command(DramCommand::write) -= command(DramCommand::write_precharge) = counts.writes;
  }
  for (std::size_t i = 0; i < refreshed_.size(); ++i) {
    command(DramCommand::refresh) += refreshes(i, now);
    const Tick open_since = refreshed_[i].open_since;
    const Tick longest = config_.refresh == RefreshMode::none ? never : trefi_;
    if (open_since < now) counts.open_clocks += std::min(now - open_since, longest);
  }
  return counts;
}

}  // namespace asterism
