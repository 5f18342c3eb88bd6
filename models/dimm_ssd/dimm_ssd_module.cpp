#include "dimm_ssd/dimm_ssd_module.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "tlm/log.h"
#include "tlm/time.h"

namespace asterism {
namespace {

constexpr std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
constexpr std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

// Calls f(address of the line, its place in packed data) in ascending order.
template <class F>
void for_lines(Address page, std::uint64_t lines, F f) {
  for (std::size_t at = 0; lines != 0; lines &= lines - 1, at += DimmSsd::line.count())
    f(page + DimmSsd::line * static_cast<std::uint64_t>(std::countr_zero(lines)), at);
}

}  // namespace

DimmSsdModule::DimmSsdModule(const sc_core::sc_module_name& name, const DimmSsdConfig& config,
                             const FlashPart& part, AddressRange memory_range, EventLog& events)
    : sc_module(name),
      memory_range_(memory_range),
      sampling_(config.sampling),
      endurance_(endurance(config, part)),
      watch_([this] { rearm(); }, [this](Address page, std::span<std::byte> data) { peek(page, data); }),
      alarm_("alarm",
             [this](Picoseconds now) {
               ssd_->advance_to(now);
               rearm();
             }),
      sampling_alarm_("sampling",
                      [this](Picoseconds) {
                        sampling_alarm_.arm(std::nullopt);
                        watch_.sample();
                        rearm();
                      }),
      fault_alarm_("faults", [this](Picoseconds now) { inject_next(now); }) {
  const FlashGeometry geometry = flash_geometry(config, part);
  image_ = config.image.empty() ? std::make_unique<FlashImage>(geometry)
                                : std::make_unique<FlashImage>(geometry, config.image);
  ssd_ = std::make_unique<DimmSsd>(config, part, *image_, memory_range, static_cast<DimmSsd::Memory&>(*this),
                                   static_cast<DimmSsd::Sink&>(*this), this->name(), events);
  watch_.connect(*ssd_);
  master_.master = InitiatorExtension::first_device_master;
  master_.never_waits = true;
  connect_registers();
}

void DimmSsdModule::connect_registers() {
  DimmSsdRegisters& r = registers;
  r.warn = [this](const std::string& line) { log(this->name()).warn(line); };
  const auto pair = [](const Register& lower, const Register& upper) {
    return std::uint64_t{upper.value()} << 32 | lower.value();
  };
  const auto computed_pair = [](Register& lower, Register& upper, auto value) {
    lower.computed([value] { return low(value()); });
    upper.computed([value] { return high(value()); });
  };
  r.command.on_write([this, pair](std::uint32_t value) {
    ssd_->command(now(), value, Address(pair(registers.descriptor_low, registers.descriptor_high)));
    rearm();
  });
  r.status.computed([this] {
    const DimmSsdRegisters::Status& status = registers.status;
    return status.busy.bits(ssd_->busy()) | status.refused.bits(ssd_->refused()) |
           status.error.bits(ssd_->error());
  });
  r.interrupt_status.on_write([this](std::uint32_t) { update_interrupt(); });
  r.interrupt_enable.on_write([this](std::uint32_t) { update_interrupt(); });
  computed_pair(r.result_version_low, r.result_version_high, [this] { return ssd_->result_version(); });
  r.result_pages.computed([this] { return ssd_->result_pages(); });
  r.checkpoints.computed([this] { return ssd_->checkpoints(); });
  computed_pair(r.durable_version_low, r.durable_version_high, [this] { return ssd_->durable_version(); });
  r.open.computed([this] { return ssd_->open(); });
  r.method.computed([this] { return registers.method.method.bits(ssd_->method()); });
  r.bad_index.computed([this] { return ssd_->bad_index(); });
  computed_pair(r.failed_version_low, r.failed_version_high, [this] { return ssd_->failed_version(); });
  r.failed_error.computed([this] { return static_cast<std::uint32_t>(ssd_->failed_error()); });
  for (Register* each : {&r.shadow_low, &r.shadow_high, &r.shadow_pages})
    each->on_write([this, pair](std::uint32_t) {
      ssd_->set_shadow(Address(pair(registers.shadow_low, registers.shadow_high)),
                       registers.shadow_pages.value());
    });
  r.writes_held.computed(
      [this] { return low(ssd_->checkpointer().writes_held() - at_power_up_.writes_held); });
  r.lines_copied.computed([this] { return low(ssd_->lines_copied() - at_power_up_.lines_copied); });
  r.flash_pages.computed([this] { return low(ssd_->flash_pages() - at_power_up_.flash_pages); });
  computed_pair(r.rated_low, r.rated_high, [this] { return endurance_.count(); });
  computed_pair(r.written_low, r.written_high, [this] { return image_->written().count(); });
}

// ---- memory ----

DimmSsd::Memory::Outcome DimmSsdModule::read_lines(Picoseconds, Address page, std::uint64_t lines,
                                                   std::span<std::byte> data) {
  return access(tlm::TLM_READ_COMMAND, page, lines, data.data());
}

DimmSsd::Memory::Outcome DimmSsdModule::read_preimage(Picoseconds now, Address page, std::uint64_t lines,
                                                      std::span<std::byte> data) {
  const Outcome outcome = read_lines(now, page, lines, data);
  const std::vector<std::byte> kept = watch_.take_preimage(page);
  if (!kept.empty())
    for_lines(page, lines, [&](Address line, std::size_t at) {
      std::memcpy(data.data() + at, kept.data() + (line - page).count(), DimmSsd::line.count());
    });
  return outcome;
}

DimmSsd::Memory::Outcome DimmSsdModule::write_lines(Picoseconds, Address page, std::uint64_t lines,
                                                    std::span<const std::byte> data) {
  return access(tlm::TLM_WRITE_COMMAND, page, lines, const_cast<std::byte*>(data.data()));
}

void DimmSsdModule::fill(tlm::tlm_generic_payload& payload, tlm::tlm_command command, Address address,
                         std::span<std::byte> data) {
  payload.set_command(command);
  payload.set_address((address - memory_range_.first).count());
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(data.data()));
  payload.set_data_length(static_cast<unsigned>(data.size()));
  payload.set_streaming_width(static_cast<unsigned>(data.size()));
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

// Accesses one line after the other. The memory controller annotates its latency and must not wait.
DimmSsd::Memory::Outcome DimmSsdModule::access(tlm::tlm_command command, Address page, std::uint64_t lines,
                                               std::byte* data) {
  sc_core::sc_time delay;
  bool ok = memory_range_.contains(page, DimmSsd::memory_page);
  for_lines(page, lines, [&](Address line, std::size_t at) {
    if (!ok) return;
    tlm::tlm_generic_payload payload;
    fill(payload, command, line, {data + at, DimmSsd::line.count()});
    payload.set_extension(&master_);
    master_.poison = false;
    memory->b_transport(payload, delay);
    payload.clear_extension(&master_);
    ok = payload.is_response_ok() && !master_.poison;
  });
  return {ok, to_picoseconds(delay)};
}

void DimmSsdModule::peek(Address page, std::span<std::byte> data) {
  tlm::tlm_generic_payload payload;
  fill(payload, tlm::TLM_READ_COMMAND, page, data);
  memory->transport_dbg(payload);
}

// ---- reports of the engine ----

void DimmSsdModule::failed(Picoseconds, std::uint64_t, DimmSsd::Error) {
  watch_.drop_preimages();
  set_interrupt(registers.interrupt_status.failed);
}

void DimmSsdModule::released(Picoseconds at, Address) {
  watch_.released();
  ssd_->flushed(at);
}

void DimmSsdModule::flushed() {
  ssd_->flushed(now());
  rearm();
}

void DimmSsdModule::set_interrupt(const FieldOf<bool>& what) {
  registers.interrupt_status.set(registers.interrupt_status.value() | what.mask());
  update_interrupt();
}

void DimmSsdModule::update_interrupt() {
  interrupt.write((registers.interrupt_status.value() & registers.interrupt_enable.value()) != 0);
}

// Early copies are chosen by writes, so that these are sampled; for all other methods the end of the interval
// suffices.
void DimmSsdModule::rearm() {
  alarm_.arm(ssd_->next_event());
  const bool samples = ssd_->tracking() && ssd_->copies_early() && watch_.reports_on_collect();
  if (!samples) return sampling_alarm_.arm(std::nullopt);
  if (!sampling_alarm_.armed()) sampling_alarm_.arm(now() + sampling_);
}

// ---- faults ----

void DimmSsdModule::inject(const std::vector<TimedFlashFault>& faults) {
  faults_.insert(faults_.end(), faults.begin(), faults.end());
  std::ranges::stable_sort(faults_, {}, &TimedFlashFault::at);
  if (!faults_.empty()) fault_alarm_.arm(faults_.front().at);
}

void DimmSsdModule::inject_next(Picoseconds now) {
  const TimedFlashFault next = faults_.front();
  faults_.pop_front();
  if (!ssd_->inject(now, next.fault))
    log(name()).warn("a fault in flash hits nothing: there is no page {} of {} of that version now",
                     next.fault.page, to_text(next.fault.holds));
  if (faults_.empty()) return fault_alarm_.arm(std::nullopt);
  fault_alarm_.arm(faults_.front().at);
}

// ---- the rest ----

void DimmSsdModule::reset(Reset kind) {
  ssd_->reset(kind);
  watch_.reset();
  registers.reset();
  at_power_up_ = {ssd_->checkpointer().writes_held(), ssd_->lines_copied(), ssd_->flash_pages()};
  rearm();
  update_interrupt();
}

DeviceTreeNode DimmSsdModule::device_tree(AddressRange range, unsigned spi) {
  DeviceTreeNode node{dt::node_name("dimm-ssd", range)};
  node.set("compatible", {"asterism,dimm-ssd"}).set("reg", dt::reg(range)).set("interrupts", dt::spi(spi));
  return node;
}

void DimmSsdModule::power_up() {
  ssd_->power_up(now());
  rearm();
}

}  // namespace asterism
