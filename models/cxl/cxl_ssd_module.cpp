#include "cxl/cxl_ssd_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/page_lines.h"
#include "base/quantity_text.h"
#include "tlm/initiator_extension.h"
#include "tlm/log.h"
#include "tlm/payload.h"
#include "tlm/time.h"

namespace asterism {
namespace {

const RegisteredDevice<CxlSsdModule> cxl_ssd_type{
    "cxl_ssd", "A CXL SSD: flash as memory behind a link and a cache of DRAM."};

constexpr std::uint32_t low_word(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
constexpr std::uint32_t high_word(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }
constexpr std::uint64_t tracked = tracked_page.count();

}  // namespace

// ---- before a node is built ----

CxlSsdParts CxlSsdModule::load(const CxlSsdConfig& config, DeviceFiles& files) {
  return {.expander = files.load<CxlPart>("cxl", config.expander),
          .flash = files.load<FlashPart>("flash", config.flash.part),
          .dram = files.load<DramPart>("dram", config.dram.part)};
}

DeviceShape CxlSsdModule::shape(const CxlSsdConfig& config, const CxlSsdParts& parts, const NodeFacts&) {
  DeviceShape shape{.targets = {{.size = config.size},
                                {.suffix = "_device", .registers = std::make_shared<CxlSsdRegisters>()}},
                    .interrupts = {{}},
                    .is_memory = true,
                    .is_offered = false,
                    .parts = {fmt::format("CXL x{}, {}", parts.expander.lanes, config.expander),
                              fmt::format("cache of {}", to_text(config.cache)), config.flash.part}};
  if (!config.image.empty()) shape.host.files = {{.key = "image", .file = config.image, .is_kept = true}};
  return shape;
}

void CxlSsdModule::check(const CxlSsdConfig& config, const CxlSsdParts& parts, const NodeView&,
                         const DevicePlace&, DeviceProblems& problems) {
  if (const auto problem = asterism::problem_of(config, parts.flash, parts.dram))
    problems.add(problem->key, problem->text);
}

std::vector<DeviceTreeNode> CxlSsdModule::device_tree(const CxlSsdConfig&, const DevicePlace& place) {
  const DevicePlace registers{place.instance, {place.ranges.at(1), place.ranges.at(0)}, place.interrupts};
  return {device_tree_node("cxl-ssd", {"asterism,cxl-ssd"}, registers)};
}

// ---- in a node ----

CxlSsdModule::CxlSsdModule(const sc_core::sc_module_name& name, const CxlSsdConfig& config,
                           const CxlSsdParts& parts, const DeviceContext& context) try
    : sc_module(name),
      target("target", registers),
      config_(config),
      window_(context.place.range()),
      events_(context.events),
      link_(parts.expander),
      alarm_("alarm",
             [this](Picoseconds time) {
               cache_->advance_to(time);
               rearm();
             }),
      faults_("fault_alarm", [this](Picoseconds, const FlashFailure& fault) {
        inject_now(fault);
        rearm();
      }) {
  const FlashGeometry geometry = flash_geometry(config, parts.flash);
  image_ = config.image.empty() ? std::make_unique<FlashImage>(geometry)
                                : std::make_unique<FlashImage>(geometry, config.image);
  cache_ = std::make_unique<FlashCache>(config, parts.flash, parts.dram, *image_,
                                        static_cast<FlashCache::Sink&>(*this));
  ports_.reserve(context.ports);
  for (unsigned i = 0; i < context.ports; ++i)
    ports_.push_back(std::make_unique<Port>(fmt::format("port{}", i).c_str(), *this));
  connect_registers();
} catch (const FlashImageError& error) {
  throw DeviceError("image", error.what());
} catch (const std::invalid_argument& error) {
  throw DeviceError("flash.part", error.what());
}

void CxlSsdModule::connect_registers() {
  CxlSsdRegisters& r = registers;
  r.warn = [this](const std::string& line) { log(this->name()).warn(line); };
  r.window_low.set(low_word(window_.first.value()));
  r.window_high.set(high_word(window_.first.value()));
  r.capacity.set(static_cast<std::uint32_t>(window_.size / 1_MiB));
  r.cache.set(static_cast<std::uint32_t>(config_.cache / 1_KiB));
  r.page.set(static_cast<std::uint32_t>(cache_->page().count()));
  r.status.computed([this] {
    const CxlSsdRegisters::Status& status = registers.status;
    return status.ready.bits(cache_->is_ready()) | status.flushing.bits(cache_->is_flushing()) |
           status.failed.bits(has_failed_) | status.read_only.bits(cache_->read_only()) |
           status.is_protected.bits(config_.power_loss_protection);
  });
  r.flush.on_write([this](std::uint32_t value) {
    if ((value & 1) == 0 || !powered_) return;
    has_failed_ = false;
    cache_->flush(now());
    rearm();
  });
  r.misses.computed([this] { return low_word(cache_->counters().misses); });
  r.pages_written.computed([this] { return low_word(cache_->counters().pages_written); });
  r.lines_written.computed([this] { return low_word(cache_->counters().lines_written); });
  r.modified.computed([this] { return low_word(cache_->modified_frames()); });
  r.interrupt_status.on_write([this](std::uint32_t) { update_interrupt(); });
  r.interrupt_enable.on_write([this](std::uint32_t) { update_interrupt(); });
}

// ---- accesses ----

CxlSsdModule::Port::Port(const sc_core::sc_module_name& name, CxlSsdModule& owner)
    : sc_module(name), owner_(owner) {
  host.register_b_transport(this, &Port::b_transport);
  host.register_transport_dbg(this, &Port::transport_dbg);
  host.register_get_direct_mem_ptr(this, &Port::get_direct_mem_ptr);
}

// Gives back the places of what ends without an answer. A reset has emptied the queue.
class CxlSsdModule::HeldPlaces {
 public:
  HeldPlaces(CxlSsdModule& owner, Lines& lines) : owner_(owner), lines_(lines), resets_(owner.resets_) {}
  ~HeldPlaces() {
    if (resets_ == owner_.resets_) owner_.give_back(lines_, 0);
  }
  HeldPlaces(const HeldPlaces&) = delete;
  HeldPlaces& operator=(const HeldPlaces&) = delete;

