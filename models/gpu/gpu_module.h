// The GPUs of a node behind one PCIe switch, with registers (gpu_registers.h), a DMA port to the memory
// controller and an interrupt line. A snapshot goes into the node's DRAM through the memory controller.
//
// A transfer is written to DRAM, or read from it, while the link moves it, page by page, each page when the
// link has moved it. An access takes the controller's time like that of any master, and the transfer waits
// for it (gpu.h), so that cores and GPUs share the memory.
//
// reset: as in gpu/gpu_port.h, of which ZONES_IN_USE is a part; other registers take their reset values on
// every kind.
#pragma once

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <systemc>
#include <vector>

#include "gpu/gpu_loss.h"
#include "gpu/gpu_port.h"
#include "gpu/gpu_registers.h"
#include "gpu/gpu_slowdown.h"
#include "gpu/gpus_config.h"
#include "tlm/alarm.h"
#include "tlm/device.h"
#include "tlm/device_roles.h"
#include "tlm/dma_initiator.h"
#include "tlm/memory_errors.h"
#include "tlm/register_socket.h"
#include "zone_monitor/zone_monitor_hook.h"

namespace asterism {

using TimedGpuLoss = Timed<GpuLoss>;

class GpuModule final : public sc_core::sc_module,
                        public Device,
                        public FaultTarget<GpuLoss>,
                        public FaultTarget<GpuMemoryFault>,
                        public FaultTarget<GpuSlowdown>,
                        public ReportsMemoryErrors,
                        public ZoneMonitorHost {
 public:
  using Config = GpusConfig;
  using Faults = FaultList<GpuLoss, GpuMemoryFault, GpuSlowdown>;
  static DeviceShape shape(const GpusConfig& config, const NodeFacts&);
  static std::vector<RtlUse> rtl(const GpusConfig& config, const NodeView&);
  static std::optional<FaultCheck<GpuLoss>::Problem> problem_of(const GpusConfig& config,
                                                                const GpuLoss& loss);
  static std::optional<FaultCheck<GpuMemoryFault>::Problem> problem_of(const GpusConfig& config,
                                                                       const GpuMemoryFault& fault);
  static std::optional<FaultCheck<GpuSlowdown>::Problem> problem_of(const GpusConfig& config,
                                                                    const GpuSlowdown& slowdown);
  static std::vector<DeviceTreeNode> device_tree(const GpusConfig& config, const NodeView& node,
                                                 const DevicePlace& place);

  GpuRegisters registers;
  RegisterSocket target{"target", registers, Picoseconds(10'000)};
  DmaInitiator memory;
  // Connect it to a wire that several processes may write (devices/gic400.h).
  sc_core::sc_out<bool> interrupt{"interrupt"};

  // `memory_range` is the range of the node's memory. There is at least one GPU.
  GpuModule(const sc_core::sc_module_name& name, const GpusConfig& config, AddressRange memory_range,
            EventLog& events);
  GpuModule(const sc_core::sc_module_name& name, const GpusConfig& config, const DeviceContext& context);

  void inject(const std::vector<TimedGpuLoss>& losses) override;
  void inject(const std::vector<Timed<GpuMemoryFault>>& faults) override;
  void inject(const std::vector<Timed<GpuSlowdown>>& slowdowns) override;

  std::vector<tlm::tlm_target_socket<>*> targets() override { return {&target}; }
  std::vector<sc_core::sc_out<bool>*> interrupts() override { return {&interrupt}; }
  std::vector<tlm::tlm_initiator_socket<>*> initiators() override { return {&memory}; }
  void reset(Reset kind) override;
  // Until then, after reset(power_loss), there is nothing to lose.
  void power_up() override { powered_ = true; }
  const ZoneMonitorConfig& zone_monitor_config() const override { return config_.device.monitor; }
  std::uint32_t zones_per_monitor() const override { return config_.device.zones_per_channel(); }
  std::vector<Place> zone_monitors() override;
  std::size_t size() const { return ports_.size(); }
  Gpu& gpu(std::size_t index) { return ports_[index]->gpu(); }
  void report(Statistics& statistics) const override;
  std::string memory_summary() const override;

 private:
  // The memory as a GPU's transfers see it.
  class Pages final : public Gpu::HostMemory {
   public:
    explicit Pages(MemoryPort& port) : port_(port) {}
    void read(Picoseconds now, Address from, Bytes size, OnAccessEnd ended) override {
      port_.read(now, from, size, std::move(ended));
    }
    void write(Picoseconds now, Address to, std::span<const std::byte> data, OnAccessEnd ended) override {
      port_.write(now, to, data, std::move(ended));
    }
    void abandon() override { port_.abandon(); }
    Bytes piece() const override { return 4_KiB; }

   private:
    MemoryPort& port_;
  };
  struct Given {
    unsigned gpu;
    std::uint32_t command;
    GpuPort::Arguments arguments;
  };

  void connect_registers();
  GpuPort::Arguments arguments_of(unsigned gpu) const;
  std::uint32_t status_of(unsigned gpu) const;
  bool may_execute() const;

  void ring(Picoseconds now);
  void inject_next(Picoseconds now);
  void inject_next_memory_fault(Picoseconds now);
  void change_clocks(Picoseconds now);
  void collect_events();
  void update_interrupt();
  void rearm();

  const GpusConfig config_;
  HostLink link_;
  std::vector<std::unique_ptr<Pages>> pages_;
  std::vector<std::unique_ptr<GpuPort>> ports_;
  std::deque<Given> given_;  // commands that were not executed yet
  std::deque<TimedGpuLoss> losses_;
  std::deque<Timed<GpuMemoryFault>> memory_faults_;
  struct SlowdownChange {
    GpuSlowdown slowdown;
    bool begins;
  };
  std::deque<Timed<SlowdownChange>> slowdown_changes_;
  std::vector<std::multiset<std::uint32_t>> slowed_;  // the percentages of the slowdowns of each GPU
  bool powered_ = true;
  Alarm alarm_;
};

}  // namespace asterism
