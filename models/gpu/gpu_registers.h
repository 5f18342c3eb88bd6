// The registers of a node's GPUs: a window for each. What a command does stands in gpu/gpu_port.h.
//
// A command acts in the instant in which it was written, and STATUS.error says whether it was refused. Its arguments are the
// registers of its window then. The interrupt line is the level of status and enable of all windows.
#pragma once

#include "gpu/gpus_config.h"
#include "tlm/register.h"

namespace asterism {

struct GpuRegisters : RegisterBank {
  static constexpr std::uint32_t window = 0x800;
  const unsigned gpus;  // windows that there are

  explicit GpuRegisters(unsigned count)
      : RegisterBank("GPU", Bytes(window) * GpusConfig::most), gpus(count) {}

  // clang-format off
  Register id{*this, 0x00, "ID", Access::read_only, 0x47505530, "\"GPU0\"", {}, gpus, window};
  Register devices{*this, 0x04, "DEVICES", Access::read_only, 0, "GPUs of the node: windows that there are", {}, gpus, window};
  Register command{*this, 0x08, "COMMAND", Access::write_only, 0, "Tells the GPU to do something",
      {{"operation", 0, 4, "What",
          {{"allocate", 1}, {"launch", 2}, {"begin", 3}, {"scan", 4}, {"copy_out", 5}, {"preserve", 6}, {"finish", 7},
           {"abort", 8}, {"copy_in", 9}, {"restart", 10}}}}, gpus, window};
  Register status{*this, 0x0c, "STATUS", Access::read_only, 0, "What is under way, and what became of it",
      {{"running", 0, 1, "A kernel"}, {"open", 1, 1, "A snapshot"}, {"copying", 2, 1, "Zones, over the link"},
       {"lost", 3, 1, "The GPU and what was in its memory"},
       {"error", 8, 8, "Of the last command",
          {{"none", 0}, {"no_command", 1}, {"bad_descriptor", 2}, {"bus_error", 3}, {"bad_zone", 4}, {"running", 5},
           {"open", 6}, {"copying", 7}, {"needs_full", 8}, {"nothing_allocated", 9}, {"no_snapshot", 10},
           {"incomplete", 11}, {"lost", 12}}},
       {"failure", 16, 2, "Of the last snapshot, or copy in",
          {{"none", 0}, {"watchdog", 1}, {"host_memory", 2}, {"aborted", 3}}}}, gpus, window};
  Register interrupt_status{*this, 0x10, "INTERRUPT_STATUS", Access::write_one_to_clear, 0, "What happened",
      {{"kernel_ended", 0, 1, "All pipelines have"}, {"arrived", 1, 1, "Zones are in the host's memory: ARRIVED"},
       {"zone_waits", 2, 1, "A write waits: WAITING"}, {"scanned", 3, 1, "A scan has ended: SCANNED"},
       {"taken", 4, 1, "The snapshot is complete"}, {"failed", 5, 1, "It was given up, or a copy in: STATUS.failure"},
       {"copied_in", 6, 1, "The zones are in the GPU's memory"}, {"lost", 7, 1, "The GPU"}}, gpus, window};
  Register interrupt_enable{*this, 0x14, "INTERRUPT_ENABLE", Access::read_write, 0, "What interrupts: bits of INTERRUPT_STATUS",
      {{"all", 0, 8, "Its bits"}}, gpus, window};
  Register list_low{*this, 0x18, "LIST_LOW", Access::read_write, 0, "Physical address of a kernel or a list, bits 31:0", {}, gpus, window};
  Register list_high{*this, 0x1c, "LIST_HIGH", Access::read_write, 0, "Bits 63:32 of it", {}, gpus, window};
  Register count{*this, 0x20, "COUNT", Access::read_write, 0, "Zones of the list; of allocate: KiB", {}, gpus, window};
  Register extent_low{*this, 0x24, "EXTENT_LOW", Access::read_write, 0,
      "Physical address to which a snapshot goes, or from which zones are copied in, bits 31:0", {}, gpus, window};
  Register extent_high{*this, 0x28, "EXTENT_HIGH", Access::read_write, 0, "Bits 63:32 of it", {}, gpus, window};
  Register arrivals_low{*this, 0x2c, "ARRIVALS_LOW", Access::read_write, 0,
      "Physical address to which the numbers of zones that have arrived go; 0: nowhere, bits 31:0", {}, gpus, window};
  Register arrivals_high{*this, 0x30, "ARRIVALS_HIGH", Access::read_write, 0, "Bits 63:32 of it", {}, gpus, window};
  Register snapshot{*this, 0x34, "SNAPSHOT", Access::read_write, 0, "How begin takes one",
      {{"increment", 0, 1, "What was written to since the last one, else all that is allocated"},
       {"device_side", 1, 1, "By the GPU alone, else by the driver"}}, gpus, window};
  Register from{*this, 0x38, "FROM", Access::read_write, 0, "First zone of a scan", {}, gpus, window};
  Register scanned{*this, 0x3c, "SCANNED", Access::read_only, 0, "Zones that the last scan has put into its list", {}, gpus, window};
  Register arrived{*this, 0x40, "ARRIVED", Access::read_only, 0, "Zones of the last snapshot that are in its extent", {}, gpus, window};
  Register zones{*this, 0x44, "ZONES", Access::read_only, 0, "Zones of the last snapshot", {}, gpus, window};
  Register unpreserved{*this, 0x48, "UNPRESERVED", Access::read_only, 0, "Of these, those that are not preserved", {}, gpus, window};
  Register waiting{*this, 0x4c, "WAITING", Access::read_only, ~0u,
      "A zone with a waiting write, in the order of their first ones; reading drops it; ~0: none", {}, gpus, window};
  Register zone_size{*this, 0x50, "ZONE_SIZE", Access::read_only, 0, "Bytes", {}, gpus, window};
  Register zones_in_use{*this, 0x54, "ZONES_IN_USE", Access::read_only, 0, "Zones that are allocated", {}, gpus, window};
  Register memory{*this, 0x58, "MEMORY", Access::read_only, 0, "KiB", {}, gpus, window};
  Register pipelines{*this, 0x5c, "PIPELINES", Access::read_only, 0, "That run a kernel", {}, gpus, window};
  // clang-format on
};

}  // namespace asterism
