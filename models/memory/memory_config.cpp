#include "memory/memory_config.h"

#include <fmt/format.h>

#include <filesystem>
#include <numeric>

#include "base/counted.h"
#include "base/fields.h"
#include "base/quantity_text.h"
#include "memory/fault_overlay.h"
#include "memory/parity_translation.h"

namespace asterism {

namespace {

// Whether rtl/ddr5_codec has the code; its parameter Code is the number in the enumeration.
bool has_rtl(Ddr5Code code) { return code <= Ddr5Code::rs_40_32; }

}  // namespace

static_assert(member_count<MemoryRegistersConfig>() == 2);
void describe(Fields& f, MemoryRegistersConfig& c) {
  f("base", c.base, "The first address of the registers.", required());
  f("interrupt", c.interrupt,
    "The number of the shared peripheral interrupt (SPI) that reports errors. Without a number, the line is "
    "not connected.",
    at_most(987));
}

static_assert(member_count<MemoryConfig>() == 10);
void describe(Fields& f, MemoryConfig& c) {
  f("registers", c.registers,
    "The registers of the controllers: the error log, ranges of another code, the scrubber. Without them, "
    "software cannot see errors that are corrected.");
  f("size", c.size,
    "The capacity of the memory. Firmware finds it in the device tree. Addresses above it are a hole.",
    within(64_MiB, 1_TiB));
  f("in_device_tree", c.is_offered,
    "Whether software finds this memory in the device tree. Otherwise only a device reports its address, "
    "such as "
    "a virtio_pmem.");
  f("latency", c.latency,
    "The latency of the controller, added to that of DRAM. It slows the copies of the DIMM-SSD and every "
    "access that is not direct.",
    within(0_ns, 1_ms));
  f("fidelity", c.fidelity, "Whether accesses wait in queues and are reordered.", one_of<MemoryFidelity>());
  f.when("fidelity", c.fidelity, MemoryFidelity::contended, [&] {
    f("curves", c.curves,
      "The waits at a given load: a file in configs/dram_curves, made by `asterism fit`. Without it, that "
      "with "
      "the name of the part.",
      names_file("dram_curves"));
  });
  f("fabric_nodes", c.fabric_nodes,
    "Where the controllers are attached to a fabric with nodes. With one node, all accesses share its links.",
    one_of<ControllerNodes>());
  describe(f, c.dram);
  describe(f, c.ecc);
  if (c.codec.variant.empty())
    c.codec.variant = c.ecc.rank_code ? "rtl/ddr5_codec/block.json" : "rtl/rs_codec/block.json";
  f("codec", c.codec,
    "The encoder and decoder: the model, RTL, or both in lockstep. RTL sees every access, which is slow.");
  f.check([&] { return !c.ecc.rank_code || c.codec.impl == Impl::model || has_rtl(*c.ecc.rank_code); },
          "codec",
          "is the model with this ecc_rank_code: there is RTL of rs_10_8, rs_10_8_chip and rs_40_32");
  f.check([&] { return c.size % 2_MiB == Bytes(0); }, "size", "is a multiple of 2 MiB");
}

std::string curves_name(const MemoryConfig& config) {
  return config.curves ? *config.curves : std::filesystem::path(config.dram.part).stem().string();
}

std::optional<MemoryProblem> part_problem(const DramConfig& config, const DramPart& part) {
  const bool by_banks = config.refresh == RefreshMode::by_banks;
  if (const std::uint32_t most = part.most_postponed(by_banks); config.postponed_refreshes > most)
    return MemoryProblem{
        "postponed_refreshes",
        fmt::format("expected at most {}, as many refreshes as may be late in {}{}, got {}", most,
                    config.part, by_banks ? " with refreshes of banks" : "", config.postponed_refreshes)};
  if (!by_banks || part.bank_refresh) return std::nullopt;
  return MemoryProblem{"refresh", fmt::format("{} has only refreshes of whole ranks: its file has no "
                                              "bank_refresh; choose refresh=all_bank",
                                              config.part)};
}

std::optional<MemoryProblem> strong_ecc_problem(const DramGeometry& geometry, std::uint32_t part_rows) {
  if (geometry.ranks < 2)
    return MemoryProblem{"ecc",
                         "strong ECC keeps its third parity symbol in another rank, and there is one; choose "
                         "ranks=2 or more"};
  if (leaves_parity_rows(geometry, part_rows)) return std::nullopt;
  const Bytes row = geometry.size() / geometry.rows;  // of all banks
  const Bytes step(std::lcm(row.count(), (2_MiB).count()));
  const Bytes most = row * rows_beside_parity(part_rows) / step * step;
  return MemoryProblem{"size",
                       fmt::format("strong ECC keeps its third parity symbols in rows that the memory "
                                   "does not use: expected at most {}, got {}",
                                   to_text(most), to_text(geometry.size()))};
}

bool suits_code(const EccConfig& config, const DramPart& part) {
  if (!config.rank_code) return part.suits_symbol_codes();
  return part.width == 4 && part.bus == 32 && part.chips_per_rank() >= chips_of(*config.rank_code);
}

std::optional<MemoryProblem> ecc_problem(const EccConfig& config, const std::string& name,
                                         const DramPart& part, const DramGeometry& geometry) {
  if (config.mode == EccMode::none) return std::nullopt;
  if (config.rank_code && !suits_code(config, part))
    return MemoryProblem{
        "part",
        fmt::format("{} has {} of {} bits in a rank: this code is of {} chips of 4 bits, 8 "
                    "of them for data; choose such a part of DDR5, or no ecc_rank_code",
                    name, counted(part.chips_per_rank(), "chip"), part.width, chips_of(*config.rank_code))};
  if (!suits_code(config, part))
    return MemoryProblem{"part",
                         fmt::format("{} has {} of {} bits in a rank: the dual-mode codes are of 18 chips of "
                                     "4 bits; choose such a part, or ecc=none{}",
                                     name, counted(part.chips_per_rank(), "chip"), part.width,
                                     part.width == 4 && part.bus == 32
                                         ? ", or for a node's memory a code of DDR5 ranks by ecc_rank_code"
                                         : "")};
  const DieWords words = die_words(geometry, part.rows());
  if (config.on_die_scrub != Picoseconds(0) && config.on_die_scrub < Picoseconds(words.count()))
    return MemoryProblem{
        "on_die_scrub",
        fmt::format("expected 0s or at least {}, a picosecond for each word of a chip, got {}",
                    to_text(Picoseconds(words.count())), to_text(config.on_die_scrub))};
  if (config.mode == EccMode::normal) return std::nullopt;
  return strong_ecc_problem(geometry, part.rows());
}

}  // namespace asterism
