#include "core/core_caches.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "tlm/time.h"

namespace asterism {
CoreCaches::CoreCaches(const sc_core::sc_module_name& name, const CachesConfig& config, unsigned count)
    : sc_module(name),
      tags_(config, count),
      tlb_(config.tlb),
      cores_(count),
      executed_before_(count),
      pending_(count),
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
  if (unfiltered_)
    module.check_cache = [this, core](Address line, CacheAccess what, Picoseconds at) {
      check(core, line, what, at, {});
    };
  module.access_cache = [this, core](Address line, CacheAccess what, Picoseconds at) {
    return access(core, line, what, at);
  };
  if (tags_.has_instruction_caches())
    module.invalidate_fetched = [this](AddressRange range) {
      for_all_tags([&](CacheHierarchy& tags) { tags.invalidate_fetched(range); });
    };
  module.carry_at_once = [this, core](Picoseconds asked) { return carry_at_once(core, asked); };
  module.carry_traffic = [this, core](InitiatorExtension& initiator, sc_core::sc_time& delay) {
    return carry_traffic(static_cast<int>(core), initiator, delay);
  };
  module.maintain = [this, core](const CacheMaintenance& what, InitiatorExtension& initiator,
                                 sc_core::sc_time& delay) {
    return maintain(static_cast<int>(core), what, initiator, delay);
  };
  module.cache_counts = [this, core] { return tags_.counts(core); };
}

// ---- loads and stores ----

CoreModule::CacheAnswer CoreCaches::access(unsigned core, Address line, CacheAccess what, Picoseconds at) {
  const CacheHierarchy::Traffic& traffic = tags_.access(core, line, what, at);
  if (unfiltered_) check(core, line, what, at, traffic);
  last_ = {line, &traffic};
  return {{traffic.filter, traffic.reaches_memory()}, traffic.wait, traffic.not_before};
}

void CoreCaches::for_all_tags(auto f) {
  f(tags_);
  if (unfiltered_) f(*unfiltered_);
}

// The engine has filtered an access, or tags_ has answered it with this traffic.
void CoreCaches::check(unsigned core, Address line, CacheAccess what, Picoseconds at,
                       const CacheHierarchy::Traffic& filtered) {
  const CacheHierarchy::Traffic wanted = unfiltered_->access(core, line, what, at);
  if (wanted.is_as(filtered)) return;
  throw std::logic_error(
      fmt::format("caches: core {} at {:#x}: the line filter has hidden an access", core, line.value()));
}

// The traffic of the last access, if it can be made at once: memory is asked for the line at this time.
// Returns when it is there. Otherwise the traffic waits behind that of the instruction's other accesses.
std::optional<Picoseconds> CoreCaches::carry_at_once(unsigned core, Picoseconds asked) {
  const auto end = try_at_once(core, asked);
  if (!end) pending_[core].push_back({last_.line, *last_.traffic});
  return end;
}

std::optional<Picoseconds> CoreCaches::try_at_once(unsigned core, Picoseconds asked) {
  if (!pending_[core].empty()) return std::nullopt;
  const Address line = last_.line;
  const CacheHierarchy::Traffic& traffic = *last_.traffic;
  TimedPath* const path = path_of(core, line);
  const auto is_elsewhere = [&](Address each) { return path_of(core, each) != path; };
  const auto must_wait = [&](Address each) {
    return is_elsewhere(each) || (writes_ && !writes_->is_allowed(line_at(each).page));
  };
  if (!path || std::ranges::any_of(traffic.prefetched, is_elsewhere) ||
      std::ranges::any_of(traffic.written_back, must_wait))
    return std::nullopt;
  Picoseconds filled = asked;
  if (traffic.is_filled) filled = path->access({line, core, false, false}, asked);
  for (const Address each : traffic.prefetched) {
    const Picoseconds at = path->access({each, core, false, false}, asked);
    for_all_tags([&](CacheHierarchy& tags) { tags.prefetched(core, each, at); });
  }
  for (const Address each : traffic.written_back) {
    if (writes_) writes_->report({line_at(each), core});
    path->access({each, core, true, true}, asked);
  }
  return filled;
}

TimedPath* CoreCaches::path_of(unsigned core, Address line) const {
  for (const Path& each : paths_[core])
    if (each.range.contains(line)) return each.path;
  return nullptr;
}

