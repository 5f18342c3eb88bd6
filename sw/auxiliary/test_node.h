// The environment of the auxiliary cores' code in tests on the host: PCRAM and a DIMM-SSD that are maps of
// pages, and threads as cores.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <vector>

extern "C" {
#include "auxiliary/auxiliary.h"
#include "auxiliary/chain.h"
#include "auxiliary/chunk_hash.h"
#include "auxiliary/chunk_store.h"
#include "auxiliary/drain.h"
#include "auxiliary/queue.h"
}

struct TestNode {
  using Page = std::array<std::uint64_t, chunk_words>;

  void reset();

  bool has_pcram = true, has_dimm_ssd = true, is_stack = false;
  std::vector<Page> pcram = std::vector<Page>(1200);
  // Number of pages that can still be saved. Half of the next page is saved and all later ones are lost,
  // without an error for the firmware: the state that a power loss leaves.
  std::uint64_t pages_until_power_failure = UINT64_MAX;
  bool power_failed = false;
  std::uint64_t pages_saved = 0, pages_loaded = 0;
  bool worn_out = false;  // saves fail
  std::map<std::uint64_t, std::vector<Page>> flash;
  int polls_until_ended = 3;  // for a command of the DIMM-SSD
  bool flash_fails = false;
  unsigned compute = 3, auxiliary = 0;  // cores
  std::atomic<unsigned> waits{0};       // number of waits of cores for a word to change
};

extern TestNode node;

// An array of chunks, each a whole page of memory.
class TestImage {
 public:
  explicit TestImage(std::uint32_t chunks);
  std::uint64_t* chunk(std::uint32_t i) { return words_ + i * chunk_words; }
  std::uint32_t chunks() const { return chunks_; }
  void fill(std::uint32_t chunk, std::uint64_t value);  // with different words, derived from the value
  std::vector<std::uint64_t> copy() const { return {words_, words_ + chunks_ * chunk_words}; }

 private:
  std::uint32_t chunks_;
  std::uint64_t* words_;  // page aligned, never freed, like the firmware's memory
};

Chain chain_of(const char* text);  // fails the test if the text is wrong
