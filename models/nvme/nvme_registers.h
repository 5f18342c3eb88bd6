// The registers of an NVMe controller: NVM Express base specification, revision 1.4, section 3.1.
#pragma once

#include "nvme/nvme_controller.h"
#include "tlm/register.h"

namespace asterism {

struct NvmeRegisters : RegisterBank {
  // clang-format off
  Register cap_low{*this, 0x00, "CAP_LOW", Access::read_only, varies, "What the controller can do, bits 31:0",
      {{"mqes", 0, 16, "The entries of the largest I/O queue, less one"},
       {"cqr", 16, 1, "Queues are contiguous in memory"},
       {"ams", 17, 2, "Arbitration beside round robin: none"},
       {"to", 24, 8, "The longest time until CSTS.RDY follows CC.EN, in units of 500 ms"}}};
  Register cap_high{*this, 0x04, "CAP_HIGH", Access::read_only, varies, "What the controller can do, bits 63:32",
      {{"dstrd", 0, 4, "The distance of doorbells is 4 << DSTRD bytes"},
       {"css", 5, 8, "Bit 0: the NVM command set"},
       {"mpsmin", 16, 4, "The smallest memory page is 4096 << MPSMIN bytes"},
       {"mpsmax", 20, 4, "The largest memory page is 4096 << MPSMAX bytes"}}};
  Register vs{*this, 0x08, "VS", Access::read_only, NvmeController::version, "The revision of the specification: 1.4.0"};
  Register intms{*this, 0x0C, "INTMS", Access::write_one_to_set, 0, "Masks interrupt vectors: bit 0 is the line"};
  Register intmc{*this, 0x10, "INTMC", Access::write_one_to_clear, 0, "Unmasks interrupt vectors"};
  struct Configuration : Register {
    using Register::Register;
    FieldOf<bool> en{*this, {"en", 0, 1, "Enables the controller; cleared, it drops all queues and commands"}};
    FieldOf<std::uint32_t> css{*this, {"css", 4, 3, "The command set: 0, the NVM command set"}};
    FieldOf<std::uint32_t> mps{*this, {"mps", 7, 4, "The memory page is 4096 << MPS bytes: 0"}};
    FieldOf<std::uint32_t> ams{*this, {"ams", 11, 3, "The arbitration: 0, round robin"}};
    FieldOf<std::uint32_t> shn{*this, {"shn", 14, 2, "A shutdown is near: 1 normal, 2 abrupt. The write cache is flushed"}};
    FieldOf<std::uint32_t> iosqes{*this, {"iosqes", 16, 4, "The entry of a submission queue has 1 << IOSQES bytes: 6"}};
    FieldOf<std::uint32_t> iocqes{*this, {"iocqes", 20, 4, "The entry of a completion queue has 1 << IOCQES bytes: 4"}};
  } cc{*this, 0x14, "CC", Access::read_write, 0, "Controls the controller"};
  struct ControllerStatus : Register {
    using Register::Register;
    FieldOf<bool> rdy{*this, {"rdy", 0, 1, "The controller is enabled, and flash has been read back"}};
    FieldOf<bool> cfs{*this, {"cfs", 1, 1, "A fatal error: nothing is done until CC.EN is cleared"}};
    FieldOf<std::uint32_t> shst{*this, {"shst", 2, 2, "The shutdown",
        {{"none", 0, "none was announced"}, {"under_way", 1, "the write cache is being flushed"}, {"complete", 2, "power may be switched off"}}}};
  } csts{*this, 0x1C, "CSTS", Access::read_only, 0, "The state of the controller"};
  Register nssr{*this, 0x20, "NSSR", Access::read_only, 0, "The reset of the subsystem, which the controller does not have"};
  Register aqa{*this, 0x24, "AQA", Access::read_write, 0, "The admin queues",
      {{"asqs", 0, 12, "The entries of the submission queue, less one"},
       {"acqs", 16, 12, "The entries of the completion queue, less one"}}};
  Register asq_low{*this, 0x28, "ASQ_LOW", Access::read_write, 0, "The address of the admin submission queue, 4 KiB aligned, bits 31:0"};
  Register asq_high{*this, 0x2C, "ASQ_HIGH", Access::read_write, 0, "The address of the admin submission queue, bits 63:32"};
  Register acq_low{*this, 0x30, "ACQ_LOW", Access::read_write, 0, "The address of the admin completion queue, 4 KiB aligned, bits 31:0"};
  Register acq_high{*this, 0x34, "ACQ_HIGH", Access::read_write, 0, "The address of the admin completion queue, bits 63:32"};
  Register cmbloc{*this, 0x38, "CMBLOC", Access::read_only, 0, "The memory of the controller, of which there is none"};
  Register cmbsz{*this, 0x3C, "CMBSZ", Access::read_only, 0, "The size of that memory: 0"};
  Register tail{*this, 0x1000, "SQTDBL", Access::write_only, 0, "The doorbell of a submission queue: its new tail",
      {{"tail", 0, 16, "The index of the entry behind the last one that was written"}}, NvmeController::max_queues + 1, 8};
  Register head{*this, 0x1004, "CQHDBL", Access::write_only, 0, "The doorbell of a completion queue: its new head",
      {{"head", 0, 16, "The index of the entry behind the last one that was consumed"}}, NvmeController::max_queues + 1, 8};
  Register message_low{*this, 0x1800, "MSIX_ADDRESS_LOW", Access::read_write, 0, "MSI-X: where the message of a vector is written, bits 31:0", {}, NvmeController::max_queues + 1, 16};
  Register message_high{*this, 0x1804, "MSIX_ADDRESS_HIGH", Access::read_write, 0, "MSI-X: where the message of a vector is written, bits 63:32", {}, NvmeController::max_queues + 1, 16};
  Register message_data{*this, 0x1808, "MSIX_DATA", Access::read_write, 0, "MSI-X: the message of a vector", {}, NvmeController::max_queues + 1, 16};
  Register message_control{*this, 0x180C, "MSIX_CONTROL", Access::read_write, 1, "MSI-X: the state of a vector",
      {{"masked", 0, 1, "The message waits until this is cleared"}}, NvmeController::max_queues + 1, 16};
  Register message_pending{*this, 0x1C00, "MSIX_PENDING", Access::read_only, 0, "MSI-X: the vectors whose messages wait, one bit each"};
  // clang-format on
  NvmeRegisters()
      : RegisterBank(
            "NVME", 8_KiB,
            "NVMe controller (NVM Express revision 1.4) of a solid-state disk: commands are in queues in "
            "memory, and the doorbells say how far they are filled and emptied") {
    for (Register* each : {&cap_low, &cap_high, &asq_low, &asq_high, &acq_low, &acq_high}) each->any_width();
  }
};

}  // namespace asterism
