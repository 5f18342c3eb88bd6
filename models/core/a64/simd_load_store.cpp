// Advanced SIMD load/store multiple structures and single structure (Arm DDI 0487, C4.1.65).
//
// op.rd is the first register, op.rn the base. Behind the access the base grows by op.imm and by the register
// op.rm; both are 0 if it does not change. An instruction is one access, so that a fault leaves everything as
// it was.
#include <array>

#include "core/a64/simd_lanes.h"
#include "core/a64/simd_tables.h"

namespace asterism::a64 {
namespace simd_load_store {
namespace {

void write_back(Cpu& cpu, const Operation& op) { cpu.x[op.rn] += op.imm + cpu.x[op.rm]; }

Vector& register_of(Cpu& cpu, const Operation& op, std::size_t i) { return cpu.v[(op.rd + i) % 32]; }

// ---- the data of an instruction: `size` bytes in elements, between memory and registers ----

// LD1 and ST1: registers one after the other. op.ra is the logarithm of the element's size.
template <unsigned registers, unsigned bytes>
struct Consecutive {
  static constexpr unsigned size = registers * bytes;
  static unsigned element(const Operation& op) { return 1u << op.ra; }
  [[gnu::always_inline]] static void to_registers(Cpu& cpu, const Operation& op, const std::uint8_t* from) {
    for (std::size_t r = 0; r < registers; ++r) {
      Vector& v = register_of(cpu, op, r);
      std::memcpy(v.d.data(), from + r * bytes, bytes);
      if constexpr (bytes == 8) v.d[1] = 0;
    }
  }
  [[gnu::always_inline]] static void to_memory(Cpu& cpu, const Operation& op, std::uint8_t* to) {
    for (std::size_t r = 0; r < registers; ++r)
      std::memcpy(to + r * bytes, register_of(cpu, op, r).d.data(), bytes);
  }
};

// LD2 to LD4 and ST2 to ST4: structures of a lane of each register.
template <class T, unsigned registers, unsigned bytes>
struct Interleaved {
  static constexpr unsigned size = registers * bytes, structures = bytes / sizeof(T);
  static unsigned element(const Operation&) { return sizeof(T); }
  [[gnu::always_inline]] static void to_registers(Cpu& cpu, const Operation& op, const std::uint8_t* from) {
    std::array<T, size / sizeof(T)> memory;
    std::memcpy(memory.data(), from, size);
    for (std::size_t r = 0; r < registers; ++r) {
      Lanes<T, bytes> result;
      for (std::size_t i = 0; i < structures; ++i) result[i] = memory[i * registers + r];
      put(register_of(cpu, op, r), result);
    }
  }
  [[gnu::always_inline]] static void to_memory(Cpu& cpu, const Operation& op, std::uint8_t* to) {
    std::array<T, size / sizeof(T)> memory;
    for (std::size_t r = 0; r < registers; ++r) {
      const auto source = lanes<T, bytes>(register_of(cpu, op, r));
      for (std::size_t i = 0; i < structures; ++i) memory[i * registers + r] = source[i];
    }
    std::memcpy(to, memory.data(), size);
  }
};

// One structure; op.ra is the lane.
template <class T, unsigned registers>
struct Single {
  static constexpr unsigned size = registers * sizeof(T);
  static unsigned element(const Operation&) { return sizeof(T); }
  [[gnu::always_inline]] static void to_registers(Cpu& cpu, const Operation& op, const std::uint8_t* from) {
    for (std::size_t r = 0; r < registers; ++r) {
      T value;
      std::memcpy(&value, from + r * sizeof(T), sizeof value);
      set_element(register_of(cpu, op, r), op.ra, value);
    }
  }
  [[gnu::always_inline]] static void to_memory(Cpu& cpu, const Operation& op, std::uint8_t* to) {
    for (std::size_t r = 0; r < registers; ++r) {
      const T value = a64::element<T>(register_of(cpu, op, r), op.ra);
      std::memcpy(to + r * sizeof(T), &value, sizeof value);
    }
  }
};

// LD1R to LD4R: one structure, into all lanes.
template <class T, unsigned registers, unsigned bytes>
struct Replicated {
  static constexpr unsigned size = registers * sizeof(T);
  static unsigned element(const Operation&) { return sizeof(T); }
  [[gnu::always_inline]] static void to_registers(Cpu& cpu, const Operation& op, const std::uint8_t* from) {
    for (std::size_t r = 0; r < registers; ++r) {
      T value;
      std::memcpy(&value, from + r * sizeof(T), sizeof value);
      Lanes<T, bytes> result;
      result.fill(value);
      put(register_of(cpu, op, r), result);
    }
  }
};

// ---- handlers ----

template <class Transfer>
bool is_aligned(const Cpu& cpu, const Operation& op) {
  return cpu.x[op.rn] % Transfer::element(op) == 0;
}

template <class Transfer>
const Operation* load_slow(Cpu& cpu, const Operation& op) {
  const std::uint8_t* from =
      is_aligned<Transfer>(cpu, op) ? cpu.memory.cached_readable<Transfer::size, 1>(cpu.x[op.rn]) : nullptr;
  if (!from) from = cpu.memory.readable_unaligned<Transfer::size>(cpu.x[op.rn]);
  if (from) {
    Transfer::to_registers(cpu, op, from);
    write_back(cpu, op);
    return &op + 1;
  }
  std::array<std::uint8_t, Transfer::size> data{};
  if (!cpu.load(op, cpu.x[op.rn], Transfer::size, data.data(), Ordering::normal, Transfer::element(op)))
    return cpu.left_by_fault();
  Transfer::to_registers(cpu, op, data.data());
  write_back(cpu, op);
  return cpu.finish(op);
}

template <class Transfer>
const Operation* load(Cpu& cpu, const Operation& op) {
  const std::uint8_t* from =
      is_aligned<Transfer>(cpu, op) ? cpu.memory.readable<Transfer::size, 1>(cpu.x[op.rn]) : nullptr;
  if (!from) [[unlikely]]
    return later<load_slow<Transfer>>(cpu, op);
  Transfer::to_registers(cpu, op, from);
  write_back(cpu, op);
  return &op + 1;
}

template <class Transfer>
const Operation* store_slow(Cpu& cpu, const Operation& op) {
  std::uint8_t* to =
      is_aligned<Transfer>(cpu, op) ? cpu.memory.cached_writable<Transfer::size, 1>(cpu.x[op.rn]) : nullptr;
  if (!to) to = cpu.memory.writable_unaligned<Transfer::size>(cpu.x[op.rn]);
  if (to) {
    Transfer::to_memory(cpu, op, to);
    write_back(cpu, op);
    return &op + 1;
  }
  std::array<std::uint8_t, Transfer::size> data;
  Transfer::to_memory(cpu, op, data.data());
  if (!cpu.store(op, cpu.x[op.rn], Transfer::size, data.data(), Ordering::normal, Transfer::element(op)))
    return cpu.left_by_fault();
  write_back(cpu, op);
  return cpu.finish(op);
}

template <class Transfer>
const Operation* store(Cpu& cpu, const Operation& op) {
  std::uint8_t* to =
      is_aligned<Transfer>(cpu, op) ? cpu.memory.writable<Transfer::size, 1>(cpu.x[op.rn]) : nullptr;
  if (!to) [[unlikely]]
    return later<store_slow<Transfer>>(cpu, op);
  Transfer::to_memory(cpu, op, to);
  write_back(cpu, op);
  return &op + 1;
}

// ---- decoding ----

struct Choice {
  Handler load = nullptr, store = nullptr;
  unsigned size = 0;  // bytes
};
template <class Transfer>
constexpr Choice choice{step<load<Transfer>>, step<store<Transfer>>, Transfer::size};
template <class Transfer>
constexpr Choice load_only{step<load<Transfer>>, nullptr, Transfer::size};

bool choose(Decoding& d, const Choice& choice) {
  d.op.run = d.bit(22) ? choice.load : choice.store;
  if (!d.op.run) return false;
  d.op.rd = d.vector(0);
  d.op.rn = d.source_or_sp(5);
  d.op.rm = zero_register;
  if (d.bit(23)) {  // post-index: by a register, or, if that is 31, by the size of the transfer
    d.op.rm = d.source(16);
    if (d.op.rm == zero_register) d.op.imm = choice.size;
  }
  return true;
}

template <unsigned registers>
bool decode_consecutive(Decoding& d) {
  d.op.ra = static_cast<std::uint8_t>(d.bits(11, 10));
  return choose(d, d.bit(30) ? choice<Consecutive<registers, 16>> : choice<Consecutive<registers, 8>>);
}

template <unsigned size>
using UnsignedLane = Lane<false, size>;

// Indexed by size and Q; there is no 1D.
template <unsigned registers, std::size_t... i>
constexpr std::array<Choice, 8> interleaved(std::index_sequence<i...>) {
  return {choice<Interleaved<UnsignedLane<i / 2>, registers, i % 2 ? 16 : 8>>..., Choice{},
          choice<Interleaved<std::uint64_t, registers, 16>>};
}
template <unsigned registers>
bool decode_interleaved(Decoding& d) {
  static constexpr auto choices = interleaved<registers>(std::make_index_sequence<6>());
  return choose(d, choices[d.bits(11, 10) << 1 | d.bits(30, 30)]);
}

// The number of registers minus one is bit 13 and R.
unsigned registers_less_one(const Decoding& d) { return d.bits(13, 13) << 1 | d.bits(21, 21); }

template <unsigned size, std::size_t... registers_less_one>
constexpr std::array<Choice, 4> singles(std::index_sequence<registers_less_one...>) {
  return {choice<Single<UnsignedLane<size>, registers_less_one + 1>>...};
}
template <unsigned size>
bool decode_single(Decoding& d) {
  static constexpr auto choices = singles<size>(std::make_index_sequence<4>());
  d.op.ra = static_cast<std::uint8_t>((d.bits(30, 30) << 3 | d.bits(12, 10)) >> size);
  return choose(d, choices[registers_less_one(d)]);
}

template <std::size_t... i>
constexpr std::array<Choice, 32> replicates(std::index_sequence<i...>) {
  return {load_only<Replicated<UnsignedLane<i / 2 % 4>, i / 8 + 1, i % 2 ? 16 : 8>>...};
}
bool decode_replicate(Decoding& d) {
  static constexpr auto choices = replicates(std::make_index_sequence<32>());
  return choose(d, choices[registers_less_one(d) << 3 | d.bits(11, 10) << 1 | d.bits(30, 30)]);
}

constexpr Row::Needs fp = Row::Needs::fp;

constexpr Row rows[] = {
    // clang-format off
    {encoding("0 Q 0011000 L 000000 0000 size Rn Rt"),        "LD4, ST4 (multiple structures)", decode_interleaved<4>, fp},
    {encoding("0 Q 0011000 L 000000 0010 size Rn Rt"),        "LD1, ST1 (multiple structures)", decode_consecutive<4>, fp},
    {encoding("0 Q 0011000 L 000000 0100 size Rn Rt"),        "LD3, ST3 (multiple structures)", decode_interleaved<3>, fp},
    {encoding("0 Q 0011000 L 000000 0110 size Rn Rt"),        "LD1, ST1 (multiple structures)", decode_consecutive<3>, fp},
    {encoding("0 Q 0011000 L 000000 0111 size Rn Rt"),        "LD1, ST1 (multiple structures)", decode_consecutive<1>, fp},
    {encoding("0 Q 0011000 L 000000 1000 size Rn Rt"),        "LD2, ST2 (multiple structures)", decode_interleaved<2>, fp},
    {encoding("0 Q 0011000 L 000000 1010 size Rn Rt"),        "LD1, ST1 (multiple structures)", decode_consecutive<2>, fp},
    {encoding("0 Q 0011001 L 0 Rm 0000 size Rn Rt"),          "LD4, ST4 (multiple structures)", decode_interleaved<4>, fp},
    {encoding("0 Q 0011001 L 0 Rm 0010 size Rn Rt"),          "LD1, ST1 (multiple structures)", decode_consecutive<4>, fp},
    {encoding("0 Q 0011001 L 0 Rm 0100 size Rn Rt"),          "LD3, ST3 (multiple structures)", decode_interleaved<3>, fp},
    {encoding("0 Q 0011001 L 0 Rm 0110 size Rn Rt"),          "LD1, ST1 (multiple structures)", decode_consecutive<3>, fp},
    {encoding("0 Q 0011001 L 0 Rm 0111 size Rn Rt"),          "LD1, ST1 (multiple structures)", decode_consecutive<1>, fp},
    {encoding("0 Q 0011001 L 0 Rm 1000 size Rn Rt"),          "LD2, ST2 (multiple structures)", decode_interleaved<2>, fp},
    {encoding("0 Q 0011001 L 0 Rm 1010 size Rn Rt"),          "LD1, ST1 (multiple structures)", decode_consecutive<2>, fp},

    {encoding("0 Q 0011010 L R 00000 00 o0 S size Rn Rt"),    "LD1 to LD4, ST1 to ST4 (single structure), byte", decode_single<0>, fp},
    {encoding("0 Q 0011010 L R 00000 01 o0 S x0 Rn Rt"),      "LD1 to LD4, ST1 to ST4 (single structure), half-word", decode_single<1>, fp},
    {encoding("0 Q 0011010 L R 00000 10 o0 S 00 Rn Rt"),      "LD1 to LD4, ST1 to ST4 (single structure), word", decode_single<2>, fp},
    {encoding("0 Q 0011010 L R 00000 10 o0 0 01 Rn Rt"),      "LD1 to LD4, ST1 to ST4 (single structure), double word", decode_single<3>, fp},
    {encoding("0 Q 0011010 1 R 00000 11 o0 0 size Rn Rt"),    "LD1R to LD4R",                   decode_replicate, fp},
    {encoding("0 Q 0011011 L R Rm 00 o0 S size Rn Rt"),       "LD1 to LD4, ST1 to ST4 (single structure), byte", decode_single<0>, fp},
    {encoding("0 Q 0011011 L R Rm 01 o0 S x0 Rn Rt"),         "LD1 to LD4, ST1 to ST4 (single structure), half-word", decode_single<1>, fp},
    {encoding("0 Q 0011011 L R Rm 10 o0 S 00 Rn Rt"),         "LD1 to LD4, ST1 to ST4 (single structure), word", decode_single<2>, fp},
    {encoding("0 Q 0011011 L R Rm 10 o0 0 01 Rn Rt"),         "LD1 to LD4, ST1 to ST4 (single structure), double word", decode_single<3>, fp},
    {encoding("0 Q 0011011 1 R Rm 11 o0 0 size Rn Rt"),       "LD1R to LD4R",                   decode_replicate, fp},
    // clang-format on
};

}  // namespace
}  // namespace simd_load_store

std::span<const Row> simd_load_store_rows() { return simd_load_store::rows; }

}  // namespace asterism::a64
