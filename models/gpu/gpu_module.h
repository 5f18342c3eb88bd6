// The GPUs of a node behind one PCIe switch, with registers (gpu_registers.h), a DMA port to the memory
// controller and an interrupt line. A snapshot goes into the node's DRAM through the memory controller.
//
// A transfer is written to DRAM, or read from it, while the link moves it, page by page, each page when the
// link has moved it. An access takes the controller's time like that of any master, and the transfer waits
// for it (gpu.h), so that cores and GPUs share the memory.
//
// reset: as in gpu/gpu_port.h; registers take their reset values on every kind.
#pragma once

#include <deque>
#include <memory>
#include <systemc>
#include <vector>

#include "gpu/gpu_port.h"
#include "gpu/gpu_registers.h"
#include "gpu/gpus_config.h"
#include "tlm/alarm.h"
#include "tlm/device_tree.h"
#include "tlm/dma_initiator.h"
#include "tlm/register_socket.h"

namespace asterism {

struct TimedGpuLoss {
  Picoseconds at;
  std::uint32_t gpu;
};

class GpuModule : public sc_core::sc_module {
 public:
  GpuRegisters registers;
  RegisterSocket target{"target", registers, Picoseconds(10'000)};
  DmaInitiator memory;
  // Connect it to a wire that several processes may write (devices/gic400.h).
  sc_core::sc_out<bool> interrupt{"interrupt"};

  // `memory_range` is the range of the node's memory. There is at least one GPU.
  GpuModule(const sc_core::sc_module_name& name, const GpusConfig& config, AddressRange memory_range,
            EventLog& events);

  // Schedules further losses of GPUs.
  void inject(const std::vector<TimedGpuLoss>& losses);

  void reset(Reset kind);
  // Call it after reset(power_loss); until then there is nothing to lose.
  void power_up() { powered_ = true; }
  static DeviceTreeNode device_tree(AddressRange range, unsigned spi);
  std::size_t size() const { return ports_.size(); }
  Gpu& gpu(std::size_t index) { return ports_[index]->gpu(); }
  void report(Statistics& statistics) const;

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
  void collect_events();
  void update_interrupt();
  void rearm();

  const GpusConfig config_;
  HostLink link_;
  std::vector<std::unique_ptr<Pages>> pages_;
  std::vector<std::unique_ptr<GpuPort>> ports_;
  std::deque<Given> given_;  // commands that were not executed yet
  std::deque<TimedGpuLoss> losses_;
  bool powered_ = true;
  Alarm alarm_;
};

}  // namespace asterism
