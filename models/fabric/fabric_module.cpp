#include "fabric/fabric_module.h"

#include <algorithm>
#include <stdexcept>

#include "fabric/topology/topologies.h"
#include "tlm/initiator_extension.h"
#include "tlm/payload.h"
#include "tlm/time.h"

namespace asterism {
namespace {

constexpr std::uint32_t header_bytes = 16;

std::unique_ptr<PacketCarrier> make_carrier(const std::string& name, const FabricConfig& config,
                                            const std::shared_ptr<const Topology>& topology,
                                            const std::optional<FabricCurves>& curves, Picoseconds quantum) {
  std::vector<RouterId> gated = gated_routers(config, *topology);
  const FlitParameters parameters = flit_parameters(config);
  if (config.fidelity == Fidelity::flit)
    return std::make_unique<FlitCarrier>(name, topology, parameters, std::move(gated));
  const bool is_contended = config.fidelity == Fidelity::contended;
  if (is_contended && !curves) throw std::invalid_argument("a contended fabric needs curves");
  return std::make_unique<PredictedCarrier>(topology, parameters, gated, is_contended ? curves : std::nullopt,
                                            quantum);
}

}  // namespace

Fabric::Fabric(const sc_core::sc_module_name& name, const FabricConfig& config,
               std::shared_ptr<const Topology> topology, PortPlacement placement,
               const std::optional<FabricCurves>& curves, Picoseconds quantum)
    : DecodingInterconnect(name),
      fidelity_(config.fidelity),
      channel_bits_(topology->channel_bits),
      topology_(std::move(topology)),
      placement_(std::move(placement)),
      carrier_(make_carrier(this->name(), config, topology_, curves, quantum)),
      channel_flits_(topology_->channels.size()) {}

NodeId Fabric::node_of(const std::string& name) const {
  const auto found = placement_.find(name);
  if (found == placement_.end()) throw std::invalid_argument("\"" + name + "\" has no node on the fabric");
  return found->second;
}

void Fabric::add_master(tlm::tlm_initiator_socket<>& socket, const std::string& name) {
  masters_on_.push_back(node_of(name));
  DecodingInterconnect::add_master(socket, name);
}

void Fabric::add_target(tlm::tlm_target_socket<>& socket, AddressRange range, const std::string& name) {
  targets_.push_back({{node_of(name)}, {}, {0}});
  DecodingInterconnect::add_target(socket, range, name);
}

void Fabric::add_divided_target(tlm::tlm_target_socket<>& socket, AddressRange range, const std::string& name,
                                const TargetParts& parts) {
  Target target{{}, parts, std::vector<std::uint64_t>(parts.names.size())};
  for (const std::string& part : parts.names) target.nodes.push_back(node_of(part));
  targets_.push_back(std::move(target));
  DecodingInterconnect::add_target(socket, range, name);
}

std::vector<SwitchPorts> Fabric::switches() const {
  if (fidelity_ != Fidelity::flit) return {};
  std::vector<std::vector<std::string>> names(topology_->nodes.size());
  for (const auto& [name, node] : placement_) names[node].push_back(name);
  return switch_ports(*topology_, names);
}

void Fabric::attach_hook(std::size_t index, ArbitrationHook* hook) {
  carrier_->attach_hook(static_cast<RouterId>(index), hook);
}

void Fabric::travel(int master, const Entry& entry, tlm::tlm_generic_payload& payload,
                    sc_core::sc_time& delay) {
  const Target& target = targets_[entry.target];
  const Bytes offset = Address(payload.get_address()) - entry.range.first;
  const unsigned length = payload.get_data_length();
  // An access that the target refuses anyway is passed on unchanged.
  const bool has_pieces = target.is_divided() && payload.get_streaming_width() >= length &&
                          (!payload.get_byte_enable_ptr() || payload.get_byte_enable_length() != 0) &&
                          in_one_part(target, offset, length) < length;
  if (has_pieces) return travel_in_pieces(master, entry, payload, delay);
  travel_to(target.part_at(offset), master, entry, payload, delay);
}

unsigned Fabric::in_one_part(const Target& target, Bytes offset, unsigned most) {
  const Bytes granule = target.parts.granule;
  const unsigned part = target.part_at(offset);
  Bytes end = offset - offset % granule + granule;
  while (end - offset < Bytes(most) && target.part_at(end) == part) end += granule;
  return static_cast<unsigned>(std::min((end - offset).count(), std::uint64_t{most}));
}

// A payload belongs to its initiator, except for address, status and DMI hint (IEEE 1666-2011 14.7), so each
// piece is a payload of its own.
void Fabric::travel_in_pieces(int master, const Entry& entry, tlm::tlm_generic_payload& payload,
                              sc_core::sc_time& delay) {
  struct Piece {
    explicit Piece(const tlm::tlm_generic_payload& whole) {
      payload.set_extension(whole.get_extension<InitiatorExtension>());
    }
    ~Piece() { payload.clear_extension<InitiatorExtension>(); }
    Piece(const Piece&) = delete;
    Piece& operator=(const Piece&) = delete;
    tlm::tlm_generic_payload payload;
  };
  const Target& target = targets_[entry.target];
  const Address address(payload.get_address());
  const unsigned length = payload.get_data_length();
  std::vector<unsigned char> enables;
  bool direct = true, ok = true;
  for (unsigned first = 0; first < length && ok;) {
    const Bytes offset = address + Bytes(first) - entry.range.first;
    const unsigned count = in_one_part(target, offset, length - first);
    Piece piece(payload);
    piece.payload.set_command(payload.get_command());
    piece.payload.set_address((address + Bytes(first)).value());
    piece.payload.set_data_ptr(payload.get_data_ptr() + first);
    piece.payload.set_data_length(count);
    piece.payload.set_streaming_width(count);
    if (payload.get_byte_enable_ptr()) {
      enables.clear();
      for (unsigned i = first; i < first + count; ++i)
        enables.push_back(byte_enabled(payload, i) ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED);
      piece.payload.set_byte_enable_ptr(enables.data());
      piece.payload.set_byte_enable_length(count);
    }
    travel_to(target.part_at(offset), master, entry, piece.payload, delay);
    payload.set_response_status(piece.payload.get_response_status());
    ok = payload.is_response_ok();
    direct = direct && piece.payload.is_dmi_allowed();
    first += count;
  }
  payload.set_dmi_allowed(direct);
}

void Fabric::travel_to(unsigned part, int master, const Entry& entry, tlm::tlm_generic_payload& payload,
                       sc_core::sc_time& delay) {
  const auto flits = [&](bool with_data) { return flits_of(with_data ? payload.get_data_length() : 0); };
  const NodeId here = masters_on_[static_cast<std::size_t>(master)],
               there = targets_[entry.target].nodes[part];
  ++targets_[entry.target].accesses[part];
  const std::uint64_t resets = resets_;
  if (carry(here, there, flits(payload.is_write()), delay)) at_target(entry, payload, delay);
  if (resets == resets_ && carry(there, here, flits(payload.is_read()), delay)) return;
  ++aborted_;
  delay = sc_core::SC_ZERO_TIME;
  payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
}

std::uint32_t Fabric::flits_of(std::uint32_t bytes) const {
  const auto of = [&](std::uint32_t count) { return (count * 8 + channel_bits_ - 1) / channel_bits_; };
  return of(header_bytes) + of(bytes);
}

class Fabric::Path final : public TimedPath {
 public:
  Path(Fabric& fabric, int master, const Entry& entry, TimedPath& target)
      : fabric_(fabric),
        here_(fabric.masters_on_[static_cast<std::size_t>(master)]),
        entry_(entry),
        there_(fabric.targets_[entry.target]),
        target_(target) {}

