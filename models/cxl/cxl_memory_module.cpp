#include "cxl/cxl_memory_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tlm/initiator_extension.h"
#include "tlm/log.h"
#include "tlm/payload.h"
#include "tlm/time.h"

namespace asterism {
namespace {

const RegisteredDevice<CxlMemoryModule> cxl_memory_type{
    "cxl_memory", "A CXL.mem expander: DRAM behind a link, with poison."};

// The DRAM, as a device of the type `memory`.
std::unique_ptr<DeviceConfig> media_config(const CxlMemoryConfig& config, const MemoryParts& parts) {
  std::unique_ptr<DeviceConfig> media = DeviceTypes::find("memory")->config();
  auto& memory = dynamic_cast<DeviceConfigOf<MemoryConfig, MemoryParts>&>(*media);
  memory.config = media_of(config);
  memory.parts = parts;
  return media;
}

// The place of the media: that of the window, without registers.
DevicePlace media_place(const DevicePlace& place) { return {.instance = "media", .ranges = {place.range()}}; }

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

}  // namespace

// ---- before a node is built ----

CxlParts CxlMemoryModule::load(const CxlMemoryConfig& config, DeviceFiles& files) {
  CxlParts parts{.expander = files.load<CxlPart>("cxl", config.expander), .media = {}};
  const std::unique_ptr<DeviceConfig> media = media_config(config, {});
  media->load(files);
  parts.media = dynamic_cast<DeviceConfigOf<MemoryConfig, MemoryParts>&>(*media).parts;
  return parts;
}

DeviceShape CxlMemoryModule::shape(const CxlMemoryConfig& config, const CxlParts& parts, const NodeFacts&) {
  return {.targets = {{.size = config.size},
                      {.suffix = "_device", .registers = std::make_shared<CxlRegisters>()}},
          .interrupts = {{}},
          .is_memory = true,
          .is_offered = false,
          .parts = {fmt::format("CXL x{}, {}", parts.expander.lanes, config.expander), config.dram.part}};
}

void CxlMemoryModule::check(const CxlMemoryConfig& config, const CxlParts& parts, const NodeView& node,
                            const DevicePlace& place, DeviceProblems& problems) {
  media_config(config, parts.media)->check(node, media_place(place), problems);
}

std::optional<FaultCheck<MemoryFault>::Problem> CxlMemoryModule::problem_of(const CxlMemoryConfig& config,
                                                                            const CxlParts& parts,
                                                                            const MemoryFault& fault) {
  const std::unique_ptr<DeviceConfig> media = media_config(config, parts.media);
  return dynamic_cast<const FaultCheck<MemoryFault>&>(*media).problem_of(fault);
}

std::optional<FaultCheck<CxlFault>::Problem> CxlMemoryModule::problem_of(const CxlMemoryConfig& config,
                                                                         const CxlParts&,
                                                                         const CxlFault& fault) {
  if (fault.offset < config.size) return std::nullopt;
  return FaultCheck<CxlFault>::Problem{
      "offset", fmt::format("expected an offset below {:#x}, the size of the expander, got {:#x}",
                            config.size.count(), fault.offset.count())};
}

std::vector<DeviceTreeNode> CxlMemoryModule::device_tree(const CxlMemoryConfig&, const DevicePlace& place) {
  const DevicePlace registers{place.instance, {place.ranges.at(1), place.ranges.at(0)}, place.interrupts};
  return {device_tree_node("cxl-memory", {"asterism,cxl-memory"}, registers)};
}

// ---- in a node ----

CxlMemoryModule::CxlMemoryModule(const sc_core::sc_module_name& name, const CxlMemoryConfig& config,
                                 const CxlParts& parts, const DeviceContext& context)
    : sc_module(name),
      target("target", registers),
      config_(config),
      window_(context.place.range()),
      events_(context.events),
      link_(parts.expander),
      faults_("alarm", [this](Picoseconds, const CxlFault& fault) { inject_poison(fault.offset); }) {
  const DeviceContext inner{.place = media_place(context.place),
                            .ports = context.ports,
                            .quantum = context.quantum,
                            .seed = context.seed,
                            .node = context.node,
                            .events = context.events};
  media_ = DeviceTypes::find("memory")->build(*media_config(config, parts.media), inner);
  memory_ = media_->as<NodeMemory>();
  memory_->before_access = [this](AddressRange offsets, bool is_store) {
    if (before_access) before_access(offsets, is_store);
  };
  memory_->on_error.emplace_back([this](const FoundError& error) { found(error); });
  ports_.reserve(context.ports);
  for (unsigned i = 0; i < context.ports; ++i) {
    ports_.push_back(std::make_unique<Port>(fmt::format("port{}", i).c_str(), *this));
    ports_.back()->media.bind(memory_->port(i));
  }
  registers.link.set(registers.link.lanes.bits(parts.expander.lanes) |
                     registers.link.large_flits.bits(parts.expander.flit == CxlFlit::bytes_256) |
                     registers.link.own_supply.bits(config.supply == CxlSupply::own));
  connect_registers();
}

// ---- accesses ----

CxlMemoryModule::Port::Port(const sc_core::sc_module_name& name, CxlMemoryModule& owner)
    : sc_module(name), owner_(owner) {
  host.register_b_transport(this, &Port::b_transport);
  host.register_transport_dbg(this, &Port::transport_dbg);
  host.register_get_direct_mem_ptr(this, &Port::get_direct_mem_ptr);
  media.register_invalidate_direct_mem_ptr(this, &Port::invalidate_direct_mem_ptr);
}

// The lines of a payload enter the link one after the other. The memory gets them together, when the last
// one has come, and they return in their order. A line that finds no place in the queue beside those before
// it takes the time of the memory once more, from then on.
void CxlMemoryModule::Port::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  payload.set_dmi_allowed(false);
  if (!accept(payload, owner_.config_.size)) return;
  if (!owner_.powered_) return payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  const bool is_write = payload.is_write();
  const std::uint64_t first = payload.get_address() / 64,
                      last = (payload.get_address() + std::max(payload.get_data_length(), 1u) - 1) / 64;
  const Picoseconds issued = now() + to_picoseconds(delay);
  std::vector<CxlLink::Sent> sent;
  sent.reserve(last - first + 1);
  for (std::uint64_t line = first; line <= last; ++line)
    sent.push_back(owner_.link_.request(now(), issued, is_write));
  delay = to_sc_time(sent.back().at_memory - now());
  media->b_transport(payload, delay);
  const Picoseconds ended = now() + to_picoseconds(delay);
  Picoseconds answered = ended;
  for (const CxlLink::Sent& each : sent)
    answered = std::max(answered, owner_.link_.response(each, ended, is_write));
  delay = to_sc_time(answered - now());
  owner_.pass_poison(payload);
}

