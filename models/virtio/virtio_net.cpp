#include "virtio/virtio_net.h"

#include <memory>
#include <utility>

#include "base/fields.h"

namespace asterism {
namespace {

enum NetFeature : std::uint32_t { has_mtu = 1u << 3, has_mac = 1u << 5, has_status = 1u << 16 };

constexpr std::uint32_t network_device = 1;
constexpr unsigned receive_queue = 0, transmit_queue = 1;
constexpr std::size_t frames_ahead = 2;  // that wait for the link
constexpr std::uint32_t tag_size = 4;    // of a virtual LAN, in addition to the MTU

const RegisteredDevice<VirtioNet> virtio_net_type{
    "virtio_net", "A virtio network interface: frames of Ethernet between the nodes of a network."};

}  // namespace

static_assert(member_count<VirtioNetConfig>() == 3);
void describe(Fields& f, VirtioNetConfig& c) {
  f("network", c.network,
    "The network that it is on, within its node: interfaces of one name receive each other's frames. In a "
    "cluster, the interface that cluster.nic names is on that of the cluster.");
  f("mac", c.mac,
    "The address of the interface that has the number 0 on its network. That of another one is greater by "
    "its number: that of its node in the cluster, or its place among the names of the interfaces.");
  f("mtu", c.mtu, "The largest number of bytes in a frame, after its header of 14 bytes.",
    within(68, Frame::max_payload - frame_header.count() - tag_size));
  f.check([&] { return MacAddress::parse(c.mac).has_value(); }, "mac",
          "is an address of 6 bytes such as 02:00:00:00:00:00");
  f.check([&] { return !MacAddress::parse(c.mac).value_or(MacAddress()).is_group(); }, "mac",
          "is not the address of a group, whose first byte is odd");
}

VirtioNetRegisters::VirtioNetRegisters()
    : VirtioRegisters("VIRTIO_NET",
                      "Virtio network interface (Virtual I/O Device version 1.2, section 5.1), behind "
                      "memory-mapped registers.",
                      network_device) {
  for (Register* each : std::initializer_list<Register*>{&mac, &mac_and_status, &pairs_and_mtu})
    each->any_width();
}

DeviceShape VirtioNet::shape(const Config& config, const NodeFacts&) {
  DeviceShape shape = VirtioDevice::shape(std::make_shared<VirtioNetRegisters>());
  shape.network = config.network;
  return shape;
}

VirtioNet::VirtioNet(const sc_core::sc_module_name& name, const Config& config, const DeviceContext& context)
    : VirtioDevice(name, std::make_unique<VirtioNetRegisters>(), has_mtu | has_mac | has_status, 2, context),
      config_(config) {
  connect_configuration();
}

void VirtioNet::attach(const Place& place) {
  place_.emplace(place);
  place.network.attach(place.node, *this);
}

MacAddress VirtioNet::address() const {
  constexpr std::uint64_t numbers = 0xff'ffff;  // of interfaces, behind those of the manufacturer
  const std::uint64_t first = MacAddress::parse(config_.mac)->value;
  return {(first & ~numbers) | ((first + (place_ ? place_->node : 0)) & numbers)};
}

void VirtioNet::connect_configuration() {
  auto& r = registers<VirtioNetRegisters>();
  // The bytes of the address from this one on, in little-endian order.
  const auto bytes = [this](unsigned first, unsigned count) {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < count; ++i)
      value |= static_cast<std::uint32_t>(address().value >> 8 * (5 - first - i) & 0xFF) << 8 * i;
    return value;
  };
  r.mac.computed([bytes] { return bytes(0, 4); });
  r.mac_and_status.computed([this, bytes, &status = r.mac_and_status] {
    return status.mac.bits(bytes(4, 2)) | status.link_up.bits(link_is_up());
  });
  r.pairs_and_mtu.computed([this, &mtu = r.pairs_and_mtu.mtu] { return mtu.bits(config_.mtu); });
}

// ---- queues ----

bool VirtioNet::is_due(unsigned queue) const {
  if (queue == receive_queue) return !waiting_.empty();
  return place_->network.waiting(place_->node, SendQueue::application) < frames_ahead;
}

std::uint32_t VirtioNet::serve(unsigned queue, BufferSequence& readable, BufferSequence& writable) {
  if (queue == receive_queue) {
    const std::vector<std::byte> frame = std::move(waiting_.front());
    waiting_.pop_front();
    const std::uint32_t written = put_frame(writable, frame);
    if (written == 0)
      ++dropped_;
    else
      received_.add(frame);
    return written;
  }
  std::vector<std::byte> frame = take_frame(readable, Bytes(Frame::max_payload));
  sent_.add(frame);
  const NodeNumber to = learned_.node_of(destination_of(frame)).value_or(all_nodes);
  place_->clock.at_now([&] {
    place_->network.send({place_->node, to, std::move(frame)}, SendQueue::application);
  });
  return 0;
}

void VirtioNet::ran_dry(unsigned queue) {
  if (queue != receive_queue) return;
  dropped_ += waiting_.size();
  waiting_.clear();
}

// ---- network ----

void VirtioNet::receive(Frame frame) {
  // A NIC of another type may send what is no frame of Ethernet.
  if (!is_running() || waiting_.size() == max_waiting || Bytes(frame.payload.size()) < frame_header) {
    ++dropped_;
    return;
  }
  learned_.learn(source_of(frame.payload), frame.source);
  waiting_.push_back(std::move(frame.payload));
  attend(receive_queue);
}

void VirtioNet::sent(SendQueue) { attend(transmit_queue); }

void VirtioNet::link_changed() {
  configuration_changed();
  attend(transmit_queue);
}

// ---- reset ----

void VirtioNet::was_reset() {
  waiting_.clear();
  learned_.clear();
}

void VirtioNet::reset(Reset kind) {
  VirtioDevice::reset(kind);
  place_->clock.at_now([&] {
    place_->network.clear(place_->node);
    on_reset(kind);
  });
}

void VirtioNet::report(Statistics& statistics) const {
  VirtioDevice::report(statistics);
  statistics.add("frames_sent", sent_.frames);
  statistics.add("sent", sent_.bytes);
  statistics.add("frames_received", received_.frames);
  statistics.add("received", received_.bytes);
  statistics.add("frames_dropped", dropped_);
}

}  // namespace asterism
