#include "core/a64/oracle/anything.h"

#include <algorithm>
#include <cstring>

namespace asterism::a64::oracle {
namespace {

constexpr unsigned pages = data_size / 4096;

struct Head {
  bool is_el1, translates, traps_fp, has_handlers, rounds_up, checks_alignment;
  std::uint64_t seed;
  std::array<std::uint8_t, pages> kinds;  // 0 to 3
};

Head read_head(std::span<const std::uint8_t> bytes) {
  std::array<std::uint8_t, head_of_anything> head{};
  std::copy_n(bytes.begin(), std::min(bytes.size(), head.size()), head.begin());
  const auto bit = [&](unsigned i) { return (head[0] >> i & 1) != 0; };
  Head result{bit(0), bit(1), bit(2), bit(3), bit(5), bit(6), head[1], {}};
  for (unsigned i = 0; i < pages; ++i) result.kinds[i] = head[2 + i / 4] >> (2 * (i % 4)) & 3;
  return result;
}

void translate(GuestResult& guest, const Head& head) {
  std::vector<PageKind> kinds;
  for (const std::uint8_t kind : head.kinds) kinds.push_back(static_cast<PageKind>(kind));
  guest.tables = identity_tables(kinds);
  guest.state.system.ttbr0 = tables_base;
  guest.state.system.tcr = tcr_of_tables;
  guest.state.system.mair = mair_of_tables;
  guest.state.system.sctlr |= 1;
}

std::string difference(const GuestResult& one, const GuestResult& other) {
  if (one == other) return {};
  if (one.instructions != other.instructions) return "the counts differ";
  if (!(one.state == other.state)) return "the states differ";
  return one.seen == other.seen ? "the memories differ" : "what the host saw differs";
}

}  // namespace

GuestResult anything(std::span<const std::uint8_t> bytes) {
  const Head head = read_head(bytes);
  Random random(head.seed);
  GuestResult guest = GuestHost::beginning(make_guest(head.seed, head.is_el1));
  if (!head.has_handlers) std::ranges::fill(guest.code, std::uint8_t{0});
  if (bytes.size() > head_of_anything) {
    const auto program = bytes.subspan(head_of_anything);
    std::memcpy(guest.code.data(), program.data(),
                std::min<std::size_t>(program.size(), vectors - code_base));
  }
  if (head.traps_fp) guest.state.system.cpacr = 0;
  // Addresses around page boundaries, among others.
  for (unsigned i = 0; i < 31; i += 2)
    guest.state.x[i] = data_base + 4096 * random.below(pages) + random.below(128) - 64;
  guest.state.x[stack_pointer] = data_base + data_size / 2;
  if (head.rounds_up) guest.state.fpcr |= std::uint32_t{1} << 22;
  if (head.checks_alignment) guest.state.system.sctlr |= 2;
  if (head.translates) {
    translate(guest, head);
  } else {
    for (unsigned i = 0; i < pages; ++i) guest.backing[i] = static_cast<Backing>(head.kinds[i] % 3);
  }
  return guest;
}

std::string run_anything(std::span<const std::uint8_t> bytes, std::uint64_t instructions) {
  const GuestResult guest = anything(bytes);
  return difference(GuestHost(guest, 1).run(instructions, 1'000'000),
                    GuestHost(guest, 1).run(instructions, 3));
}

std::string translate_anything(std::span<const std::uint8_t> bytes, std::uint64_t instructions) {
  const GuestResult guest = anything(bytes);
  const auto run = [&](const Translation& translation) {
    Options options = guest_options();
    options.translation = translation;
    if (!bytes.empty() && (bytes[0] & 0x10) != 0) options.timing.reset();
    return GuestHost(guest, 1, options).run(instructions, 1'000'000);
  };
  const bool waits = !bytes.empty() && (bytes[0] & 0x80) != 0;
  return difference(run({}), run({.after = waits ? 4u : 1u}));
}

}  // namespace asterism::a64::oracle
