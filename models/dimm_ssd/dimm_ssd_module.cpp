#include "dimm_ssd/dimm_ssd_module.h"

#include "tlm/log.h"
#include "tlm/time.h"

namespace asterism {

DimmSsdModule::DimmSsdModule(const sc_core::sc_module_name& name, const DimmSsdConfig& config,
                             const FlashPart& part, AddressRange memory_range, EventLog& events)
    : sc_module(name), memory_range_(memory_range), alarm_("alarm", [this](Picoseconds now) {
        ssd_->advance_to(now);
        alarm_.arm(ssd_->next_event());
      }) {
  const FlashGeometry geometry = flash_geometry(config, part);
  image_ = config.image.empty() ? std::make_unique<FlashImage>(geometry)
                                : std::make_unique<FlashImage>(geometry, config.image);
  ssd_ = std::make_unique<DimmSsd>(config, part, *image_, memory_range, static_cast<DimmSsd::Memory&>(*this),
                                   static_cast<DimmSsd::Sink&>(*this), this->name(), events);
  master_.master = InitiatorExtension::first_device_master;

  registers_.warn = [this](const std::string& line) { log(this->name())->warn(line); };
  registers_.command.on_write([this](std::uint32_t value) {
    const std::uint64_t high = registers_.descriptor_high.value();
    ssd_->command(now(), value, Address(high << 32 | registers_.descriptor_low.value()));
    alarm_.arm(ssd_->next_event());
  });
  registers_.status.computed(
      [this] { return std::uint32_t{ssd_->busy()} | static_cast<std::uint32_t>(ssd_->error()) << 8; });
  registers_.result_version_low.computed(
      [this] { return static_cast<std::uint32_t>(ssd_->result_version()); });
  registers_.result_version_high.computed(
      [this] { return static_cast<std::uint32_t>(ssd_->result_version() >> 32); });
  registers_.result_pages.computed([this] { return ssd_->result_pages(); });
  registers_.checkpoints.computed(
      [this] { return ssd_->checkpoints(); });
  registers_.interrupt_status.on_write([this](std::uint32_t) { update_interrupt(); });
  registers_.interrupt_enable.on_write([this](std::uint32_t) { update_interrupt(); });
}

DimmSsd::Memory::Outcome DimmSsdModule::read_lines(Picoseconds, Address page, std::uint64_t lines,
                                                   std::span<std::byte> data) {
  return access(tlm::TLM_READ_COMMAND, page, lines, data.data());
}
DimmSsd::Memory::Outcome DimmSsdModule::write_lines(Picoseconds, Address page, std::uint64_t lines,
                                                    std::span<const std::byte> data) {
  on_memory_written({page, DimmSsd::memory_page});
  return access(tlm::TLM_WRITE_COMMAND, page, lines, const_cast<std::byte*>(data.data()));
}

// One line after the other. Called from the alarm's method process: the memory controller annotates its latency and must
// not wait.
DimmSsd::Memory::Outcome DimmSsdModule::access(tlm::tlm_command command, Address page, std::uint64_t lines,
                                               std::byte* data) {
  sc_core::sc_time delay;
  for (unsigned line = 0; line < Matt::lines_per_page; ++line) {
    if ((lines >> line & 1) == 0) continue;
    const Address address = page + DimmSsd::line * line;
    if (!memory_range_.contains(address, DimmSsd::line)) return {false, to_picoseconds(delay)};
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address((address - memory_range_.first).count());
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(data));
    payload.set_data_length(static_cast<unsigned>(DimmSsd::line.count()));
    payload.set_streaming_width(static_cast<unsigned>(DimmSsd::line.count()));
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    payload.set_extension(&master_);
    master_.poison = false;
    memory->b_transport(payload, delay);
    payload.clear_extension(&master_);
    if (!payload.is_response_ok() || master_.poison) return {false, to_picoseconds(delay)};
    data += DimmSsd::line.count();
  }
  return {true, to_picoseconds(delay)};
}

void DimmSsdModule::completed(Picoseconds) {
  registers_.interrupt_status.set(1);
  update_interrupt();
}

void DimmSsdModule::update_interrupt() {
  interrupt.write((registers_.interrupt_status.value() & registers_.interrupt_enable.value()) != 0);
}

void DimmSsdModule::reset(Reset kind) {
  ssd_->reset(kind);
  registers_.reset();
  alarm_.arm(std::nullopt);
  update_interrupt();
}

DeviceTreeNode DimmSsdModule::device_tree(AddressRange range, unsigned spi) {
  DeviceTreeNode node{dt::node_name("dimm-ssd", range)};
  node.set("compatible", {"asterism,dimm-ssd"}).set("reg", dt::reg(range)).set("interrupts", dt::spi(spi));
  return node;
}

void DimmSsdModule::power_up() {
  ssd_->power_up(now());
  alarm_.arm(ssd_->next_event());
}

}  // namespace asterism
