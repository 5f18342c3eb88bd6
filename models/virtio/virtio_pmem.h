// Virtio persistent memory (Virtual I/O Device version 1.2, section 5.19): a memory that a DIMM-SSD keeps in
// its flash across losses of power.
//
// Software reads and writes the memory by itself. A request to flush makes the DIMM-SSD save the pages that
// have been modified since the flush before, as a version of the whole; it ends when that is durable. When
// there is power again, the DIMM-SSD restores the newest version. So after a loss of power the memory is as
// it was at a flush: the last one that has ended, or one that was under way. What was written later is gone.
//
// The driver reads the place of the memory from the configuration space, which answers when the memory has
// been restored.
#pragma once

#include <string>

#include "base/enum_names.h"
#include "tlm/device_roles.h"
#include "virtio/virtio_device.h"

namespace asterism {

enum class PmemFlush { durable, early, ignored };
constexpr auto enum_names(PmemFlush) {
  return std::to_array<EnumName<PmemFlush>>(
      {{PmemFlush::durable, "durable", "it ends when the memory is saved"},
       {PmemFlush::early, "early",
        "a defect, for tests: it ends at once, and the memory is saved afterwards"},
       {PmemFlush::ignored, "ignored", "a defect, for tests: it ends at once, and nothing is saved"}});
}

struct VirtioPmemConfig {
  std::string memory;    // a memory besides the main one
  std::string dimm_ssd;  // that guards it
  Bytes size = 0_B;      // of its beginning; 0: all of it
  PmemFlush flush = PmemFlush::durable;
};
void describe(Fields& f, VirtioPmemConfig& c);

struct VirtioPmemRegisters : VirtioRegisters {
  // clang-format off
  Register start{*this, configuration_space, "START", Access::read_only, varies, "The physical address of the memory: the lower 32 bits, then the upper ones", {}, 2};
  Register size{*this, configuration_space + 0x8, "SIZE", Access::read_only, varies, "The number of bytes of the memory: the lower 32 bits, then the upper ones", {}, 2};
  // clang-format on
  VirtioPmemRegisters();
};

class VirtioPmem final : public VirtioDevice {
 public:
  using Config = VirtioPmemConfig;
  static DeviceShape shape(const Config&, const NodeFacts&);
  static void check(const Config& config, const NodeView& node, const DevicePlace& place,
                    DeviceProblems& problems);
  static std::vector<DeviceTreeNode> device_tree(const Config&, const DevicePlace& place) {
    return VirtioDevice::device_tree(place);
  }

  VirtioPmem(const sc_core::sc_module_name& name, const Config& config, const DeviceContext& context);

  void connect(const DevicePeers& peers) override;
  void reset(Reset kind) override;
  void power_up() override;
  void report(Statistics& statistics) const override;

 private:
  std::uint32_t serve(unsigned queue, BufferSequence& readable, BufferSequence& writable) override;
  bool save();
  void wait_until_restored();

  const Config config_;
  const AddressRange range_;
  MemoryKeeper* keeper_ = nullptr;
  bool is_restored_ = false;
  sc_core::sc_event restored_{"restored"}, saved_{"saved"};
  std::uint64_t flushes_ = 0, failures_ = 0;
  Picoseconds flushing_;
};

}  // namespace asterism
