// The environment of the checkpoint library in tests on the host: a DIMM-SSD that is a map, 64 pages of DRAM
// with a range table and poisoned blocks, a CXL expander, and PCRAM as modules or a stack. The devices
// themselves are tested with their models.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

extern "C" {
#include "drivers/cxl.h"
#include "drivers/dimm_ssd.h"
#include "drivers/memory_controller.h"
#include "drivers/pcram.h"
#include "drivers/power.h"
}

struct TestMachine {
  using Page = std::array<std::uint8_t, 4096>;
  static constexpr std::size_t dram_bytes = 64 * 4096;

  void reset();       // resets everything
  void warm_reset();  // keeps memory, range table, flash and PCRAM
  void power_loss();  // keeps flash, PCRAM and the expander

  // Poisons the block that holds this byte: reads return ones and fail, stores are lost and counted.
  void poison(const void* byte) { poisoned.insert(block_of(byte)); }
  static std::uintptr_t block_of(const void* byte) { return reinterpret_cast<std::uintptr_t>(byte) / 64; }
  // The first byte in level 1 that holds this text.
  std::uint8_t* find(const std::string& text);

  bool has_dimm_ssd = true, has_memory_controller = true;
  unsigned dimm_ssds = 1;
  bool select(unsigned dimm_ssd);   // exchanges what each DIMM-SSD has of its own: flash, open, progress
  RangeProblem problem = range_ok;  // the result of setting a strong range
  DimmSsdError next_error = dimm_ssd_ok;
  using Key = std::pair<std::string, std::uint64_t>;  // name, version
  std::map<Key, std::vector<Page>> flash;
  // Checkpoints that were handed over. The oldest becomes durable at a wait, or by make_durable().
  struct Open {
    Key key;
    std::vector<Page> pages;
    std::vector<std::uint64_t> list;  // addresses
  };
  std::deque<Open> open;
  void make_durable();             // for the oldest open one
  void fail(DimmSsdError reason);  // for all open ones
  DimmSsdError failure_at_wait =
      dimm_ssd_ok;                     // the next wait fails with this instead of making a version durable
  DimmSsdProgress progress = {};       // not read yet
  std::vector<std::uint32_t> methods;  // of the checkpoints, in order
  struct DimmSsd {
    std::map<Key, std::vector<Page>> flash;
    std::deque<Open> open;
    DimmSsdProgress progress;
  };
  std::map<unsigned, DimmSsd> unselected;
  unsigned selected = 0;
  std::uint64_t shadow_pages = 0;
  std::uint64_t found_version = 0, found_pages = 0;
  std::uint8_t* dram = nullptr;  // its first byte, page aligned
  EccRange range = {};
  unsigned ranges_set = 0;
  std::set<std::uintptr_t> poisoned;
  bool stores_clear_poison = false;  // of whole blocks, as in a CXL SSD
  std::uint32_t uncorrectable = 0;
  std::uint64_t kept_from = 0;
  // A counter of microseconds. It advances by microseconds_a_page for each page of a checkpoint that stops
  // software.
  std::uint64_t microseconds = 0, microseconds_a_page = 0;
  std::uint64_t rated = 0, written = 0;  // the DIMM-SSD's endurance, in bytes
  bool has_power_controller = true;
  struct Located {
    std::uint64_t version;
    CheckpointLocated where;
    unsigned reason;
    bool operator==(const Located&) const = default;
  };
  std::vector<Located> located;  // the reports to the power controller
  bool has_cxl = false;
  static constexpr std::size_t cxl_bytes = 64 * 4096;
  std::uint8_t* cxl = nullptr;  // the first byte of the expander, page aligned
  unsigned cleared = 0;         // lines whose poison was cleared
  bool has_pcram = false, is_stack = false;
  std::map<std::uint32_t, Page> pcram;  // by place
  std::uint32_t pcram_pages = 64;       // of modules
  // With a stack: places whose page of memory has not changed since it was saved there or loaded from there.
  std::set<std::uint32_t> clean;
  PcramError next_pcram_error = pcram_ok;
  std::vector<std::uint32_t> saves;  // pages that each command has copied, in order
  int saves_until_pcram_error = 0;   // saves that succeed before the result is next_pcram_error
  int lines_until_power_failure =
      -1;  // of 64 bytes that PCRAM still takes; the next is torn, and throws PowerLoss
  int loads_until_power_failure = -1;  // pages that PCRAM still loads; the next throws PowerLoss
  // Where an error or a power failure has interrupted a save or load of PCRAM.
  struct Stop {
    std::uint32_t place;
    std::size_t line;  // of the page
    bool is_load;
    std::uint64_t first_word;  // of what was to be saved
    std::uint32_t saved;       // pages saved before it
  };
  std::optional<Stop> stopped;
  std::uint32_t pages_saved = 0;
  int copies_until_reset = -1;  // guarded copies that still happen; the next throws WarmReset
};

struct WarmReset {};
struct PowerLoss {};

extern TestMachine machine;