  Picoseconds access(const Access& access, Picoseconds at) override {
    const Bytes offset = access.address - entry_.range.first;
    const unsigned part = there_.part_at(offset);
    fabric_.count_access();
    ++there_.accesses[part];
    at = carry(here_, there_.nodes[part], access.is_write, at);
    Access at_target = access;
    at_target.address = Address(offset.count());
    return carry(there_.nodes[part], here_, !access.is_write, target_.access(at_target, at));
  }

 private:
  static constexpr std::uint32_t line = 64;
  Picoseconds carry(NodeId from, NodeId to, bool with_data, Picoseconds at) {
    sc_core::sc_time delay = to_sc_time(at - now());
    fabric_.carry(from, to, fabric_.flits_of(with_data ? line : 0), delay);
    return now() + to_picoseconds(delay);
  }

  Fabric& fabric_;
  const NodeId here_;
  const Entry entry_;
  Target& there_;
  TimedPath& target_;
};

// Packets that wait in the network are seen by it at their time, and a line belongs to one part.
std::unique_ptr<TimedPath> Fabric::make_path(int master, const Entry& entry, TimedPath& target) {
  const Target& there = targets_[entry.target];
  const bool is_in_one_part = !there.is_divided() || there.parts.granule.count() % 64 == 0;
  if (fidelity_ == Fidelity::flit || !is_in_one_part) return nullptr;
  return std::make_unique<Path>(*this, master, entry, target);
}

bool Fabric::carry(NodeId source, NodeId destination, std::uint32_t flits, sc_core::sc_time& delay) {
  const Picoseconds offered = now() + to_picoseconds(delay);
  if (!carrier_->carry({source, destination, flits, 0}, delay)) return false;
  const Picoseconds took = now() + to_picoseconds(delay) - offered;
  ++packets_;
  flits_ += flits;
  latency_ += took;
  longest_ = std::max(longest_, took);
  return true;
}

bool Fabric::may_request_dmi(tlm::tlm_generic_payload& payload) {
  return fidelity_ != Fidelity::flit || payload.get_extension<InitiatorExtension>() != nullptr;
}

void Fabric::was_granted(tlm::tlm_generic_payload& payload) {
  if (fidelity_ == Fidelity::flit) payload.get_extension<InitiatorExtension>()->monitored = true;
}

void Fabric::reset(Reset kind) {
  ++resets_;
  channel_flits_ = all_channel_flits();
  carrier_->reset(kind);
}

std::vector<std::uint64_t> Fabric::all_channel_flits() const {
  std::vector<std::uint64_t> all = carrier_->channel_flits();
  for (std::size_t c = 0; c < all.size(); ++c) all[c] += channel_flits_[c];
  return all;
}

void Fabric::report(Statistics& statistics) const {
  DecodingInterconnect::report(statistics);
  statistics.add("packets", packets_);
  statistics.add("flits", flits_);
  statistics.add("accesses_aborted", aborted_);
  statistics.add("latency_mean", packets_ == 0 ? Picoseconds(0) : latency_ / packets_);
  statistics.add("latency_max", longest_);
  report_busiest_channel(*topology_, all_channel_flits(), statistics);
  for (const Target& target : targets_)
    for (std::size_t part = 0; part < target.parts.names.size(); ++part)
      statistics.group(target.parts.names[part]).add("accesses", target.accesses[part]);
}

void report_busiest_channel(const Topology& topology, const std::vector<std::uint64_t>& channel_flits,
                            Statistics& statistics) {
  const auto most = std::ranges::max_element(channel_flits);
  if (most == channel_flits.end()) return;
  const Topology::Channel& channel =
      topology.channels[static_cast<std::size_t>(most - channel_flits.begin())];
  Statistics& busiest = statistics.group("busiest_channel");
  busiest.add("from", std::string_view(topology.routers[channel.from].name));
  busiest.add("to", std::string_view(topology.routers[channel.to].name));
  busiest.add("flits", *most);
}

}  // namespace asterism