 private:
  CxlSsdModule& owner_;
  Lines& lines_;
  const std::uint64_t resets_;
};

void CxlSsdModule::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  payload.set_dmi_allowed(false);
  if (!accept(payload, config_.size)) return;
  if (!powered_) return payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  const bool is_write = payload.is_write();
  const Bytes begin(payload.get_address());
  const Picoseconds begun = now(), issued = begun + to_picoseconds(delay);
  Lines lines;
  const HeldPlaces held(*this, lines);
  for (Bytes at = begin; at < begin + Bytes(payload.get_data_length());
       at = at - at % FlashCache::line + FlashCache::line)
    lines.push_back(link_.request(now(), issued, is_write));
  Picoseconds answered = issued, last = issued;
  unsigned first = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Bytes at = begin + Bytes(first);
    const auto count = static_cast<unsigned>(
        std::min(Bytes(payload.get_data_length() - first), FlashCache::line - at % FlashCache::line).count());
    if (i != 0 && !lines[i].is_held) link_.try_again(lines[i], now());
    if (!enter(payload, lines[i])) return payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    const auto ended = access(payload, first, count, lines, i, std::max(lines[i].at_memory, last));
    if (!ended) return payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    last = std::max(last, now());
    answered = std::max(answered, link_.response(lines[i], *ended, is_write));
    if (std::exchange(lines[i].is_held, false)) place_.notify(sc_core::SC_ZERO_TIME);
    first += count;
  }
  delay = answered > now() ? to_sc_time(answered - now()) : sc_core::SC_ZERO_TIME;
  auto* const who = payload.get_extension<InitiatorExtension>();
  bool is_poisoned = false;
  if (!is_write && cache_->has_poison())
    for (unsigned i = 0; i < payload.get_data_length(); ++i)
      is_poisoned |= cache_->is_poisoned(begin + Bytes(i));
  poisoned_reads_ += is_poisoned;
  if (is_poisoned && who) who->poison = true;
  payload.set_dmi_allowed(is_from_core(payload) && !is_poisoned);
  payload.set_response_status(is_poisoned && !who ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
}

// One of those that wait for a place, in the order of their arrival.
class CxlSsdModule::Waiting {
 public:
  Waiting(CxlSsdModule& owner, Picoseconds arrived) : owner_(owner) {
    auto after = owner.waiting_.end();
    while (after != owner.waiting_.begin() && *std::prev(after) > arrived) --after;
    self_ = owner.waiting_.insert(after, arrived);
  }
  ~Waiting() {
    owner_.waiting_.erase(self_);
    if (!owner_.waiting_.empty()) owner_.place_.notify(sc_core::SC_ZERO_TIME);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  bool is_first() const { return self_ == owner_.waiting_.begin(); }

 private:
  CxlSsdModule& owner_;
  std::list<Picoseconds>::iterator self_;
};

bool CxlSsdModule::is_behind_others(const CxlLink::Sent& line) const {
  return !waiting_.empty() && waiting_.front() <= line.arrived;
}

// Waits for a place, if others that wait for flash have all of them, or if others that have arrived earlier
// wait for one. False: it was reset.
bool CxlSsdModule::enter(tlm::tlm_generic_payload& payload, CxlLink::Sent& line) {
  if (line.is_held || (CxlLink::has_place(line) && !is_behind_others(line))) return true;
  const std::uint64_t resets = resets_;
  link_.drop(line, now());
  const Waiting self(*this, line.arrived);
  while (!CxlLink::has_place(line)) {
    sc_core::wait(place_);
    if (resets != resets_ || !powered_ || is_aborted(payload)) return false;
    if (self.is_first()) link_.try_again(line, now());
  }
  return true;
}

// A line lets time pass, mostly for flash: it holds its place, and those behind it in the payload, too, as
// far as they have arrived and there are places.
void CxlSsdModule::hold(Lines& lines, std::size_t first) {
  for (std::size_t i = first; i < lines.size(); ++i) {
    CxlLink::Sent& line = lines[i];
    if (line.is_held) continue;
    if (i != first) {
      if (line.arrived > now()) return;
      if (is_behind_others(line)) return link_.drop(line, now());
      link_.try_again(line, now());
      if (!CxlLink::has_place(line)) return;
    }
    link_.hold(line);
  }
}

void CxlSsdModule::give_back(Lines& lines, std::size_t first) {
  bool was_held = false;
  for (std::size_t i = first; i < lines.size(); ++i) {
    was_held |= lines[i].is_held;
    link_.drop(lines[i], now());
  }
  if (was_held) place_.notify(sc_core::SC_ZERO_TIME);
}

// A line that is at the controller at a time may not be written yet. It and those behind it in the payload
// come to the queue again when it may. False: it was reset.
bool CxlSsdModule::wait_until_allowed(tlm::tlm_generic_payload& payload, const PageLines& written,
                                      Lines& lines, std::size_t line, Picoseconds at) {
  const std::uint64_t resets = resets_;
  const auto is_dropped = [&] { return resets != resets_ || !powered_ || is_aborted(payload); };
  give_back(lines, line);
  if (at > now()) sc_core::wait(to_sc_time(at - now()));
  if (is_dropped() || !all_writes_->wait_until_allowed(written) || is_dropped()) return false;
  for (std::size_t i = line; i < lines.size(); ++i) lines[i].arrived = std::max(lines[i].arrived, now());
  link_.try_again(lines[line], now());
  return enter(payload, lines[line]);
}

// Bytes [first, first + count) of a payload, which lie in one line, that come to the device at a time.
// Returns when its DRAM has answered; nullopt: it has not, because the flash is read-only, or reset.
std::optional<Picoseconds> CxlSsdModule::access(tlm::tlm_generic_payload& payload, unsigned first,
                                                unsigned count, Lines& lines, std::size_t line,
                                                Picoseconds at) {
  const Bytes offset = Bytes(payload.get_address() + first);
  const bool is_write = payload.is_write();
  bool is_whole = count == FlashCache::line.count();
  for (unsigned i = first; i < first + count; ++i) is_whole &= byte_enabled(payload, i);
  const std::uint64_t resets = resets_;
  const auto is_dropped = [&] { return resets != resets_ || !powered_ || is_aborted(payload); };
  const PageLines written = line_at(window_.first + offset);
  for (;;) {
    // A page may have become protected while the write has waited for flash.
    if (is_write && !is_monitored(payload) && !all_writes_->is_allowed(written.page)) {
      if (!wait_until_allowed(payload, written, lines, line, at)) return std::nullopt;
      at = lines[line].at_memory;
      continue;
    }
    if (at > now() && !cache_->is_hit(offset, is_write, is_whole)) {
      hold(lines, line);
      sc_core::wait(to_sc_time(at - now()));
      if (is_dropped()) return std::nullopt;
      continue;
    }
    const FlashCache::Answer answer = cache_->prepare(now(), offset, is_write, is_whole);
    rearm();
    if (answer == FlashCache::Answer::failed) return std::nullopt;
    if (answer == FlashCache::Answer::ready) break;
    hold(lines, line);
    sc_core::wait(changed_);
    if (is_dropped()) return std::nullopt;
    at = std::max(at, now());
  }
  if (!is_monitored(payload)) {
    if (before_access) before_access({Address(offset.count()), Bytes(count)}, is_write);
    if (is_write) all_writes_->report({written, master_of(payload)});
    move(payload, first, count);
  }
  const Picoseconds ended = at + cache_->time(now(), at, offset, is_write, master_of(payload));
  if (is_write) {
    for (unsigned begin = first, end = first; begin < first + count; begin = end + 1) {
      for (end = begin; end < first + count && byte_enabled(payload, end);) ++end;
      if (end != begin) cache_->written(now(), Bytes(payload.get_address() + begin), Bytes(end - begin));
    }
    rearm();
  }
  return ended;
}

void CxlSsdModule::move(tlm::tlm_generic_payload& payload, unsigned first, unsigned count) {
  auto* const cells = reinterpret_cast<unsigned char*>(cache_->contents().data()) + payload.get_address();
  unsigned char* const data = payload.get_data_ptr();
  for (unsigned i = first; i < first + count; ++i) {
    if (!byte_enabled(payload, i)) continue;
    if (payload.is_read()) data[i] = cells[i];
    if (payload.is_write()) cells[i] = data[i];
  }
}

unsigned CxlSsdModule::debug(tlm::tlm_generic_payload& payload) {
  if (!accept(payload, config_.size) || !powered_ || !cache_->is_ready()) return 0;
  const Bytes begin(payload.get_address()), size(payload.get_data_length());
  const AddressRange range{window_.first + begin, size};
  if (payload.is_write())
    for (Address page = page_of(range.first); size != Bytes(0) && page <= range.last();
         page = page + tracked_page)
      if (!all_writes_->is_allowed(page)) return 0;
  if (before_access) before_access({Address(begin.count()), size}, payload.is_write());
  if (payload.is_write())
    for (Address at = range.first; size != Bytes(0) && at <= range.last(); at = page_of(at) + tracked_page)
      all_writes_->report({first_page_lines({at, range.last() - at + Bytes(1)}), master_of(payload)});
  move(payload, 0, payload.get_data_length());
  if (payload.is_write() && size != Bytes(0)) {
    const std::vector<std::byte> data(
        cache_->contents().begin() + static_cast<std::ptrdiff_t>(begin.count()),
        cache_->contents().begin() + static_cast<std::ptrdiff_t>((begin + size).count()));
    cache_->poke(now(), begin, data);
    rearm();
  }
  return payload.get_data_length();
}

bool CxlSsdModule::grant(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  dmi.init();
  const Bytes page(payload.get_address() - payload.get_address() % tracked);
  dmi.set_start_address(page.count());
  dmi.set_end_address(page.count() + tracked - 1);
  if (page >= config_.size || !is_from_core(payload) || !powered_ || !cache_->is_ready()) return false;
  auto* const who = payload.get_extension<InitiatorExtension>();
  const AddressRange range = cache_->sound_around(page);
  if (range.size == Bytes(0)) {
    who->poison = true;
    return false;
  }
  dmi.set_start_address(range.first.value());
  dmi.set_end_address(range.last().value());
  dmi.set_dmi_ptr(reinterpret_cast<unsigned char*>(cache_->contents().data()) + range.first.value());
  const sc_core::sc_time latency = to_sc_time(link_.unloaded());
  dmi.set_read_latency(latency);
  dmi.set_write_latency(latency);
  dmi.allow_read_write();
  who->monitored = true;
  who->timed = nullptr;
  return true;
}

void CxlSsdModule::withdraw(Bytes first, Bytes size) {
  for (const auto& port : ports_)
    port->host->invalidate_direct_mem_ptr(first.count(), (first + size).count() - 1);
}

void CxlSsdModule::load(Bytes offset, std::span<const std::byte> contents) {
  if (!cache_->is_ready()) return log(name()).warn("contents were loaded before the flash was read back");
  cache_->poke(now(), offset, contents);
  rearm();
}

// ---- what the cache reports ----

void CxlSsdModule::ready(Picoseconds) {}

void CxlSsdModule::changed(Picoseconds) { changed_.notify(sc_core::SC_ZERO_TIME); }

void CxlSsdModule::flushed(Picoseconds, bool ok) {
  has_failed_ = !ok;
  if (!cache_->is_flushing()) raise(registers.interrupt_status.flushed.bits(true));
}

void CxlSsdModule::lost(Picoseconds, Bytes page) {
  ++lost_pages_;
  const Address address = window_.first + page;
  log(name()).warn("the flash page at {:#x} cannot be read: its lines are poisoned", address.value());
  events_.record(now(), name(), "cxl_poison",
                 {{"address", address.value()}, {"source", std::string("internal")}});
  withdraw(page, cache_->page());
  raise(registers.interrupt_status.lost.bits(true));
}

void CxlSsdModule::raise(std::uint32_t event) {
  registers.interrupt_status.set(registers.interrupt_status.value() | event);
  update_interrupt();
}

void CxlSsdModule::update_interrupt() {
  interrupt.write((registers.interrupt_status.value() & registers.interrupt_enable.value()) != 0);
}

void CxlSsdModule::rearm() { alarm_.arm(cache_->next_event()); }

// ---- faults ----

std::optional<FaultCheck<FlashFailure>::Problem> CxlSsdModule::problem_of(const CxlSsdConfig& config,
                                                                          const FlashFailure& fault) {
  if (fault.offset < config.size) return std::nullopt;
  return FaultCheck<FlashFailure>::Problem{
      "offset", fmt::format("expected an offset below {:#x}, the size of the window, got {:#x}",
                            config.size.count(), fault.offset.count())};
}

void CxlSsdModule::inject(const std::vector<Timed<FlashFailure>>& faults) { faults_.add(faults); }

void CxlSsdModule::inject_now(const FlashFailure& fault) {
  const std::optional<FlashAddress> place = powered_ ? cache_->inject(fault) : std::nullopt;
  ++(place ? flash_faults_ : flash_faults_missed_);
  if (!place) {
    const char* const why =
        powered_ && cache_->is_ready() ? "its page is not in flash now" : "the device is off or recovering";
    return log(name()).warn("a fault in flash at offset {:#x} hits nothing: {}", fault.offset.count(), why);
  }
  record_flash_fault(events_, now(), name(), fault, *place);
}

// ---- the rest ----

void CxlSsdModule::reset(Reset kind) {
  ++resets_;
  withdraw(Bytes(0), config_.size);
  cache_->reset(kind);
  link_.reset(kind);
  own_writes_.reset();
  powered_ = kind != Reset::power_loss;
  has_failed_ = false;
  if (kind == Reset::cold) lost_pages_ = poisoned_reads_ = flash_faults_ = flash_faults_missed_ = 0;
  for (Register* each :
       std::initializer_list<Register*>{&registers.interrupt_status, &registers.interrupt_enable})
    each->reset();
  update_interrupt();
  rearm();
  changed_.notify(sc_core::SC_ZERO_TIME);
  place_.notify(sc_core::SC_ZERO_TIME);
}

void CxlSsdModule::power_up() {
  powered_ = true;
  cache_->power_up(now());
  rearm();
}

void CxlSsdModule::report(Statistics& statistics) const {
  link_.report(statistics.group("link"));
  statistics.add("lost_pages", lost_pages_);
  statistics.add("poisoned_reads", poisoned_reads_);
  statistics.add("flash_faults", flash_faults_);
  statistics.add("flash_faults_missed", flash_faults_missed_);
  cache_->report(statistics.group("cache"), now());
}

std::string CxlSsdModule::summary() const {
  if (lost_pages_ == 0) return "";
  return fmt::format("{} flash page{} lost", lost_pages_, lost_pages_ == 1 ? "" : "s");
}

}  // namespace asterism
