#include "devices/qoriq_edac.h"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "base/fields.h"
#include "base/quantity_text.h"
#include "tlm/log.h"

namespace asterism {
namespace {

constexpr unsigned bounds_shift = 24;  // CS_BNDS counts 16 MiB
constexpr Bytes end_of_addresses(std::uint64_t{1} << (bounds_shift + 16));

// The data bits that make each check bit, from 0 to 7 (Tables 8-55 of the MPC8641 and 9-61 of the MPC8572
// reference manuals, as Linux numbers the bits).
constexpr std::array<std::uint64_t, 8> summed = {
    0xf00f'e11e'c33c'0ff7, 0x00ff'00ff'00ff'f0ff, 0x0f0f'0f0f'0f0f'ff00, 0x1111'3333'7777'000f,
    0x2222'4444'8888'222f, 0x4444'8888'ffff'4441, 0x8888'ffff'1111'8882, 0xffff'1111'2222'1114};

const RegisteredDevice<QoriqEdac> qoriq_edac_type{
    "qoriq_edac",
    "The error registers of a QorIQ memory controller, which show the errors of a memory to Linux."};

}  // namespace

static_assert(member_count<QoriqEdacConfig>() == 1);
void describe(Fields& f, QoriqEdacConfig& c) {
  f("memory", c.memory, "The memory whose errors are reported: a device of the type memory.");
}

DeviceShape QoriqEdac::shape(const Config&, const NodeFacts&) {
  return {.targets = {{.registers = std::make_shared<QoriqEdacRegisters>()}}, .interrupts = {{}}};
}

void QoriqEdac::check(const Config& config, const NodeView& node, const DevicePlace&,
                      DeviceProblems& problems) {
  const auto memory = node.find(config.memory);
  if (!memory || !memory->shape.is_memory)
    return problems.add("memory", fmt::format("there is no memory \"{}\"", config.memory));
  const AddressRange range = memory->place.range();
  if (range.first.value() + range.size.count() > end_of_addresses.count())
    problems.add("memory", fmt::format("{} ends above {}, which these registers cannot express",
                                       config.memory, to_text(end_of_addresses)));
}

std::vector<DeviceTreeNode> QoriqEdac::device_tree(const Config&, const DevicePlace& place) {
  DeviceTreeNode node = device_tree_node("memory-controller", {"fsl,qoriq-memory-controller"}, place);
  node.set("little-endian");
  return {node};
}

QoriqEdac::QoriqEdac(const sc_core::sc_module_name& name, const Config& config, const DeviceContext& context)
    : sc_module(name), config_(config), memory_(context.node.find(config.memory)->place.range()) {
  QoriqEdacRegisters& r = registers;
  r.warn = [this](const std::string& line) { log(this->name()).warn(line); };
  r.bounds.computed([this] {
    const auto number = [](Address at) { return static_cast<std::uint32_t>(at.value() >> bounds_shift); };
    return registers.bounds.start.bits(number(memory_.first)) |
           registers.bounds.end.bits(number(memory_.last()));
  });
  r.config.computed(
      [this] { return registers.config.enabled.bits(true) | registers.config.ecc.bits(has_decoder_); });
  r.detect.on_write([this](std::uint32_t) { update(); });
  r.interrupt_enable.on_write([this](std::uint32_t) { update(); });
}

void QoriqEdac::connect(const DevicePeers& peers) {
  auto* const memory = peers.find(config_.memory)->as<NodeMemory>();
  has_decoder_ = memory->has_decoder();
  memory->on_error.push_back([this](const FoundError& error) { found(error); });
}

std::uint8_t QoriqEdac::check_bits(std::uint64_t data) {
  std::uint8_t bits = 0;
  for (unsigned i = 0; i < summed.size(); ++i)
    bits |= static_cast<std::uint8_t>((std::popcount(data & summed[i]) & 1) << i);
  return bits;
}

void QoriqEdac::found(const FoundError& error) {
  const QoriqEdacRegisters& r = registers;
  ++(error.is_corrected ? corrected_ : uncorrectable_);
  const QoriqEdacRegisters::Kinds& disabled = r.disable;
  if ((error.is_corrected ? disabled.single : disabled.multiple).get(disabled.value())) return;
  if (error.is_corrected && !is_threshold_reached()) return;
  const std::uint32_t kind = (error.is_corrected ? r.detect.single : r.detect.multiple).mask(),
                      before = r.detect.value();
  const std::uint32_t captured = r.detect.multiple.mask() | (error.is_corrected ? r.detect.single.mask() : 0);
  if ((before & captured) == 0) capture(error);
  registers.detect.set(before | kind | r.detect.more.bits((before & kind) != 0));
  update();
}

// Counts a corrected error.
bool QoriqEdac::is_threshold_reached() {
  QoriqEdacRegisters::Single& single = registers.single;
  const std::uint32_t threshold = single.threshold.get(single.value());
  std::uint32_t count = (single.counter.get(single.value()) + 1) % 256;
  const bool is_reached = count == threshold;
  if (is_reached) count = 0;
  single.set(single.threshold.bits(threshold) | single.counter.bits(count));
  return is_reached;
}

void QoriqEdac::capture(const FoundError& error) {
  QoriqEdacRegisters& r = registers;
  const std::uint64_t address = (memory_.first + error.offset).value();
  r.data_low.set(static_cast<std::uint32_t>(error.received));
  r.data_high.set(static_cast<std::uint32_t>(error.received >> 32));
  r.ecc.set(std::uint32_t{check_bits(error.received ^ error.wrong)} ^ error.wrong_in_code);
  r.address.set(static_cast<std::uint32_t>(address));
  r.address_high.set(static_cast<std::uint32_t>(address >> 32));
  r.attributes.set(r.attributes.valid.bits(true));
}

void QoriqEdac::update() {
  interrupt.write((registers.detect.value() & registers.interrupt_enable.value()) != 0);
}

void QoriqEdac::reset(Reset) {
  registers.reset();
  update();
}

void QoriqEdac::report(Statistics& statistics) const {
  statistics.add("corrected", corrected_);
  statistics.add("uncorrectable", uncorrectable_);
}

}  // namespace asterism
