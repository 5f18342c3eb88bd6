// The registers of a node's GPUs, with a window for each GPU. gpu/gpu_port.h describes the commands.
//
// Commands are executed in the order in which they are written, each when its list or kernel has been read
// from memory: until then STATUS.busy is set, and from then on STATUS.error reports whether it was refused.
// Its arguments are the registers of its window at the instant of the write. The interrupt line is the level
// of status and enable of all windows.
#pragma once

#include "gpu/gpu_port.h"
#include "gpu/gpus_config.h"
#include "tlm/register.h"

namespace asterism {

struct GpuRegisters : RegisterBank {
  static constexpr std::uint32_t window = 0x800;
  const unsigned gpus;  // the number of windows in use

  explicit GpuRegisters(unsigned count)
      : RegisterBank("GPU", Bytes(window) * GpusConfig::max_count,
                     "GPUs of the node, whose memory is saved in snapshots while kernels run (docs/gpu.md). "
                     "Each has a window."),
        gpus(count) {
    waiting.acts_when_read();
  }

  // clang-format off
  Register id{*this, 0x00, "ID", Access::read_only, 0x47505530, "\"GPU0\" in ASCII: the window belongs to a GPU", {}, gpus, window};
  Register devices{*this, 0x04, "DEVICES", Access::read_only, varies, "The number of GPUs of the node, which is the number of windows in use", {}, gpus, window};
  Register command{*this, 0x08, "COMMAND", Access::write_only, 0, "Starts an operation of the GPU; when STATUS.busy is clear, STATUS.error reports whether it was refused",
      {{"operation", 0, 4, "The operation, with the other registers of the window as arguments",
          {{"allocate", 1, "COUNT KiB of the GPU's memory are in use from now on"},
           {"launch", 2, "starts a kernel, described by 64 bytes at LIST"},
           {"begin", 3, "begins a snapshot into EXTENT, as SNAPSHOT says"},
           {"scan", 4, "writes the numbers of up to COUNT unpreserved zones, starting at FROM, to LIST"},
           {"copy_out", 5, "copies the COUNT zones of LIST to the extent"},
           {"preserve", 6, "the COUNT zones of LIST have arrived: writes to them may proceed"},
           {"finish", 7, "finishes the snapshot, all of whose zones have arrived"},
           {"abort", 8, "aborts the snapshot"},
           {"copy_in", 9, "copies the zones of LIST, which are stored contiguously from EXTENT on, into the GPU"},
           {"restart", 10, "empties the memory, ends everything, and puts a lost GPU back into use"},
           {"retire", 11, "replaces the zone FROM by spare memory; what a contained zone held is lost"}}}}, gpus, window};
  struct Status : Register {
    using Register::Register;
    FieldOf<bool> running{*this, {"running", 0, 1, "A kernel is running"}};
    FieldOf<bool> open{*this, {"open", 1, 1, "A snapshot has begun and is neither complete nor aborted"}};
    FieldOf<bool> copying{*this, {"copying", 2, 1, "Zones are being transferred over the link"}};
    FieldOf<bool> lost{*this, {"lost", 3, 1, "The GPU has failed and its memory is lost, until restart"}};
    FieldOf<bool> busy{*this, {"busy", 4, 1, "A command waits for its list or kernel, which is read from memory"}};
    FieldOf<bool> stopped{*this, {"stopped", 5, 1, "The last kernel was stopped, because it has read a contained zone"}};
    FieldOf<GpuPort::Error> error{*this, {"error", 8, 8, "Why the last command was refused; a refused command has no effect",
        {{"none", 0, "it was not refused"}, {"no_command", 1, "there is no such operation"},
         {"bad_descriptor", 2, "the kernel or size is invalid, or the list is empty or has more zones than exist"},
         {"bus_error", 3, "the list or the kernel could not be read from memory"},
         {"bad_zone", 4, "a zone of the list does not exist, is listed twice, or is not in the state that the command requires"},
         {"running", 5, "a kernel is running"}, {"open", 6, "a snapshot is open"}, {"copying", 7, "zones are being copied"},
         {"needs_full", 8, "there is no previous snapshot for an increment"},
         {"nothing_allocated", 9, "no memory is in use"},
         {"no_snapshot", 10, "no snapshot taken by the driver is open; for abort, no snapshot is open"},
         {"incomplete", 11, "zones have not arrived"}, {"lost", 12, "the GPU has failed"},
         {"no_spare", 13, "no spare zone is left"},
         {"memory_error", 14, "the zone to be retired has an uncorrectable error: it is contained now, and can be retired as such"}}}};
    FieldOf<std::uint32_t> failure{*this, {"failure", 16, 3, "Why the last snapshot or copy_in was aborted",
        {{"none", 0, "it was not aborted"}, {"watchdog", 1, "a write has waited for too long"},
         {"host_memory", 2, "the address is outside of DRAM, or memory cannot be read"},
         {"aborted", 3, "by an abort command"},
         {"memory_error", 4, "a zone has an uncorrectable error: CONTAINED"}}}};
  } status{*this, 0x0c, "STATUS", Access::read_only, 0, "What is in progress, and the result of the last command", {}, gpus, window};
  Register interrupt_status{*this, 0x10, "INTERRUPT_STATUS", Access::write_one_to_clear, 0, "What happened since a bit was cleared",
      {{"kernel_ended", 0, 1, "All pipelines have finished their kernel"},
       {"arrived", 1, 1, "Zones are in the host's memory: ARRIVED"},
       {"zone_waits", 2, 1, "A write waits for its zone to be preserved: WAITING"},
       {"scanned", 3, 1, "A scan has ended: SCANNED"},
       {"taken", 4, 1, "The snapshot is complete"},
       {"failed", 5, 1, "The snapshot, or a copy_in, was aborted: STATUS.failure"},
       {"copied_in", 6, 1, "The zones of copy_in are in the GPU's memory"},
       {"lost", 7, 1, "The GPU has failed"},
       {"contained", 8, 1, "An uncorrectable error of memory was found, and its zone is contained: CONTAINED"}}, gpus, window};
  Register interrupt_enable{*this, 0x14, "INTERRUPT_ENABLE", Access::read_write, 0, 
      "What interrupts: the line is high while, in any window, a bit is set here and in INTERRUPT_STATUS",
      {{"all", 0, 9, "The bits of INTERRUPT_STATUS"}}, gpus, window};
  Register list_low{*this, 0x18, "LIST_LOW", Access::read_write, 0, "Physical address of a kernel or of a list of zones, bits 31:0", {}, gpus, window};
  Register list_high{*this, 0x1c, "LIST_HIGH", Access::read_write, 0, "Physical address of a kernel or of a list of zones, bits 63:32", {}, gpus, window};
  Register count{*this, 0x20, "COUNT", Access::read_write, 0, "The number of zones in the list, or the maximum of a scan; for allocate: KiB", {}, gpus, window};
  Register extent_low{*this, 0x24, "EXTENT_LOW", Access::read_write, 0,
      "Physical address to which a snapshot is written, or from which zones are copied in, bits 31:0", {}, gpus, window};
  Register extent_high{*this, 0x28, "EXTENT_HIGH", Access::read_write, 0,
      "Physical address to which a snapshot is written, or from which zones are copied in, bits 63:32", {}, gpus, window};
  Register arrivals_low{*this, 0x2c, "ARRIVALS_LOW", Access::read_write, 0,
      "Physical address to which the numbers of arrived zones are written; 0: nowhere, bits 31:0", {}, gpus, window};
  Register arrivals_high{*this, 0x30, "ARRIVALS_HIGH", Access::read_write, 0,
      "Physical address to which the numbers of arrived zones are written, bits 63:32", {}, gpus, window};
  struct Snapshot : Register {
    using Register::Register;
    FieldOf<bool> increment{*this, {"increment", 0, 1, "Save only what was written since the last snapshot, instead of everything that is allocated"}};
    FieldOf<bool> device_side{*this, {"device_side", 1, 1,
        "The GPU takes the snapshot alone, instead of the driver by scan, copy_out, preserve and finish"}};
  } snapshot{*this, 0x34, "SNAPSHOT", Access::read_write, 0, "How begin takes a snapshot", {}, gpus, window};
  Register from{*this, 0x38, "FROM", Access::read_write, 0, "First zone that a scan examines", {}, gpus, window};
  Register scanned{*this, 0x3c, "SCANNED", Access::read_only, 0, "Number of zones that the last scan has written to LIST", {}, gpus, window};
  Register arrived{*this, 0x40, "ARRIVED", Access::read_only, 0, "Number of zones of the last snapshot that are in its extent, in the host's memory", {}, gpus, window};
  Register zones{*this, 0x44, "ZONES", Access::read_only, 0, "Number of zones of the last snapshot", {}, gpus, window};
  Register unpreserved{*this, 0x48, "UNPRESERVED", Access::read_only, 0, "Number of zones of the open snapshot that are not preserved: writes to them wait", {}, gpus, window};
  Register waiting{*this, 0x4c, "WAITING", Access::read_only, ~0u,
      "The zone whose write has waited longest among those not reported yet; a read drops it and the next one follows; ~0: none", {}, gpus, window};
  Register zone_size{*this, 0x50, "ZONE_SIZE", Access::read_only, varies, "Size of a zone in bytes (node.gpu.zone)", {}, gpus, window};
  Register zones_in_use{*this, 0x54, "ZONES_IN_USE", Access::read_only, varies, "Number of zones that are allocated, in whole rounds of the channels", {}, gpus, window};
  Register memory{*this, 0x58, "MEMORY", Access::read_only, varies, "Size of the GPU's memory in KiB (node.gpu.memory)", {}, gpus, window};
  Register pipelines{*this, 0x5c, "PIPELINES", Access::read_only, varies, "Number of pipelines that run a kernel (node.gpu.pipelines)", {}, gpus, window};
  Register transfer_size{*this, 0x60, "TRANSFER_SIZE", Access::read_only, varies,
      "Maximum number of bytes that one copy_out gathers, at least one zone (node.gpu.transfer); it guides the driver, and more is not refused", {}, gpus, window};
  Register contained{*this, 0x64, "CONTAINED", Access::read_only, ~0u,
      "Number of the first contained zone, which has an uncorrectable error: it cannot be used until it is retired; ~0: none", {}, gpus, window};
  struct ErrorPlace : Register {
    using Register::Register;
    FieldOf<std::uint32_t> offset{*this, {"offset", 0, 24, "Offset in the zone, in bytes, of the 32 bytes that are uncorrectable"}};
    FieldOf<bool> by_scrub{*this, {"by_scrub", 30, 1, "By the scrubber; then by_copy is set, too"}};
    FieldOf<bool> by_copy{*this, {"by_copy", 31, 1, "By a copy, as for a snapshot, or the scrubber; otherwise by a kernel, which was stopped"}};
  } error_place{*this, 0x68, "ERROR_PLACE", Access::read_only, 0, "Where and by what the error of CONTAINED was found", {}, gpus, window};
  Register corrected{*this, 0x6c, "CORRECTED", Access::read_only, 0, "Number of times that 32 bytes with an error were read and corrected", {}, gpus, window};
  Register uncorrectable{*this, 0x70, "UNCORRECTABLE", Access::read_only, 0, "Number of times that an uncorrectable error was found in 32 bytes; reads of a zone that is contained already are not counted", {}, gpus, window};
  Register spare_zones{*this, 0x74, "SPARE_ZONES", Access::read_only, varies, "Number of zones that can still be retired", {}, gpus, window};
  // clang-format on
};

}  // namespace asterism
