#include "drivers/gpu_test_machine.h"

#include <cstring>
#include <stdexcept>

#include "base/engine.h"

namespace asterism {
namespace {

GpuTestMachine* machine = nullptr;

Address address_of(const void* place) { return Address(reinterpret_cast<std::uintptr_t>(place)); }
std::byte* at(Address address) {
  return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(address.value()));
}

GpuError with_list(GpuPort::Command command, const std::uint32_t* zones, std::uint32_t count) {
  return static_cast<GpuError>(
      GpuTestMachine::get().command(command, {.list = address_of(zones), .count = count}));
}

}  // namespace

GpuTestMachine::GpuTestMachine(const GpuConfig& gpu_config, const HostLinkConfig& link_config)
    : config(gpu_config),
      link(link_config, 1),
      port(gpu_config, 0, link, link_config.round_trip, *this, *this, "gpu", log) {
  if (machine != nullptr) throw std::logic_error("there is a GPU already");
  machine = this;
}
GpuTestMachine::~GpuTestMachine() { machine = nullptr; }
GpuTestMachine& GpuTestMachine::get() { return *machine; }

bool GpuTestMachine::step(std::optional<Picoseconds> wake) {
  const auto next = earlier(wake, earlier(link.next_event(), port.next_event()));
  if (!next) return false;
  now = *next;
  for ([[maybe_unused]] const std::uint32_t gpu : link.advance_to(now)) port.transferred(now);
  port.advance_to(now);
  events |= port.take_happened();
  return true;
}

GpuPort::Error GpuTestMachine::command(GpuPort::Command command, const GpuPort::Arguments& arguments) {
  port.command(now, static_cast<std::uint32_t>(command), arguments);
  events |= port.take_happened();
  return port.error();
}

void GpuTestMachine::write(Picoseconds when, Address to, std::span<const std::byte> data, OnAccessEnd ended) {
  if (refuses) return ended({when, false});
  if (!data.empty()) std::memcpy(at(to), data.data(), data.size());
  ended({when});
}
void GpuTestMachine::read(Picoseconds when, Address from, Bytes size, OnAccessEnd ended) {
  ended({when, true, {at(from), size.count()}});
}

}  // namespace asterism

// ---- drivers/gpu.h ----

using asterism::GpuPort;
using asterism::GpuTestMachine;
using Command = GpuPort::Command;

extern "C" {

uint32_t gpu_zone_bytes(void) { return static_cast<uint32_t>(GpuTestMachine::get().config.zone.count()); }
uint32_t gpu_transfer_bytes(void) {
  return static_cast<uint32_t>(GpuTestMachine::get().config.transfer.count());
}
uint32_t gpu_zones_in_use(unsigned) { return GpuTestMachine::get().port.zones_in_use(); }

GpuError gpu_allocate(unsigned, uint32_t kib) {
  return static_cast<GpuError>(
      GpuTestMachine::get().command(Command::allocate, {.size = asterism::Bytes(std::uint64_t{kib} << 10)}));
}
GpuError gpu_launch(unsigned, const GpuKernel* kernel) {
  return static_cast<GpuError>(
      GpuTestMachine::get().command(Command::launch, {.list = asterism::address_of(kernel)}));
}
void gpu_restart(unsigned) {
  GpuTestMachine::get().command(Command::restart);
  GpuTestMachine::get().events = 0;
}

GpuError gpu_begin(unsigned, bool increment, bool device_side, void* extent, uint32_t* arrivals) {
  using asterism::Offloader;
  using asterism::SnapshotKind;
  return static_cast<GpuError>(GpuTestMachine::get().command(
      Command::begin, {.extent = asterism::address_of(extent),
                       .arrivals = asterism::address_of(arrivals),
                       .kind = increment ? SnapshotKind::increment : SnapshotKind::full,
                       .by = device_side ? Offloader::device : Offloader::driver}));
}
GpuError gpu_scan(unsigned, uint32_t from, uint32_t* list, uint32_t count) {
  return static_cast<GpuError>(GpuTestMachine::get().command(
      Command::scan, {.list = asterism::address_of(list), .count = count, .from = from}));
}
uint32_t gpu_scanned(unsigned) { return GpuTestMachine::get().port.scanned(); }
GpuError gpu_copy_out(unsigned, const uint32_t* zones, uint32_t count) {
  const GpuError error = asterism::with_list(Command::copy_out, zones, count);
  if (error == gpu_ok) GpuTestMachine::get().copies.emplace_back(zones, zones + count);
  return error;
}
GpuError gpu_preserve(unsigned, const uint32_t* zones, uint32_t count) {
  return asterism::with_list(Command::preserve, zones, count);
}
GpuError gpu_finish(unsigned) {
  return static_cast<GpuError>(GpuTestMachine::get().command(Command::finish));
}
GpuError gpu_abort(unsigned) { return static_cast<GpuError>(GpuTestMachine::get().command(Command::abort)); }
GpuError gpu_copy_in(unsigned, const uint32_t* zones, uint32_t count, const void* from) {
  return static_cast<GpuError>(GpuTestMachine::get().command(
      Command::copy_in,
      {.list = asterism::address_of(zones), .extent = asterism::address_of(from), .count = count}));
}

bool gpu_is_copying(unsigned) { return GpuTestMachine::get().port.gpu().copying(); }
uint32_t gpu_arrived(unsigned) { return GpuTestMachine::get().port.arrived(); }
bool gpu_next_waiting(unsigned, uint32_t* zone) {
  const auto waiting = GpuTestMachine::get().port.waiting_zone();
  if (!waiting) return false;
  *zone = *waiting;
  GpuTestMachine::get().port.drop_waiting_zone();
  return true;
}
bool gpu_contained(unsigned, GpuContained* first) {
  const auto contained = GpuTestMachine::get().port.contained();
  if (contained) *first = {contained->zone, contained->offset, contained->by != asterism::GpuReader::kernel};
  return contained.has_value();
}
GpuError gpu_retire(unsigned, uint32_t zone) {
  return static_cast<GpuError>(GpuTestMachine::get().command(Command::retire, {.from = zone}));
}
uint32_t gpu_take_events(unsigned) { return std::exchange(GpuTestMachine::get().events, 0); }
}
