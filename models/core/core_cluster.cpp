#include "core/core_cluster.h"

#include <algorithm>
#include <string>

namespace asterism {

CoreCluster::CoreCluster(const CoreConfig& config, Picoseconds quantum, Surroundings& surroundings,
                         const CoreModule::IssFactory& make_iss)
    : surroundings_(surroundings) {
  for (unsigned i = 0; i < config.count; ++i) {
    const std::string name = "core" + std::to_string(i);
    cores_.push_back(std::make_unique<CoreModule>(name.c_str(), i, config, quantum,
                                                  static_cast<CoreCalls&>(*this), make_iss));
    cores_[i]->code_changed = [this, i](AddressRange range) {
      for (unsigned other = 0; other < count(); ++other)
        if (other != i) cores_[other]->invalidate_code(range);
    };
    cores_[i]->invalidated_translations = [this, i] {
      for (unsigned other = 0; other < count(); ++other)
        if (other != i) cores_[other]->invalidate_translations();
    };
    cores_[i]->on_lock_up = [this, i] {
      on_core_lock_up(*cores_[i]);
      check_lock_up();
    };
  }
}

void CoreCluster::reset(Reset kind) {
  for (const auto& core : cores_) core->reset(kind);
}

void CoreCluster::core_off(unsigned core) {
  cores_[core]->power_off();
  check_lock_up();
}

void CoreCluster::check_lock_up() {
  using State = CoreModule::State;
  const auto is = [](State state) { return [state](const auto& core) { return core->state() == state; }; };
  if (std::ranges::any_of(cores_, is(State::running)) || std::ranges::any_of(cores_, is(State::waiting)) ||
      std::ranges::none_of(cores_, is(State::locked_up)))
    return;
  on_lock_up();
}

void CoreCluster::system_off() {
  reset(Reset::power_loss);
  surroundings_.system_off();
}

void CoreCluster::system_reset() {
  reset(Reset::warm);
  surroundings_.system_reset();
}

void CoreCluster::invalidate_code(AddressRange range) {
  for (const auto& core : cores_) core->invalidate_code(range);
}

// ---- the memory's writes ----

void CoreCluster::connect(MemoryWrites& writes) {
  writes.attach(static_cast<DirectStores&>(*this));
  writes.add(*this);
  for (const auto& core : cores_) core->connect(writes);
}

void CoreCluster::ask_before_stores(AddressRange range) {
  for (const auto& core : cores_) core->ask_before_stores(range);
}

std::vector<PageLines> CoreCluster::collect(AddressRange range) {
  std::vector<PageLines> all;
  for (const auto& core : cores_) {
    const std::vector<PageLines> written = core->collect_writes(range);
    all.insert(all.end(), written.begin(), written.end());
  }
  return all;
}

// Of its own stores, a core knows which of its decoded instructions they change.
void CoreCluster::written(const MemoryWrite& write) {
  if (!is_core(write.master)) invalidate_code(write.range());
}

std::uint64_t CoreCluster::instructions() const {
  std::uint64_t sum = 0;
  for (const auto& core : cores_) sum += core->instructions();
  return sum;
}

void CoreCluster::report(Statistics& statistics) const {
  for (const auto& core : cores_) core->report(statistics.group("core" + std::to_string(core->index())));
}

}  // namespace asterism
