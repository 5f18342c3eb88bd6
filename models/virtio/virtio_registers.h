// The registers of a virtio device behind memory-mapped registers (Virtual I/O Device version 1.2, section
// 4.2.2). A type of device adds those of its configuration space, from configuration_space on, as registers
// of any width.
#pragma once

#include "tlm/register.h"

namespace asterism {

struct VirtioRegisters : RegisterBank {
  static constexpr std::uint32_t configuration_space = 0x100;

  // clang-format off
  Register magic{*this, 0x000, "MAGIC", Access::read_only, 0x74726976, "\"virt\" in ASCII"};
  Register version{*this, 0x004, "VERSION", Access::read_only, 2, "The version of these registers"};
  Register device_id;
  Register vendor_id{*this, 0x00C, "VENDOR_ID", Access::read_only, 0x49525341, "\"ASRI\" in ASCII"};
  Register device_features{*this, 0x010, "DEVICE_FEATURES", Access::read_only, varies, "Features that the device offers, 32 bits of them: DEVICE_FEATURES_SEL"};
  Register device_features_sel{*this, 0x014, "DEVICE_FEATURES_SEL", Access::write_only, 0, "The bits that DEVICE_FEATURES shows: 0 the bits 31:0, 1 the bits 63:32"};
  Register driver_features{*this, 0x020, "DRIVER_FEATURES", Access::write_only, 0, "Features that the driver accepts, 32 bits of them: DRIVER_FEATURES_SEL"};
  Register driver_features_sel{*this, 0x024, "DRIVER_FEATURES_SEL", Access::write_only, 0, "The bits that DRIVER_FEATURES sets: 0 the bits 31:0, 1 the bits 63:32"};
  Register queue_sel{*this, 0x030, "QUEUE_SEL", Access::write_only, 0, "The queue that the registers QUEUE_ mean"};
  Register queue_num_max{*this, 0x034, "QUEUE_NUM_MAX", Access::read_only, varies, "The largest size of the queue; 0: there is no such queue"};
  Register queue_num{*this, 0x038, "QUEUE_NUM", Access::write_only, 0, "The size of the queue, a power of two"};
  Register queue_ready{*this, 0x044, "QUEUE_READY", Access::read_write, 0, "Whether the device may use the queue",
      {{"ready", 0, 1, "The queue is in use: its size and its addresses are set"}}};
  Register queue_notify{*this, 0x050, "QUEUE_NOTIFY", Access::write_only, 0, "The number of a queue in which chains of descriptors have become available"};
  struct InterruptStatus : Register {
    using Register::Register;
    FieldOf<bool> used{*this, {"used", 0, 1, "The device has used buffers of a queue"}};
    FieldOf<bool> configuration{*this, {"configuration", 1, 1, "The configuration space or STATUS has changed"}};
  } interrupt_status{*this, 0x060, "INTERRUPT_STATUS", Access::read_only, 0, "The events for which the line is high"};
  Register interrupt_ack{*this, 0x064, "INTERRUPT_ACK", Access::write_only, 0, "Clears bits of INTERRUPT_STATUS"};
  struct Status : Register {
    using Register::Register;
    FieldOf<bool> acknowledge{*this, {"acknowledge", 0, 1, "The driver has found the device"}};
    FieldOf<bool> driver{*this, {"driver", 1, 1, "The driver knows how to use it"}};
    FieldOf<bool> driver_ok{*this, {"driver_ok", 2, 1, "The driver is ready: the device serves its queues"}};
    FieldOf<bool> features_ok{*this, {"features_ok", 3, 1, "The features are agreed on; reads as zero if the device does not support them"}};
    FieldOf<bool> needs_reset{*this, {"needs_reset", 6, 1, "The driver has broken a rule, and the device serves no queue until it is reset"}};
    FieldOf<bool> failed{*this, {"failed", 7, 1, "The driver has given up"}};
  } status{*this, 0x070, "STATUS", Access::read_write, 0, "How far the driver is; writing zero resets the device"};
  Register queue_desc_low{*this, 0x080, "QUEUE_DESC_LOW", Access::write_only, 0, "The physical address of the descriptors of the queue, bits 31:0"};
  Register queue_desc_high{*this, 0x084, "QUEUE_DESC_HIGH", Access::write_only, 0, "The physical address of the descriptors of the queue, bits 63:32"};
  Register queue_driver_low{*this, 0x090, "QUEUE_DRIVER_LOW", Access::write_only, 0, "The physical address of the available ring of the queue, bits 31:0"};
  Register queue_driver_high{*this, 0x094, "QUEUE_DRIVER_HIGH", Access::write_only, 0, "The physical address of the available ring of the queue, bits 63:32"};
  Register queue_device_low{*this, 0x0A0, "QUEUE_DEVICE_LOW", Access::write_only, 0, "The physical address of the used ring of the queue, bits 31:0"};
  Register queue_device_high{*this, 0x0A4, "QUEUE_DEVICE_HIGH", Access::write_only, 0, "The physical address of the used ring of the queue, bits 63:32"};
  Register shm_sel{*this, 0x0AC, "SHM_SEL", Access::write_only, 0, "A region of shared memory, of which the device has none"};
  Register shm_len{*this, 0x0B0, "SHM_LEN", Access::read_only, 0xFFFFFFFF, "The length of that region: there is none", {}, 2};
  Register shm_base{*this, 0x0B8, "SHM_BASE", Access::read_only, 0xFFFFFFFF, "The address of that region: there is none", {}, 2};
  Register config_generation{*this, 0x0FC, "CONFIG_GENERATION", Access::read_only, 0, "Changes with the configuration space"};
  // clang-format on

  // `device` is the name of the constants for firmware, `id` the type of the device (section 5).
  VirtioRegisters(std::string device, std::string meaning, std::uint32_t id)
      : RegisterBank(std::move(device), 4_KiB, std::move(meaning)),
        device_id(*this, 0x008, "DEVICE_ID", Access::read_only, id, "The type of the device") {}
};

}  // namespace asterism
