// A virtio network interface (Virtual I/O Device version 1.2, section 5.1) with one queue for receiving and
// one for sending, on the network of a cluster or of its node (cluster/network.h).
//
// Frames of Ethernet are the payload of the network's frames, so that they take its times. The device learns
// from what it receives which node has an address; a frame to an address that it has not seen, or to a group,
// goes to all other nodes, as from a switch. It passes every frame that it receives to its driver, which
// drops those for others.
//
// Two frames may wait for the link. The chains behind them stay with the driver, which is so held back.
// Received frames wait for the memory, up to max_waiting. Those for which the driver has no buffer, which do
// not fit into one, or which arrive while the driver is not ready, are dropped and counted.
//
// The features are VIRTIO_NET_F_MAC, VIRTIO_NET_F_MTU and VIRTIO_NET_F_STATUS. Checksums and segmentation are
// left to the driver.
//
// reset: frames that wait are dropped, and the addresses are forgotten; frames on the wire arrive.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "cluster/network_interface.h"
#include "virtio/network_packet.h"
#include "virtio/virtio_device.h"

namespace asterism {

struct VirtioNetConfig {
  std::string network = {};
  std::string mac = "02:00:00:00:00:00";
  std::uint32_t mtu = 1500;
};
void describe(Fields& f, VirtioNetConfig& c);

struct VirtioNetRegisters : VirtioRegisters {
  // clang-format off
  Register mac{*this, configuration_space, "MAC", Access::read_only, varies, "The address, bytes 0 to 3, the first one in the bits 7:0"};
  struct MacAndStatus : Register {
    using Register::Register;
    FieldOf<std::uint32_t> mac{*this, {"mac", 0, 16, "Bytes 4 and 5 of the address"}};
    FieldOf<bool> link_up{*this, {"link_up", 16, 1, "The link is up"}};
  } mac_and_status{*this, configuration_space + 0x4, "MAC_STATUS", Access::read_only, varies, "The rest of the address, and the state of the link"};
  struct PairsAndMtu : Register {
    using Register::Register;
    FieldOf<std::uint32_t> pairs{*this, {"pairs", 0, 16, "Not used"}};
    FieldOf<std::uint32_t> mtu{*this, {"mtu", 16, 16, "The largest number of bytes in a frame, after its header of 14 bytes"}};
  } pairs_and_mtu{*this, configuration_space + 0x8, "MTU", Access::read_only, varies, "The largest frame"};
  // clang-format on
  VirtioNetRegisters();
};

class VirtioNet final : public VirtioDevice, public NetworkInterface, private NetworkPort {
 public:
  static constexpr std::size_t max_waiting = 256;

  using Config = VirtioNetConfig;
  static DeviceShape shape(const Config& config, const NodeFacts&);
  static std::vector<DeviceTreeNode> device_tree(const Config&, const DevicePlace& place) {
    return VirtioDevice::device_tree(place);
  }

  VirtioNet(const sc_core::sc_module_name& name, const Config& config, const DeviceContext& context);

  void attach(const Place& place) override;
  void reset(Reset kind) override;
  void report(Statistics& statistics) const override;

 private:
  struct Counts {
    std::uint64_t frames = 0;
    Bytes bytes;
    void add(const std::vector<std::byte>& frame) {
      ++frames;
      bytes += Bytes(frame.size());
    }
  };

  void connect_configuration();
  MacAddress address() const;
  bool link_is_up() const { return place_ && place_->network.link_is_up(place_->node); }
  std::uint32_t serve(unsigned queue, BufferSequence& readable, BufferSequence& writable) override;
  bool is_due(unsigned queue) const override;
  void ran_dry(unsigned queue) override;
  void was_reset() override;

  // NetworkPort
  void receive(Frame frame) override;
  void sent(SendQueue) override;
  void link_changed() override;

  const Config config_;
  std::optional<Place> place_;
  LearnedAddresses learned_;
  std::deque<std::vector<std::byte>> waiting_;  // received
  Counts sent_, received_;
  std::uint64_t dropped_ = 0;
};

}  // namespace asterism
