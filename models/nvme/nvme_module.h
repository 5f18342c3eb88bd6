// The module of the NVMe controller: a target socket with registers, two DMA ports, and an interrupt line.
// The engine is nvme/nvme_controller.h.
//
// An access to the main memory takes a port of that. One to any other address takes the interconnect, and so
// reaches each memory of the node, as a PCI function does.
//
// With `pcie` it is the only function of a PCI bus: a second socket is the configuration space (ECAM), and
// the first one the window of the host bridge, which has the size of BAR 0, so that a driver can place the
// registers there and nowhere else. They answer whatever COMMAND and the BAR say. With `messages` the
// function has MSI-X: its table of vectors is behind the doorbells, and a message is a write to a physical
// address.
//
// reset: that of the engine; registers take their reset values on every kind.
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "nvme/nvme_controller.h"
#include "nvme/nvme_registers.h"
#include "nvme/pci_function_registers.h"
#include "tlm/alarm.h"
#include "tlm/device.h"
#include "tlm/device_roles.h"
#include "tlm/dma_initiator.h"
#include "tlm/fault_queue.h"
#include "tlm/register_socket.h"

namespace asterism {

class NvmeModule final : public sc_core::sc_module,
                         public Device,
                         public FaultTarget<FlashFailure>,
                         private NvmeController::Sink {
 public:
  using Config = NvmeConfig;
  using Parts = FlashPart;
  using Faults = FaultList<FlashFailure>;
  static FlashPart load(const NvmeConfig& config, DeviceFiles& files);
  static DeviceShape shape(const NvmeConfig& config, const NodeFacts&);
  static void check(const NvmeConfig& config, const FlashPart& part, const NodeView&, const DevicePlace&,
                    DeviceProblems& problems);
  static std::vector<DeviceTreeNode> device_tree(const NvmeConfig&, const DevicePlace& place);
  static std::optional<FaultCheck<FlashFailure>::Problem> problem_of(const NvmeConfig& config,
                                                                     const FlashPart& part,
                                                                     const FlashFailure& failure);

  NvmeRegisters registers;
  RegisterSocket target{"target", registers, Picoseconds(10'000)};
  DmaInitiator memory;
  DmaInitiator bus;  // to the interconnect: what is not in `memory`, and messages of MSI-X
  // Bind it to a signal that several processes may write (devices/gic400.h).
  sc_core::sc_out<bool> interrupt{"interrupt"};

  // `memory_range` is the range of the node's memory; an access outside of it is a bus error. Throws
  // FlashImageError for an image file that does not fit.
  NvmeModule(const sc_core::sc_module_name& name, const NvmeConfig& config, const FlashPart& part,
             AddressRange memory_range);
  NvmeModule(const sc_core::sc_module_name& name, const NvmeConfig& config, const FlashPart& part,
             const DeviceContext& context);

  std::vector<tlm::tlm_target_socket<>*> targets() override;
  std::vector<sc_core::sc_out<bool>*> interrupts() override { return {&interrupt}; }
  std::vector<tlm::tlm_initiator_socket<>*> initiators() override { return {&memory, &bus}; }
  ResetPhase phase() const override { return ResetPhase::masters; }
  void reset(Reset kind) override;
  void power_up() override;
  void report(Statistics& statistics) const override;
  void inject(const std::vector<Timed<FlashFailure>>& failures) override;

 private:
  struct Function {
    PciFunctionRegisters registers;
    RegisterSocket target;
    Function();
  };
  void connect_registers();
  void connect_function();
  void connect_messages();
  void rearm() { alarm_.arm(controller_->next_event()); }

  // NvmeController::Sink
  void interrupt_changed(bool level) override;
  void message(unsigned vector) override;
  bool sends_messages() const;
  void send_pending();
  std::uint32_t pending() const { return pending_ & controller_->waiting_vectors(); }
  void warn(const std::string& what) override;
  void note(const std::string& what) override;
  void inject_now(const FlashFailure& failure);

  // Of one kind of accesses of the controller.
  class Route final : public MemoryPort {
   public:
    Route(AddressRange range, MemoryPort& memory, MemoryPort& bus)
        : range_(range), memory_(memory), bus_(bus) {}
    void read(Picoseconds now, Address first, Bytes size, OnAccessEnd ended) override {
      port(first).read(now, first, size, std::move(ended));
    }
    void write(Picoseconds now, Address first, std::span<const std::byte> data, OnAccessEnd ended) override {
      port(first).write(now, first, data, std::move(ended));
    }
    void abandon() override {
      memory_.abandon();
      bus_.abandon();
    }

   private:
    MemoryPort& port(Address first) { return range_.contains(first) ? memory_ : bus_; }
    const AddressRange range_;
    MemoryPort &memory_, &bus_;
  };
  static constexpr unsigned message_channel = static_cast<unsigned>(NvmeController::parts);

  const bool has_messages_;
  const unsigned vectors_;
  std::unique_ptr<FlashImage> image_;
  std::vector<Route> routes_;  // by NvmeController::Part
  std::unique_ptr<NvmeController> controller_;
  std::unique_ptr<Function> function_;  // with `pcie`
  bool level_ = false;                  // that the controller asks for
  std::uint32_t pending_ = 0;   // vectors whose messages wait, as far as their queues still have entries
  bool sent_messages_ = false;  // before the last write of Message Control
  EventLog* events_ = nullptr;
  std::uint64_t flash_faults_ = 0, flash_faults_missed_ = 0;
  Alarm alarm_;
  FaultQueue<FlashFailure> failures_;
};

}  // namespace asterism
