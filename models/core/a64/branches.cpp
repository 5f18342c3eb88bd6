// Branches (Arm DDI 0487, C4.1.66), except exception generation.
#include <array>
#include <utility>

#include "core/a64/branch_operations.h"
#include "core/a64/cpu.h"
#include "core/a64/decoder.h"

namespace asterism::a64 {
namespace branches {
namespace {

constexpr unsigned link_register = 30;

const Operation* branch_and_link(Cpu& cpu, const Operation& op) {
  cpu.x[link_register] = cpu.pc_of(op) + 4;
  return taken(cpu, op);
}

const Operation* branch_register(Cpu& cpu, const Operation& op) { return cpu.jump(cpu.x[op.rn]); }
const Operation* branch_and_link_register(Cpu& cpu, const Operation& op) {
  const std::uint64_t target = cpu.x[op.rn];
  cpu.x[link_register] = cpu.pc_of(op) + 4;
  return cpu.jump(target);
}

bool ends_with(Decoding& d, Handler handler, std::int64_t distance = 0) {
  d.op.run = handler;
  d.op.imm = static_cast<std::uint32_t>(distance);
  d.ends_block = true;
  return true;
}

bool decode_branch(Decoding& d) {
  return ends_with(d, d.bit(31) ? step<branch_and_link> : step<taken>, d.signed_bits(25, 0) * 4);
}

template <std::size_t... condition>
constexpr std::array<Handler, 16> by_condition(std::index_sequence<condition...>) {
  return {step<branch_if<condition>>...};
}

bool decode_branch_if(Decoding& d) {
  static constexpr auto handlers = by_condition(std::make_index_sequence<16>());
  return ends_with(d, handlers[d.bits(3, 0)], d.signed_bits(23, 5) * 4);
}

bool decode_compare_and_branch(Decoding& d) {
  d.op.rd = d.source(0);
  const bool zero = !d.bit(24);
  const Handler wide =
      zero ? step<compare_and_branch<std::uint64_t, true>> : step<compare_and_branch<std::uint64_t, false>>;
  const Handler narrow =
      zero ? step<compare_and_branch<std::uint32_t, true>> : step<compare_and_branch<std::uint32_t, false>>;
  return ends_with(d, d.bit(31) ? wide : narrow, d.signed_bits(23, 5) * 4);
}

bool decode_test_and_branch(Decoding& d) {
  d.op.rd = d.source(0);
  d.op.ra = static_cast<std::uint8_t>(d.bits(31, 31) << 5 | d.bits(23, 19));
  return ends_with(d, d.bit(24) ? step<test_and_branch<false>> : step<test_and_branch<true>>,
                   d.signed_bits(18, 5) * 4);
}

template <auto work>
bool decode_branch_register(Decoding& d) {
  d.op.rn = d.source(5);
  return ends_with(d, step<work>);
}

constexpr Row rows[] = {
    // clang-format off
    {encoding("op 00101 imm26"),                         "B, BL",     decode_branch},
    {encoding("0101010 0 imm19 0 cond"),                 "B.cond",    decode_branch_if},
    {encoding("sf 011010 op imm19 Rt"),                  "CBZ, CBNZ", decode_compare_and_branch},
    {encoding("b5 011011 op b40 imm14 Rt"),              "TBZ, TBNZ", decode_test_and_branch},
    {encoding("1101011 0000 11111 000000 Rn 00000"),     "BR",        decode_branch_register<branch_register>},
    {encoding("1101011 0001 11111 000000 Rn 00000"),     "BLR",       decode_branch_register<branch_and_link_register>},
    {encoding("1101011 0010 11111 000000 Rn 00000"),     "RET",       decode_branch_register<branch_register>},
    // clang-format on
};

}  // namespace
}  // namespace branches

std::span<const Row> branch_rows() { return branches::rows; }

}  // namespace asterism::a64
