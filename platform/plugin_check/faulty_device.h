// For tests: a device that breaks one rule, by its key `fault`, and with "none" keeps all of them. Every
// fault is one that modules of third parties have.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "tlm/device.h"
#include "tlm/initiator_extension.h"
#include "tlm/payload.h"
#include "tlm/register_socket.h"
#include "tlm/time.h"

namespace asterism {

struct FaultyRegisters : RegisterBank {
  Register source{*this, 0x00, "SOURCE", Access::read_write, 0, "Where in memory the transfer begins"};
  Register length{*this, 0x04, "LENGTH", Access::read_write, 0, "A number"};
  Register control{*this, 0x08, "CONTROL", Access::write_only, 0, "Begins a transfer"};
  Register status{*this, 0x0c, "STATUS", Access::read_only, 0, "The number of transfers that have ended"};
  Register clear{*this, 0x10, "CLEAR", Access::write_only, 0, "Lowers the line"};
  Register fifo{*this, 0x14, "FIFO", Access::read_only, varies, "Counts its reads"};
  Register id{*this, 0x18, "ID", Access::read_only, 0xabcd, "Identification"};
  Register time{*this, 0x1c, "TIME", Access::read_only, varies, "Simulated time in ns"};
  Register raise{*this, 0x20, "RAISE", Access::write_only, 0, "Raises the line"};
  FaultyRegisters() : RegisterBank("FAULTY", 4_KiB, "A device with a fault") { fifo.acts_when_read(); }
};

struct FaultyConfig {
  std::string fault = "none";
};
inline void describe(Fields& f, FaultyConfig& c) { f("fault", c.fault, "The rule that it breaks, and how."); }

class FaultyDevice final : public sc_core::sc_module, public Device {
 public:
  using Config = FaultyConfig;
  static DeviceShape shape(const Config&, const NodeFacts&) {
    return {.targets = {{.registers = std::make_shared<FaultyRegisters>()}, {.suffix = "_memory"}},
            .interrupts = {{}},
            .initiators = {{}}};
  }

  FaultyDevice(const sc_core::sc_module_name& name, const Config& config, const DeviceContext& context)
      : sc_module(name), fault_(config.fault), master_(context.masters[0]) {
    if (has("crashes_when_built")) std::raise(SIGSEGV);
    socket_.register_b_transport(this, &FaultyDevice::b_transport);
    socket_.register_transport_dbg(this, &FaultyDevice::transport_dbg);
    to_registers_.bind(registers_socket_);
    memory_socket_.register_b_transport(this, &FaultyDevice::access_memory);
    memory_socket_.register_transport_dbg(this, &FaultyDevice::debug_memory);
    memory_socket_.register_get_direct_mem_ptr(this, &FaultyDevice::grant);
    bank_.control.on_write(
        [this](std::uint32_t) { wanted_.push_back(bank_.source.value()), begin_.notify(); });
    bank_.status.computed([this] { return ended_; });
    bank_.clear.on_write([this](std::uint32_t) { irq_.write(false); });
    bank_.raise.on_write([this](std::uint32_t) { irq_.write(true); });
    bank_.fifo.computed([this] { return reads_ + (has("depends_on_chance") ? chance_ : 0); });
    bank_.fifo.on_read([this] { ++reads_; });
    bank_.time.computed([] { return static_cast<std::uint32_t>(now().count() / 1000); });
    sc_core::sc_spawn([this] { transfer(); }, sc_core::sc_gen_unique_name("transfer"));
    sc_core::sc_spawn([this] { write_late(); }, sc_core::sc_gen_unique_name("late"));
  }

  std::vector<tlm::tlm_target_socket<>*> targets() override { return {&socket_, &memory_socket_}; }
  std::vector<sc_core::sc_out<bool>*> interrupts() override { return {&irq_}; }
  std::vector<tlm::tlm_initiator_socket<>*> initiators() override { return {&dma_}; }

