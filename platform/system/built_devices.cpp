#include "platform/system/built_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "base/random.h"
#include "cosim/rtl_library.h"
#include "devices/power_supply.h"
#include "memory/dram_channel.h"
#include "platform/config/config_value.h"
#include "platform/config/diagnostics.h"
#include "platform/system/plugin_device.h"
#include "platform/system/swapped_device.h"
#include "tlm/page_counting.h"

namespace asterism {
namespace {

// The choices of a device do not depend on what other devices the node has. The main memory has the seed of
// the run.
std::uint64_t seed_of(const PlacedDevice& device, std::uint64_t seed) {
  if (device.instance() == main_memory) return seed;
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325;  // FNV-1a
  for (const char c : device.instance()) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3;
  return Random(seed).at(hash);
}

DeviceContext context_of(const PlacedDevice& placed, const DeviceList& list, const PreparedRtl& rtl,
                         const BuiltDevices::Settings& settings) {
  DeviceContext context{.place = placed.place,
                        .masters = placed.masters,
                        .quantum = settings.quantum,
                        .seed = seed_of(placed, settings.seed),
                        .node = list,
                        .events = settings.events,
                        .rtl_options = &settings.rtl_options};
  for (const DeviceInitiator& initiator : placed.shape.initiators) {
    const PlacedDevice* const memory = list.device(initiator.memory);
    context.memories.push_back(memory ? memory->place.range()
                                      : AddressRange{Address(0), Bytes(~std::uint64_t{0})});
  }
  if (placed.shape.is_memory) context.ports = list.ports_of(placed);
  if (const auto blocks = rtl.devices.find(placed.instance()); blocks != rtl.devices.end())
    context.rtl = blocks->second;
  return context;
}

// What building a device has shown, at the key that is wrong.
[[noreturn]] void refuse(const PlacedDevice& placed, const std::string& key, const std::string& problem) {
  const auto origin = placed.origins.find(key);
  throw ConfigError(Diagnostic{.origin = origin == placed.origins.end() ? Origin() : origin->second,
                               .path = join_path("node." + placed.key, key),
                               .problem = problem});
}

bool is_swapped(const RtlUse& use) { return use.block.empty() && use.swap.impl != Impl::model; }

}  // namespace

BuiltDevices::BuiltDevices(const DeviceList& list, const PreparedRtl& rtl, const Settings& settings)
    : list_(list) {
  for (const PlacedDevice& placed : list.all()) build(placed, rtl, settings);
  MemoryWrites& writes = main_memory().writes();
  for_each<NodeMemory>([&writes](NodeMemory& memory, const PlacedDevice&) {
    if (&memory.writes() != &writes) memory.report_writes_to(writes);
  });
  for_each<PowerControl>([this](PowerControl& control, const PlacedDevice&) {
    control.inject = [this](const FaultRequest& request) { return inject(request); };
  });
  for (const Built& built : devices_) built.device->connect(*this);
}

void BuiltDevices::build(const PlacedDevice& placed, const PreparedRtl& rtl, const Settings& settings) {
  const DeviceContext context = context_of(placed, list_, rtl, settings);
  const auto swapped = std::ranges::find_if(placed.rtl, is_swapped);
  const bool is_replaced = swapped != placed.rtl.end() && swapped->swap.impl == Impl::rtl;
  Built built{&placed, nullptr, {}};
  std::string key;  // of the RTL that is attached
  try {
    const auto model = [&] { return DeviceTypes::find(placed.type)->build(*placed.config, context); };
    if (!is_replaced && !placed.plugin.empty())
      built.device = std::make_unique<PluginDevice>(fmt::format("{}.{}", settings.node, placed.instance()),
                                                    placed, model);
    else if (!is_replaced)
      built.device = model();
    for (std::size_t i = 0; i < placed.rtl.size(); ++i) {
      const RtlUse& use = placed.rtl[i];
      if (use.swap.impl == Impl::model) continue;
      key = join_path(use.key, use.file_key);
      if (is_swapped(use)) {
        auto device = std::make_unique<SwappedDevice>(use, placed.shape, context, context.rtl.at(i),
                                                      std::move(built.device));
        built.rtl.push_back(device->block());
        built.device = std::move(device);
      } else {
        built.rtl.push_back(attach_rtl(use, context.rtl.at(i), *built.device,
                                       fmt::format("{}.{}", settings.node, placed.instance()),
                                       settings.rtl_options));
      }
    }
  } catch (const DeviceError& error) {
    refuse(placed, error.key, error.what());
  } catch (const RtlError& error) {
    refuse(placed, key, error.what());
  }
  devices_.push_back(std::move(built));
}

Device* BuiltDevices::find(const std::string& instance) const {
  for (const Built& built : devices_)
    if (built.placed->instance() == instance) return built.device.get();
  return nullptr;
}

InterruptController* BuiltDevices::interrupt_controller() const {
  const PlacedDevice* const controller = list_.interrupt_controller();
  return controller ? find_as<InterruptController>(controller->instance()) : nullptr;
}

FaultOutcome BuiltDevices::inject(const FaultRequest& request) const {
  FaultOutcome outcome = FaultOutcome::no_memory;
  for_each<NodeMemory>([&](NodeMemory& memory, const PlacedDevice& placed) {
    const AddressRange range = placed.place.range();
    if (range.contains(request.address)) outcome = memory.inject(request, request.address - range.first);
  });
  return outcome;
}

void BuiltDevices::connect(Interconnect& fabric, const AddressMap& map, const Tapped& tapped,
                           const std::vector<std::string>& dram_parts) {
  for (const MapEntry& entry : map.entries()) {
    const PlacedDevice& placed = *list_.device(entry.device);
    std::size_t target = 0;
    while (placed.range_name(target) != entry.name) ++target;
    tlm::tlm_target_socket<>& socket = *find(entry.device)->targets().at(target);
    if (target == 0 && entry.device == asterism::main_memory && !dram_parts.empty())
      fabric.add_divided_target(socket, entry.range, entry.name,
                                {dram_parts, Bytes(block_bytes),
                                 [&memory = main_memory()](Bytes offset) { return memory.part_at(offset); }});
    else
      fabric.add_target(socket, entry.range, entry.name);
  }
  connect_initiators(fabric, tapped);
  connect_interrupts();
}

void BuiltDevices::connect_initiators(Interconnect& fabric, const Tapped& tapped) {
  std::map<std::string, unsigned> ports;  // in use, besides that of the interconnect
  for (const Built& built : devices_) {
    const auto sockets = built.device->initiators();
    for (std::size_t i = 0; i < built.placed->shape.initiators.size(); ++i) {
      const std::string& memory = built.placed->shape.initiators[i].memory;
      tlm::tlm_initiator_socket<>& socket = tapped(*sockets.at(i));
      if (memory.empty())
        fabric.add_master(socket, built.placed->instance());
      else
        socket.bind(find_as<NodeMemory>(memory)->port(++ports[memory]));
    }
  }
}

void BuiltDevices::connect_interrupts() {
  InterruptController* const controller = interrupt_controller();
  for (Built& built : devices_)
    for (const std::optional<unsigned> number : built.placed->place.interrupts) {
      auto& wire = number ? controller->shared_line(*number)
                          : unconnected_.emplace_back(sc_core::sc_gen_unique_name("unconnected"));
      try {
        built.device->connect_interrupt(built.interrupts.size(), wire);
      } catch (const DeviceError& error) {
        refuse(*built.placed, error.key, error.what());
      }
      built.interrupts.push_back(&wire);
    }
}

const InterruptController::Wire& BuiltDevices::interrupt(const std::string& instance,
                                                         std::size_t line) const {
  for (const Built& built : devices_)
    if (built.placed->instance() == instance && line < built.interrupts.size())
      return *built.interrupts[line];
  throw std::invalid_argument(fmt::format("there is no interrupt {} of a device \"{}\"", line, instance));
}

void BuiltDevices::reset(ResetPhase phase, Reset kind) {
  for (const Built& built : devices_)
    if (built.device->phase() == phase) built.device->reset(kind);
}

void BuiltDevices::power_up() {
  for (const Built& built : devices_) built.device->power_up();
}

std::vector<RtlBlock*> BuiltDevices::rtl() const {
  std::vector<RtlBlock*> blocks;
  for (const Built& built : devices_)
    for (const auto& block : built.rtl) blocks.push_back(block.get());
  return blocks;
}

void BuiltDevices::count_pages() {
  for_each<PageCounting>([](PageCounting& device, const PlacedDevice&) { device.count_pages(); });
}

// Memories come first: other devices count what happens to their pages.
void BuiltDevices::report_pages(PageMap& map, const std::string& node) const {
  for (const bool are_memories : {true, false})
    for_each<PageCounting>([&](const PageCounting& device, const PlacedDevice& placed) {
      if (placed.shape.is_memory == are_memories) device.report_pages(map, node + "." + placed.instance());
    });
}

void BuiltDevices::report(Statistics& node) const {
  for (const Built& built : devices_) {
    auto group = std::make_unique<Statistics>();
    built.device->report(*group);
    for (const auto& block : built.rtl) block->report(*group);
    if (!group->entries().empty()) node.add(built.placed->instance(), std::move(group));
  }
}

}  // namespace asterism
