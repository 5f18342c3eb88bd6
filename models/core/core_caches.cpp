#include "core/core_caches.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "tlm/time.h"

namespace asterism {
namespace {

constexpr std::size_t most_held = 64;

}  // namespace

CoreCaches::CoreCaches(const sc_core::sc_module_name& name, const CachesConfig& config, unsigned count)
    : sc_module(name),
      tags_(config, count),
      tlb_(config.tlb),
      prefetch_buffers_(config.prefetch ? config.prefetch->buffers : 0),
      cores_(count),
      executed_before_(count),
      pending_(count),
      in_flight_(count),
      maintained_(count),
      paths_(count) {
  if (config.model == CacheModel::checked) unfiltered_ = std::make_unique<CacheHierarchy>(config, count);
  for_all_tags([&](CacheHierarchy& tags) {
    tags.time_of = [this](unsigned core) { return cores_[core]->local_time(); };
  });
  tags_.fetched_line_left = [this](unsigned core, AddressRange range) {
    if (cores_[core]) cores_[core]->iss().forget_fetched(range);
  };
  for (unsigned i = 0; i < count; ++i) {
    const int core = static_cast<int>(i);
    Port& port = *ports_.emplace_back(std::make_unique<Port>(("core" + std::to_string(i)).c_str()));
    port.core.register_b_transport(this, &CoreCaches::b_transport, core);
    port.core.register_transport_dbg(this, &CoreCaches::transport_dbg, core);
    port.core.register_get_direct_mem_ptr(this, &CoreCaches::get_direct_mem_ptr, core);
    port.memory.register_invalidate_direct_mem_ptr(this, &CoreCaches::invalidate_direct_mem_ptr, core);
  }
  sc_core::sc_spawn([this] { write_back_flushed(); }, sc_core::sc_gen_unique_name("flush"));
}

void CoreCaches::serve(CoreModule& module) {
  const unsigned core = module.index();
  cores_[core] = &module;
  module.iss().use_caches(tags_.filter(core),
                          {.fetches = tags_.has_instruction_caches(),
                           .checks = unfiltered_ != nullptr,
                           .tlb = tlb_ ? TlbShape{tlb_->entries, tlb_->ways} : TlbShape{}});
  module.use(*this);
  const CoreTiming* const timing = module.iss().timing();
  const bool has_window = timing && timing->misses.window != 0;
  // All fills of data and one of code, as many prefetches as may be under way, a write-back for each fill.
  const unsigned most = has_window ? 2 * timing->misses.buffers + 1 + prefetch_buffers_ : 0;
  in_flight_[core].carriers = std::make_unique<LineCarriers>(
      most + most_held, [this, core](const LineCarriers::Access& access) { carry(core, access); });
}

// ---- loads and stores ----

CoreCacheAccess::Answer CoreCaches::access(unsigned core, Address line, CacheAccess what, Picoseconds at) {
  const CacheHierarchy::Traffic& traffic = tags_.access(core, line, what, at);
  if (unfiltered_) compare(core, line, what, at, traffic);
  last_ = {line, &traffic};
  const bool is_known = traffic.not_before != CacheHierarchy::not_yet;
  return {{traffic.filter, traffic.reaches_memory()},
          traffic.wait,
          is_known ? std::optional(traffic.not_before) : std::nullopt};
}

void CoreCaches::for_all_tags(auto f) {
  f(tags_);
  if (unfiltered_) f(*unfiltered_);
}

// The engine has filtered an access, or tags_ has answered it with this traffic.
void CoreCaches::compare(unsigned core, Address line, CacheAccess what, Picoseconds at,
                         const CacheHierarchy::Traffic& filtered) {
  const CacheHierarchy::Traffic wanted = unfiltered_->access(core, line, what, at);
  if (wanted.is_as(filtered)) return;
  throw std::logic_error(
      fmt::format("caches: core {} at {:#x}: the line filter has hidden an access", core, line.value()));
}

// What an access has caused, if it can be made at once: memory is asked for the line at this time. Returns
// when it is there.
std::optional<Picoseconds> CoreCaches::carry_at_once(unsigned core, Address line,
                                                     const CacheHierarchy::Traffic& traffic,
                                                     bool are_writes_reported, Picoseconds asked) {
  TimedPath* const path = path_of(core, line);
  if (!path) return std::nullopt;
  const auto is_elsewhere = [&](Address each) { return path_of(core, each) != path; };
  if (std::ranges::any_of(traffic.prefetched, is_elsewhere) ||
      std::ranges::any_of(traffic.written_back, is_elsewhere) ||
      !(are_writes_reported || report(core, traffic.written_back)))
    return std::nullopt;
  Picoseconds filled = asked;
  if (traffic.is_filled) filled = path->access({line, core, false, false}, asked);
  for (const Address each : traffic.prefetched) {
    const Picoseconds at = path->access({each, core, false, false}, asked);
    for_all_tags([&](CacheHierarchy& tags) { tags.prefetched(core, each, at); });
  }
  for (const Address each : traffic.written_back) path->access({each, core, true, true}, asked);
  return filled;
}

std::optional<Picoseconds> CoreCaches::carry_kept_at_once(unsigned core, Picoseconds asked) {
  if (pending_[core].empty()) return asked;  // reset meanwhile
  report_writes(core);
  const auto& [line, traffic, are_reported] = pending_[core].front();
  const auto end = carry_at_once(core, line, traffic, are_reported, asked);
  if (end) pending_[core].pop_front();
  return end;
}

// Reports write-backs, if they are allowed.
bool CoreCaches::report(unsigned core, const CacheHierarchy::Lines& lines) {
  if (!writes_ || lines.empty()) return true;
  if (!std::ranges::all_of(lines, [&](Address each) { return writes_->is_allowed(line_at(each).page); }))
    return false;
  for (const Address each : lines) writes_->report({line_at(each), core});
  return true;
}

// Of the first traffic that is kept: memory holds those that are not allowed.
bool CoreCaches::report_writes(unsigned core) {
  if (pending_[core].empty()) return true;
  Pending& next = pending_[core].front();
  if (next.are_writes_reported) return true;
  CacheHierarchy::Lines& lines = next.traffic.written_back;
  lines.erase(std::remove_if(lines.begin(), lines.end(), [&](Address each) { return hold(core, each); }),
              lines.end());
  return next.are_writes_reported = report(core, lines);
}

// Has memory hold the write-back of a line, once for each line. False: it is allowed, or there is no room.
bool CoreCaches::hold(unsigned core, Address line) {
  if (!writes_ || writes_->is_allowed(line_at(line).page)) return false;
  if (is_waiting(line)) return true;
  if (blocked_.size() >= most_held) return false;
  blocked_.push_back(line);
  in_flight_[core].carriers->add({line, LineCarriers::Kind::held_write_back}, now());
  return true;
}

TimedPath* CoreCaches::path_of(unsigned core, Address line) const {
  for (const Path& each : paths_[core])
    if (each.range.contains(line)) return each.path;
  return nullptr;
}

std::optional<CoreCacheAccess::RefusedLine> CoreCaches::carry_traffic(unsigned core,
                                                                      InitiatorExtension& initiator,
                                                                      sc_core::sc_time& delay) {
  auto& pending = pending_[core];
  if (pending.empty()) return std::nullopt;  // reset meanwhile
  const auto [line, traffic, are_reported] = pending.front();
  pending.pop_front();
  const std::uint64_t resets = resets_;
  const Picoseconds asked = now() + to_picoseconds(delay);
  Picoseconds end = asked;
  const auto until = [](Picoseconds at) { return to_sc_time(std::max(at, now()) - now()); };
  bool ok = true;
  // The end of a read that begins when memory is asked.
  const auto read = [&](Address each) {
    sc_core::sc_time until_there = until(asked);
    ok = report_access(core, tlm::TLM_READ_COMMAND, each, initiator, until_there);
    return now() + to_picoseconds(until_there);
  };
  std::optional<RefusedLine> refused;
  // Each access sets the initiator's `poison` anew.
  const auto keep_if_refused = [&](Address each) {
    if (!ok && !refused) refused = {each, initiator.poison};
  };
  if (traffic.is_filled) end = read(line), keep_if_refused(line);
  for (const Address each : traffic.prefetched) {
    if (resets != resets_) break;
    const Picoseconds at = read(each);
    for_all_tags([&](CacheHierarchy& tags) { tags.prefetched(core, each, at); });
  }
  for (const Address each : traffic.written_back) {
    if (resets != resets_) break;
    sc_core::sc_time posted = until(asked);
    ok = write_back(core, each, are_reported, initiator, posted);
    keep_if_refused(each);
    end = std::max(end, now() + to_picoseconds(posted));
  }
  delay = until(end);
  return refused;
}

// ---- misses in flight ----

// False: reset meanwhile.
bool CoreCaches::wait_for_writes(unsigned core, InitiatorExtension& initiator, sc_core::sc_time& delay) {
  if (report_writes(core)) return true;
  const CacheHierarchy::Lines lines = pending_[core].front().traffic.written_back;
  for (const Address each : lines)
    if (!wait_until_allowed(each, initiator.master, delay)) return false;
  pending_[core].front().are_writes_reported = true;
  return true;
}

void CoreCaches::carry_later(unsigned core, Miss miss) {
  if (pending_[core].empty()) return;  // reset meanwhile
  const Pending& pending = in_flight_[core].later.emplace(miss, pending_[core].front()).first->second;
  pending_[core].pop_front();
  for (const Address each : pending.traffic.prefetched) {
    in_flight_[core].prefetches.push_back(each);
    for_all_tags([&](CacheHierarchy& tags) { tags.prefetched(core, each, CacheHierarchy::not_yet); });
  }
}

void CoreCaches::ask_memory(unsigned core, Miss miss, Picoseconds asked) {
  const auto found = in_flight_[core].later.find(miss);
  if (found == in_flight_[core].later.end()) return cores_[core]->answered(miss, asked);
  using enum LineCarriers::Kind;
  const auto [line, traffic, are_reported] = found->second;
  in_flight_[core].later.erase(found);
  LineCarriers& carriers = *in_flight_[core].carriers;
  if (traffic.is_filled) carriers.add({line, fill, miss}, asked);
  for (const Address each : traffic.prefetched) carriers.add({each, prefetch}, asked);
  for (const Address each : traffic.written_back) carriers.add({each, write_back}, asked);
  if (!traffic.is_filled) cores_[core]->answered(miss, asked);
}

// Makes the access in this process.
void CoreCaches::carry(unsigned core, const LineCarriers::Access& access) {
  using enum LineCarriers::Kind;
  const std::uint64_t resets = resets_;
  if (access.kind == held_write_back && !wait_and_report(access.line, core)) return;
  const bool is_write = access.kind == write_back || access.kind == held_write_back;
  InitiatorExtension initiator;
  initiator.master = core;
  initiator.monitored = true;
  initiator.posted = is_write;
  sc_core::sc_time delay;
  const bool ok = report_access(core, is_write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, access.line,
                                initiator, delay);
  if (resets != resets_) return;
  const Picoseconds end = now() + to_picoseconds(delay);
  if (access.kind == prefetch) return prefetch_ended(core, access.line, end);
  if (!ok)
    cores_[core]->caches_refused(access.line, initiator.poison,
                                 access.kind == fill ? std::optional(access.miss) : std::nullopt);
  if (access.kind == fill) cores_[core]->answered(access.miss, end);
}

// It may have ended while a write-back of the same access was not allowed.
void CoreCaches::wait_for_prefetch(unsigned core, Address line, Miss miss) {
  const bool is_under_way = std::ranges::any_of(
      in_flight_, [&](const InFlight& each) { return std::ranges::count(each.prefetches, line) != 0; });
  if (!is_under_way) return cores_[core]->answered(miss, now());
  wait_for_prefetch_.push_back({line, core, miss});
}

void CoreCaches::prefetch_ended(unsigned core, Address line, Picoseconds at) {
  auto& prefetches = in_flight_[core].prefetches;
  prefetches.erase(std::ranges::find(prefetches, line));
  for_all_tags([&](CacheHierarchy& tags) { tags.prefetched(core, line, at); });
  std::vector<WaitsForPrefetch> ended;
  std::erase_if(wait_for_prefetch_, [&](const WaitsForPrefetch& each) {
    if (each.line == line) ended.push_back(each);
    return each.line == line;
  });
  for (const auto& [of, waiting, miss] : ended) cores_[waiting]->answered(miss, at);
}

// The core is reset, and the caches are not: what they were about to do they do now.
void CoreCaches::forget_traffic(unsigned core) {
  pending_[core].clear();
  std::erase_if(wait_for_prefetch_, [&](const WaitsForPrefetch& each) { return each.core == core; });
  while (!in_flight_[core].later.empty()) ask_memory(core, in_flight_[core].later.begin()->first, now());
}

// An access that has bypassed the caches.
void CoreCaches::b_transport(int core, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (!is_monitored(payload)) return memory(static_cast<unsigned>(core))->b_transport(payload, delay);
  const Address address(payload.get_address());
  const Address line(address.value() - address.value() % CacheHierarchy::line.count());
  for_all_tags([&](CacheHierarchy& tags) { tags.count_uncached(static_cast<unsigned>(core)); });
  if (payload.is_write() &&
      !wait_until_allowed(line, payload.get_extension<InitiatorExtension>()->master, delay))
    return payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  memory(static_cast<unsigned>(core))->b_transport(payload, delay);
}

bool CoreCaches::report_access(unsigned core, tlm::tlm_command command, Address line,
                               InitiatorExtension& initiator, sc_core::sc_time& delay) {
  std::array<unsigned char, CacheHierarchy::line.count()> unused{};
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(line.value());
  payload.set_data_ptr(unused.data());
  payload.set_data_length(unused.size());
  payload.set_streaming_width(unused.size());
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  payload.set_extension(&initiator);
  initiator.poison = false;
  memory(core)->b_transport(payload, delay);
  payload.clear_extension(&initiator);
  return payload.is_response_ok() && !initiator.poison;
}

void CoreCaches::connect(MemoryWrites& writes) {
  writes_ = &writes;
  writes.attach(static_cast<WriteBackCaches&>(*this));
  writes.add(*this);
}

void CoreCaches::written(const MemoryWrite& write) {
  if (!is_core(write.master)) for_all_tags([&](CacheHierarchy& tags) { tags.drop(write.range()); });
}

// Waits until the line may be written, and reports the write. False: reset meanwhile. Flushes leave a line
// that waits, and are tried again after that.
bool CoreCaches::wait_until_allowed(Address line, unsigned master, sc_core::sc_time& delay) {
  if (!writes_) return true;
  const PageLines lines = line_at(line);
  if (!writes_->is_allowed(lines.page)) {
    const std::uint64_t resets = resets_;
    blocked_.push_back(line);
    sc_core::wait(std::exchange(delay, sc_core::SC_ZERO_TIME));
    return resets == resets_ && wait_and_report(line, master);
  }
  writes_->report({lines, master});
  return true;
}

// The same for a line that is in blocked_.
bool CoreCaches::wait_and_report(Address line, unsigned master) {
  const std::uint64_t resets = resets_;
  const bool is_allowed = writes_->wait_until_allowed(line_at(line));
  if (resets != resets_) return false;
  blocked_.erase(std::ranges::find(blocked_, line));
  if (is_allowed) writes_->report({line_at(line), master});
  writes_->flushed();
  return is_allowed;
}

// The core does not wait for the write, except while it is not allowed and memory has no room to hold it.
bool CoreCaches::write_back(unsigned core, Address line, bool is_reported, InitiatorExtension& initiator,
                            sc_core::sc_time& delay) {
  if (!is_reported && hold(core, line)) return true;
  if (!is_reported && !wait_until_allowed(line, initiator.master, delay)) return false;
  sc_core::sc_time posted = delay;
  initiator.posted = true;
  const bool ok = post(core, line, initiator, delay, posted);
  initiator.posted = false;
  return ok;
}

// A write at the time `posted`, which may wait for memory. Simulated time that passes meanwhile is taken from
// the core's own `delay`. If more passes than that, as in a fabric whose accesses wait, the core is late by
// the rest.
bool CoreCaches::post(unsigned core, Address line, InitiatorExtension& initiator, sc_core::sc_time& delay,
                      sc_core::sc_time& posted) {
  const Picoseconds begin = now();
  const bool ok = report_access(core, tlm::TLM_WRITE_COMMAND, line, initiator, posted);
  delay -= std::min(delay, to_sc_time(now() - begin));
  return ok;
}

// ---- maintenance ----

// An operation ends when it has reached the last cache and the line that it writes back is in memory. The
// core does not wait for that, except while the write is not allowed. False: the bus has answered with an
// error.
bool CoreCaches::maintain(unsigned core, const CacheMaintenance& what, InitiatorExtension& initiator,
                          sc_core::sc_time& delay) {
  Picoseconds& maintained = maintained_[core];
  if (what.kind == CacheMaintenance::Kind::wait) {
    if (maintained > now()) delay = std::max(delay, to_sc_time(maintained - now()));
    return true;
  }
  bool ok = true;
  const auto end_at = [&](const sc_core::sc_time& ended) {
    maintained = std::max(maintained, now() + to_picoseconds(ended));
  };
  CacheHierarchy::Lines written_back;
  for_all_tags([&](CacheHierarchy& tags) { written_back = tags.maintain(core, what); });
  for (const Address line : written_back) {
    if (!wait_until_allowed(line, initiator.master, delay)) return false;
    sc_core::sc_time posted = delay + to_sc_time(tags_.time_to_last_cache());
    ok = post(core, line, initiator, delay, posted) && ok;
    end_at(posted);
  }
  end_at(delay + to_sc_time(tags_.time_to_last_cache()));
  return ok;
}

void CoreCaches::invalidate_fetched(AddressRange range) {
  for_all_tags([&](CacheHierarchy& tags) { tags.invalidate_fetched(range); });
}

// ---- the flush ----

std::vector<Address> CoreCaches::dirty() {
  std::vector<Address> lines = tags_.dirty();
  lines.insert(lines.end(), blocked_.begin(), blocked_.end());
  std::ranges::sort(lines);
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

void CoreCaches::flush(const std::vector<Address>& lines) {
  for_all_tags([&](CacheHierarchy& tags) { tags.clean(lines); });
  flushed_.insert(flushed_.end(), lines.begin(), lines.end());
  if (!lines.empty()) more_flushed_.notify(sc_core::SC_ZERO_TIME);
}

void CoreCaches::write_back_flushed() {
  for (;;) {
    while (flushed_.empty()) sc_core::wait(more_flushed_);
    const std::uint64_t resets = resets_;
    flusher_.master = 0;
    flusher_.monitored = true;
    sc_core::sc_time delay;
    report_access(0, tlm::TLM_WRITE_COMMAND, flushed_.front(), flusher_, delay);
    sc_core::wait(delay);
    if (resets != resets_) continue;
    flushed_.pop_front();
    if (flushed_.empty() && writes_) writes_->flushed();
  }
}

// ---- the rest ----

unsigned CoreCaches::transport_dbg(int core, tlm::tlm_generic_payload& payload) {
  return memory(static_cast<unsigned>(core))->transport_dbg(payload);
}

bool CoreCaches::get_direct_mem_ptr(int core, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  auto* initiator = payload.get_extension<InitiatorExtension>();
  if (initiator) initiator->timed = nullptr;
  if (!memory(static_cast<unsigned>(core))->get_direct_mem_ptr(payload, dmi) || !initiator) return false;
  initiator->monitored = true;
  const AddressRange range = between(dmi.get_start_address(), dmi.get_end_address());
  if (TimedPath* const path = std::exchange(initiator->timed, nullptr))
    paths_[static_cast<unsigned>(core)].push_back({range, path});
  return true;
}

void CoreCaches::invalidate_direct_mem_ptr(int core, sc_dt::uint64 first, sc_dt::uint64 last) {
  auto& paths = paths_[static_cast<unsigned>(core)];
  const AddressRange gone = between(first, last);
  for (const auto& [range, path] : std::exchange(paths, {})) {
    const std::uint64_t begin = range.first.value(), end = range.last().value();
    if (!range.overlaps(gone)) {
      paths.push_back({range, path});
      continue;
    }
    if (begin < first) paths.push_back({between(begin, first - 1), path});
    if (end > last) paths.push_back({between(last + 1, end), path});
  }
  ports_[static_cast<unsigned>(core)]->core->invalidate_direct_mem_ptr(first, last);
}

void CoreCaches::report(Statistics& statistics) const {
  std::vector<std::uint64_t> instructions = executed();
  for (std::size_t core = 0; core < cores_.size(); ++core) instructions[core] -= executed_before_[core];
  tags_.report(statistics, instructions);
  if (!unfiltered_) return;
  Statistics counts, wanted;
  tags_.report(counts, instructions);
  unfiltered_->report(wanted, instructions);
  if (counts != wanted) throw std::logic_error("caches: the line filter has changed a count");
}

std::vector<std::uint64_t> CoreCaches::executed() const {
  std::vector<std::uint64_t> instructions;
  for (const CoreModule* core : cores_) instructions.push_back(core ? core->instructions() : 0);
  return instructions;
}

void CoreCaches::reset(Reset kind) {
  ++resets_;
  for_all_tags([&](CacheHierarchy& tags) { tags.reset(kind); });
  if (kind == Reset::cold) executed_before_ = executed();
  blocked_.clear();
  for (auto& traffic : pending_) traffic.clear();
  wait_for_prefetch_.clear();
  for (auto& [carriers, later, prefetches] : in_flight_) {
    if (carriers) carriers->reset();
    later.clear();
    prefetches.clear();
  }
  for (CoreModule* const core : cores_)
    if (core) core->forget_misses();
  std::ranges::fill(maintained_, Picoseconds(0));
  flushed_.clear();
}

}  // namespace asterism
