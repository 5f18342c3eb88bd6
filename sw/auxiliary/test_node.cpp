#include "auxiliary/test_node.h"

#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>
#include <thread>
#include <utility>

extern "C" {
#include "boot/cores.h"
#include "boot/memory.h"
#include "drivers/dimm_ssd.h"
#include "drivers/generic_timer.h"
#include "drivers/pcram.h"
}

TestNode node;

void TestNode::reset() {
  this->~TestNode();
  new (this) TestNode();
}

namespace {

std::vector<std::thread> auxiliary_threads;
int polls_left = 0;
std::uint64_t found_version = 0;
std::uint32_t found_pages = 0;
DimmSsdError last_error = dimm_ssd_ok;

const std::uint64_t* page_list(const DimmSsdRequest& request) {
  return reinterpret_cast<const std::uint64_t*>(&request + 1);
}
void* page_at(std::uint64_t address) { return std::bit_cast<void*>(address); }

DimmSsdError checkpoint(const DimmSsdRequest& request) {
  if (node.flash_fails) return dimm_ssd_no_space;
  std::vector<TestNode::Page> pages(request.page_count);
  for (std::uint32_t i = 0; i < request.page_count; ++i)
    std::memcpy(pages[i].data(), page_at(page_list(request)[i]), chunk_bytes);
  node.flash[request.version] = std::move(pages);
  return dimm_ssd_ok;
}

DimmSsdError find(const DimmSsdRequest& request) {
  const auto above = node.flash.upper_bound(request.version);
  if (above == node.flash.begin()) return dimm_ssd_not_found;
  found_version = std::prev(above)->first;
  found_pages = static_cast<std::uint32_t>(std::prev(above)->second.size());
  return dimm_ssd_ok;
}

DimmSsdError restore(const DimmSsdRequest& request) {
  const auto at = node.flash.find(request.version);
  if (at == node.flash.end() || at->second.size() != request.page_count) return dimm_ssd_not_found;
  for (std::uint32_t i = 0; i < request.page_count; ++i)
    std::memcpy(page_at(page_list(request)[i]), at->second[i].data(), chunk_bytes);
  return dimm_ssd_ok;
}

}  // namespace

extern "C" {
bool pcram_probe() { return node.has_pcram; }
std::uint32_t pcram_pages() { return static_cast<std::uint32_t>(node.pcram.size()); }
std::uint32_t pcram_layer_pages() { return node.is_stack ? 64 : 0; }

PcramError pcram_save(const void* memory, std::uint32_t pages, std::uint32_t place, bool) {
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % chunk_bytes, 0u);
  if (node.worn_out) return pcram_worn_out;
  if (place + pages > node.pcram.size()) return pcram_bad_argument;
  for (std::uint32_t i = 0; i < pages; ++i) {
    ++node.pages_saved;
    const std::size_t bytes = node.power_failed                     ? 0
                              : node.pages_until_power_failure == 0 ? chunk_bytes / 2
                                                                    : chunk_bytes;
    node.power_failed = node.power_failed || node.pages_until_power_failure == 0;
    if (!node.power_failed) --node.pages_until_power_failure;
    std::memcpy(node.pcram[place + i].data(), static_cast<const char*>(memory) + std::size_t{i} * chunk_bytes,
                bytes);
  }
  return pcram_ok;
}

PcramError pcram_load(void* memory, std::uint32_t pages, std::uint32_t place) {
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % chunk_bytes, 0u);
  if (place + pages > node.pcram.size()) return pcram_bad_argument;
  node.pages_loaded += pages;
  for (std::uint32_t i = 0; i < pages; ++i)
    std::memcpy(static_cast<char*>(memory) + std::size_t{i} * chunk_bytes, node.pcram[place + i].data(),
                chunk_bytes);
  return pcram_ok;
}
}

extern "C" {
bool dimm_ssd_select(unsigned instance) { return instance == 0; }
bool dimm_ssd_probe() { return node.has_dimm_ssd; }
std::uint64_t dimm_ssd_found_version() { return found_version; }
std::uint32_t dimm_ssd_found_pages() { return found_pages; }

DimmSsdError dimm_ssd_execute(DimmSsdOperation operation, const DimmSsdRequest* request) {
  switch (operation) {
    case dimm_ssd_checkpoint:
      return checkpoint(*request);
    case dimm_ssd_find:
      return find(*request);
    case dimm_ssd_restore:
      return restore(*request);
    case dimm_ssd_discard:
      return node.flash.erase(request->version) != 0 ? dimm_ssd_ok : dimm_ssd_not_found;
    case dimm_ssd_abort:
      break;
  }
  return dimm_ssd_bad_descriptor;
}

bool dimm_ssd_start(DimmSsdOperation operation, const DimmSsdRequest* request) {
  last_error = dimm_ssd_execute(operation, request);
  polls_left = node.polls_until_ended;
  return true;
}
bool dimm_ssd_poll(DimmSsdError* error) {
  if (polls_left > 0 && polls_left-- > 1) return false;
  *error = last_error;
  return true;
}
DimmSsdError dimm_ssd_wait() {
  polls_left = 0;
  return last_error;
}

std::uint64_t generic_timer_now() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

void* memory_allocate(std::size_t bytes) {  // never given back
  return std::aligned_alloc(chunk_bytes, (bytes + chunk_bytes - 1) / chunk_bytes * chunk_bytes);
}

unsigned cores_auxiliary() { return node.auxiliary; }
void cores_run(CoresFunction function, void* argument) {
  std::vector<std::thread> others;
  for (unsigned core = 1; core < node.compute; ++core)
    others.emplace_back(function, core, node.compute, argument);
  function(0, node.compute, argument);
  for (std::thread& one : others) one.join();
}
void cores_run_auxiliary(CoresFunction function, void* argument) {
  for (unsigned core = 0; core < node.auxiliary; ++core)
    auxiliary_threads.emplace_back(function, core, node.auxiliary, argument);
}
void cores_join_auxiliary() {
  for (std::thread& one : auxiliary_threads) one.join();
  auxiliary_threads.clear();
}
void cores_signal(std::uint32_t* word) { __atomic_add_fetch(word, 1, __ATOMIC_SEQ_CST); }
void cores_wait_while(const std::uint32_t* word, std::uint32_t value) {
  ++node.waits;
  while (__atomic_load_n(word, __ATOMIC_SEQ_CST) == value) std::this_thread::yield();
}
void cores_doze(const std::uint32_t*, std::uint32_t, bool (*)()) { std::this_thread::yield(); }
}

TestImage::TestImage(std::uint32_t chunks)
    : chunks_(chunks),
      words_(static_cast<std::uint64_t*>(memory_allocate(std::size_t{chunks} * chunk_bytes))) {}

void TestImage::fill(std::uint32_t i, std::uint64_t value) {
  for (std::uint64_t word = 0; word < chunk_words; ++word) chunk(i)[word] = value * 0x9e3779b97f4a7c15 + word;
}

Chain chain_of(const char* text) {
  Chain chain;
  char error[200] = "";
  EXPECT_TRUE(chain_parse(text, &chain, error, sizeof error)) << error;
  return chain;
}
