#include "devices/gic400.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fields.h"
#include "tlm/log.h"
#include "tlm/message_interrupts.h"

namespace asterism {
namespace {

// A controller has registers for 32 interrupts at a time.
unsigned words_of(unsigned spis) { return (spis + 31) / 32; }

const RegisteredDevice<Gic400> gic400_type{"gic400",
                                           "A GIC-400, the interrupt controller (GICv2) of up to 8 cores."};

}  // namespace

static_assert(member_count<Gic400Config>() == 2);
void describe(Fields& f, Gic400Config& c) {
  f("spis", c.spis,
    "The number of shared peripheral interrupts (SPIs) that devices can use. Software sees the next multiple "
    "of 32 (GICD_TYPER).",
    within(1, Gic::max_spis));
  f("message_interrupts", c.message_interrupts,
    "The number of further SPIs that devices raise by a write to a frame of the GICv2m, whose address `base` "
    "has "
    "then, too: the function of a PCI bus with MSI-X. 0: there is no frame.",
    within(0, Gic::max_spis));
  f.check([&] { return c.spis + c.message_interrupts <= Gic::max_spis; }, "message_interrupts",
          fmt::format("is at most {} together with spis", Gic::max_spis));
}

DeviceShape Gic400::shape(const Config& config, const NodeFacts&) {
  DeviceShape shape{
      .targets = {{.suffix = "d",
                   .size = 64_KiB,
                   .registers =
                       std::make_shared<GicDistributorRegisters>(config.spis + config.message_interrupts)},
                  {.suffix = "c", .size = 64_KiB, .registers = std::make_shared<GicCpuRegisters>()}},
      .interrupt_controller = InterruptControllerShape{.spis = config.spis, .max_cores = Gic::max_cores}};
  if (config.message_interrupts != 0)
    shape.targets.push_back(
        {.suffix = message_frame_suffix, .registers = std::make_shared<GicMessageRegisters>()});
  return shape;
}

GicDistributorRegisters::GicDistributorRegisters(unsigned spis)
    : RegisterBank("GICD", 64_KiB,
                   "Distributor of the GIC-400 (Arm IHI 0048B): routes interrupts to the cores. Registers of "
                   "interrupts 0 to 31 are banked by core."),
      words(1 + words_of(spis)) {
  static constexpr std::uint32_t ids[] = {0x04, 0, 0, 0, 0x90, 0xB4, 0x2B, 0, 0x0D, 0xF0, 0x05, 0xB1};
  identity.computed([](unsigned i, Accessor) { return ids[i]; });
  // The initial state of the SGIs: enabled, edge-triggered.
  set_enable.set(0xffff, 0);
  clear_enable.set(0xffff, 0);
  config.set(0xaaaa'aaaa, 0);
  for (Register* bytes : {&priority, &targets, &clear_sgi, &set_sgi}) bytes->any_width();
}

GicCpuRegisters::GicCpuRegisters()
    : RegisterBank("GICC", 64_KiB,
                   "CPU interface of the GIC-400 (Arm IHI 0048B): acknowledges and ends interrupts. Every "
                   "core has its own view.") {
  acknowledge.acts_when_read();
  aliased_acknowledge.acts_when_read();
}

Gic400::Gic400(const sc_core::sc_module_name& name, unsigned cores, unsigned spis,
               unsigned message_interrupts)
    : sc_module(name),
      distributor_registers(spis + message_interrupts),
      distributor("distributor", distributor_registers),
      cpu_interface("cpu_interface", cpu_registers),
      messages(message_interrupts == 0 ? nullptr
                                       : std::make_unique<RegisterSocket>("messages", message_registers)),
      spi("spi", spis),
      irqs("irq", cores),
      fiqs("fiq", cores),
      message_interrupts_(message_interrupts),
      gic_(cores, 32 * words_of(spis + message_interrupts)),
      ppis_("ppi", std::size_t{16} * cores) {
  distributor_registers.warn = cpu_registers.warn =
      message_registers.warn = [this](const std::string& line) { log(this->name()).warn(line); };
  connect_distributor();
  connect_cpu_interface();
  connect_messages();
  for (unsigned n = 0; n < spi.size(); ++n) watch(spi[n], Gic::first_spi + n, 0);
  for (unsigned n = 0; n < ppis_.size(); ++n) watch(ppis_[n], Gic::first_ppi + n % 16, n / 16);
}

Gic400::Wire& Gic400::ppi(unsigned core, unsigned id) {
  if (core >= gic_.cores() || id < Gic::first_ppi || id >= Gic::first_spi)
    throw std::out_of_range("no PPI " + std::to_string(id) + " of core " + std::to_string(core));
  return ppis_[16 * core + id - Gic::first_ppi];
}

void Gic400::reset(Reset kind) {
  gic_.reset(kind);
  drive();
}

// A method process for each wire: nothing runs unless one changes.
void Gic400::watch(Wire& wire, unsigned id, unsigned core) {
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.dont_initialize();
  options.set_sensitivity(&wire.value_changed_event());
  sc_core::sc_spawn(
      [this, &wire, id, core] {
        gic_.set_line(id, wire.read(), core);
        drive();
      },
      sc_core::sc_gen_unique_name("watch"), &options);
}

void Gic400::drive() {
  for (unsigned core = 0; core < gic_.cores(); ++core) {
    const Gic::Signal signal = gic_.signal(core);
    irqs[core].write(signal == Gic::Signal::irq);
    fiqs[core].write(signal == Gic::Signal::fiq);
  }
}

template <class Write>
void Gic400::write_banked(Register& reg, Accessor who, Write write) {
  if (!has_bank(who)) return reg.bank().warn("a master that is no core wrote " + reg.name() + ": ignored");
  write(who.master);
  drive();
}

void Gic400::connect_register(Register& reg, unsigned banked, Getter get, Setter set) {
  reg.computed([this, banked, get](unsigned word, Accessor who) {
    if (word >= banked) return (gic_.*get)(word, 0);
    return read_banked(who, [&](unsigned core) { return (gic_.*get)(word, core); });
  });
  if (!set) return;
  reg.on_write([this, &reg, banked, set](unsigned word, std::uint32_t value, Accessor who) {
    if (word < banked) return write_banked(reg, who, [&](unsigned core) { (gic_.*set)(word, value, core); });
    (gic_.*set)(word, value, 0);
    drive();
  });
}

void Gic400::connect_distributor() {
  GicDistributorRegisters& d = distributor_registers;
  d.control.computed([this] { return gic_.control(); }).on_write([this](std::uint32_t value) {
    gic_.set_control(value);
    drive();
  });
  d.type.computed([this] { return gic_.type(); });
  constexpr unsigned bits = 1, pairs = Gic::first_spi / 16, bytes = Gic::first_spi / 4, sgis = 4;
  connect_register(d.group, bits, &Gic::group, &Gic::set_group);
  connect_register(d.set_enable, bits, &Gic::enabled, &Gic::set_enabled);
  connect_register(d.clear_enable, bits, &Gic::enabled, &Gic::clear_enabled);
  connect_register(d.set_pending, bits, &Gic::pending, &Gic::set_pending);
  connect_register(d.clear_pending, bits, &Gic::pending, &Gic::clear_pending);
  connect_register(d.set_active, bits, &Gic::active, &Gic::set_active);
  connect_register(d.clear_active, bits, &Gic::active, &Gic::clear_active);
  connect_register(d.priority, bytes, &Gic::priorities, &Gic::set_priorities);
  connect_register(d.targets, bytes, &Gic::targets, &Gic::set_targets);
  connect_register(d.config, pairs, &Gic::config, &Gic::set_config);
  connect_register(d.clear_sgi, sgis, &Gic::sgi_sources, &Gic::clear_sgi_sources);
  connect_register(d.set_sgi, sgis, &Gic::sgi_sources, &Gic::set_sgi_sources);
  d.private_lines.computed([this](unsigned, Accessor who) {
    return read_banked(who, [&](unsigned core) { return gic_.lines(0, core) >> Gic::first_ppi; });
  });
  d.shared_lines.computed([this](unsigned word, Accessor) { return gic_.lines(1 + word, 0); });
  d.send.on_write([this](unsigned, std::uint32_t value, Accessor who) {
    write_banked(distributor_registers.send, who, [&](unsigned core) { gic_.send_sgi(value, core); });
  });
}

void Gic400::connect_cpu_interface() {
  GicCpuRegisters& c = cpu_registers;
  const auto written = [this](Register& reg, void (Gic::*set)(std::uint32_t, unsigned)) {
    reg.on_write([this, &reg, set](unsigned, std::uint32_t value, Accessor who) {
      write_banked(reg, who, [&](unsigned core) { (gic_.*set)(value, core); });
    });
  };
  const auto owned = [&](Register& reg, std::uint32_t Gic::CpuInterface::*member,
                         void (Gic::*set)(std::uint32_t, unsigned)) {
    reg.computed([this, member](unsigned, Accessor who) {
      return read_banked(who, [&](unsigned core) { return gic_.cpu(core).*member; });
    });
    written(reg, set);
  };
  owned(c.control, &Gic::CpuInterface::control, &Gic::set_cpu_control);
  owned(c.priority_mask, &Gic::CpuInterface::priority_mask, &Gic::set_priority_mask);
  owned(c.binary_point, &Gic::CpuInterface::binary_point, &Gic::set_binary_point);
  owned(c.aliased_binary_point, &Gic::CpuInterface::aliased_binary_point, &Gic::set_aliased_binary_point);

  const auto by_alias = [this](Gic::Alias alias, Register& acknowledge, Register& end, Register& pending) {
    acknowledge
        .computed([this, alias](unsigned, Accessor who) {
          return read_banked(
              who, [&](unsigned core) { return gic_.next_acknowledged(core, alias); }, Gic::spurious);
        })
        .on_read([this, alias](unsigned, Accessor who) {
          if (!has_bank(who)) return;
          gic_.acknowledge(who.master, alias);
          drive();
        });
    end.on_write([this, alias, &end](unsigned, std::uint32_t value, Accessor who) {
      write_banked(end, who, [&](unsigned core) { gic_.end_of_interrupt(value, core, alias); });
    });
    pending.computed([this, alias](unsigned, Accessor who) {
      return read_banked(
          who, [&](unsigned core) { return gic_.highest_pending(core, alias); }, Gic::spurious);
    });
  };
  by_alias(Gic::Alias::no, c.acknowledge, c.end, c.pending);
  by_alias(Gic::Alias::yes, c.aliased_acknowledge, c.aliased_end, c.aliased_pending);

  c.running.computed([this](unsigned, Accessor who) {
    return read_banked(
        who, [&](unsigned core) { return std::min<std::uint32_t>(gic_.running_priority(core), 0xFF); });
  });
  written(c.deactivate, &Gic::deactivate);
  for (unsigned group : {0u, 1u}) {
    Register& reg = group ? c.active_priorities1 : c.active_priorities;
    reg.computed([this, group](unsigned word, Accessor who) {
      return read_banked(who, [&](unsigned core) { return gic_.cpu(core).active_priorities[group][word]; });
    });
    reg.on_write([this, group, &reg](unsigned word, std::uint32_t value, Accessor who) {
      write_banked(reg, who, [&](unsigned core) { gic_.set_active_priorities(group, word, value, core); });
    });
  }
}

// A message is a pulse of a wire: an edge-triggered interrupt is pending from then on.
void Gic400::connect_messages() {
  const unsigned first = Gic::first_spi + static_cast<unsigned>(spi.size());
  message_registers.type.computed([this, first] { return first << 16 | message_interrupts_; });
  message_registers.set.on_write([this, first](std::uint32_t value) {
    const std::uint32_t id = value & 0x3FF;
    if (id < first || id - first >= message_interrupts_)
      return message_registers.warn(
          fmt::format("a message has the interrupt {}, expected one of {} to {}: "
                      "ignored",
                      id, first, first + message_interrupts_ - 1));
    for (const bool level : {true, false}) gic_.set_line(id, level);
    drive();
  });
}

std::vector<tlm::tlm_target_socket<>*> Gic400::targets() {
  if (!messages) return {&distributor, &cpu_interface};
  return {&distributor, &cpu_interface, messages.get()};
}

std::vector<DeviceTreeNode> Gic400::device_tree(const Config& config, const DevicePlace& place) {
  DevicePlace own = place;
  own.ranges.resize(2);
  DeviceTreeNode node = device_tree_node("intc", {"arm,cortex-a15-gic"}, own);
  node.set("interrupt-controller")
      .set("#interrupt-cells", DeviceTreeNode::Cells{3})
      .set("#address-cells", DeviceTreeNode::Cells{2})
      .set("#size-cells", DeviceTreeNode::Cells{2})
      .set("ranges")
      .set("phandle", DeviceTreeNode::Cells{dt::interrupt_controller});
  if (config.message_interrupts != 0) {
    DeviceTreeNode& frame =
        node.children.emplace_back(DeviceTreeNode{dt::node_name("v2m", place.ranges.at(2))});
    frame.set("compatible", {"arm,gic-v2m-frame"})
        .set("msi-controller")
        .set("reg", dt::reg(place.ranges.at(2)))
        .set("phandle", DeviceTreeNode::Cells{dt::message_frame});
  }
  return {node};
}

}  // namespace asterism
