#include "virtio/virtio_pmem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "base/fields.h"
#include "base/quantity_text.h"
#include "tlm/log.h"
#include "tlm/time.h"

namespace asterism {
namespace {

constexpr std::uint32_t pmem_device = 27;
constexpr Bytes alignment = 2_MiB;  // of what Linux takes as a namespace

AddressRange range_of(const VirtioPmemConfig& config, const NodeView& node) {
  const auto memory = node.find(config.memory);
  const AddressRange all = memory->place.range();
  return {all.first, config.size == 0_B ? all.size : config.size};
}

const RegisteredDevice<VirtioPmem> virtio_pmem_type{
    "virtio_pmem", "Virtio persistent memory: a memory that a DIMM-SSD keeps across losses of power."};

}  // namespace

static_assert(member_count<VirtioPmemConfig>() == 4);
void describe(Fields& f, VirtioPmemConfig& c) {
  f("memory", c.memory, "The memory: one besides the main memory, with in_device_tree false.", required());
  f("dimm_ssd", c.dimm_ssd,
    "The DIMM-SSD that keeps it, and guards that memory. It refuses commands of software.", required());
  f("size", c.size, "The part of the memory, from its beginning, that is kept. 0: all of it.",
    within(0_B, 1_TiB));
  f("flush", c.flush, "When a request to flush ends.", one_of<PmemFlush>());
  f.check(c.size % alignment == 0_B, "size", "is a multiple of 2 MiB");
}

VirtioPmemRegisters::VirtioPmemRegisters()
    : VirtioRegisters("VIRTIO_PMEM",
                      "Virtio persistent memory (Virtual I/O Device version 1.2, section 5.19), behind "
                      "memory-mapped registers.",
                      pmem_device) {
  for (Register* each : {&start, &size}) {
    each->any_width();
    each->acts_when_read();
  }
}

DeviceShape VirtioPmem::shape(const Config&, const NodeFacts&) {
  return VirtioDevice::shape(std::make_shared<VirtioPmemRegisters>());
}

void VirtioPmem::check(const Config& config, const NodeView& node, const DevicePlace&,
                       DeviceProblems& problems) {
  const auto memory = node.find(config.memory);
  if (!memory || !memory->shape.is_memory || config.memory == main_memory)
    return problems.add("memory",
                        fmt::format("there is no memory \"{}\" besides the main memory", config.memory));
  if (memory->shape.is_offered)
    problems.add(
        "memory",
        fmt::format("software takes {} as ordinary memory: set its in_device_tree to false", config.memory));
  if (config.size > memory->place.range().size)
    problems.add("size", fmt::format("{} has {}", config.memory, to_text(memory->place.range().size)));
  const auto ssd = node.find(config.dimm_ssd);
  if (!ssd || ssd->type != "dimm_ssd")
    problems.add("dimm_ssd", fmt::format("there is no DIMM-SSD \"{}\"", config.dimm_ssd));
  else if (ssd->shape.initiators.at(0).memory != config.memory)
    problems.add("dimm_ssd", fmt::format("{} guards {}, expected {}", config.dimm_ssd,
                                         ssd->shape.initiators.at(0).memory, config.memory));
}

VirtioPmem::VirtioPmem(const sc_core::sc_module_name& name, const Config& config,
                       const DeviceContext& context)
    : VirtioDevice(name, std::make_unique<VirtioPmemRegisters>(), 0, 1, context),
      config_(config),
      range_(range_of(config, context.node)) {
  auto& r = registers<VirtioPmemRegisters>();
  const auto half_of = [](std::uint64_t value) {
    return [value](unsigned half, Accessor) { return static_cast<std::uint32_t>(value >> 32 * half); };
  };
  r.start.computed(half_of(range_.first.value()));
  r.size.computed(half_of(range_.size.count()));
  for (Register* each : {&r.start, &r.size}) each->on_read([this] { wait_until_restored(); });
}

void VirtioPmem::connect(const DevicePeers& peers) {
  keeper_ = peers.find(config_.dimm_ssd)->as<MemoryKeeper>();
  keeper_->keep(range_);
}

// The thread of the master that reads.
void VirtioPmem::wait_until_restored() {
  while (!is_restored_) sc_core::wait(restored_);
}

std::uint32_t VirtioPmem::serve(unsigned, BufferSequence& readable, BufferSequence& writable) {
  std::array<std::byte, 4> request, answer{};
  if (readable.left() != Bytes(request.size()) || writable.left() != Bytes(answer.size()))
    throw QueueError("a request has not 4 bytes and an answer of 4 bytes");
  readable.read(request);
  if (std::ranges::any_of(request, [](std::byte each) { return each != std::byte{0}; }))
    throw QueueError("a request is none to flush");
  ++flushes_;
  if (config_.flush != PmemFlush::ignored && !save()) {
    ++failures_;
    log(name()).warn("a flush has failed: {} could not save the memory", config_.dimm_ssd);
    answer[0] = std::byte{1};
  }
  writable.write(answer);
  return answer.size();
}

bool VirtioPmem::save() {
  const Picoseconds begun = now();
  const auto result =
      std::make_shared<std::optional<bool>>();  // the call may come after a reset of this device
  keeper_->save([this, result](bool ok) {
    *result = ok;
    saved_.notify(sc_core::SC_ZERO_TIME);
  });
  if (config_.flush == PmemFlush::early) return true;
  while (!*result) wait_for(saved_);
  flushing_ += now() - begun;
  return **result;
}

void VirtioPmem::reset(Reset kind) {
  VirtioDevice::reset(kind);
  is_restored_ = is_restored_ && kind == Reset::warm;
  // Whoever waits is reset, too.
  restored_.notify(sc_core::SC_ZERO_TIME);
}

void VirtioPmem::power_up() {
  if (is_restored_) return;
  keeper_->restore([this](bool ok) {
    if (!ok) log(name()).warn("{} could not restore the memory: it has anything", config_.dimm_ssd);
    is_restored_ = true;
    restored_.notify(sc_core::SC_ZERO_TIME);
  });
}

void VirtioPmem::report(Statistics& statistics) const {
  VirtioDevice::report(statistics);
  statistics.add("flushes", flushes_);
  statistics.add("flushes_failed", failures_);
  statistics.add("flushing", flushing_);
}

}  // namespace asterism
