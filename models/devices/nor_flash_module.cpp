#include "devices/nor_flash_module.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/fields.h"
#include "tlm/initiator_extension.h"
#include "tlm/payload.h"
#include "tlm/time.h"

namespace asterism {
namespace {

// Calls act(offset in the bank, first data byte, size) for aligned pieces of 1, 2, 4 or 8 enabled bytes.
template <class Act>
void for_each_piece(const tlm::tlm_generic_payload& payload, Act act) {
  const unsigned length = payload.get_data_length();
  for (unsigned i = 0; i < length;) {
    const std::uint64_t at = payload.get_address() + i;
    const auto is_whole = [&](unsigned size) {
      if (at % size != 0 || size > length - i) return false;
      for (unsigned byte = i; byte < i + size; ++byte)
        if (!byte_enabled(payload, byte)) return false;
      return true;
    };
    unsigned size = 8;
    while (size > 1 && !is_whole(size)) size /= 2;
    if (byte_enabled(payload, i)) act(static_cast<std::size_t>(at), i, size);
    i += size;
  }
}

const RegisteredDevice<NorFlashModule> nor_flash_type{
    "nor_flash", "A bank of NOR flash, for firmware that starts from it or stores its settings there."};

}  // namespace

static_assert(member_count<NorFlashConfig>() == 3);
void describe(Fields& f, NorFlashConfig& c) {
  f("size", c.size, "The capacity of the bank.", within(Bytes(NorFlash::block_size), 1_GiB));
  f("latency", c.latency, "The latency of an access over the bus. Code runs from the flash as from DRAM.",
    within(0_ps, 1_ms));
  f("follows", c.follows,
    "The bank before this one: both are one device of the device tree, as on QEMU's virt machine. \"\": this "
    "is the first bank.");
  f.check([&] { return c.size % Bytes(NorFlash::block_size) == Bytes(0); }, "size",
          "is a whole number of blocks of 256 KiB");
}

DeviceShape NorFlashModule::shape(const Config& config, const NodeFacts&) {
  return {.targets = {{.size = config.size}}, .is_rom = config.follows.empty()};
}

void NorFlashModule::check(const Config& config, const NodeView& node, const DevicePlace& place,
                           DeviceProblems& problems) {
  if (config.follows.empty()) return;
  const auto first = node.find(config.follows);
  if (!first || first->type != "nor_flash" || config.follows == place.instance)
    problems.add("follows", "there is no other bank of NOR flash \"" + config.follows + "\"");
  else if (!first->shape.is_rom)
    problems.add("follows",
                 config.follows + " is not the first bank of its device, which every other bank names");
}

NorFlashModule::NorFlashModule(const sc_core::sc_module_name& name, const NorFlashConfig& config)
    : sc_module(name), latency_(to_sc_time(config.latency)), flash_(config.size.count()) {
  target.register_b_transport(this, &NorFlashModule::b_transport);
  target.register_get_direct_mem_ptr(this, &NorFlashModule::get_direct_mem_ptr);
  target.register_transport_dbg(this, &NorFlashModule::transport_dbg);
}

void NorFlashModule::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  payload.set_dmi_allowed(false);
  if (!accept(payload, Bytes(flash_.contents().size()))) return;
  const bool shown = is_monitored(payload), acts = payload.is_write() || !flash_.reads_array();
  if (delay != sc_core::SC_ZERO_TIME && acts && !shown) {
    sc_core::wait(delay);
    delay = sc_core::SC_ZERO_TIME;
    if (is_aborted(payload)) return payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  }
  if (!shown && payload.is_read()) load(payload);
  if (!shown && payload.is_write()) store(payload);
  delay += latency_;
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

void NorFlashModule::load(tlm::tlm_generic_payload& payload) {
  ++loads_;
  for_each_piece(payload, [&](std::size_t at, unsigned first, unsigned size) {
    const std::uint64_t value = flash_.load(at, size);
    std::memcpy(payload.get_data_ptr() + first, &value, size);
  });
}

void NorFlashModule::store(const tlm::tlm_generic_payload& payload) {
  ++stores_;
  const bool was_array = flash_.reads_array();
  for_each_piece(payload, [&](std::size_t at, unsigned first, unsigned size) {
    std::uint64_t value = 0;
    std::memcpy(&value, payload.get_data_ptr() + first, size);
    flash_.store(at, size, value);
  });
  if (was_array != flash_.reads_array()) withdraw();
}

// Invalidates what masters know about direct memory here, including that it was refused.
void NorFlashModule::withdraw() { target->invalidate_direct_mem_ptr(0, flash_.contents().size() - 1); }

// A store is a command. An initiator that does not look at the kind of access that it is granted would write
// to cells.
bool NorFlashModule::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  dmi.init();
  dmi.set_start_address(0);
  dmi.set_end_address(flash_.contents().size() - 1);
  if (!flash_.reads_array() || payload.is_write() || payload.get_address() > dmi.get_end_address())
    return false;
  dmi.set_dmi_ptr(flash_.cells().data());
  dmi.set_read_latency(latency_);
  dmi.allow_read();
  return true;
}

unsigned NorFlashModule::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (!accept(payload, Bytes(flash_.contents().size()))) return 0;
  const std::span<std::uint8_t> cells =
      flash_.cells().subspan(payload.get_address(), payload.get_data_length());
  if (payload.is_read()) std::ranges::copy(cells, payload.get_data_ptr());
  if (payload.is_write()) std::copy_n(payload.get_data_ptr(), cells.size(), cells.begin());
  return payload.get_data_length();
}

void NorFlashModule::program(std::span<const std::byte> contents) {
  std::ranges::copy(contents, std::as_writable_bytes(flash_.cells()).begin());
}

void NorFlashModule::reset(Reset) {
  flash_.reset();
  withdraw();
}

void NorFlashModule::report(Statistics& statistics) const {
  statistics.add("loads", loads_);
  statistics.add("stores", stores_);
  statistics.add("words_programmed", flash_.counts().programmed);
  statistics.add("blocks_erased", flash_.counts().erased);
}

std::vector<DeviceTreeNode> NorFlashModule::device_tree(const Config& config, const NodeView& node,
                                                        const DevicePlace& place) {
  const auto first = node.find(config.follows);
  DeviceTreeNode bank{dt::node_name("flash", first ? first->place.range() : place.range())};
  bank.set("compatible", {"cfi-flash"})
      .set("reg", dt::reg(place.range()))
      .set("bank-width", DeviceTreeNode::Cells{4});
  return {bank};
}

}  // namespace asterism
