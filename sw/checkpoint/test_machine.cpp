#include "checkpoint/test_machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>

extern "C" {
#include "boot/guarded_copy.h"
#include "boot/memory.h"
#include "drivers/generic_timer.h"
}

TestMachine machine;

namespace {

alignas(4096) std::uint8_t dram[TestMachine::dram_bytes];
alignas(4096) std::uint8_t cxl_memory[TestMachine::cxl_bytes];

std::uint64_t page_address(const DimmSsdRequest& request, std::uint32_t index) {
  return reinterpret_cast<const std::uint64_t*>(&request + 1)[index];
}

bool stops_software(std::uint32_t method) {
  return method <= dimm_ssd_stop_and_copy || method == dimm_ssd_consolidate || method == dimm_ssd_early;
}

DimmSsdError copy_in(const DimmSsdRequest& request) {
  TestMachine::Open taken{{request.name, request.version}, {}, {}};
  taken.pages.resize(request.page_count);
  for (std::uint32_t i = 0; i < request.page_count; ++i) {
    EXPECT_EQ(page_address(request, i) % 4096, 0u);
    std::memcpy(taken.pages[i].data(), reinterpret_cast<const void*>(page_address(request, i)), 4096);
    taken.list.push_back(page_address(request, i));
  }
  const auto& open = machine.open;
  if (!open.empty() && (open.back().key.first != taken.key.first || open.back().list != taken.list))
    return dimm_ssd_busy;
  machine.methods.push_back(request.method);
  machine.open.push_back(std::move(taken));
  machine.written += request.page_count * std::uint64_t{4096};
  if (stops_software(request.method))
    machine.microseconds += request.page_count * machine.microseconds_a_page;
  if (stops_software(request.method))
    while (!machine.open.empty()) machine.make_durable();
  return dimm_ssd_ok;
}

DimmSsdError copy_out(const DimmSsdRequest& request) {
  const auto at = machine.flash.find({request.name, request.version});
  if (at == machine.flash.end()) return dimm_ssd_not_found;
  if (at->second.size() != request.page_count) return dimm_ssd_bad_descriptor;
  for (std::uint32_t i = 0; i < request.page_count; ++i)
    std::memcpy(reinterpret_cast<void*>(page_address(request, i)), at->second[i].data(), 4096);
  return dimm_ssd_ok;
}

DimmSsdError find(const DimmSsdRequest& request) {
  EXPECT_EQ(request.page_count, 0u);
  bool found = false;
  for (const auto& [key, pages] : machine.flash) {
    if (key.first != request.name || key.second > request.version) continue;
    found = true;
    machine.found_version = key.second;
    machine.found_pages = pages.size();
  }
  return found ? dimm_ssd_ok : dimm_ssd_not_found;
}

constexpr std::uint32_t layer_pages = 1u << 30;
constexpr std::size_t line = 64;

void stop(std::uint32_t place, std::size_t line, const std::uint8_t* data) {
  std::uint64_t first_word;
  std::memcpy(&first_word, data, sizeof first_word);
  machine.stopped = {place, line, false, first_word, machine.pages_saved};
}

// Writes the lines that are complete before the power fails; the next line is torn bit by bit.
void program(std::uint32_t place, const std::uint8_t* data) {
  TestMachine::Page& page = machine.pcram[place];
  for (std::size_t at = 0; at < page.size(); at += line) {
    if (machine.lines_until_power_failure == 0) {
      std::mt19937_64 random(at);
      for (std::size_t i = at; i < at + line; ++i) {
        const auto taken = static_cast<std::uint8_t>(random());
        page[i] = static_cast<std::uint8_t>((page[i] & ~taken) | (data[i] & taken));
      }
      stop(place, at / line, data);
      throw PowerLoss();
    }
    if (machine.lines_until_power_failure > 0) --machine.lines_until_power_failure;
    std::memcpy(page.data() + at, data + at, line);
  }
}

// Whether a block of the bytes is poisoned.
bool touches_poison(const void* data, std::size_t bytes) {
  if (bytes == 0) return false;
  const auto* const first = static_cast<const std::uint8_t*>(data);
  const auto at = machine.poisoned.lower_bound(TestMachine::block_of(first));
  return at != machine.poisoned.end() && *at <= TestMachine::block_of(first + bytes - 1);
}

}  // namespace

void TestMachine::reset() {
  *this = TestMachine();
  dram = ::dram;
  cxl = cxl_memory;
  std::memset(cxl, 0xa5, cxl_bytes);
  std::memset(dram, 0xa5, dram_bytes);
}

