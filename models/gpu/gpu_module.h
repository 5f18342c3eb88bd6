// The GPUs of a node behind one PCIe switch, with registers (gpu_registers.h), a port to the memory
// controller and an interrupt line. A snapshot goes into the node's DRAM through the memory controller.
//
// A transfer is written to DRAM, or read from it, while the link moves it, page by page, each page when the
// link has moved it. An access takes the controller's time like that of any master, and the transfer waits
// for it (gpu.h), so that cores and GPUs share the memory. Accesses to lists of zones and to kernel
// descriptors are not waited for. A page that a DIMM-SSD still has to copy is not overwritten: the write is
// refused, and the snapshot is aborted with Failure::host_memory.
//
// reset: as in gpu/gpu_port.h; registers take their reset values on every kind.
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
  // Its addresses are those of the node minus the first address of its memory.
  tlm_utils::simple_initiator_socket<GpuModule> memory{"memory"};
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
  void collect_events();
  void update_interrupt();
  void rearm();

  const AddressRange memory_range_;
  const GpusConfig config_;
  HostLink link_;
  std::vector<std::unique_ptr<GpuPort>> ports_;
  std::deque<Given> given_;  // commands that were not executed yet
  std::deque<TimedGpuLoss> losses_;
  bool powered_ = true;
  Picoseconds done_{};  // when the previous access has completed
  Alarm alarm_;
  InitiatorExtension master_;
};

}  // namespace asterism
