#include "fabric/crossbar.h"

#include <algorithm>
#include <stdexcept>

#include "tlm/time.h"

namespace asterism {
namespace {

constexpr Picoseconds cycle = 1_ns;  // an ideal crossbar has no clock of its own

}  // namespace

Crossbar::Crossbar(const sc_core::sc_module_name& name, const FabricConfig& config)
    : DecodingInterconnect(name), latency_(to_sc_time(config.latency)), ports_{"XB", 0, cycle, {}, {}} {}

void Crossbar::add_master(tlm::tlm_initiator_socket<>& socket, const std::string& name) {
  ports_.inputs.push_back(name);
  ports_.radix = static_cast<unsigned>(std::max(ports_.inputs.size(), ports_.outputs.size()));
  DecodingInterconnect::add_master(socket, name);
}

void Crossbar::add_target(tlm::tlm_target_socket<>& socket, AddressRange range, const std::string& name) {
  ports_.outputs.push_back(name);
  ports_.radix = static_cast<unsigned>(std::max(ports_.inputs.size(), ports_.outputs.size()));
  DecodingInterconnect::add_target(socket, range, name);
}

void Crossbar::attach_hook(std::size_t, ArbitrationHook* hook) {
  if (ports_.inputs.size() > max_hook_radix)
    throw std::invalid_argument("the crossbar has more masters than its arbitration hook has inputs");
  hook_ = hook;
  next_grant_.assign(ports_.outputs.size(), Picoseconds(0));
}

void Crossbar::reset(Reset kind) {
  if (hook_ != nullptr) hook_->reset(kind);
}

void Crossbar::travel(int master, const Entry& entry, tlm::tlm_generic_payload& payload,
                      sc_core::sc_time& delay) {
  if (hook_ != nullptr) arbitrate(static_cast<unsigned>(master), entry.target, now() + to_picoseconds(delay));
  delay += latency_;
  at_target(entry, payload, delay);
}

class Crossbar::Path final : public TimedPath {
 public:
  Path(Crossbar& crossbar, Address base, TimedPath& target)
      : crossbar_(crossbar), base_(base), target_(target) {}
  Picoseconds access(const Access& access, Picoseconds at) override {
    crossbar_.count_access();
    Access there = access;
    there.address = Address((access.address - base_).count());
    return target_.access(there, at + to_picoseconds(crossbar_.latency_));
  }

 private:
  Crossbar& crossbar_;
  const Address base_;
  TimedPath& target_;
};

std::unique_ptr<TimedPath> Crossbar::make_path(int, const Entry& entry, TimedPath& target) {
  return hook_ ? nullptr : std::make_unique<Path>(*this, entry.range.first, target);
}

void Crossbar::arbitrate(unsigned master, unsigned target, Picoseconds at) {
  at = std::max(at, next_grant_[target]);
  next_grant_[target] = at + cycle;
  RequestSet requests{};
  requests[master / 64] = std::uint64_t{1} << (master % 64);
  hook_->decide(at, target, requests, master);
}

}  // namespace asterism