void TestMachine::warm_reset() {
  copies_until_reset = -1;
  clean.clear();
}

void TestMachine::power_loss() {
  warm_reset();
  lines_until_power_failure = loads_until_power_failure = -1;
  open.clear();
  std::erase_if(poisoned, [&](std::uintptr_t block) {
    return block < block_of(cxl) || block > block_of(cxl + cxl_bytes - 1);
  });
  range = {};
  std::memset(dram, 0x5a, dram_bytes);
}

bool TestMachine::select(unsigned dimm_ssd) {
  if (dimm_ssd >= dimm_ssds) return false;
  if (dimm_ssd == selected) return true;
  unselected[selected] = {std::move(flash), std::move(open), progress};
  DimmSsd& wanted = unselected[dimm_ssd];
  flash = std::move(wanted.flash);
  open = std::move(wanted.open);
  progress = wanted.progress;
  selected = dimm_ssd;
  return true;
}

void TestMachine::make_durable() {
  ASSERT_FALSE(open.empty());
  flash[open.front().key] = std::move(open.front().pages);
  open.pop_front();
}

void TestMachine::fail(DimmSsdError reason) {
  ASSERT_FALSE(open.empty());
  if (!progress.failed) progress = {0, true, open.front().key.second, reason};
  open.clear();
}

std::uint8_t* TestMachine::find(const std::string& text) {
  auto* const end = dram + dram_bytes;
  auto* const at = std::search(dram, end, text.begin(), text.end());
  EXPECT_NE(at, end) << text;
  return at;
}

extern "C" {
bool dimm_ssd_select(unsigned instance) { return machine.select(instance); }
bool dimm_ssd_probe() { return machine.has_dimm_ssd; }
std::uint64_t dimm_ssd_found_version() { return machine.found_version; }
std::uint32_t dimm_ssd_found_pages() { return static_cast<std::uint32_t>(machine.found_pages); }
DimmSsdError dimm_ssd_execute(DimmSsdOperation operation, const DimmSsdRequest* request) {
  if (machine.next_error != dimm_ssd_ok) {
    if (machine.next_error == dimm_ssd_bus_error && !machine.poisoned.empty()) ++machine.uncorrectable;
    return std::exchange(machine.next_error, dimm_ssd_ok);
  }
  switch (operation) {
    case dimm_ssd_checkpoint:
      return copy_in(*request);
    case dimm_ssd_restore:
      return copy_out(*request);
    case dimm_ssd_find:
      return find(*request);
    case dimm_ssd_discard:
      return machine.flash.erase({request->name, request->version}) != 0 ? dimm_ssd_ok : dimm_ssd_not_found;
    case dimm_ssd_abort:
      if (!machine.open.empty()) machine.fail(dimm_ssd_aborted);
      return dimm_ssd_ok;
  }
  return dimm_ssd_bad_descriptor;
}

DimmSsdProgress dimm_ssd_progress() {
  machine.progress.open = static_cast<std::uint32_t>(machine.open.size());
  return std::exchange(machine.progress, {});
}
void dimm_ssd_await_progress() {
  if (machine.failure_at_wait == dimm_ssd_ok) return machine.make_durable();
  machine.fail(std::exchange(machine.failure_at_wait, dimm_ssd_ok));
}
bool dimm_ssd_stops_software(DimmSsdMethod method) { return stops_software(method); }
void dimm_ssd_use_shadow(void* first, std::uint32_t pages) {
  EXPECT_EQ(first, machine.dram);
  machine.shadow_pages = pages;
}

std::uint64_t dimm_ssd_rated() { return machine.rated; }
std::uint64_t dimm_ssd_written() { return machine.written; }

std::uint64_t generic_timer_now() { return machine.microseconds; }
std::uint64_t generic_timer_frequency() { return 1'000'000; }

bool power_probe() { return machine.has_power_controller; }
void power_checkpoint_located(std::uint64_t version, CheckpointLocated where, unsigned reason) {
  machine.located.push_back({version, where, reason});
}

bool memory_controller_probe() { return machine.has_memory_controller; }
EccRange memory_controller_range(unsigned) { return machine.range; }
RangeProblem memory_controller_set_range(unsigned, EccRange range) {
  ++machine.ranges_set;
  if (machine.problem == range_ok) machine.range = range;
  return machine.problem;
}
std::uint32_t memory_controller_uncorrectable() { return machine.uncorrectable; }

std::uint64_t memory_end() { return reinterpret_cast<std::uintptr_t>(dram) + TestMachine::dram_bytes; }
void* memory_allocate(std::size_t bytes) { return bytes <= TestMachine::dram_bytes ? dram : nullptr; }
void memory_keep_from(std::uint64_t first) { machine.kept_from = first; }

bool memory_copy_guarded(void* destination, const void* source, std::size_t bytes) {
  if (machine.copies_until_reset == 0) throw WarmReset();
  if (machine.copies_until_reset > 0) --machine.copies_until_reset;
  const bool lost = touches_poison(source, bytes);
  if (lost || touches_poison(destination, bytes)) ++machine.uncorrectable;
  if (lost)
    std::memset(destination, 0xff, bytes);
  else
    std::memcpy(destination, source, bytes);
  const auto first = reinterpret_cast<std::uintptr_t>(destination);
  for (std::uintptr_t block = (first + 63) / 64; machine.stores_clear_poison && block < (first + bytes) / 64;
       ++block)
    machine.poisoned.erase(block);
  return !lost;
}
}