  void reset(Reset kind) override {
    last_reset_ = kind;
    if (!(has("keeps_registers") && kind == Reset::cold)) bank_.reset();
    ended_ = reads_ = 0;
    if (!(has("keeps_line") && kind == Reset::warm)) irq_.write(false);
    if (has("works_without_power") && kind == Reset::power_loss) return;
    ++resets_;
    wanted_.clear();
  }
  void report(Statistics& statistics) const override {
    if (has("crashes_in_report")) std::raise(SIGSEGV);
    statistics.add("debugger", debug_reads_);
    statistics.add("transfers", transfers_ + (has("counts_reports") ? ++reports_ : 0));
    if (has("names_twice")) statistics.add("transfers", transfers_);
  }

 private:
  bool has(std::string_view fault) const { return fault_ == fault; }

  // ---- faults of the target ----

  // Whether a write of the guest gives LENGTH a value that the device has not expected.
  static bool is_unexpected_length(const tlm::tlm_generic_payload& payload) {
    return payload.is_write() && payload.get_address() == 4 && payload.get_data_length() == 4 &&
           payload.get_data_ptr()[3] >= 0x80;
  }

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    if (is_unexpected_length(payload)) fail();
    const std::uint64_t address = payload.get_address(), end = address + payload.get_data_length();
    const bool moves_data = payload.is_read() || payload.is_write();
    if (moves_data && ((has("wraps_range") && address > 4096 && end <= 4096) ||
                       (has("ignores_end") && address < 4096 && end > 4096)))
      return payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (has("mixes_callers")) {
      current_ = &payload;
      sc_core::wait(10, sc_core::SC_NS);
      return to_registers_->b_transport(*current_, delay);
    }
    if ((has("acts_early") && address == 0x1c) || (has("interrupts_early") && address == 0x20)) {
      sc_core::sc_time none;
      return to_registers_->b_transport(payload, none);
    }
    const sc_core::sc_time before = delay;
    forward(payload, delay);
    if (has("delay_shrinks") && before == sc_core::sc_time(37, sc_core::SC_NS) && delay == before &&
        payload.get_data_length() != 4)
      delay = sc_core::SC_ZERO_TIME;
    change(payload);
    if (has("goes_on_after_reset") && is_aborted(payload) && last_reset_ == Reset::warm)
      sc_core::wait(1, sc_core::SC_MS);
  }

  void fail() {
    if (has("throws")) throw std::runtime_error("length is too large");
    if (has("crashes")) std::raise(SIGSEGV);
    if (has("exits")) std::exit(3);
    if (has("stops")) sc_core::sc_stop();
    if (has("never_returns")) sc_core::wait(never_);
    while (has("loops")) sc_core::sc_time_stamp();
  }

  void forward(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    unsigned char* const enables = payload.get_byte_enable_ptr();
    const unsigned width = payload.get_streaming_width();
    if (payload.is_write() ? has("ignores_enables") : has("reads_disabled"))
      payload.set_byte_enable_ptr(nullptr);
    if (has("ignores_streaming")) payload.set_streaming_width(payload.get_data_length());
    to_registers_->b_transport(payload, delay);
    payload.set_byte_enable_ptr(enables);
    payload.set_streaming_width(width);
  }

  void change(tlm::tlm_generic_payload& payload) {
    if (has("forgets_status") && payload.is_write() && payload.get_address() == 0x18)
      payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    if (has("writes_beyond") && payload.is_read() && payload.get_data_length() == 16)
      payload.get_data_ptr()[16] = 0;
    if (has("inverts_writes") && payload.is_write() && payload.get_data_length() == 16)
      payload.get_data_ptr()[3] ^= 0xff;
    if (has("changes_address")) payload.set_address(payload.get_address() + 4);
    if (has("writes_late") && payload.is_read() && payload.get_data_length() % 2 != 0)
      late_ = payload.get_data_ptr(), late_event_.notify(sc_core::SC_ZERO_TIME);
    if (has("keeps_payload") && payload.has_mm()) payload.acquire();
    if (auto* const who = payload.get_extension<InitiatorExtension>(); who && has("changes_master"))
      who->master = 7;
    else if (who && has("drops_identity"))
      payload.clear_extension(who);
  }

  void write_late() {
    for (;;) {
      sc_core::wait(late_event_);
      *late_ = 1;
    }
  }