Picoseconds CxlMemoryModule::Port::access(const Access& access, Picoseconds at) {
  const CxlLink::Sent sent = owner_.link_.request(now(), at, access.is_write);
  return owner_.link_.response(sent, path_->access(access, sent.at_memory), access.is_write);
}

unsigned CxlMemoryModule::Port::transport_dbg(tlm::tlm_generic_payload& payload) {
  const unsigned moved = media->transport_dbg(payload);
  if (payload.is_write() && moved != 0) owner_.poison_.written(Bytes(payload.get_address()), Bytes(moved));
  return moved;
}

bool CxlMemoryModule::Port::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  const std::uint64_t page = payload.get_address() & ~std::uint64_t{0xfff};
  if (!media->get_direct_mem_ptr(payload, dmi)) return false;
  auto* const who = payload.get_extension<InitiatorExtension>();
  const AddressRange granted =
      owner_.poison_.sound_around(Bytes(page), between(dmi.get_start_address(), dmi.get_end_address()));
  if (granted.size == Bytes(0)) {
    dmi.set_start_address(page);
    dmi.set_end_address(page + 0xfff);
    dmi.allow_none();
    if (who) who->poison = true;
    return false;
  }
  unsigned char* const pointer = dmi.get_dmi_ptr() + (granted.first.value() - dmi.get_start_address());
  dmi.set_dmi_ptr(pointer);
  dmi.set_start_address(granted.first.value());
  dmi.set_end_address(granted.last().value());
  if (who && who->timed) {
    path_ = who->timed;
    who->timed = this;
  }
  return true;
}

