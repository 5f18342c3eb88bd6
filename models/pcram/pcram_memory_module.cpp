#include "pcram/pcram_memory_module.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fields.h"
#include "tlm/initiator_extension.h"
#include "tlm/log.h"
#include "tlm/payload.h"
#include "tlm/time.h"

namespace asterism {
namespace {

const RegisteredDevice<PcramMemoryModule> pcram_memory_type{
    "pcram_memory", "A phase-change memory that software reads and writes by bytes: persistent memory."};

Bytes capacity_of(const PcramMemoryConfig& config, const PcramPart& part) {
  return pcram_timing(config.pcram, part, size_of(config, part))->lines() * PcramMemory::line;
}

// Calls act(offset, data) for the enabled bytes of each line.
template <class Act>
void for_each_run(tlm::tlm_generic_payload& payload, Act act) {
  auto* const data = reinterpret_cast<std::byte*>(payload.get_data_ptr());
  const unsigned length = payload.get_data_length();
  for (unsigned first = 0; first < length;) {
    const std::uint64_t at = payload.get_address() + first;
    const std::uint64_t left = PcramMemory::line.count() - at % PcramMemory::line.count();
    const unsigned most = static_cast<unsigned>(std::min<std::uint64_t>(length, first + left));
    unsigned end = first;
    while (end < most && byte_enabled(payload, end)) ++end;
    if (end > first) act(Bytes(at), std::span(data + first, end - first));
    first = std::max(end, first + 1);
  }
}

}  // namespace

PcramPart PcramMemoryModule::load(const PcramMemoryConfig& config, DeviceFiles& files) {
  return files.load<PcramPart>("pcram", config.pcram.part);
}

DeviceShape PcramMemoryModule::shape(const PcramMemoryConfig& config, const PcramPart& part,
                                     const NodeFacts&) {
  return {.targets = {{.size = size_of(config, part)}}, .parts = {config.pcram.part}};
}

void PcramMemoryModule::check(const PcramMemoryConfig& config, const PcramPart& part, const NodeView&,
                              const DevicePlace&, DeviceProblems& problems) {
  const Bytes size = size_of(config, part);
  if (const std::string problem = pcram_problem(config.pcram, part, size, "size"); !problem.empty())
    return problems.add("part", problem);
  if (const Bytes most = capacity_of(config, part); size > most)
    problems.add("size", fmt::format("expected at most {}, the capacity of {} module{} of {}, got {}",
                                     to_text(most), config.pcram.modules,
                                     config.pcram.modules == 1 ? "" : "s", config.pcram.part, to_text(size)));
}

std::vector<DeviceTreeNode> PcramMemoryModule::device_tree(const PcramMemoryConfig&,
                                                           const DevicePlace& place) {
  return {device_tree_node("pmem", {"pmem-region"}, place)};
}

PcramMemoryModule::PcramMemoryModule(const sc_core::sc_module_name& name, const PcramMemoryConfig& config,
                                     const PcramPart& part, const DeviceContext& context)
    : sc_module(name),
      config_(config),
      range_(context.place.range()),
      events_(context.events),
      memory_(PcramArray(part, pcram_timing(config.pcram, part, range_.size), config.pcram.suppress),
              config.buffer / PcramMemory::line) {
  target.register_b_transport(this, &PcramMemoryModule::b_transport);
  target.register_transport_dbg(this, &PcramMemoryModule::transport_dbg);
  memory_.on_worn = [this](Bytes offset) { lose(offset); };
}

void PcramMemoryModule::lose(Bytes offset) {
  const Address address = range_.first + offset;
  log(this->name()).warn("the line at {:#x} is worn out: what was stored to it is lost", address.value());
  events_.record(now(), this->name(), "pcram_worn", {{"address", address.value()}});
}

void PcramMemoryModule::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  payload.set_dmi_allowed(false);
  if (!accept(payload, range_.size)) return;
  if (payload.is_write() && delay != sc_core::SC_ZERO_TIME)
    sc_core::wait(std::exchange(delay, sc_core::SC_ZERO_TIME));
  if (!powered_ || is_aborted(payload)) return payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  memory_.advance_to(now());
  const Picoseconds start = now() + to_picoseconds(delay);
  Picoseconds end = start;
  bool is_lost = false;
  for_each_run(payload, [&](Bytes offset, std::span<std::byte> data) {
    if (payload.is_write()) end = std::max(end, memory_.write(start, offset, data));
    if (!payload.is_read()) return;
    const PcramMemory::Read read = memory_.read(start, offset, data);
    end = std::max(end, read.end);
    is_lost |= read.is_lost;
  });
  delay = to_sc_time(end + config_.latency - now());
  auto* const who = payload.get_extension<InitiatorExtension>();
  if (is_lost && who) who->poison = true;
  payload.set_response_status(is_lost && !who ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
}

unsigned PcramMemoryModule::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (!accept(payload, range_.size)) return 0;
  for_each_run(payload, [&](Bytes offset, std::span<std::byte> data) {
    if (payload.is_read()) memory_.peek(offset, data);
    if (payload.is_write()) memory_.poke(offset, data);
  });
  return payload.get_data_length();
}

void PcramMemoryModule::reset(Reset kind) {
  if (kind == Reset::warm) return;
  memory_.lose_power(now(), config_.reserve == PcramReserve::enough);
  powered_ = kind == Reset::cold;
}

void PcramMemoryModule::report_pages(PageMap& map, const std::string& name) const {
  map.areas.push_back({.name = name, .first = range_.first, .units = memory_.array().capacity() / 4_KiB});
  memory_.array().cells().report_wear(map.areas.back().of("wear"));
}

}  // namespace asterism