bool CoreCaches::carry_traffic(int core, InitiatorExtension& initiator, sc_core::sc_time& delay) {
  auto& pending = pending_[static_cast<unsigned>(core)];
  if (pending.empty()) return true;  // reset meanwhile
  const auto [line, traffic] = pending.front();
  pending.pop_front();
  const std::uint64_t resets = resets_;
  const Picoseconds asked = now() + to_picoseconds(delay);
  Picoseconds end = asked;
  const auto until = [](Picoseconds at) { return to_sc_time(std::max(at, now()) - now()); };
  // The end of a read that begins when memory is asked.
  bool ok = true;
  const auto read = [&](Address each) {
    sc_core::sc_time until_there = until(asked);
    ok = report_access(core, tlm::TLM_READ_COMMAND, each, initiator, until_there) && ok;
    return now() + to_picoseconds(until_there);
  };
  if (traffic.is_filled) end = read(line);
  for (const Address each : traffic.prefetched) {
    if (resets != resets_) break;
    const Picoseconds at = read(each);
    for_all_tags([&](CacheHierarchy& tags) { tags.prefetched(static_cast<unsigned>(core), each, at); });
  }
  for (const Address each : traffic.written_back) {
    if (resets != resets_) break;
    sc_core::sc_time posted = until(asked);
    ok = write_back(core, each, initiator, posted) && ok;
    end = std::max(end, now() + to_picoseconds(posted));
  }
  delay = until(end);
  return ok;
}

// An access that has bypassed the caches.
void CoreCaches::b_transport(int core, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (!is_monitored(payload)) return memory(core)->b_transport(payload, delay);
  const Address address(payload.get_address());
  const Address line(address.value() - address.value() % CacheHierarchy::line.count());
  for_all_tags([&](CacheHierarchy& tags) { tags.count_uncached(static_cast<unsigned>(core)); });
  if (payload.is_write() &&
      !wait_until_allowed(line, payload.get_extension<InitiatorExtension>()->master, delay))
    return payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  memory(core)->b_transport(payload, delay);
}

bool CoreCaches::report_access(int core, tlm::tlm_command command, Address line,
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
  memory(core)->b_transport(payload, delay);
  payload.clear_extension(&initiator);
  return payload.is_response_ok();
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
    const bool is_allowed = resets == resets_ && writes_->wait_until_allowed(lines);
    if (resets != resets_) return false;
    blocked_.erase(std::ranges::find(blocked_, line));
    if (is_allowed) writes_->report({lines, master});
    writes_->flushed();
    return is_allowed;
  }
  writes_->report({lines, master});
  return true;
}

// The core does not wait for the write, except while it is not allowed.
bool CoreCaches::write_back(int core, Address line, InitiatorExtension& initiator, sc_core::sc_time& delay) {
  if (!wait_until_allowed(line, initiator.master, delay)) return false;
  sc_core::sc_time posted = delay;
  initiator.posted = true;
  const bool ok = post(core, line, initiator, delay, posted);
  initiator.posted = false;
  return ok;
}

// A write at the time `posted`, which may wait for memory. Simulated time that passes meanwhile is taken from
// the core's own `delay`. If more passes than that, as in a fabric whose accesses wait, the core is late by
// the rest.
bool CoreCaches::post(int core, Address line, InitiatorExtension& initiator, sc_core::sc_time& delay,
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
bool CoreCaches::maintain(int core, const CacheMaintenance& what, InitiatorExtension& initiator,
                          sc_core::sc_time& delay) {
  Picoseconds& maintained = maintained_[static_cast<unsigned>(core)];
  if (what.kind == CacheMaintenance::Kind::wait) {
    if (maintained > now()) delay = std::max(delay, to_sc_time(maintained - now()));
    return true;
  }
  bool ok = true;
  const auto end_at = [&](const sc_core::sc_time& ended) {
    maintained = std::max(maintained, now() + to_picoseconds(ended));
  };
  CacheHierarchy::Lines written_back;
  for_all_tags(
      [&](CacheHierarchy& tags) { written_back = tags.maintain(static_cast<unsigned>(core), what); });
  for (const Address line : written_back) {
    if (!wait_until_allowed(line, initiator.master, delay)) return false;
    sc_core::sc_time posted = delay + to_sc_time(tags_.time_to_last_cache());
    ok = post(core, line, initiator, delay, posted) && ok;
    end_at(posted);
  }
  end_at(delay + to_sc_time(tags_.time_to_last_cache()));
  return ok;
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
  return memory(core)->transport_dbg(payload);
}

bool CoreCaches::get_direct_mem_ptr(int core, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  auto* initiator = payload.get_extension<InitiatorExtension>();
  if (initiator) initiator->timed = nullptr;
  if (!memory(core)->get_direct_mem_ptr(payload, dmi) || !initiator) return false;
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
  std::ranges::fill(maintained_, Picoseconds(0));
  flushed_.clear();
}

}  // namespace asterism
