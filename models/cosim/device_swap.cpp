#include "cosim/device_swap.h"

#include <fmt/format.h>

namespace asterism {
namespace {

std::string full_name(const std::string& device) {
  const sc_core::sc_object* parent = sc_core::sc_get_current_object();
  return parent == nullptr ? device : std::string(parent->name()) + "." + device;
}

std::string lines(unsigned count) {
  return count == 0 ? "no interrupt line" : fmt::format("{} interrupt line{}", count, count == 1 ? "" : "s");
}

unsigned lines_of(const RtlLibrary& library) {
  unsigned count = 0;
  while (library.find(fmt::format("interrupt.{}", count))) ++count;
  return count;
}

void check_fit(const std::string& instance, const RtlLibrary& library, const DeviceLibrary& block,
               const DeviceSwapPorts& ports) {
  const auto refuse = [&](const std::string& what) {
    throw RtlError(fmt::format("{}: {} ({}) {}", instance, library.name(), library.file().string(), what));
  };
  for (const auto& [name, wanted] : block.parameters)
    if (const auto built = library.parameter(name); built && *built != wanted)
      refuse(fmt::format("was built with {}={}, {} is expected", name, *built, wanted));
  const bool has_master = library.find("master.select").has_value();
  if (has_master && !ports.master) refuse("has a master port, which this device does not have");
  if (!has_master && ports.master) refuse("has no master port, one is expected");
  if (const unsigned count = lines_of(library); count != ports.interrupts)
    refuse(fmt::format("has {}, {} {} expected", lines(count), ports.interrupts,
                       ports.interrupts == 1 ? "is" : "are"));
}

}  // namespace

DeviceSwap::DeviceSwap(const std::string& device, const SwapSettings& config, const DeviceLibrary& block,
                       Bytes size, Picoseconds quantum, const RtlOptions& options,
                       const std::optional<Model>& model, const DeviceSwapPorts& ports)
    : instance_(full_name(device)), impl_(config.impl) {
  const auto library = RtlLibrary::open(block.file);
  check_fit(instance_, *library, block, ports);
  const RtlBus::Settings bus{.time = {.clock = config.clock, .quantum = quantum, .trace = config.trace}};
  const auto report = [this](const Lockstep::Mismatch& mismatch) {
    if (on_mismatch) on_mismatch(mismatch);
  };
  if (!model) {
    RtlDevice::Settings settings{.size = size, .bus = bus};
    if (ports.master) settings.master = *ports.master;
    rtl_.emplace(device.c_str(), library, settings, options);
    rtl_->on_failure = report;
    return;
  }
  LockstepDevice::Settings settings{.instance = instance_,
                                    .bus = bus,
                                    .window = config.window,
                                    .on_mismatch = config.on_mismatch,
                                    .states = block.states};
  lockstep_.emplace((device + "_lockstep").c_str(), library, settings, options, model->registers);
  lockstep_->model.bind(model->target);
  lockstep_->on_mismatch = report;
}

tlm::tlm_target_socket<>& DeviceSwap::target() {
  if (rtl_) return rtl_->target;
  return lockstep_->target;
}

tlm::tlm_initiator_socket<>* DeviceSwap::master() { return rtl_ && rtl_->master ? &*rtl_->master : nullptr; }

void DeviceSwap::interrupt(unsigned line, sc_core::sc_signal_inout_if<bool>& wire) {
  if (rtl_)
    rtl_->interrupts.at(line).bind(wire);
  else
    lockstep_->interrupts.at(line).bind(wire);
}

void DeviceSwap::reset(Reset kind) {
  if (rtl_)
    rtl_->reset(kind);
  else
    lockstep_->reset(kind);
}

void DeviceSwap::finish() {
  if (lockstep_) lockstep_->finish();
}

std::vector<std::string> DeviceSwap::summary() const {
  const auto accesses = [this](std::uint64_t count) {
    return fmt::format("{}: {}, {} access{}", instance_, to_text(impl_), count, count == 1 ? "" : "es");
  };
  if (rtl_ && rtl_->bus().has_master())
    return {fmt::format("{}, {} of its own", accesses(rtl_->accesses()), rtl_->own_accesses())};
  if (rtl_) return {accesses(rtl_->accesses())};
  const Lockstep& lockstep = lockstep_->lockstep();
  std::vector<std::string> lines{accesses(lockstep.transactions()) + ", " +
                                 mismatch_count(lockstep.mismatches())};
  for (const std::string& group : lockstep.coverage().text()) lines.push_back("reached " + group);
  return lines;
}

std::uint64_t DeviceSwap::mismatches() const { return lockstep_ ? lockstep_->lockstep().mismatches() : 0; }

std::optional<BlockCoverage> DeviceSwap::coverage() const {
  if (!lockstep_) return std::nullopt;
  return BlockCoverage{instance_.substr(instance_.rfind('.') + 1), instance_, "",
                       lockstep_->lockstep().coverage()};
}

void DeviceSwap::report(Statistics& statistics) const {
  statistics.add("impl", to_text(impl_));
  if (rtl_)
    rtl_->report(statistics);
  else
    lockstep_->report(statistics);
}

}  // namespace asterism