void CxlMemoryModule::Port::invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) {
  host->invalidate_direct_mem_ptr(first, last);
}

void CxlMemoryModule::pass_poison(tlm::tlm_generic_payload& payload) {
  if (poison_.empty() || !payload.is_response_ok()) return;
  const Bytes first(payload.get_address()), size(payload.get_data_length());
  if (payload.is_read() && poison_.touches(first, size)) {
    ++poisoned_reads_;
    payload.set_dmi_allowed(false);
    if (auto* const who = payload.get_extension<InitiatorExtension>())
      who->poison = true;
    else
      payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  }
  if (!payload.is_write()) return;
  for (unsigned i = 0; i < payload.get_data_length(); ++i)
    if (byte_enabled(payload, i)) poison_.written(first + Bytes(i), 1_B);
}

void CxlMemoryModule::load(Bytes offset, std::span<const std::byte> contents) {
  poison_.written(offset, Bytes(contents.size()));
  memory_->load(offset, contents);
}

// ---- poison ----

void CxlMemoryModule::found(const FoundError& error) {
  const CxlRegisters::Events& events = registers.interrupt_status;
  corrected_ += error.is_corrected;
  if (error.is_corrected)
    raise(events.corrected.bits(true));
  else if (poison(error.offset, PoisonSource::internal))
    raise(events.uncorrectable.bits(true));
}

// What loses its contents with the node's power has none that could be wrong while the power is off.
void CxlMemoryModule::inject_poison(Bytes offset) {
  if (powered_ || config_.supply == CxlSupply::own)
    poison(offset, PoisonSource::injected);
  else
    log(name()).warn("the poison at {:#x} has no effect: the expander has no power",
                     (window_.first + offset).value());
}

bool CxlMemoryModule::poison(Bytes offset, PoisonSource source) {
  if (!poison_.add(offset, source)) return false;
  ++poisoned_lines_;
  const Address address = window_.first + offset / PoisonList::line * PoisonList::line;
  log(name()).warn(
      "the line at {:#x} is poisoned: {}", address.value(),
      source == PoisonSource::injected ? "it was injected" : "its media has an uncorrectable error");
  events_.record(now(), name(), "cxl_poison",
                 {{"address", address.value()}, {"source", std::string(to_text(source))}});
  const std::uint64_t page = offset.count() & ~std::uint64_t{0xfff};
  for (const auto& port : ports_) port->host->invalidate_direct_mem_ptr(page, page + 0xfff);
  return true;
}

void CxlMemoryModule::inject(const std::vector<Timed<MemoryFault>>& faults) {
  media_->as<FaultTarget<MemoryFault>>()->inject(faults);
}

void CxlMemoryModule::inject(const std::vector<Timed<CxlFault>>& faults) { faults_.add(faults); }

// ---- registers ----

