#include "dimm_ssd/dimm_ssd_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/quantity_text.h"
#include "tlm/log.h"
#include "tlm/time.h"

namespace asterism {
namespace {

constexpr std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
constexpr std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

std::vector<AddressRange> places_of(Address page, std::uint64_t lines) {
  std::vector<AddressRange> places;
  for (; lines != 0; lines &= lines - 1)
    places.push_back(
        {page + DimmSsd::line * static_cast<std::uint64_t>(std::countr_zero(lines)), DimmSsd::line});
  return places;
}

// The host needs 12 bytes for each block and 40 bytes for each page of flash, besides the contents.
constexpr std::uint64_t max_flash_blocks = 1u << 24;
constexpr Bytes max_flash = 4_TiB;

const RegisteredDevice<DimmSsdModule> dimm_ssd_type{
    "dimm_ssd", "A DIMM-SSD: flash beside a memory, which stores checkpoints of its pages."};

}  // namespace

FlashPart DimmSsdModule::load(const DimmSsdConfig& config, DeviceFiles& files) {
  return files.load<FlashPart>("flash", config.flash.part);
}

DeviceShape DimmSsdModule::shape(const DimmSsdConfig& config, const NodeFacts&) {
  DeviceShape shape{.targets = {{.registers = std::make_shared<DimmSsdRegisters>()}},
                    .interrupts = {{}},
                    .initiators = {{.memory = config.guards, .key = "guards"}}};
  if (!config.image.empty()) shape.host.files = {{.key = "image", .file = config.image, .is_kept = true}};
  return shape;
}

std::vector<RtlUse> DimmSsdModule::rtl(const DimmSsdConfig& config, const NodeView& node) {
  const auto memory = node.find(config.guards);
  const Bytes size = memory ? memory->place.range().size : DimmSsd::memory_page;
  return {{.block = "matt",
           .key = "matt",
           .contract = "matt",
           .swap = swap_settings(config.matt.swap),
           .parameters = matt_block_parameters(config.matt.table,
                                               static_cast<std::uint32_t>(size / DimmSsd::memory_page))}};
}

// A flash page stores whole pages of memory.
void DimmSsdModule::check(const DimmSsdConfig& config, const FlashPart& part, const NodeView&,
                          const DevicePlace&, DeviceProblems& problems) {
  if (part.page % DimmSsd::memory_page != Bytes(0))
    problems.add("part", fmt::format("{} has pages of {}, expected a multiple of 4 KiB for a DIMM-SSD",
                                     config.flash.part, to_text(part.page)));
  if (const FlashGeometry flash = config.flash.geometry(part);
      flash.all_blocks() > max_flash_blocks || flash.all_pages() * flash.page > max_flash)
    problems.add("blocks",
                 fmt::format("the flash has {} blocks, {}; expected at most {} and {}", flash.all_blocks(),
                             to_text(flash.all_pages() * flash.page), max_flash_blocks, to_text(max_flash)));
}

std::vector<DeviceTreeNode> DimmSsdModule::device_tree(const DimmSsdConfig& config, const NodeView& node,
                                                       const DevicePlace& place) {
  return {device_tree_node("dimm-ssd", {"asterism,dimm-ssd"}, place, node, config.guards)};
}

DimmSsdModule::DimmSsdModule(const sc_core::sc_module_name& name, const DimmSsdConfig& config,
                             const FlashPart& part, const DeviceContext& context) try
    : DimmSsdModule(name, config, part, context.memories.at(0), context.events) {
  memory.identify(context.masters.at(0));
  if (ActivityLog* const activity = context.events.activity_log())
    memory.record_in(*activity, static_cast<unsigned>(DimmSsd::Part::command), "commands");
} catch (const FlashImageError& error) {
  throw DeviceError("image", error.what());
}

void DimmSsdModule::connect(const DevicePeers& peers) {
  connect(peers.find(config_.guards)->as<NodeMemory>()->writes());
}

DimmSsdModule::DimmSsdModule(const sc_core::sc_module_name& name, const DimmSsdConfig& config,
                             const FlashPart& part, AddressRange memory_range, EventLog& events)
    : sc_module(name),
      memory("memory", memory_range, static_cast<unsigned>(enum_names(DimmSsd::Part{}).size())),
      config_(config),
      endurance_(endurance(config, part)),
      memory_range_(memory_range),
      protection_([this] { rearm(); },
                  [this](Address page, std::span<std::byte> data) { memory.peek(page, data); }),
      alarm_("alarm",
             [this](Picoseconds now) {
               ssd_->advance_to(now);
               rearm();
             }),
      sampling_alarm_("sampling",
                      [this](Picoseconds) {
                        sampling_alarm_.arm(std::nullopt);
                        protection_.sample();
                      }),
      faults_("faults", [this](Picoseconds now, const FlashFault& fault) { inject_now(now, fault); }) {
  const FlashGeometry geometry = config.flash.geometry(part);
  image_ = config.image.empty() ? std::make_unique<FlashImage>(geometry)
                                : std::make_unique<FlashImage>(geometry, config.image);
  ssd_ = std::make_unique<DimmSsd>(config, part, *image_, memory_range, static_cast<DimmSsd::Memory&>(*this),
                                   static_cast<DimmSsd::Sink&>(*this), this->name(), events);
  protection_.connect(*ssd_);
  memory.after_access = [this] { rearm(); };
  connect_registers();
}

void DimmSsdModule::connect_registers() {
  DimmSsdRegisters& r = registers;
  r.warn = [this](const std::string& line) { log(this->name()).warn(line); };
  const auto pair = [](const Register& lower, const Register& upper) {
    return std::uint64_t{upper.value()} << 32 | lower.value();
  };
  const auto computed_pair = [](Register& lower, Register& upper, auto value) {
    lower.computed([value] { return low(value()); });
    upper.computed([value] { return high(value()); });
  };
  r.command.on_write([this, pair](std::uint32_t value) {
    if (kept_)
      ssd_->refuse();
    else
      ssd_->command(now(), value, Address(pair(registers.descriptor_low, registers.descriptor_high)));
    rearm();
  });
  r.status.computed([this] {
    const DimmSsdRegisters::Status& status = registers.status;
    if (kept_) return status.refused.bits(ssd_->refused());  // its commands are none of software
    return status.busy.bits(ssd_->busy()) | status.refused.bits(ssd_->refused()) |
           status.error.bits(ssd_->error());
  });
  r.interrupt_status.on_write([this](std::uint32_t) { update_interrupt(); });
  r.interrupt_enable.on_write([this](std::uint32_t) { update_interrupt(); });
  computed_pair(r.result_version_low, r.result_version_high, [this] { return ssd_->result_version(); });
  r.result_pages.computed([this] { return ssd_->result_pages(); });
  r.checkpoints.computed([this] { return ssd_->checkpoints(); });
  computed_pair(r.durable_version_low, r.durable_version_high, [this] { return ssd_->durable_version(); });
  r.open.computed([this] { return ssd_->open(); });
  r.method.computed([this] { return registers.method.method.bits(ssd_->method()); });
  r.bad_index.computed([this] { return ssd_->bad_index(); });
  computed_pair(r.failed_version_low, r.failed_version_high, [this] { return ssd_->failed_version(); });
  r.failed_error.computed([this] { return static_cast<std::uint32_t>(ssd_->failed_error()); });
  for (Register* each : {&r.shadow_low, &r.shadow_high, &r.shadow_pages})
    each->on_write([this, pair](std::uint32_t) {
      ssd_->set_shadow(Address(pair(registers.shadow_low, registers.shadow_high)),
                       registers.shadow_pages.value());
    });
  r.writes_held.computed(
      [this] { return low(ssd_->checkpointer().writes_held() - at_power_up_.writes_held); });
  r.lines_copied.computed([this] { return low(ssd_->lines_copied() - at_power_up_.lines_copied); });
  r.flash_pages.computed([this] { return low(ssd_->flash_pages() - at_power_up_.flash_pages); });
  computed_pair(r.rated_low, r.rated_high, [this] { return endurance_.count(); });
  computed_pair(r.written_low, r.written_high, [this] { return image_->written().count(); });
}

// ---- memory ----

// One line after the other.
void DimmSsdModule::read_lines(DimmSsd::Part by, Picoseconds, Address page, std::uint64_t lines,
                               OnAccessEnd ended) {
  memory.read(static_cast<unsigned>(by), places_of(page, lines), std::move(ended));
}

void DimmSsdModule::write_lines(DimmSsd::Part by, Picoseconds, Address page, std::uint64_t lines,
                                std::span<const std::byte> data, OnAccessEnd ended) {
  if (by == DimmSsd::Part::command) restored_.add(page);
  memory.write(static_cast<unsigned>(by), places_of(page, lines), data, std::move(ended));
}

// A store while the page is read has saved what the page held before.
void DimmSsdModule::read_preimage(DimmSsd::Part by, Picoseconds now, Address page, std::uint64_t lines,
                                  OnAccessEnd ended) {
  copied_.add(page);
  read_lines(by, now, page, lines, [this, page, lines, ended = std::move(ended)](const AccessEnd& end) {
    const std::vector<std::byte> kept = protection_.take_preimage(page);
    if (kept.empty()) return ended(end);
    std::vector<std::byte> data;
    for (const AddressRange& line : places_of(page, lines)) {
      const auto from = kept.begin() + static_cast<std::ptrdiff_t>((line.first - page).count());
      data.insert(data.end(), from, from + static_cast<std::ptrdiff_t>(line.size.count()));
    }
    ended({end.at, end.ok, data});
  });
}

// ---- reports of the engine ----

void DimmSsdModule::completed(Picoseconds at) {
  if (kept_) return kept_->completed(at);
  set_interrupt(registers.interrupt_status.complete);
}

void DimmSsdModule::durable(Picoseconds at, std::uint64_t version) {
  if (kept_) return kept_->durable(at, version);
  set_interrupt(registers.interrupt_status.durable);
}

void DimmSsdModule::failed(Picoseconds at, std::uint64_t version, DimmSsd::Error) {
  protection_.drop_preimages();
  if (kept_) return kept_->failed(at, version);
  set_interrupt(registers.interrupt_status.failed);
}

void DimmSsdModule::released(Picoseconds, Address page) {
  waited_.add(page);
  protection_.released();
}

// ---- what has happened to pages ----

void DimmSsdModule::count_pages() {
  for (PageCounter* counter : {&copied_, &restored_, &waited_}) counter->start(memory_range_);
}

void DimmSsdModule::report_pages(PageMap& map, const std::string& name) const {
  copied_.report(map, "copied");
  restored_.report(map, "restored");
  waited_.report(map, "waited");
  if (PageMap::Area* const memory = map.memory_at(memory_range_.first); memory && ssd_->tracking())
    report_tracked_pages(*memory);
  const FlashGeometry& geometry = image_->geometry();
  map.areas.push_back({.name = name + ".flash",
                       .kind = PageMap::Kind::blocks,
                       .unit = geometry.page * geometry.pages_per_block,
                       .units = geometry.all_blocks(),
                       .group = geometry.blocks});
  PageMap::Area& flash = map.areas.back();
  PageMap::Counts erased{"erased"}, programmed{"programmed"}, bad{"bad"};
  for (std::uint64_t i = 0; i < flash.units; ++i) {
    const FlashBlock block{static_cast<std::uint32_t>(i / geometry.blocks),
                           static_cast<std::uint32_t>(i % geometry.blocks)};
    erased.add(i, image_->erase_count(block));
    programmed.add(i, image_->next_page(block));
    bad.add(i, image_->is_bad(block) ? 1 : 0);
  }
  flash.counts = {std::move(erased), std::move(programmed), std::move(bad)};
}

void DimmSsdModule::report_tracked_pages(PageMap::Area& memory) const {
  const std::span<const Address> pages = ssd_->tracked_pages();
  const Matt& matt = ssd_->checkpointer().matt();
  std::vector<std::pair<Address, std::uint64_t>> lines;  // that were modified
  lines.reserve(pages.size());
  for (std::uint32_t i = 0; i < pages.size(); ++i) {
    const auto known = static_cast<std::uint64_t>(std::popcount(matt.entry(i).lines));
    lines.emplace_back(pages[i], std::max<std::uint64_t>(known, matt.is_buffered(i) ? 1 : 0));
  }
  std::ranges::sort(lines);
  PageMap::Counts tracked{"tracked"}, modified{"modified"};
  for (const auto& [page, number] : lines) {
    tracked.add((page - memory.first) / memory.unit, 1);
    modified.add((page - memory.first) / memory.unit, number);
  }
  memory.counts.push_back(std::move(tracked));
  memory.counts.push_back(std::move(modified));
}

void DimmSsdModule::set_interrupt(const FieldOf<bool>& what) {
  registers.interrupt_status.set(registers.interrupt_status.value() | what.mask());
  update_interrupt();
}

void DimmSsdModule::update_interrupt() {
  interrupt.write((registers.interrupt_status.value() & registers.interrupt_enable.value()) != 0);
}

// Early copies are chosen by writes, so that these are sampled; for all other methods the end of the interval
// suffices.
void DimmSsdModule::rearm() {
  alarm_.arm(ssd_->next_event());
  const bool samples = ssd_->tracking() && ssd_->copies_early() && protection_.samples();
  if (!samples) return sampling_alarm_.arm(std::nullopt);
  if (!sampling_alarm_.armed()) sampling_alarm_.arm(now() + config_.sampling);
}

// ---- for another device ----

void DimmSsdModule::restore(Ended ended) {
  kept_->restore(now(), std::move(ended));
  rearm();
}

void DimmSsdModule::save(Ended ended) {
  kept_->save(now(), std::move(ended));
  rearm();
}

// ---- faults ----

void DimmSsdModule::inject(const std::vector<TimedFlashFault>& faults) { faults_.add(faults); }

void DimmSsdModule::inject_now(Picoseconds now, const FlashFault& fault) {
  if (!ssd_->inject(now, fault))
    log(name()).warn("a fault in flash hits nothing: there is no page {} of {} of that version now",
                     fault.page, to_text(fault.holds));
}

// ---- the rest ----

void DimmSsdModule::reset(Reset kind) {
  memory.reset(kind);
  if (kept_) kept_->reset();
  ssd_->reset(kind);
  protection_.reset();
  registers.reset();
  at_power_up_ = {ssd_->checkpointer().writes_held(), ssd_->lines_copied(), ssd_->flash_pages()};
  rearm();
  update_interrupt();
}

void DimmSsdModule::power_up() {
  ssd_->power_up(now());
  rearm();
}

void DimmSsdModule::report(Statistics& statistics) const { ssd_->report(statistics, now()); }

}  // namespace asterism
