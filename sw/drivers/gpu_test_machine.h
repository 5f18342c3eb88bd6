// For tests on the host: one GPU that implements drivers/gpu.h, in place of drivers/gpu.c and registers. The
// program's pointers are the addresses of host memory.
#pragma once

#include <utility>
#include <vector>

#include "base/event_log.h"
#include "gpu/gpu_port.h"

extern "C" {
#include "drivers/gpu.h"
}

namespace asterism {

class GpuTestMachine final : public Gpu::HostMemory {
 public:
  GpuTestMachine(const GpuConfig& config, const HostLinkConfig& link);
  ~GpuTestMachine() override;
  GpuTestMachine(const GpuTestMachine&) = delete;
  GpuTestMachine& operator=(const GpuTestMachine&) = delete;

  // Advances to the next event and handles all events of that time; only advances the time if `wake` is
  // earlier. False: there is neither.
  bool step(std::optional<Picoseconds> wake = std::nullopt);
  GpuPort::Error command(GpuPort::Command command, const GpuPort::Arguments& arguments = {});
  static GpuTestMachine& get();  // the only instance

  const GpuConfig config;
  bool refuses = false;  // memory refuses the writes of snapshots
  Picoseconds now{};
  HostLink link;
  NoEventLog log;
  GpuPort port;
  std::uint32_t events = 0;                        // events not taken yet
  std::vector<std::vector<std::uint32_t>> copies;  // lists of copy_out

 private:
  void write(Picoseconds at, Address to, std::span<const std::byte> data, OnAccessEnd ended) override;
  void read(Picoseconds at, Address from, Bytes size, OnAccessEnd ended) override;
};

}  // namespace asterism