void CxlMemoryModule::connect_registers() {
  CxlRegisters& r = registers;
  r.warn = [this](const std::string& line) { log(this->name()).warn(line); };
  r.window_low.set(low(window_.first.value()));
  r.window_high.set(high(window_.first.value()));
  r.capacity.set(static_cast<std::uint32_t>(window_.size / 1_MiB));
  r.command.on_write([this](std::uint32_t value) { execute(value); });
  r.poison_count.computed([this] {
    return registers.poison_count.listed.bits(static_cast<std::uint32_t>(poison_.listed())) |
           registers.poison_count.overflow.bits(poison_.overflow());
  });
  const auto selected = [this](auto part) -> std::uint32_t {
    const std::size_t index = registers.poison_index.value();
    return index < poison_.listed() ? part(poison_.entry(index)) : 0;
  };
  r.poison_low.computed([selected] {
    return selected([](const PoisonList::Entry& entry) {
      return low(entry.line.count()) | static_cast<std::uint32_t>(entry.source);
    });
  });
  r.poison_high.computed([selected] {
    return selected([](const PoisonList::Entry& entry) { return high(entry.line.count()); });
  });
  r.corrected.computed([this] { return low(corrected_); });
  r.poisoned.computed([this] { return low(poisoned_reads_); });
  r.interrupt_status.on_write([this](std::uint32_t) { update_interrupt(); });
  r.interrupt_enable.on_write([this](std::uint32_t) { update_interrupt(); });
}

void CxlMemoryModule::execute(std::uint32_t opcode) {
  registers.return_code.set(static_cast<std::uint32_t>(result_of(static_cast<CxlCommand>(opcode & 0xffff))));
}

CxlReturn CxlMemoryModule::result_of(CxlCommand command) {
  if (command == CxlCommand::get_poison_list) return CxlReturn::success;
  if (command != CxlCommand::inject_poison && command != CxlCommand::clear_poison)
    return CxlReturn::unsupported;
  const Bytes offset(std::uint64_t{registers.address_high.value()} << 32 | registers.address_low.value());
  if (offset >= window_.size || offset % PoisonList::line != Bytes(0)) return CxlReturn::invalid_address;
  if (command == CxlCommand::inject_poison) {
    poison(offset, PoisonSource::injected);
    return CxlReturn::success;
  }
  std::array<std::byte, 64> zeros{};
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_WRITE_COMMAND);
  payload.set_address(offset.count());
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(zeros.data()));
  payload.set_data_length(zeros.size());
  payload.set_streaming_width(zeros.size());
  if (ports_[0]->media->transport_dbg(payload) != zeros.size()) return CxlReturn::retry;
  memory_->load(offset, zeros);
  poison_.clear(offset);
  return CxlReturn::success;
}

void CxlMemoryModule::raise(std::uint32_t event) {
  registers.interrupt_status.set(registers.interrupt_status.value() | event);
  update_interrupt();
}

void CxlMemoryModule::update_interrupt() {
  interrupt.write((registers.interrupt_status.value() & registers.interrupt_enable.value()) != 0);
}

// ---- the rest ----

void CxlMemoryModule::reset(Reset kind) {
  const Reset inner = config_.supply == CxlSupply::own ? Reset::warm : kind;
  media_->reset(inner);
  poison_.reset(inner);
  link_.reset(kind);
  powered_ = kind != Reset::power_loss;
  for (Register* each : std::initializer_list<Register*>{
           &registers.return_code, &registers.address_low, &registers.address_high, &registers.poison_index,
           &registers.interrupt_status, &registers.interrupt_enable})
    each->reset();
  update_interrupt();
}

void CxlMemoryModule::power_up() {
  powered_ = true;
  media_->power_up();
}

void CxlMemoryModule::report(Statistics& statistics) const {
  link_.report(statistics.group("link"));
  Statistics& poison = statistics.group("poison");
  poison.add("lines", poisoned_lines_);
  poison.add("reads", poisoned_reads_);
  media_->report(statistics.group("media"));
}

std::string CxlMemoryModule::summary() const {
  std::string text = memory_->summary();
  if (poisoned_lines_ == 0) return text;
  text += fmt::format("{}{} poisoned line{}", text.empty() ? "" : ", ", poisoned_lines_,
                      poisoned_lines_ == 1 ? "" : "s");
  if (poison_.size() != poisoned_lines_) text += fmt::format(", {} at the end", poison_.size());
  return text;
}

void CxlMemoryModule::count_pages() { media_->as<PageCounting>()->count_pages(); }

void CxlMemoryModule::report_pages(PageMap& map, const std::string& name) const {
  media_->as<PageCounting>()->report_pages(map, name);
}

}  // namespace asterism
