// The GPUs of a node behind one PCIe switch: registers in front (gpu_registers.h), a port to the memory controller behind, an
// interrupt line. A snapshot goes into the node's DRAM, and the controller sees what that takes.
//
// A transfer is written to DRAM, or read from it, while the link moves it: each page's worth when the link has moved it. That
// takes the controller's time as any master's access does, and the transfer waits for it (gpu.h), so that cores and GPUs share
// the memory. Lists of zones and kernels' descriptions are not waited for. What a DIMM-SSD still has to copy of a page is not
// overwritten: the page refuses, and the snapshot is given up with Failure::host_memory.
//
// Reset contract: that of gpu/gpu_port.h; registers take their reset values on every kind.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <deque>
#include <memory>
#include <systemc>
#include <vector>

#include "gpu/gpu_port.h"
#include "gpu/gpu_registers.h"
#include "gpu/gpus_config.h"
#include "tlm/alarm.h"
#include "tlm/device_tree.h"
#include "tlm/initiator_extension.h"
#include "tlm/register_socket.h"

namespace asterism {

struct TimedGpuLoss {
  Picoseconds at;
  std::uint32_t gpu;
};

class GpuModule : public sc_core::sc_module, private Gpu::HostMemory {
 public:
  GpuRegisters registers;
  RegisterSocket target{"target", registers, Picoseconds(10'000)};
  // Addresses of the node less the first of its memory.
  tlm_utils::simple_initiator_socket<GpuModule> memory{"memory"};
  // To a wire that several processes may write (devices/gic400.h).
  sc_core::sc_out<bool> interrupt{"interrupt"};

  // `memory_range`: where the node's memory is. At least one GPU.
  GpuModule(const sc_core::sc_module_name& name, const GpusConfig& config, AddressRange memory_range,
            EventLog& events);

  // Schedules further losses of GPUs.
  void inject(const std::vector<TimedGpuLoss>& losses);

  void reset(Reset kind);
  // Behind reset(power_loss): until then there is nothing that could be lost.
  void power_up() { powered_ = true; }
  static DeviceTreeNode device_tree(AddressRange range, unsigned spi);
  std::size_t size() const { return ports_.size(); }
  Gpu& gpu(std::size_t index) { return ports_[index]->gpu(); }
  void report(Statistics& statistics) const;

 private:
  struct Given {
    unsigned gpu;
    std::uint32_t command;
    GpuPort::Arguments arguments;
  };

  void connect_registers();
  GpuPort::Arguments arguments_of(unsigned gpu) const;
  std::uint32_t status_of(const GpuPort& port) const;

  // Gpu::HostMemory
  bool write(Picoseconds now, Address to, Bytes size, std::span<const std::byte> data) override;
  bool read(Picoseconds now, Address from, Bytes size, std::span<std::byte> data) override;
  Bytes piece() const override { return 4_KiB; }
  Picoseconds done() const override { return done_; }
  bool access(tlm::tlm_command command, Address address, std::span<std::byte> data);

  void ring(Picoseconds now);
  void inject_next(Picoseconds now);
  void look();
  void update_interrupt();
  void rearm();

  const AddressRange memory_range_;
  const GpusConfig config_;
  HostLink link_;
  std::vector<std::unique_ptr<GpuPort>> ports_;
  std::deque<Given> given_;  // not executed yet
  std::deque<TimedGpuLoss> losses_;
  bool powered_ = true;
  Picoseconds done_{};  // with the access before
  Alarm alarm_;
  InitiatorExtension master_;
};

}  // namespace asterism
