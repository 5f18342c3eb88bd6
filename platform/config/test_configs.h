// A small node and scenario for the tests of this folder. They use every feature of a description.
#pragma once

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/temporary_folder.h"
#include "platform/config/config.h"

namespace asterism::test_configs {

enum class Ecc { none, normal, strong };
constexpr auto enum_names(Ecc) {
  return std::to_array<EnumName<Ecc>>({{Ecc::none, "none", "a fault reaches the guest"},
                                       {Ecc::normal, "normal", "RS(36,32)"},
                                       {Ecc::strong, "strong", "RS(19,16)"}});
}
enum class Impl { model, rtl, lockstep };
constexpr auto enum_names(Impl) {
  return std::to_array<EnumName<Impl>>(
      {{Impl::model, "model"}, {Impl::rtl, "rtl"}, {Impl::lockstep, "lockstep"}});
}
enum class FaultKind { power_loss, bit_flip };
constexpr auto enum_names(FaultKind) {
  return std::to_array<EnumName<FaultKind>>(
      {{FaultKind::power_loss, "power_loss"}, {FaultKind::bit_flip, "bit_flip"}});
}

struct Memory {
  Bytes size = 2_GiB;
  Bytes rank = 512_MiB;
  std::string part = "ddr3";
  Ecc ecc = Ecc::normal;
};
inline void describe(Fields& f, Memory& c) {
  f("size", c.size, "The capacity. A larger memory takes longer to checkpoint.", within(64_MiB, 1_TiB));
  f("rank", c.rank, "The size of one rank.", at_least(1_MiB));
  f("part", c.part, "The timing and the geometry.", names_file("dram"));
  f("ecc", c.ecc, "The code for pages that are not marked strong.", one_of<Ecc>());
  f.check([&] { return c.size % c.rank == 0_B; }, "size", "is a whole number of ranks");
  f.check(c.rank % 1_MiB == 0_B, "rank", "is whole megabytes");
}

struct Arbiter {
  Impl impl = Impl::model;
  std::string variant;
  std::optional<Picoseconds> window;
};
inline void describe(Fields& f, Arbiter& c) {
  f("impl", c.impl, "The implementation.");
  f.when("impl", c.impl, {Impl::rtl, Impl::lockstep}, [&] {
    f("variant", c.variant, "The block's file.", required(), may_be_beside());
    f.when("impl", c.impl, Impl::lockstep,
           [&] { f("window", c.window, "The time that is traced before a mismatch.", at_most(1_ms)); });
  });
}

struct Device {
  Address base;
  std::uint8_t interrupt = 0;
};
inline void describe(Fields& f, Device& c) {
  f("base", c.base, "The address of the first register.", required());
  f("interrupt", c.interrupt, "The SPI number.", at_most(31));
}

struct Timer {
  Frequency rate = 1_MHz;
  bool repeats = false;
};
inline void describe(Fields& f, Timer& c) {
  f("rate", c.rate, "The counts in a second.", within(1_Hz, 1_GHz));
  f("repeats", c.repeats, "Whether it starts again.");
}
struct Uart {
  std::string input;
};
inline void describe(Fields& f, Uart& c) { f("input", c.input, "What it receives.", required()); }

// A block of one of two types, whose keys are those of all blocks and those of its type.
struct Block {
  std::string type;
  OneOrMore<Address> base = {};
  std::variant<std::monostate, Timer, Uart> keys = {};

