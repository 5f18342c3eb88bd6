#include "devices/gicv3_module.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "base/affinity.h"
#include "base/fields.h"
#include "tlm/initiator_extension.h"
#include "tlm/log.h"
#include "tlm/payload.h"

namespace asterism {
namespace {

using Bank = GicV3::Bank;

// The registers that distributor and redistributor have in common. `bank_of` returns the bank of a word,
// nullptr if it reads as zero; `changed` is called after a write.
template <class BankOf, class Changed>
void connect_bank(Register& group, Register& set_enable, Register& clear_enable, Register& set_pending,
                  Register& clear_pending, Register& set_active, Register& clear_active, BankOf bank_of,
                  Changed changed) {
  const auto connect = [&](Register& reg, auto get, auto set) {
    reg.computed([bank_of, get](unsigned word, Accessor who) {
      const Bank* bank = bank_of(word, who);
      return bank ? get(*bank) : 0u;
    });
    reg.on_write([bank_of, changed, set](unsigned word, std::uint32_t value, Accessor who) {
      Bank* bank = bank_of(word, who);
      if (!bank) return;
      set(*bank, value);
      changed(who);
    });
  };
  connect(
      group, [](const Bank& b) { return b.group; }, [](Bank& b, std::uint32_t value) { b.group = value; });
  const auto enabled = [](const Bank& b) { return b.enabled; };
  connect(set_enable, enabled, [](Bank& b, std::uint32_t ones) { b.enabled |= ones; });
  connect(clear_enable, enabled, [](Bank& b, std::uint32_t ones) { b.enabled &= ~ones; });
  const auto pending = [](const Bank& b) { return b.pending(); };
  connect(set_pending, pending, [](Bank& b, std::uint32_t ones) { b.latched |= ones; });
  connect(clear_pending, pending, [](Bank& b, std::uint32_t ones) { b.latched &= ~ones; });
  const auto active = [](const Bank& b) { return b.active; };
  connect(set_active, active, [](Bank& b, std::uint32_t ones) { b.active |= ones; });
  connect(clear_active, active, [](Bank& b, std::uint32_t ones) { b.active &= ~ones; });
}

const RegisteredDevice<GicV3Module> gicv3_type{"gicv3",
                                               "A GICv3, the interrupt controller of up to 576 cores, with a "
                                               "redistributor and system registers for each."};

}  // namespace

static_assert(member_count<GicV3Config>() == 1);
void describe(Fields& f, GicV3Config& c) {
  f("spis", c.spis,
    "The number of shared peripheral interrupts (SPIs) that devices can use. Software sees the next multiple "
    "of 32 (GICD_TYPER).",
    within(1, GicV3::max_spis));
}

DeviceShape GicV3Module::shape(const Config& config, const NodeFacts& facts) {
  const unsigned here = in_first_region(facts.cores);
  DeviceShape shape{.targets = {{.suffix = "v3d",
                                 .size = 64_KiB,
                                 .registers = std::make_shared<GicV3DistributorRegisters>(config.spis)},
                                {.suffix = "r",
                                 .size = redistributor_size * here,
                                 .registers = std::make_shared<GicV3RedistributorRegisters>(),
                                 .header_suffix = "V3R"}},
                    .spare_bases = 1,
                    .interrupt_controller = InterruptControllerShape{
                        .spis = config.spis, .max_cores = GicV3::max_cores, .has_system_registers = true}};
  if (facts.cores > here) {
    shape.targets.push_back({.suffix = "r2",
                             .size = redistributor_size * (facts.cores - here),
                             .registers = std::make_shared<GicV3RedistributorRegisters>(),
                             .header_suffix = "V3R2",
                             .continues = true});
    shape.spare_bases = 0;
  }
  return shape;
}

GicV3DistributorRegisters::GicV3DistributorRegisters(unsigned spi_count)
    : RegisterBank(
          "GICV3D", 64_KiB,
          "Distributor of the GICv3 (Arm IHI 0069): routes shared peripheral interrupts to the cores."),
      spis(spi_count),
      words(1 + (spi_count + 31) / 32) {
  group_modifier.computed([] { return 0u; });
  priority.any_width();
  route.any_width();
}

GicV3RedistributorRegisters::GicV3RedistributorRegisters()
    : RegisterBank("GICV3R", GicV3Module::redistributor_size,
                   "Redistributor of a GICv3 (Arm IHI 0069): a core's private interrupts. There is one per "
                   "core, and they are contiguous; those of cores beyond 123 are in a second range.") {
  config.set(0xaaaa'aaaa, 0);
  group_modifier.computed([] { return 0u; });
}

GicV3Module::GicV3Module(const sc_core::sc_module_name& name, unsigned cores, unsigned spis)
    : sc_module(name),
      distributor_registers(spis),
      distributor("distributor", distributor_registers),
      redistributors("redistributors"),
      spi("spi", spis),
      irqs("irq", cores),
      fiqs("fiq", cores),
      gic_(cores, spis),
      ppis_(cores) {
  distributor_registers.warn =
      redistributor_registers.warn = [this](const std::string& line) { log(this->name()).warn(line); };
  connect_distributor();
  connect_redistributors();
  serve(redistributors, 0);
  if (cores > max_in_first_region) {
    more_redistributors = std::make_unique<RedistributorSocket>("more_redistributors");
    serve(*more_redistributors, max_in_first_region);
  }
  for (unsigned n = 0; n < spi.size(); ++n)
    watch(spi[n], [this, n](bool high) {
      gic_.set_spi(GicV3::first_spi + n, high);
      if (const auto core = core_of_affinity(gic_.route(GicV3::first_spi + n), gic_.cores())) drive(*core);
    });
}

GicV3Module::Wire& GicV3Module::ppi(unsigned core, unsigned id) {
  if (core >= gic_.cores() || id < GicV3::first_ppi || id >= GicV3::first_spi)
    throw std::out_of_range("no PPI " + std::to_string(id) + " of core " + std::to_string(core));
  auto& wires = ppis_[core];
  wires.resize(GicV3::first_spi - GicV3::first_ppi);
  std::unique_ptr<Wire>& wire = wires[id - GicV3::first_ppi];
  if (!wire) {
    wire = std::make_unique<Wire>(sc_core::sc_gen_unique_name("ppi"));
    watch(*wire, [this, core, id](bool high) {
      gic_.set_ppi(core, id, high);
      drive(core);
    });
  }
  return *wire;
}

// A method process for each wire: nothing runs unless one changes.
template <class Follow>
void GicV3Module::watch(Wire& wire, Follow follow) {
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.dont_initialize();
  options.set_sensitivity(&wire.value_changed_event());
  sc_core::sc_spawn([&wire, follow] { follow(wire.read()); }, sc_core::sc_gen_unique_name("watch"), &options);
}

void GicV3Module::reset(Reset kind) {
  gic_.reset(kind);
  drive();
}

void GicV3Module::drive(unsigned core) {
  const GicV3::Signal signal = gic_.signal(core);
  irqs[core].write(signal == GicV3::Signal::irq);
  fiqs[core].write(signal == GicV3::Signal::fiq);
}
void GicV3Module::drive() {
  for (unsigned core = 0; core < gic_.cores(); ++core) drive(core);
}

std::optional<std::uint64_t> GicV3Module::read(unsigned core, GicV3::CpuRegister which) {
  const auto value = gic_.read(core, which);
  drive(core);
  return value;
}

bool GicV3Module::write(unsigned core, GicV3::CpuRegister which, std::uint64_t value) {
  using enum GicV3::CpuRegister;
  if ((which == igrpen0 || which == igrpen1) && value & 1 && gic_.asleep(core))
    redistributor_registers.warn(fmt::format(
        "core {} enables interrupts while its redistributor sleeps (GICR_WAKER): silicon would signal none",
        core));
  GicV3::Reached reached;
  const bool written = gic_.write(core, which, value, reached);
  if (reached.all) {
    drive();
    return written;
  }
  drive(core);
  for (const unsigned other : reached.cores) drive(other);
  return written;
}

void GicV3Module::connect_distributor() {
  GicV3DistributorRegisters& d = distributor_registers;
  d.control.computed([this] { return gic_.control(); }).on_write([this](std::uint32_t value) {
    gic_.set_control(value);
    drive();
  });
  const auto bank_of = [this](unsigned word, Accessor) { return gic_.shared(word); };
  const auto changed = [this](Accessor) { drive(); };
  connect_bank(d.group, d.set_enable, d.clear_enable, d.set_pending, d.clear_pending, d.set_active,
               d.clear_active, bank_of, changed);
  // Eight registers of priorities and two of configurations for each 32 interrupts.
  d.priority
      .computed([this](unsigned word, Accessor) {
        const Bank* bank = gic_.shared(word / 8);
        return bank ? bank->priorities(word % 8) : 0;
      })
      .on_write([this](unsigned word, std::uint32_t value, Accessor) {
        if (Bank* bank = gic_.shared(word / 8)) bank->set_priorities(word % 8, value);
        drive();
      });
  d.config
      .computed([this](unsigned word, Accessor) {
        const Bank* bank = gic_.shared(word / 2);
        return bank ? bank->config(word % 2) : 0;
      })
      .on_write([this](unsigned word, std::uint32_t value, Accessor) {
        if (Bank* bank = gic_.shared(word / 2)) bank->set_config(word % 2, value);
        drive();
      });
  d.route.computed([this](unsigned word, Accessor) {
    return static_cast<std::uint32_t>(gic_.route(GicV3::first_spi + word / 2) >> 32 * (word % 2));
  });
  d.route.on_write([this](unsigned word, std::uint32_t value, Accessor) {
    const unsigned id = GicV3::first_spi + word / 2, shift = 32 * (word % 2);
    const std::uint64_t other_half = gic_.route(id) & ~(std::uint64_t{~0u} << shift);
    gic_.set_route(id, other_half | std::uint64_t{value} << shift);
    drive();
  });
}

void GicV3Module::connect_redistributors() {
  GicV3RedistributorRegisters& r = redistributor_registers;
  r.type.computed([this, &r](unsigned, Accessor who) {
    const bool last = who.master + 1 == in_first_region(gic_.cores()) || who.master + 1 == gic_.cores();
    return r.type.number.bits(who.master) | r.type.last.bits(last);
  });
  r.affinity.computed([](unsigned, Accessor who) { return affinity_of(who.master); });
  r.waker
      .computed([this, &r](unsigned, Accessor who) {
        const bool asleep = gic_.asleep(who.master);
        return r.waker.processor_sleep.bits(asleep) | r.waker.children_asleep.bits(asleep);
      })
      .on_write([this, &r](unsigned, std::uint32_t value, Accessor who) {
        gic_.set_asleep(who.master, r.waker.processor_sleep.get(value));
        drive(who.master);
      });
  const auto bank_of = [this](unsigned, Accessor who) { return &gic_.redistributor(who.master); };
  const auto changed = [this](Accessor who) { drive(who.master); };
  connect_bank(r.group, r.set_enable, r.clear_enable, r.set_pending, r.clear_pending, r.set_active,
               r.clear_active, bank_of, changed);
  r.priority
      .computed(
          [this](unsigned word, Accessor who) { return gic_.redistributor(who.master).priorities(word); })
      .on_write([this](unsigned word, std::uint32_t value, Accessor who) {
        gic_.redistributor(who.master).set_priorities(word, value);
        drive(who.master);
      });
  r.config
      .computed([this](unsigned word, Accessor who) { return gic_.redistributor(who.master).config(word); })
      .on_write([this](unsigned word, std::uint32_t value, Accessor who) {
        if (word == 1) gic_.redistributor(who.master).set_config(word, value);
        drive(who.master);
      });
}

// ---- the redistributors' sockets ----

void GicV3Module::serve(RedistributorSocket& socket, unsigned first) {
  socket.register_b_transport(this, &GicV3Module::transport, static_cast<int>(first));
  socket.register_transport_dbg(this, &GicV3Module::debug, static_cast<int>(first));
}

Bytes GicV3Module::region(int first) const {
  const unsigned here = in_first_region(gic_.cores());
  return redistributor_size * (first == 0 ? here : gic_.cores() - here);
}

void GicV3Module::transport(int first, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  payload.set_dmi_allowed(false);
  if (!accept(payload, region(first))) return;
  if (delay != sc_core::SC_ZERO_TIME) {
    sc_core::wait(delay);
    delay = sc_core::SC_ZERO_TIME;
    if (is_aborted(payload)) return payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  }
  constexpr std::uint64_t size = redistributor_size.count();
  const auto who = [&](std::uint64_t word) {
    return Accessor{static_cast<unsigned>(first) + static_cast<unsigned>(word / size)};
  };
  if (payload.is_read())
    for_each_word(payload,
                  [&](std::uint64_t word, std::uint32_t, std::uint32_t, unsigned at, unsigned count) {
                    put_word(payload, redistributor_registers.read(word % size, who(word)), at, count);
                  });
  else if (payload.is_write())
    for_each_word(payload,
                  [&](std::uint64_t word, std::uint32_t value, std::uint32_t lanes, unsigned, unsigned) {
                    redistributor_registers.write(word % size, value, lanes, who(word));
                  });
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned GicV3Module::debug(int first, tlm::tlm_generic_payload& payload) {
  if (!payload.is_read() || !accept(payload, region(first))) return 0;
  constexpr std::uint64_t size = redistributor_size.count();
  for_each_word(payload, [&](std::uint64_t word, std::uint32_t, std::uint32_t, unsigned at, unsigned count) {
    const Accessor who{static_cast<unsigned>(first) + static_cast<unsigned>(word / size)};
    put_word(payload, redistributor_registers.peek(word % size, who), at, count);
  });
  return payload.get_data_length();
}

std::vector<tlm::tlm_target_socket<>*> GicV3Module::targets() {
  std::vector<tlm::tlm_target_socket<>*> all{&distributor, &redistributors};
  if (more_redistributors) all.push_back(more_redistributors.get());
  return all;
}

std::vector<DeviceTreeNode> GicV3Module::device_tree(const Config&, const DevicePlace& place) {
  DeviceTreeNode node = device_tree_node("intc", {"arm,gic-v3"}, place);
  node.set("#redistributor-regions", DeviceTreeNode::Cells{place.ranges.size() > 2 ? 2u : 1u})
      .set("interrupt-controller")
      .set("#interrupt-cells", DeviceTreeNode::Cells{3})
      .set("#address-cells", DeviceTreeNode::Cells{2})
      .set("#size-cells", DeviceTreeNode::Cells{2})
      .set("ranges")
      .set("phandle", DeviceTreeNode::Cells{dt::interrupt_controller});
  return {node};
}

}  // namespace asterism
