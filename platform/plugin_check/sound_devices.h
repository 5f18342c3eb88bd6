// For tests: devices that keep all rules in ways which a check could take for a fault, and modules as
// examples of others have them (docs/plugins.md).
#pragma once

#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <systemc>
#include <tlm>
#include <vector>

#include "tlm/alarm.h"
#include "tlm/device.h"
#include "tlm/dma_initiator.h"
#include "tlm/initiator_extension.h"
#include "tlm/payload.h"
#include "tlm/register_socket.h"
#include "tlm/time.h"
#include "tlm/tlm_device.h"

namespace asterism {

struct NoKeys {};
inline void describe(Fields&, NoKeys&) {}

// ---- devices ----

// Passes each payload on, with the identity of its initiator, at another address, which it does not restore.
class SoundBridge final : public sc_core::sc_module, public Device {
 public:
  using Config = NoKeys;
  static DeviceShape shape(const Config&, const NodeFacts&) {
    return {.targets = {{.size = 64_KiB}}, .initiators = {{}}};
  }
  SoundBridge(const sc_core::sc_module_name& name, const Config&, const DeviceContext&) : sc_module(name) {
    in_.register_b_transport(this, &SoundBridge::b_transport);
    in_.register_transport_dbg(this, &SoundBridge::transport_dbg);
  }
  std::vector<tlm::tlm_target_socket<>*> targets() override { return {&in_}; }
  std::vector<tlm::tlm_initiator_socket<>*> initiators() override { return {&out_}; }
  void reset(Reset) override {}

 private:
  static bool translate(tlm::tlm_generic_payload& payload) {
    constexpr std::uint64_t size = 0x1'0000, memory = 0x4000'0000;
    const std::uint64_t address = payload.get_address();
    if (address >= size || payload.get_data_length() > size - address) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return false;
    }
    payload.set_address(memory + address);
    return true;
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    if (!translate(payload)) return;
    delay += sc_core::sc_time(5, sc_core::SC_NS);
    out_->b_transport(payload, delay);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) {
    return translate(payload) ? out_->transport_dbg(payload) : 0;
  }
  tlm_utils::simple_target_socket<SoundBridge> in_{"in"};
  tlm_utils::simple_initiator_socket<SoundBridge> out_{"out"};
};
inline const RegisteredDevice<SoundBridge> sound_bridge{"sound_bridge", "Passes accesses on to memory."};

// Passes accesses on by payloads of its own, which a process makes, with the identity of the initiator.
class SoundQueue final : public sc_core::sc_module, public Device {
 public:
  using Config = NoKeys;
  static DeviceShape shape(const Config&, const NodeFacts&) {
    return {.targets = {{.size = 64_KiB}}, .initiators = {{}}};
  }
  SoundQueue(const sc_core::sc_module_name& name, const Config&, const DeviceContext& context)
      : sc_module(name), master_(context.masters.at(0)) {
    in_.register_b_transport(this, &SoundQueue::b_transport);
    sc_core::sc_spawn([this] { serve(); }, sc_core::sc_gen_unique_name("serve"));
  }
  std::vector<tlm::tlm_target_socket<>*> targets() override { return {&in_}; }
  std::vector<tlm::tlm_initiator_socket<>*> initiators() override { return {&out_}; }
  void reset(Reset) override {}

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    sc_core::wait(delay);
    delay = sc_core::SC_ZERO_TIME;
    if (is_aborted(payload)) return payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    if (!accept(payload, 64_KiB)) return;
    const std::lock_guard lock(busy_);
    served_ = &payload;
    begin_.notify(sc_core::SC_ZERO_TIME);
    while (served_) sc_core::wait(end_);
  }
  void serve() {
    for (;;) {
      while (!served_) sc_core::wait(begin_);
      tlm::tlm_generic_payload own;
      InitiatorExtension who;
      const auto* const given = served_->get_extension<InitiatorExtension>();
      who.master = given ? given->master : master_;
      own.set_extension(&who);
      own.set_command(served_->get_command());
      own.set_data_ptr(served_->get_data_ptr());
      own.set_data_length(served_->get_data_length());
      own.set_streaming_width(served_->get_streaming_width());
      own.set_byte_enable_ptr(served_->get_byte_enable_ptr());
      own.set_byte_enable_length(served_->get_byte_enable_length());
      own.set_address(0x4000'0000 + served_->get_address());
      own.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
      sc_core::sc_time delay;
      out_->b_transport(own, delay);
      sc_core::wait(delay);
      served_->set_response_status(own.get_response_status());
      own.clear_extension(&who);
      served_ = nullptr;
      end_.notify();
    }
  }
  const unsigned master_;
  tlm_utils::simple_target_socket<SoundQueue> in_{"in"};
  tlm_utils::simple_initiator_socket<SoundQueue> out_{"out"};
  sc_core::sc_mutex busy_{"busy"};
  sc_core::sc_event begin_, end_;
  tlm::tlm_generic_payload* served_ = nullptr;
};
inline const RegisteredDevice<SoundQueue> sound_queue{"sound_queue", "Passes accesses on, one by one."};

