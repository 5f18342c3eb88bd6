#include "platform/system/swapped_device.h"

#include <utility>

namespace asterism {

class SwappedDevice::Block final : public RtlBlock {
 public:
  explicit Block(DeviceSwap& swap) : swap_(swap) {
    swap.on_mismatch = [this](const Lockstep::Mismatch& mismatch) { on_mismatch(mismatch); };
  }
  void finish(Picoseconds) override { swap_.finish(); }
  std::vector<std::string> instances() const override { return {swap_.instance()}; }
  std::vector<std::string> summary() const override { return swap_.summary(); }
  std::uint64_t mismatches() const override { return swap_.mismatches(); }
  std::vector<BlockCoverage> coverage() const override {
    const auto one = swap_.coverage();
    return one ? std::vector{*one} : std::vector<BlockCoverage>();
  }
  void report(Statistics& statistics) const override { swap_.report(statistics); }

 private:
  DeviceSwap& swap_;
};

namespace {

DeviceSwapPorts ports_of(const DeviceShape& shape, const DeviceContext& context) {
  DeviceSwapPorts ports{.interrupts = static_cast<unsigned>(shape.interrupts.size())};
  if (!context.masters.empty()) ports.master = context.masters.front();
  return ports;
}

std::optional<DeviceSwap::Model> model_of(const DeviceShape& shape, Device* model) {
  if (!model) return std::nullopt;
  return DeviceSwap::Model{*shape.targets.front().registers, *model->targets().front()};
}

}  // namespace

SwappedDevice::SwappedDevice(const RtlUse& use, const DeviceShape& shape, const DeviceContext& context,
                             const DeviceLibrary& library, std::unique_ptr<Device> model)
    : model_(std::move(model)),
      phase_(model_                    ? model_->phase()
             : context.masters.empty() ? ResetPhase::targets
                                       : ResetPhase::masters),
      swap_(context.place.instance, use.swap, library, shape.targets.front().size, context.quantum,
            *context.rtl_options, model_of(shape, model_.get()), ports_of(shape, context)) {}

std::vector<tlm::tlm_initiator_socket<>*> SwappedDevice::initiators() {
  tlm::tlm_initiator_socket<>* const master = swap_.master();
  return master ? std::vector{master} : std::vector<tlm::tlm_initiator_socket<>*>();
}

// In lockstep both are connected: the model drives the line, and the RTL is compared with it.
void SwappedDevice::connect_interrupt(std::size_t line, sc_core::sc_signal_inout_if<bool>& wire) {
  if (model_) model_->connect_interrupt(line, wire);
  swap_.interrupt(static_cast<unsigned>(line), wire);
}

void SwappedDevice::connect(const DevicePeers& peers) {
  if (model_) model_->connect(peers);
}

void SwappedDevice::reset(Reset kind) {
  if (model_) model_->reset(kind);
  swap_.reset(kind);
}

void SwappedDevice::power_up() {
  if (model_) model_->power_up();
}

void SwappedDevice::report(Statistics& statistics) const {
  if (model_) model_->report(statistics);
}

std::unique_ptr<RtlBlock> SwappedDevice::block() { return std::make_unique<Block>(swap_); }

}  // namespace asterism
