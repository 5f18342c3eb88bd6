#include "pcram/pcram_module.h"

#include "tlm/log.h"
#include "tlm/time.h"

namespace asterism {

PcramModule::PcramModule(const sc_core::sc_module_name& name, const PcramConfig& config,
                         const PcramPart& part, AddressRange memory_range, EventLog& events)
    : sc_module(name),
      memory_range_(memory_range),
      copier_(config, part, memory_range, static_cast<PcramCopier::Memory&>(*this),
              static_cast<PcramCopier::Sink&>(*this), this->name(), events),
      alarm_("alarm", [this](Picoseconds now) {
        copier_.advance_to(now);
        alarm_.arm(copier_.next_event());
      }) {
  master_.master = InitiatorExtension::first_device_master + 2;
  master_.never_waits = true;
  master_.on_die = copier_.layer_pages() != 0;
  connect_registers();
}

// ---- registers ----

void PcramModule::connect_registers() {
  PcramRegisters& r = registers;
  r.warn = [this](const std::string& line) { log(this->name()).warn(line); };
  r.command.on_write([this](std::uint32_t value) { command(value); });
  r.status.computed([this] {
    const PcramRegisters::Status& status = registers.status;
    return status.busy.bits(copier_.busy()) | status.refused.bits(copier_.refused()) |
           status.error.bits(copier_.error());
  });
  r.interrupt_status.on_write([this](std::uint32_t) { update_interrupt(); });
  r.interrupt_enable.on_write([this](std::uint32_t) { update_interrupt(); });
  r.capacity.computed([this] { return static_cast<std::uint32_t>(copier_.pages()); });
  r.layer.computed([this] { return static_cast<std::uint32_t>(copier_.layer_pages()); });
  r.bad_index.computed([this] { return copier_.bad_index(); });
  r.copied.computed([this] { return copier_.copied(); });
}

void PcramModule::command(std::uint32_t value) {
  const PcramRegisters& r = registers;
  const PcramCopier::Command command{
      .operation = r.command.operation.get(value),
      .memory = Address(std::uint64_t{r.memory_high.value()} << 32 | r.memory_low.value()),
      .place = r.place.value(),
      .pages = r.pages.value(),
      .incremental = r.command.incremental.get(value)};
  copier_.advance_to(now());
  if (command.incremental && !copier_.busy()) find_dirty(command);
  copier_.command(now(), command);
  alarm_.arm(copier_.next_event());
}

// Marks pages as dirty. Pages that do not exist are left to the checks of the copier.
void PcramModule::find_dirty(const PcramCopier::Command& command) {
  if (copier_.layer_pages() == 0) return;
  std::vector<std::byte> data(PcramCopier::page.count());
  for (std::uint64_t i = 0; i < command.pages && command.place + i < copier_.pages(); ++i) {
    const Address page = command.memory + PcramCopier::page * i;
    if (!memory_range_.contains(page, PcramCopier::page) || !peek(page, data)) return;
    if (!std::ranges::equal(data, copier_.peek(command.place + i))) copier_.written(page);
  }
}

void PcramModule::completed(Picoseconds) {
  registers.interrupt_status.set(registers.interrupt_status.value() |
                                 registers.interrupt_status.complete.bits(true));
  update_interrupt();
}

void PcramModule::update_interrupt() {
  interrupt.write((registers.interrupt_status.value() & registers.interrupt_enable.value()) != 0);
}

// ---- memory ----

PcramModule::Outcome PcramModule::read_page(Picoseconds, Address page, std::span<std::byte> data) {
  return access(tlm::TLM_READ_COMMAND, page, data);
}

PcramModule::Outcome PcramModule::write_page(Picoseconds, Address page, std::span<const std::byte> data) {
  return access(tlm::TLM_WRITE_COMMAND, page, {const_cast<std::byte*>(data.data()), data.size()});
}

// The memory controller annotates its latency and must not wait.
PcramModule::Outcome PcramModule::access(tlm::tlm_command command, Address page, std::span<std::byte> data) {
  sc_core::sc_time delay;
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address((page - memory_range_.first).count());
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(data.data()));
  payload.set_data_length(static_cast<unsigned>(data.size()));
  payload.set_streaming_width(static_cast<unsigned>(data.size()));
  payload.set_extension(&master_);
  master_.poison = false;
  memory->b_transport(payload, delay);
  payload.clear_extension(&master_);
  return {payload.is_response_ok() && !master_.poison, to_picoseconds(delay)};
}

bool PcramModule::peek(Address page, std::span<std::byte> data) {
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address((page - memory_range_.first).count());
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(data.data()));
  payload.set_data_length(static_cast<unsigned>(data.size()));
  payload.set_streaming_width(static_cast<unsigned>(data.size()));
  return memory->transport_dbg(payload) == data.size();
}

// ---- the rest ----

void PcramModule::reset(Reset kind) {
  copier_.advance_to(now());
  copier_.reset(kind);
  registers.reset();
  alarm_.arm(std::nullopt);
  update_interrupt();
}

DeviceTreeNode PcramModule::device_tree(AddressRange range, unsigned spi) {
  DeviceTreeNode node{dt::node_name("pcram", range)};
  node.set("compatible", {"asterism,pcram"}).set("reg", dt::reg(range)).set("interrupts", dt::spi(spi));
  return node;
}

}  // namespace asterism