extern "C" {
bool cxl_probe(CxlMemory* memory) {
  *memory = {reinterpret_cast<std::uintptr_t>(cxl_memory), TestMachine::cxl_bytes, true};
  return machine.has_cxl;
}
std::uint32_t cxl_poisoned() {
  const auto first = machine.poisoned.lower_bound(TestMachine::block_of(cxl_memory));
  const auto last =
      machine.poisoned.upper_bound(TestMachine::block_of(cxl_memory + TestMachine::cxl_bytes - 1));
  return static_cast<std::uint32_t>(std::distance(first, last));
}
unsigned cxl_clear_poison(std::uint64_t first, std::uint64_t bytes) {
  const unsigned before = machine.cleared;
  for (std::uint64_t block = first / 64; block < (first + bytes) / 64; ++block) {
    if (machine.poisoned.erase(block) == 0) continue;
    std::memset(reinterpret_cast<void*>(block * 64), 0, 64);
    ++machine.cleared;
  }
  return machine.cleared - before;
}
}

extern "C" {
bool pcram_probe() { return machine.has_pcram; }
std::uint32_t pcram_pages() { return machine.is_stack ? 2 * layer_pages : machine.pcram_pages; }
std::uint32_t pcram_layer_pages() { return machine.is_stack ? layer_pages : 0; }
std::uint32_t pcram_place_of(const void* memory, std::uint32_t layer) {
  const auto number = reinterpret_cast<std::uintptr_t>(memory) / 4096;
  return layer * layer_pages + static_cast<std::uint32_t>(number % layer_pages);
}
std::uint32_t pcram_copied() { return machine.saves.back(); }

PcramError pcram_save(const void* memory, std::uint32_t pages, std::uint32_t place, bool incremental) {
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 4096, 0u);
  EXPECT_LE(place + pages, pcram_pages());
  machine.saves.push_back(0);
  if (touches_poison(memory, pages * std::size_t{4096})) {
    ++machine.uncorrectable;
    return pcram_bus_error;
  }
  if (machine.next_pcram_error != pcram_ok && machine.saves_until_pcram_error-- <= 0) {
    stop(place, 0, static_cast<const std::uint8_t*>(memory));
    machine.saves_until_pcram_error = 0;
    return std::exchange(machine.next_pcram_error, pcram_ok);
  }
  for (std::uint32_t i = 0; i < pages; ++i) {
    const auto* const data = static_cast<const std::uint8_t*>(memory) + i * std::size_t{4096};
    auto& page = machine.pcram[place + i];
    const bool is_there =
        machine.clean.count(place + i) != 0 && std::memcmp(page.data(), data, page.size()) == 0;
    if (incremental && machine.is_stack && is_there) continue;
    machine.clean.erase(place + i);
    program(place + i, data);
    ++machine.pages_saved;
    machine.clean.insert(place + i);
    ++machine.saves.back();
  }
  return pcram_ok;
}

PcramError pcram_load(void* memory, std::uint32_t pages, std::uint32_t place) {
  EXPECT_LE(place + pages, pcram_pages());
  if (machine.next_pcram_error != pcram_ok) return std::exchange(machine.next_pcram_error, pcram_ok);
  for (std::uint32_t i = 0; i < pages; ++i) {
    if (machine.loads_until_power_failure == 0) {
      machine.stopped = {place + i, 0, true, 0, machine.pages_saved};
      throw PowerLoss();
    }
    if (machine.loads_until_power_failure > 0) --machine.loads_until_power_failure;
    std::memcpy(static_cast<std::uint8_t*>(memory) + i * std::size_t{4096}, machine.pcram[place + i].data(),
                4096);
    machine.clean.insert(place + i);
  }
  return pcram_ok;
}
}