  unsigned transport_dbg(tlm::tlm_generic_payload& payload) {
    const unsigned count = to_registers_->transport_dbg(payload);
    debug_reads_ += has("counts_debugger");
    if (has("debug_lies") && payload.is_write() && payload.get_address() == 0) return 4;
    if (has("debug_outside") && payload.get_address() > 4096) return 1;
    if (has("debug_pops") && payload.get_address() == 0x14 && count == 4) ++reads_;
    if (has("debug_notifies")) never_.notify(sc_core::SC_ZERO_TIME);
    return count;
  }

  // ---- its memory ----

  unsigned move(tlm::tlm_generic_payload& payload) {
    if (!accept(payload, Bytes(memory_.size()))) return 0;
    for (unsigned i = 0; i < payload.get_data_length(); ++i) {
      if (!byte_enabled(payload, i)) continue;
      unsigned char& byte = memory_[payload.get_address() + i];
      if (payload.is_read()) payload.get_data_ptr()[i] = byte;
      if (payload.is_write()) byte = payload.get_data_ptr()[i];
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return payload.get_data_length();
  }
  void access_memory(tlm::tlm_generic_payload& payload, sc_core::sc_time&) { move(payload); }
  unsigned debug_memory(tlm::tlm_generic_payload& payload) { return move(payload); }
  bool grant(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
    if (payload.get_address() >= memory_.size()) return false;
    copy_ = memory_;
    dmi.allow_read_write();
    dmi.set_dmi_ptr(has("grants_a_copy") ? copy_.data() : memory_.data());
    dmi.set_start_address(0);
    dmi.set_end_address(memory_.size() - (has("grants_too_much") ? 0 : 1));
    return true;
  }

  // ---- its transfers ----

  void transfer() {
    for (;;) {
      while (wanted_.empty()) sc_core::wait(begin_);
      if (has("crashes_by_itself")) std::raise(SIGSEGV);
      if (has("throws_by_itself")) throw std::runtime_error("nothing to transfer");
      const unsigned resets = resets_;
      const std::uint32_t first = wanted_.front() & 0xffff0;
      sc_core::wait(20, sc_core::SC_US);
      for (unsigned i = 0; i < 2 && resets == resets_; ++i) write_memory(first + 16 * i);
      if (resets != resets_) continue;
      wanted_.pop_front(), ++ended_, ++transfers_;
      irq_.write(true);
    }
  }

  void write_memory(unsigned offset) {
    std::array<unsigned char, 16> data{};
    tlm::tlm_generic_payload payload;
    InitiatorExtension who;
    who.master = has("dma_as_core") ? 0 : master_;
    payload.set_extension(&who);
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(0x4000'0000 + offset);
    payload.set_data_ptr(data.data());
    payload.set_data_length(16);
    payload.set_streaming_width(has("dma_without_width") ? 0 : 16);
    payload.set_response_status(has("dma_sets_status") ? tlm::TLM_OK_RESPONSE : tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay;
    dma_->b_transport(payload, delay);
    payload.clear_extension(&who);
    if (!has("dma_ignores_delay")) sc_core::wait(delay);
  }

  const std::string fault_;
  const unsigned master_;
  FaultyRegisters bank_;
  tlm_utils::simple_target_socket<FaultyDevice> socket_{"socket"}, memory_socket_{"memory_socket"};
  tlm_utils::simple_initiator_socket<FaultyDevice> to_registers_{"to_registers"}, dma_{"dma"};
  RegisterSocket registers_socket_{"registers", bank_};
  sc_core::sc_out<bool> irq_{"irq"};
  std::vector<unsigned char> memory_ = std::vector<unsigned char>(4096), copy_;
  sc_core::sc_event begin_, never_, late_event_;
  tlm::tlm_generic_payload* current_ = nullptr;
  unsigned char* late_ = nullptr;
  std::deque<std::uint32_t>
      wanted_;  // the first addresses of transfers, as they were when these were requested
  unsigned resets_ = 0;
  std::uint32_t ended_ = 0, reads_ = 0;
  const std::uint32_t chance_ = static_cast<std::uint32_t>(std::rand());
  Reset last_reset_ = Reset::cold;
  std::uint64_t transfers_ = 0, debug_reads_ = 0;
  mutable std::uint64_t reports_ = 0;
};

const RegisteredDevice<FaultyDevice> faulty_type{"faulty", "A device that breaks a rule."};

}  // namespace asterism