// A master that runs ahead of simulated time, has a single payload, which it uses again when it has been
// freed, and makes posted writes side by side.
class SoundMaster final : public sc_core::sc_module, public Device, private tlm::tlm_mm_interface {
 public:
  using Config = NoKeys;
  struct Registers : RegisterBank {
    Register go{*this, 0, "GO", Access::write_only, 0, "Begins accesses"};
    Registers() : RegisterBank("MASTER", 4_KiB, "A master") {}
  };
  static DeviceShape shape(const Config&, const NodeFacts&) {
    return {.targets = {{.registers = std::make_shared<Registers>()}}, .initiators = {{}}};
  }
  SoundMaster(const sc_core::sc_module_name& name, const Config&, const DeviceContext& context)
      : sc_module(name) {
    who_.master = context.masters.at(0);
    payload_.set_mm(this);
    bank_.go.on_write([this](std::uint32_t) { begin_.notify(sc_core::SC_ZERO_TIME); });
    sc_core::sc_spawn([this] { work(); }, sc_core::sc_gen_unique_name("work"));
  }
  std::vector<tlm::tlm_target_socket<>*> targets() override { return {&target_}; }
  std::vector<tlm::tlm_initiator_socket<>*> initiators() override { return {&master_}; }
  ResetPhase phase() const override { return ResetPhase::masters; }
  void reset(Reset) override { ++resets_; }
  void report(Statistics& statistics) const override { statistics.add("accesses", accesses_); }

