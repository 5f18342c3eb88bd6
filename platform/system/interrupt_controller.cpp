#include "platform/system/interrupt_controller.h"

#include <type_traits>

namespace asterism {
namespace {

static_assert(std::is_same_v<Gic400::Wire, GicV3Module::Wire>);

constexpr unsigned performance_monitors = 23, virtual_timer = 27, physical_timer = 30;  // PPIs

GicV3::CpuRegister of_gic(SystemRegister which) { return static_cast<GicV3::CpuRegister>(which.code()); }

}  // namespace

InterruptController::InterruptController(const char* name, const CoreConfig& cores)
    : spi(cores.gic == InterruptControllerKind::gic400 ? gic400_.emplace(name, cores.count).spi
                                                       : gicv3_.emplace(name, cores.count).spi) {}

InterruptController::Wire& InterruptController::ppi(unsigned core, unsigned id) {
  return gic400_ ? gic400_->ppi(core, id) : gicv3_->ppi(core, id);
}

void InterruptController::connect(CoreModule& core) {
  const unsigned index = core.index();
  core.irq.bind(gic400_ ? gic400_->irq[index] : gicv3_->irq[index]);
  core.virtual_timer.bind(ppi(index, virtual_timer));
  core.physical_timer.bind(ppi(index, physical_timer));
  core.performance_monitors.bind(ppi(index, performance_monitors));
  if (gicv3_) core.set_cpu_interface(this);
}

void InterruptController::for_each_target(
    const std::function<void(tlm::tlm_target_socket<>&, const char*)>& visit) {
  if (gic400_) {
    visit(gic400_->distributor, "gicd");
    visit(gic400_->cpu_interface, "gicc");
    return;
  }
  visit(gicv3_->distributor, "gicv3d");
  visit(gicv3_->redistributors, "gicr");
  if (gicv3_->more_redistributors) visit(*gicv3_->more_redistributors, "gicr2");
}

void InterruptController::reset(Reset kind) {
  if (gic400_) gic400_->reset(kind);
  if (gicv3_) gicv3_->reset(kind);
}

void InterruptController::report(Statistics& statistics) const {
  if (gic400_) gic400_->report(statistics);
  if (gicv3_) gicv3_->report(statistics);
}

DeviceTreeNode InterruptController::device_tree(const AddressMap& map) const {
  if (gic400_) return Gic400::device_tree(map.range("gicd"), map.range("gicc"));
  std::optional<AddressRange> more;
  if (gicv3_->more_redistributors) more = map.range("gicr2");
  return GicV3Module::device_tree(map.range("gicv3d"), map.range("gicr"), more ? &*more : nullptr);
}

std::optional<std::uint64_t> InterruptController::read(unsigned core, SystemRegister which) {
  return gicv3_->read(core, of_gic(which));
}

bool InterruptController::write(unsigned core, SystemRegister which, std::uint64_t value) {
  return gicv3_->write(core, of_gic(which), value);
}

}  // namespace asterism
