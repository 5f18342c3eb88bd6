#include "memory/memory_config.h"

#include <fmt/format.h>

#include "base/fields.h"

namespace asterism {

static_assert(member_count<MemoryConfig>() == 6);
void describe(Fields& f, MemoryConfig& c) {
  f("size", c.size, "Capacity; firmware finds it in the device tree. What lies above it is a hole",
    within(64_MiB, 1_TiB));
  f("latency", c.latency,
    "Of the controller, added to DRAM's: a longer one slows the DIMM-SSD's copying and all that is no direct "
    "access",
    within(0_ns, 1_ms));
  f("fidelity", c.fidelity, "Whether accesses wait in queues and are reordered", one_of<MemoryFidelity>());
  describe(f, c.dram);
  describe(f, c.ecc);
  f("codec", c.codec,
    "What encodes and decodes: the model, RTL, or both; RTL sees every access, which is slow");
  f.check([&] { return c.size % 2_MiB == Bytes(0); }, "size", "is a multiple of 2 MiB");
}

std::string ecc_problem(const EccConfig& ecc, const DramConfig& dram, const DramPart& part) {
  if (ecc.mode == EccMode::none) return "";
  if (!part.suits_symbol_codes())
    return fmt::format(
        "has chips of {} bits: the dual-mode codes are of 18 chips of 4 bits; choose an x4 part, or "
        "ecc=none",
        part.width);
  if (ecc.mode == EccMode::strong && dram.ranks < 2)
    return "stands in one rank: strong ECC keeps its third parity symbol in another one; choose ranks=2 or "
           "more";
  return "";
}

}  // namespace asterism