 private:
  void work() {
    for (;;) {
      sc_core::wait(begin_);
      const unsigned resets = resets_;
      sc_core::sc_time ahead;
      for (unsigned i = 0; i < 6 && resets == resets_; ++i) access(i, ahead);
      sc_core::wait(ahead);
    }
  }
  void access(unsigned number, sc_core::sc_time& ahead) {
    while (!is_free_) sc_core::wait(freed_);
    is_free_ = false;
    payload_.acquire();
    who_.posted = number % 2 != 0;
    payload_.set_extension(&who_);
    payload_.set_command(who_.posted ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload_.set_address(0x4000'1000 + 64 * number);
    payload_.set_data_ptr(data_.data());
    payload_.set_data_length(static_cast<unsigned>(data_.size()));
    payload_.set_streaming_width(static_cast<unsigned>(data_.size()));
    payload_.set_dmi_allowed(false);
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay = ahead;
    master_->b_transport(payload_, delay);
    ahead = who_.posted ? ahead + sc_core::sc_time(1, sc_core::SC_NS) : delay;
    payload_.clear_extension(&who_);
    ++accesses_;
    payload_.release();
  }
  void free(tlm::tlm_generic_payload*) override {
    is_free_ = true;
    freed_.notify(sc_core::SC_ZERO_TIME);
  }

  Registers bank_;
  RegisterSocket target_{"target", bank_};
  tlm_utils::simple_initiator_socket<SoundMaster> master_{"master"};
  tlm::tlm_generic_payload payload_;
  InitiatorExtension who_;
  std::array<unsigned char, 64> data_{};
  sc_core::sc_event begin_, freed_;
  bool is_free_ = true;
  unsigned resets_ = 0;
  std::uint64_t accesses_ = 0;
};
inline const RegisteredDevice<SoundMaster> sound_master{"sound_master", "Runs ahead."};

// A master without a target, which reads memory from the power-up on.
class SoundGenerator final : public sc_core::sc_module, public Device {
 public:
  using Config = NoKeys;
  static DeviceShape shape(const Config&, const NodeFacts&) { return {.initiators = {{}}}; }
  SoundGenerator(const sc_core::sc_module_name& name, const Config&, const DeviceContext& context)
      : sc_module(name), port_("port", context.memories.at(0)) {
    port_.identify(context.masters.at(0));
  }
  std::vector<tlm::tlm_target_socket<>*> targets() override { return {}; }
  std::vector<tlm::tlm_initiator_socket<>*> initiators() override { return {&port_}; }
  ResetPhase phase() const override { return ResetPhase::masters; }
  void reset(Reset kind) override {
    port_.reset(kind);
    next_.arm(std::nullopt);
  }
  void power_up() override { next_.arm(now() + 10_us); }
  void report(Statistics& statistics) const override { statistics.add("reads", reads_); }

 private:
  void read() {
    next_.arm(now() + 10_us);
    port_.channel().read(now(), Address(0x4000'0000 + 64 * reads_++), 64_B, [](const AccessEnd&) {});
  }
  DmaInitiator port_;
  Alarm next_{"next", [this](Picoseconds) { read(); }};
  std::uint64_t reads_ = 0;
};
inline const RegisteredDevice<SoundGenerator> sound_generator{"sound_generator", "Reads memory."};

// Registers that take words alone, one after 5 us; one of them counts from each reset on, one is cleared by a
// read, and one is a FIFO.
class SoundRegisters final : public sc_core::sc_module, public Device {
 public:
  using Config = NoKeys;
  struct Registers : RegisterBank {
    Register count{*this, 0x0, "COUNT", Access::read_only, 0, "Microseconds since the last reset"};
    Register seen{*this, 0x4, "SEEN", Access::read_only, 0, "What was pushed; a read clears it"};
    Register fifo{*this, 0x8, "FIFO", Access::read_write, varies, "Writes push, reads pop"};
    Register key{*this, 0xc, "KEY", Access::write_only, 0, "Takes 5 us"};
    Registers() : RegisterBank("SOUND", 4_KiB, "Registers") { seen.acts_when_read(), fifo.acts_when_read(); }
  };
  static DeviceShape shape(const Config&, const NodeFacts&) {
    return {.targets = {{.registers = std::make_shared<Registers>()}}};
  }
  SoundRegisters(const sc_core::sc_module_name& name, const Config&, const DeviceContext&) : sc_module(name) {
    socket_.register_b_transport(this, &SoundRegisters::b_transport);
    socket_.register_transport_dbg(this, &SoundRegisters::transport_dbg);
    to_bank_.bind(registers_);
    bank_.count.computed([this] { return static_cast<std::uint32_t>((now() - since_) / 1_us); });
    bank_.seen.computed([this] { return seen_; });
    bank_.seen.on_read([this] { seen_ = 0; });
    bank_.fifo.computed([this] { return fifo_.empty() ? 0 : fifo_.front(); });
    bank_.fifo.on_read([this] {
      if (!fifo_.empty()) fifo_.erase(fifo_.begin());
    });
    bank_.fifo.on_write([this](std::uint32_t value) { seen_ |= value, fifo_.push_back(value); });
  }
  std::vector<tlm::tlm_target_socket<>*> targets() override { return {&socket_}; }
  void reset(Reset) override {
    bank_.reset();
    seen_ = 0;
    fifo_.clear();
    since_ = now();
  }

 private:
  static bool is_word(const tlm::tlm_generic_payload& payload) {
    return payload.get_data_length() == 4 && payload.get_address() % 4 == 0 && !payload.get_byte_enable_ptr();
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    if (!is_word(payload)) return payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    to_bank_->b_transport(payload, delay);
    if (payload.get_address() == 0xc) sc_core::wait(delay), delay = sc_core::sc_time();
    if (payload.get_address() == 0xc) sc_core::wait(5, sc_core::SC_US);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) {
    return is_word(payload) ? to_bank_->transport_dbg(payload) : 0;
  }
  Registers bank_;
  tlm_utils::simple_target_socket<SoundRegisters> socket_{"socket"};
  tlm_utils::simple_initiator_socket<SoundRegisters> to_bank_{"to_bank"};
  RegisterSocket registers_{"registers", bank_};
  std::uint32_t seen_ = 0;
  std::vector<std::uint32_t> fifo_;
  Picoseconds since_;
};
inline const RegisteredDevice<SoundRegisters> sound_registers{"sound_registers", "Takes words alone."};

// ---- modules of others ----

// Stores double words alone, refuses byte enables, and grants direct memory. It is 64 bits wide.
struct WideMemory : sc_core::sc_module {
  tlm_utils::simple_target_socket<WideMemory, 64> socket{"socket"};
  std::vector<unsigned char> bytes = std::vector<unsigned char>(4096);
  explicit WideMemory(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &WideMemory::b_transport);
    socket.register_get_direct_mem_ptr(this, &WideMemory::get_direct_mem_ptr);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const std::uint64_t address = payload.get_address();
    if (payload.get_byte_enable_ptr())
      return payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    if (payload.get_data_length() != 8 || payload.get_streaming_width() < 8 || address % 8 != 0)
      return payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    if (address >= bytes.size()) return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    if (payload.is_read())
      std::memcpy(payload.get_data_ptr(), &bytes[address], 8);
    else if (payload.is_write())
      std::memcpy(&bytes[address], payload.get_data_ptr(), 8);
    else if (payload.get_command() != tlm::TLM_IGNORE_COMMAND)
      return payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    delay += sc_core::sc_time(3, sc_core::SC_NS);
    payload.set_dmi_allowed(true);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
    if (payload.get_address() >= bytes.size()) return false;
    dmi.allow_read_write();
    dmi.set_dmi_ptr(bytes.data());
    dmi.set_start_address(0);
    dmi.set_end_address(bytes.size() - 1);
    return true;
  }
};

// The memory of the examples of Accellera: it has no byte enables and no streaming, and looks at the first
// address of an access only.
struct ExampleMemory {
  static constexpr std::uint64_t size = 4096;
  std::vector<unsigned char> bytes = std::vector<unsigned char>(2 * size);
  void operate(tlm::tlm_generic_payload& payload) {
    const std::uint64_t address = payload.get_address();
    const unsigned length = payload.get_data_length();
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
    if (address >= size)
      status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
    else if (payload.get_byte_enable_ptr())
      status = tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    else if (payload.get_streaming_width() != length)
      status = tlm::TLM_BURST_ERROR_RESPONSE;
    else if (payload.is_read())
      std::memcpy(payload.get_data_ptr(), &bytes[address], length);
    else if (payload.is_write())
      std::memcpy(&bytes[address], payload.get_data_ptr(), length);
    else
      status = tlm::TLM_COMMAND_ERROR_RESPONSE;
    payload.set_response_status(status);
  }
};

// Waits at each access for the time of its caller and its own, as lt_synch_target does.
struct SynchTarget : sc_core::sc_module, ExampleMemory {
  tlm_utils::simple_target_socket<SynchTarget> socket{"socket"};
  explicit SynchTarget(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &SynchTarget::b_transport);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    operate(payload);
    sc_core::wait(delay + sc_core::sc_time(80, sc_core::SC_NS));
    delay = sc_core::SC_ZERO_TIME;
  }
};

// Has nb_transport_fw only, and four phases, as at_target_4_phase does.
struct FourPhaseTarget : sc_core::sc_module, ExampleMemory {
  tlm_utils::simple_target_socket<FourPhaseTarget> socket{"socket"};
  explicit FourPhaseTarget(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_nb_transport_fw(this, &FourPhaseTarget::nb_transport_fw);
    sc_core::sc_spawn([this] { respond(); }, sc_core::sc_gen_unique_name("respond"));
  }
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;
    requests_.notify(payload, delay + sc_core::sc_time(20, sc_core::SC_NS));
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }

 private:
  void respond() {
    for (;;) {
      sc_core::wait(requests_.get_event());
      while (tlm::tlm_generic_payload* const payload = requests_.get_next_transaction()) {
        operate(*payload);
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay;
        socket->nb_transport_bw(*payload, phase, delay);
      }
    }
  }
  tlm_utils::peq_with_get<tlm::tlm_generic_payload> requests_{"requests"};
};

template <class Module>
struct OfOthers final : TlmDevice {
  using Config = NoKeys;
  static DeviceShape shape(const Config&, const NodeFacts&) { return {.targets = {{.size = 4_KiB}}}; }
  OfOthers(const sc_core::sc_module_name& name, const Config&, const DeviceContext& context)
      : TlmDevice(name, context) {
    target(module.socket);
  }
  Module module{"module"};
};
inline const RegisteredDevice<OfOthers<WideMemory>> sound_wide{"sound_wide", "Double words."};
inline const RegisteredDevice<OfOthers<SynchTarget>> synch_target{"others_synch_target", "It waits."};
inline const RegisteredDevice<OfOthers<FourPhaseTarget>> four_phase{"others_four_phase", "It has phases."};

// The module of docs/plugins.md. It has no reset, and no range.
struct Beeper : sc_core::sc_module {
  tlm_utils::simple_target_socket<Beeper, 64> socket{"socket"};
  sc_core::sc_out<bool> beep{"beep"};
  unsigned accesses = 0;
  explicit Beeper(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &Beeper::b_transport);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    delay += sc_core::sc_time(20, sc_core::SC_NS);
    beep.write(++accesses % 2 == 1);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};
struct BeeperDevice final : TlmDevice {
  using Config = NoKeys;
  static DeviceShape shape(const Config&, const NodeFacts&) {
    return {.targets = {{.size = 4_KiB}}, .interrupts = {{}}};
  }
  BeeperDevice(const sc_core::sc_module_name& name, const Config&, const DeviceContext& context)
      : TlmDevice(name, context) {
    target(beeper.socket);
    interrupt(beeper.beep);
  }
  void report(Statistics& statistics) const override {
    statistics.add("accesses", std::uint64_t{beeper.accesses});
  }
  Beeper beeper{"beeper"};
};
inline const RegisteredDevice<BeeperDevice> beeper_type{"others_beeper", "Beeps."};

}  // namespace asterism
