// What all virtio devices share: the registers of virtio over memory-mapped I/O, version 2 (Virtual I/O
// Device version 1.2, section 4.2), the queues, and the thread that serves them.
//
// A type of device derives from this class, offers features, and serves the chains of its queues one after
// the other. Its accesses to queues and buffers are those of a bus master at the main memory, each of which
// takes its time there. The line of the interrupt is high while INTERRUPT_STATUS is not zero.
//
// If a driver breaks a rule, the device says so once in the log, sets STATUS.needs_reset, and serves nothing
// until it is reset. STATUS.features_ok cannot be set without VIRTIO_F_VERSION_1, or with a feature that was
// not offered.
//
// reset: every kind does what the driver does with STATUS = 0: what is being served is dropped at once, and
// the queues and INTERRUPT_STATUS are empty.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <systemc>
#include <vector>

#include "tlm/device.h"
#include "tlm/dma_initiator.h"
#include "tlm/register_socket.h"
#include "virtio/split_queue.h"
#include "virtio/virtio_registers.h"

namespace asterism {

class VirtioDevice : public sc_core::sc_module, public Device, private QueueMemory {
 public:
  RegisterSocket target;
  DmaInitiator memory;
  // Bind it to a signal that several processes may write (devices/gic400.h).
  sc_core::sc_out<bool> interrupt{"interrupt"};

  std::vector<tlm::tlm_target_socket<>*> targets() override { return {&target}; }
  std::vector<sc_core::sc_out<bool>*> interrupts() override { return {&interrupt}; }
  std::vector<tlm::tlm_initiator_socket<>*> initiators() override { return {&memory}; }
  ResetPhase phase() const override { return ResetPhase::masters; }
  void reset(Reset kind) override;
  void report(Statistics& statistics) const override;

  static DeviceShape shape(std::shared_ptr<const RegisterBank> registers);
  static std::vector<DeviceTreeNode> device_tree(const DevicePlace& place);

 protected:
  // `features` are those of the type of device, bits 23:0.
  VirtioDevice(const sc_core::sc_module_name& name, std::unique_ptr<VirtioRegisters> registers,
               std::uint32_t features, unsigned queues, AddressRange memory_range);
  VirtioDevice(const sc_core::sc_module_name& name, std::unique_ptr<VirtioRegisters> registers,
               std::uint32_t features, unsigned queues, const DeviceContext& context);

  // Serves a chain, in the thread of the device: returns the number of bytes written to its writable buffers.
  // Throws QueueError for what a driver must not do.
  virtual std::uint32_t serve(unsigned queue, BufferSequence& readable, BufferSequence& writable) = 0;
  // Whether the device would serve a chain of the queue now. A type whose chains wait until it has something
  // to put into them overrides this, and calls attend() whenever it becomes true.
  virtual bool is_due(unsigned /*queue*/) const { return true; }
  void attend(unsigned queue);
  // A chain of the queue is due, but the driver has made none available.
  virtual void ran_dry(unsigned /*queue*/) {}
  // The driver or the node has reset the device.
  virtual void was_reset() {}
  // The driver is ready, and has broken no rule.
  bool is_running() const;
  // Notifies the driver that the configuration space is another one.
  void configuration_changed();
  // Of the type that was given to the constructor.
  template <class Registers>
  Registers& registers() {
    return static_cast<Registers&>(*registers_);
  }

  // For serve(): lets time pass, or ends the service if the device is reset meanwhile.
  void pass(Picoseconds time);
  // The same until the event.
  void wait_for(const sc_core::sc_event& event);

 private:
  struct Dropped {};  // thrown when the device is reset while it serves a chain
  enum Interrupt : std::uint32_t { used_buffers = 1, configuration_change = 2 };

  void connect_registers();
  void set_status(std::uint32_t value);
  void set_ready(bool ready);
  void notify(std::uint32_t queue);
  void reset_device();
  void run();
  void serve_all(unsigned queue);
  void break_down(unsigned queue, const std::string& why);
  void raise(Interrupt cause);
  void update() { interrupt.write(registers_->interrupt_status.value() != 0); }
  void expect_not_dropped() const;

  // QueueMemory
  void read(Address first, std::span<std::byte> data) override;
  void write(Address first, std::span<const std::byte> data) override;
  template <class Begin>
  void access(Address first, Begin begin, std::span<std::byte> read_into);

  struct Queue {
    SplitQueue ring;
    SplitQueue::Setup setup;
  };

  const std::unique_ptr<VirtioRegisters> registers_;
  const std::uint64_t offered_;
  std::uint64_t accepted_ = 0;
  std::vector<Queue> queues_;
  std::set<unsigned> notified_;
  std::uint64_t resets_ = 0, resets_before_service_ = 0;
  sc_core::sc_event work_{"work"}, dropped_{"dropped"}, ended_{"ended"};
  std::uint64_t chains_ = 0, breakdowns_ = 0;
};

}  // namespace asterism