  static constexpr std::string_view selector = "type";
  static std::vector<std::string> types() { return {"timer", "uart"}; }
  static std::string meaning(const std::string& of) {
    return of == "timer" ? "It counts." : "It sends and receives.";
  }
  bool become(const std::string& wanted) {
    *this = {.type = wanted};
    if (wanted == "timer") keys = Timer{};
    if (wanted == "uart") keys = Uart{};
    return keys.index() != 0;
  }
};
inline void describe(Fields& f, Block& b) {
  f("type", b.type, "The type of the block.", one_of(Block::types()), required());
  if (b.keys.index() == 0) return;
  f("base", b.base, "The first address of each of its ranges.", at_most(Address(0xffff'ffff)));
  if (auto* timer = std::get_if<Timer>(&b.keys)) describe(f, *timer);
  if (auto* uart = std::get_if<Uart>(&b.keys)) describe(f, *uart);
}

struct Node {
  Picoseconds quantum = 1_us;
  int cores = 4;
  double cpi = 1.0;
  Frequency clock = 1_GHz;
  Memory memory;
  Arbiter arbiter;
  std::map<std::string, Device> devices;
  std::map<std::string, Block> blocks = {};
  std::filesystem::path image;
};
inline void describe(Fields& f, Node& c) {
  f.abbreviates("blocks");
  f.reusable("nodes");
  f("quantum", c.quantum, "The time that a core may run ahead.", within(1_ns, 1_ms));
  f("cores", c.cores, "The number of cores.", one_of({1, 2, 4, 8}));
  f("cpi", c.cpi, "Cycles per instruction.", within(0.1, 100));
  f("clock", c.clock, "The clock of every core.", within(1_MHz, 5_GHz));
  f("memory", c.memory, "The DRAM.");
  f("arbiter", c.arbiter, "The arbiter of a column.");
  f("devices", c.devices, "The devices by name.");
  f("blocks", c.blocks, "The blocks by name.");
  f("image", c.image, "The file that keeps the flash across runs.");
}
static_assert(member_count<Node>() == 9);

struct Fault {
  Picoseconds at;
  FaultKind kind = FaultKind::power_loss;
  Picoseconds restore_after = 1_ms;
  Address address = {};
  std::vector<unsigned> bits = {};
};
inline void describe(Fields& f, Fault& c) {
  f("at", c.at, "The simulated time at which it happens.", required());
  f("kind", c.kind, "The kind of fault.");
  f.when("kind", c.kind, FaultKind::power_loss,
         [&] { f("restore_after", c.restore_after, "The time without power."); });
  f.when("kind", c.kind, FaultKind::bit_flip, [&] {
    f("address", c.address, "The address of the byte.", required());
    f("bits", c.bits, "The bits of the byte.", at_most(7));
  });
}

struct Expect {
  std::optional<int> exit;
  bool converges = true;
};
inline void describe(Fields& f, Expect& c) {
  f("exit", c.exit, "The exit status of the firmware.", within(0, 63));
  f("converges", c.converges, "Whether the solver converges.");
}

struct Scenario {
  Node node;
  std::string firmware = "cg";
  std::uint64_t seed = 1;
  Picoseconds until = 10_s;
  std::vector<Fault> faults;
  std::optional<Expect> expect;
};
inline void describe(Fields& f, Scenario& c) {
  f("node", c.node, "The node.", required());
  f("firmware", c.firmware, "The program.");
  f("seed", c.seed, "The seed of all random choices.");
  f("until", c.until, "The time limit.");
  f("faults", c.faults, "The faults, in any order.");
  f("expect", c.expect, "The conditions that must hold at the end.");
}

// The parameters of a part, which need sources.
struct FlashTiming {
  Picoseconds read = 45_us;
  Picoseconds program = 660_us;
};
inline void describe(Fields& f, FlashTiming& c) {
  f("read", c.read, "The time from page to register.");
  f("program", c.program, "The time from register to page.");
}
struct FlashPart {
  Bytes page = 16_KiB;
  FlashTiming timing;
};
inline void describe(Fields& f, FlashPart& c) {
  f.sourced();
  f("page", c.page, "User bytes in a page.");
  f("timing", c.timing, "The timing of the array.");
}

// A configs/ folder that exists as long as the test.
class TemporaryLibrary {
 public:
  TemporaryLibrary() {
    for (const char* kind : {"nodes", "scenarios", "dram"}) std::filesystem::create_directory(root_ / kind);
    write("dram", "ddr3", "{}");
    write("dram", "ddr4", "{}");
  }

  std::filesystem::path write(const std::string& kind, const std::string& name,
                              const std::string& text) const {
    std::filesystem::path file = root_ / kind / (name + ".json");
    std::ofstream(file) << text;
    return file;
  }
  const std::filesystem::path& root() const { return root_.path(); }
  ConfigLibrary library() const { return ConfigLibrary(root()); }

 private:
  TemporaryFolder root_;
};

// The errors of a scenario given as `text` (file s.json) after some overrides; "" if there are none.
inline std::string problems(const ConfigLibrary& library, const std::string& text,
                            const std::vector<std::string>& overrides = {}) try {
  ConfigDocument document = ConfigDocument::parse(text, "s.json");
  for (const std::string& assignment : overrides) document.apply_override(assignment);
  read_config<Scenario>(document, library);
  return "";
} catch (const ConfigError& error) {
  return error.what();
}

}  // namespace asterism::test_configs
