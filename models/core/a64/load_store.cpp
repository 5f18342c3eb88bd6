// Loads and stores (Arm DDI 0487, C4.1.67): pairs, literal, unscaled, unprivileged, indexed, register offset,
// of general and of SIMD and floating-point registers. Exclusives and atomics are in exclusive.cpp, LD1 to
// LD4 in simd_load_store.cpp.
#include <array>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/a64/cpu.h"
#include "core/a64/decoder.h"

namespace asterism::a64 {
namespace load_store {
namespace {

// ---- the data of an access ----

// A general-purpose register. Memory is the type in memory, Register the type to which a load extends it.
template <class Memory, class Register = Memory>
struct General {
  static constexpr unsigned size = sizeof(Memory);
  static void load(Cpu& cpu, unsigned place, const std::uint8_t* from) {
    Memory value;
    std::memcpy(&value, from, size);
    // A Memory is signed where the load extends the sign (LDRSB): NOLINTNEXTLINE(bugprone-signed-char-misuse)
    cpu.x[place] = static_cast<Register>(value);
  }
  static void store(const Cpu& cpu, unsigned place, std::uint8_t* to) {
    std::memcpy(to, &cpu.x[place], size);
  }
};

// A SIMD and floating-point register, or its low part. A load clears the rest.
template <unsigned bytes>
struct Simd {
  static constexpr unsigned size = bytes;
  static void load(Cpu& cpu, unsigned place, const std::uint8_t* from) {
    Vector value;
    std::memcpy(value.d.data(), from, size);
    cpu.v[place] = value;
  }
  static void store(const Cpu& cpu, unsigned place, std::uint8_t* to) {
    std::memcpy(to, cpu.v[place].d.data(), size);
  }
};

// ---- addresses ----

// The base is rn. Signed immediates are imm; an index is rm, shifted by ra bits.
enum class Mode { offset, pre_index, post_index, index_x, index_uxtw, index_sxtw };

template <Mode mode>
std::uint64_t address_of(const Cpu& cpu, const Operation& op) {
  const std::uint64_t base = cpu.x[op.rn], index = cpu.x[op.rm];
  if constexpr (mode == Mode::post_index) return base;
  if constexpr (mode == Mode::index_x) return base + (index << op.ra);
  if constexpr (mode == Mode::index_uxtw)
    return base + (std::uint64_t{static_cast<std::uint32_t>(index)} << op.ra);
  if constexpr (mode == Mode::index_sxtw) {
    const std::int64_t extended = static_cast<std::int32_t>(index);
    return base + (static_cast<std::uint64_t>(extended) << op.ra);
  }
  return base + static_cast<std::uint64_t>(op.signed_imm());
}

// Done last: a load into its own base leaves the address there.
template <Mode mode>
void write_back(Cpu& cpu, const Operation& op, std::uint64_t address) {
  if constexpr (mode == Mode::pre_index) cpu.x[op.rn] = address;
  if constexpr (mode == Mode::post_index)
    cpu.x[op.rn] = address + static_cast<std::uint64_t>(op.signed_imm());
}

// ---- one register ----

template <class Data, Mode mode, Ordering ordering>
[[gnu::noinline]] const Operation* load_slow(Cpu& cpu, const Operation& op, std::uint64_t address) {
  if constexpr (ordering == Ordering::normal) {
    const std::uint8_t* from = cpu.memory.cached_readable<Data::size>(address);
    if (Data::size > 1 && !from) from = cpu.memory.readable_unaligned<Data::size>(address);
    if (from) {
      Data::load(cpu, op.rd, from);
      write_back<mode>(cpu, op, address);
      return &op + 1;
    }
    if (const std::uint8_t* line = cpu.access_line(op, address, Data::size, Data::size, false)) {
      Data::load(cpu, op.rd, line);
      write_back<mode>(cpu, op, address);
      return cpu.finish(op);
    }
  }
  std::array<std::uint8_t, Data::size> data{};
  if (!cpu.load(op, address, Data::size, data.data(), ordering)) return cpu.left_by_fault();
  Data::load(cpu, op.rd, data.data());
  write_back<mode>(cpu, op, address);
  return cpu.finish(op);
}
template <class Data, Mode mode, Ordering ordering>
[[gnu::noinline]] const Operation* store_slow(Cpu& cpu, const Operation& op, std::uint64_t address) {
  if constexpr (ordering == Ordering::normal) {
    std::uint8_t* to = cpu.memory.cached_writable<Data::size>(address);
    if (Data::size > 1 && !to) to = cpu.memory.writable_unaligned<Data::size>(address);
    if (to) {
      Data::store(cpu, op.rd, to);
      write_back<mode>(cpu, op, address);
      return &op + 1;
    }
    if (std::uint8_t* line = cpu.access_line(op, address, Data::size, Data::size, true)) {
      Data::store(cpu, op.rd, line);
      write_back<mode>(cpu, op, address);
      return cpu.finish(op);
    }
  }
  std::array<std::uint8_t, Data::size> data;
  Data::store(cpu, op.rd, data.data());
  if (!cpu.store(op, address, Data::size, data.data(), ordering)) return cpu.left_by_fault();
  write_back<mode>(cpu, op, address);
  return cpu.finish(op);
}

// `cached`: with data caches, of which the line filter is asked first.
template <bool cached, unsigned size, unsigned element = size>
const std::uint8_t* readable(Cpu& cpu, std::uint64_t address) {
  if constexpr (cached) return cpu.memory.cached_readable<size, element>(address);
  return cpu.memory.readable<size, element>(address);
}
template <bool cached, unsigned size, unsigned element = size>
std::uint8_t* writable(Cpu& cpu, std::uint64_t address) {
  if constexpr (cached) return cpu.memory.cached_writable<size, element>(address);
  return cpu.memory.writable<size, element>(address);
}

template <class Data, Mode mode, bool cached>
const Operation* load_from(Cpu& cpu, const Operation& op, std::uint64_t address) {
  if (const std::uint8_t* from = readable<cached, Data::size>(cpu, address)) [[likely]] {
    Data::load(cpu, op.rd, from);
    write_back<mode>(cpu, op, address);
    return &op + 1;
  }
  return load_slow<Data, mode, Ordering::normal>(cpu, op, address);
}

template <class Data, Mode mode, bool cached>
const Operation* load(Cpu& cpu, const Operation& op) {
  return load_from<Data, mode, cached>(cpu, op, address_of<mode>(cpu, op));
}
template <class Data, Mode mode, bool cached>
const Operation* store(Cpu& cpu, const Operation& op) {
  const std::uint64_t address = address_of<mode>(cpu, op);
  if (std::uint8_t* to = writable<cached, Data::size>(cpu, address)) [[likely]] {
    Data::store(cpu, op.rd, to);
    write_back<mode>(cpu, op, address);
    return &op + 1;
  }
  return store_slow<Data, mode, Ordering::normal>(cpu, op, address);
}

template <class Data, bool cached>
const Operation* load_literal(Cpu& cpu, const Operation& op) {
  return load_from<Data, Mode::offset, cached>(cpu, op,
                                               cpu.pc_of(op) + static_cast<std::uint64_t>(op.signed_imm()));
}

// LDTR and STTR at EL1. At EL0 they are ordinary.
template <class Data>
const Operation* load_unprivileged(Cpu& cpu, const Operation& op) {
  return load_slow<Data, Mode::offset, Ordering::unprivileged>(cpu, op, address_of<Mode::offset>(cpu, op));
}
template <class Data>
const Operation* store_unprivileged(Cpu& cpu, const Operation& op) {
  return store_slow<Data, Mode::offset, Ordering::unprivileged>(cpu, op, address_of<Mode::offset>(cpu, op));
}

void prefetch(Cpu&, const Operation&) {}

// ---- pairs: rd and rm ----

template <class Data>
void load_both(Cpu& cpu, const Operation& op, const std::uint8_t* from) {
  Data::load(cpu, op.rm, from + Data::size);
  Data::load(cpu, op.rd, from);
}
template <class Data>
void store_both(const Cpu& cpu, const Operation& op, std::uint8_t* to) {
  Data::store(cpu, op.rd, to);
  Data::store(cpu, op.rm, to + Data::size);
}

template <class Data, Mode mode>
[[gnu::noinline]] const Operation* load_pair_slow(Cpu& cpu, const Operation& op, std::uint64_t address) {
  const std::uint8_t* from = cpu.memory.cached_readable<2 * Data::size, Data::size>(address);
  if (!from) from = cpu.memory.readable_unaligned<2 * Data::size>(address);
  if (from) {
    load_both<Data>(cpu, op, from);
    write_back<mode>(cpu, op, address);
    return &op + 1;
  }
  if (const std::uint8_t* line = cpu.access_line(op, address, 2 * Data::size, Data::size, false)) {
    load_both<Data>(cpu, op, line);
    write_back<mode>(cpu, op, address);
    return cpu.finish(op);
  }
  std::array<std::uint8_t, 2 * Data::size> data{};
  if (!cpu.load(op, address, 2 * Data::size, data.data(), Ordering::normal, Data::size))
    return cpu.left_by_fault();
  load_both<Data>(cpu, op, data.data());
  write_back<mode>(cpu, op, address);
  return cpu.finish(op);
}
template <class Data, Mode mode>
[[gnu::noinline]] const Operation* store_pair_slow(Cpu& cpu, const Operation& op, std::uint64_t address) {
  std::uint8_t* to = cpu.memory.cached_writable<2 * Data::size, Data::size>(address);
  if (!to) to = cpu.memory.writable_unaligned<2 * Data::size>(address);
  if (to) {
    store_both<Data>(cpu, op, to);
    write_back<mode>(cpu, op, address);
    return &op + 1;
  }
  if (std::uint8_t* line = cpu.access_line(op, address, 2 * Data::size, Data::size, true)) {
    store_both<Data>(cpu, op, line);
    write_back<mode>(cpu, op, address);
    return cpu.finish(op);
  }
  std::array<std::uint8_t, 2 * Data::size> data;
  store_both<Data>(cpu, op, data.data());
  if (!cpu.store(op, address, 2 * Data::size, data.data(), Ordering::normal, Data::size))
    return cpu.left_by_fault();
  write_back<mode>(cpu, op, address);
  return cpu.finish(op);
}

template <class Data, Mode mode, bool cached>
const Operation* load_pair(Cpu& cpu, const Operation& op) {
  const std::uint64_t address = address_of<mode>(cpu, op);
  if (const std::uint8_t* from = readable<cached, 2 * Data::size, Data::size>(cpu, address)) [[likely]] {
    load_both<Data>(cpu, op, from);
    write_back<mode>(cpu, op, address);
    return &op + 1;
  }
  return load_pair_slow<Data, mode>(cpu, op, address);
}
template <class Data, Mode mode, bool cached>
const Operation* store_pair(Cpu& cpu, const Operation& op) {
  const std::uint64_t address = address_of<mode>(cpu, op);
  if (std::uint8_t* to = writable<cached, 2 * Data::size, Data::size>(cpu, address)) [[likely]] {
    store_both<Data>(cpu, op, to);
    write_back<mode>(cpu, op, address);
    return &op + 1;
  }
  return store_pair_slow<Data, mode>(cpu, op, address);
}

// ---- stores that lower SP: pre-index with SP as the base ----

template <auto work>
const Operation* push_out_of_stack(Cpu& cpu, const Operation& op) {
  return cpu.leave_stack(op, address_of<Mode::pre_index>(cpu, op)) ? work(cpu, op) : cpu.left_by_fault();
}
template <auto work>
const Operation* push(Cpu& cpu, const Operation& op) {
  if (address_of<Mode::pre_index>(cpu, op) < cpu.stack.low) [[unlikely]]
    return later<push_out_of_stack<work>>(cpu, op);
  return work(cpu, op);
}

// ---- decoding ----

using U8 = General<std::uint8_t>;
using U16 = General<std::uint16_t>;
using U32 = General<std::uint32_t>;
using U64 = General<std::uint64_t>;
using S8To32 = General<std::int8_t, std::uint32_t>;
using S8To64 = General<std::int8_t, std::uint64_t>;
using S16To32 = General<std::int16_t, std::uint32_t>;
using S16To64 = General<std::int16_t, std::uint64_t>;
using S32To64 = General<std::int32_t, std::uint64_t>;

// Indexed by size and opc; nullptr: unallocated, or a prefetch.
using BySizeAndOpc = std::array<Handler, 16>;

template <Mode m, bool cached>
constexpr BySizeAndOpc general_handlers = {step<store<U8, m, cached>>,
                                           step<load<U8, m, cached>>,
                                           step<load<S8To64, m, cached>>,
                                           step<load<S8To32, m, cached>>,
                                           step<store<U16, m, cached>>,
                                           step<load<U16, m, cached>>,
                                           step<load<S16To64, m, cached>>,
                                           step<load<S16To32, m, cached>>,
                                           step<store<U32, m, cached>>,
                                           step<load<U32, m, cached>>,
                                           step<load<S32To64, m, cached>>,
                                           nullptr,
                                           step<store<U64, m, cached>>,
                                           step<load<U64, m, cached>>,
                                           nullptr,
                                           nullptr};

constexpr BySizeAndOpc unprivileged_handlers = {step<store_unprivileged<U8>>,
                                                step<load_unprivileged<U8>>,
                                                step<load_unprivileged<S8To64>>,
                                                step<load_unprivileged<S8To32>>,
                                                step<store_unprivileged<U16>>,
                                                step<load_unprivileged<U16>>,
                                                step<load_unprivileged<S16To64>>,
                                                step<load_unprivileged<S16To32>>,
                                                step<store_unprivileged<U32>>,
                                                step<load_unprivileged<U32>>,
                                                step<load_unprivileged<S32To64>>,
                                                nullptr,
                                                step<store_unprivileged<U64>>,
                                                step<load_unprivileged<U64>>,
                                                nullptr,
                                                nullptr};

template <Mode m, bool cached>
constexpr BySizeAndOpc simd_handlers = {step<store<Simd<1>, m, cached>>,
                                        step<load<Simd<1>, m, cached>>,
                                        step<store<Simd<16>, m, cached>>,
                                        step<load<Simd<16>, m, cached>>,
                                        step<store<Simd<2>, m, cached>>,
                                        step<load<Simd<2>, m, cached>>,
                                        nullptr,
                                        nullptr,
                                        step<store<Simd<4>, m, cached>>,
                                        step<load<Simd<4>, m, cached>>,
                                        nullptr,
                                        nullptr,
                                        step<store<Simd<8>, m, cached>>,
                                        step<load<Simd<8>, m, cached>>,
                                        nullptr,
                                        nullptr};

// As general_handlers and simd_handlers, for the stores that lower SP.
template <class Data, bool cached>
constexpr Handler push_one = step<push<store<Data, Mode::pre_index, cached>>>;
template <bool cached>
constexpr BySizeAndOpc general_pushes = {
    push_one<U8, cached>,  nullptr, nullptr, nullptr, push_one<U16, cached>, nullptr, nullptr, nullptr,
    push_one<U32, cached>, nullptr, nullptr, nullptr, push_one<U64, cached>, nullptr, nullptr, nullptr};
template <bool cached>
constexpr BySizeAndOpc simd_pushes = {push_one<Simd<1>, cached>,
                                      nullptr,
                                      push_one<Simd<16>, cached>,
                                      nullptr,
                                      push_one<Simd<2>, cached>,
                                      nullptr,
                                      nullptr,
                                      nullptr,
                                      push_one<Simd<4>, cached>,
                                      nullptr,
                                      nullptr,
                                      nullptr,
                                      push_one<Simd<8>, cached>,
                                      nullptr,
                                      nullptr,
                                      nullptr};

unsigned size_and_opc(const Decoding& d) { return d.bits(31, 30) << 2 | d.bits(23, 22); }
constexpr unsigned prefetch_size_and_opc = 0b11'10;

// log2 of the size of a single register, in bytes.
unsigned scale(const Decoding& d, bool is_simd) {
  return is_simd ? (d.bit(23) ? 4 : 0) | d.bits(31, 30) : d.bits(31, 30);
}

bool decode_registers(Decoding& d, bool is_simd, bool is_load) {
  d.op.rd = is_simd ? d.vector(0) : is_load ? d.target(0) : d.source(0);
  d.op.rn = d.source_or_sp(5);
  return d.op.run != nullptr;
}

bool decode_general(Decoding& d, const BySizeAndOpc& handlers) {
  d.op.run = handlers[size_and_opc(d)];
  return decode_registers(d, false, d.bits(23, 22) != 0);
}
bool decode_simd(Decoding& d, const BySizeAndOpc& handlers) {
  d.op.run = handlers[size_and_opc(d)];
  return decode_registers(d, true, d.bit(22));
}

// The handlers for a core with data caches, or without.
template <Mode m>
const BySizeAndOpc& general_handlers_for(const Decoding& d) {
  return d.options.has_data_caches() ? general_handlers<m, true> : general_handlers<m, false>;
}
template <Mode m>
const BySizeAndOpc& simd_handlers_for(const Decoding& d) {
  return d.options.has_data_caches() ? simd_handlers<m, true> : simd_handlers<m, false>;
}
template <bool is_simd>
const BySizeAndOpc& pushes_for(const Decoding& d) {
  if constexpr (is_simd) return d.options.has_data_caches() ? simd_pushes<true> : simd_pushes<false>;
  return d.options.has_data_caches() ? general_pushes<true> : general_pushes<false>;
}

bool decode_prefetch(Decoding& d) {
  d.op.run = step<prefetch>;
  return true;
}

template <bool is_simd>
bool decode_unsigned_offset(Decoding& d) {
  d.op.imm = d.bits(21, 10) << scale(d, is_simd);
  if constexpr (is_simd) return decode_simd(d, simd_handlers_for<Mode::offset>(d));
  if (size_and_opc(d) == prefetch_size_and_opc) return decode_prefetch(d);
  return decode_general(d, general_handlers_for<Mode::offset>(d));
}

template <bool is_simd, Mode mode>
bool decode_imm9(Decoding& d) {
  d.op.imm = static_cast<std::uint32_t>(d.signed_bits(20, 12));
  const BySizeAndOpc& pushes = pushes_for<is_simd>(d);
  if (mode == Mode::pre_index && d.source_or_sp(5) == stack_pointer && pushes[size_and_opc(d)])
    return is_simd ? decode_simd(d, pushes) : decode_general(d, pushes);
  if constexpr (is_simd) return decode_simd(d, simd_handlers_for<mode>(d));
  if (mode == Mode::offset && size_and_opc(d) == prefetch_size_and_opc) return decode_prefetch(d);
  return decode_general(d, general_handlers_for<mode>(d));
}

bool decode_unprivileged(Decoding& d) {
  d.op.imm = static_cast<std::uint32_t>(d.signed_bits(20, 12));
  return decode_general(d, d.context.el0 ? general_handlers_for<Mode::offset>(d) : unprivileged_handlers);
}

template <bool is_simd, Mode mode>
bool decode_index(Decoding& d) {
  if constexpr (is_simd) return decode_simd(d, simd_handlers_for<mode>(d));
  if (size_and_opc(d) == prefetch_size_and_opc) return decode_prefetch(d);
  return decode_general(d, general_handlers_for<mode>(d));
}

template <bool is_simd>
bool decode_register_offset(Decoding& d) {
  d.op.rm = d.source(16);
  d.op.ra = static_cast<std::uint8_t>(d.bit(12) ? scale(d, is_simd) : 0);
  switch (d.bits(15, 13)) {
    case 0b010:
      return decode_index<is_simd, Mode::index_uxtw>(d);
    case 0b110:
      return decode_index<is_simd, Mode::index_sxtw>(d);
    case 0b011:  // LSL
    case 0b111:  // SXTX
      return decode_index<is_simd, Mode::index_x>(d);
    default:
      return false;
  }
}

template <class... Data>
bool decode_literal(Decoding& d) {
  static constexpr Handler handlers[][sizeof...(Data)] = {{step<load_literal<Data, false>>...},
                                                          {step<load_literal<Data, true>>...}};
  if (d.bits(31, 30) >= sizeof...(Data)) return false;
  d.op.run = handlers[d.options.has_data_caches()][d.bits(31, 30)];
  d.op.rd = d.bit(26) ? d.vector(0) : d.target(0);
  d.op.imm = static_cast<std::uint32_t>(d.signed_bits(23, 5) * 4);
  return true;
}

template <class Data, Mode mode>
bool decode_pair_of(Decoding& d) {
  const bool is_load = d.bit(22);
  const auto choose = [&]<bool cached>() {
    if (mode == Mode::pre_index && !is_load && d.source_or_sp(5) == stack_pointer)
      return step<push<store_pair<Data, Mode::pre_index, cached>>>;
    return is_load ? step<load_pair<Data, mode, cached>> : step<store_pair<Data, mode, cached>>;
  };
  d.op.run =
      d.options.has_data_caches() ? choose.template operator()<true>() : choose.template operator()<false>();
  d.op.imm = static_cast<std::uint32_t>(d.signed_bits(21, 15) * static_cast<std::int64_t>(Data::size));
  if (d.bit(26)) {
    d.op.rm = d.vector(10);
  } else {
    d.op.rm = is_load ? d.target(10) : d.source(10);
  }
  return decode_registers(d, d.bit(26), is_load);
}

template <Mode mode>
bool decode_pair(Decoding& d) {
  switch (d.bits(31, 30)) {
    case 0b00:
      return decode_pair_of<U32, mode>(d);
    case 0b10:
      return decode_pair_of<U64, mode>(d);
    default:
      return false;
  }
}
template <Mode mode>
bool decode_pair_of_signed_words(Decoding& d) {
  return decode_pair_of<S32To64, mode>(d);
}
template <Mode mode>
bool decode_simd_pair(Decoding& d) {
  switch (d.bits(31, 30)) {
    case 0b00:
      return decode_pair_of<Simd<4>, mode>(d);
    case 0b01:
      return decode_pair_of<Simd<8>, mode>(d);
    case 0b10:
      return decode_pair_of<Simd<16>, mode>(d);
    default:
      return false;
  }
}

constexpr Row::Needs fp = Row::Needs::fp;
constexpr Mode offset = Mode::offset, pre_index = Mode::pre_index, post_index = Mode::post_index;

constexpr Row rows[] = {
    // clang-format off
    {encoding("00 011 0 00 imm19 Rt"),                       "LDR (literal)",              decode_literal<U32>},
    {encoding("01 011 0 00 imm19 Rt"),                       "LDR (literal)",              decode_literal<U32, U64>},
    {encoding("10 011 0 00 imm19 Rt"),                       "LDRSW (literal)",            decode_literal<U32, U64, S32To64>},
    {encoding("11 011 0 00 imm19 Rt"),                       "PRFM (literal)",             decode_prefetch},
    {encoding("opc 011 1 00 imm19 Rt"),                      "LDR (literal, SIMD&FP)",     decode_literal<Simd<4>, Simd<8>, Simd<16>>, fp},

    {encoding("opc 101 0 000 L imm7 Rt2 Rn Rt"),             "LDNP, STNP",                 decode_pair<offset>},
    {encoding("opc 101 0 001 L imm7 Rt2 Rn Rt"),             "LDP, STP (post-index)",      decode_pair<post_index>},
    {encoding("opc 101 0 010 L imm7 Rt2 Rn Rt"),             "LDP, STP (signed offset)",   decode_pair<offset>},
    {encoding("opc 101 0 011 L imm7 Rt2 Rn Rt"),             "LDP, STP (pre-index)",       decode_pair<pre_index>},
    {encoding("01 101 0 001 1 imm7 Rt2 Rn Rt"),              "LDPSW (post-index)",         decode_pair_of_signed_words<post_index>},
    {encoding("01 101 0 010 1 imm7 Rt2 Rn Rt"),              "LDPSW (signed offset)",      decode_pair_of_signed_words<offset>},
    {encoding("01 101 0 011 1 imm7 Rt2 Rn Rt"),              "LDPSW (pre-index)",          decode_pair_of_signed_words<pre_index>},
    {encoding("opc 101 1 000 L imm7 Rt2 Rn Rt"),             "LDNP, STNP (SIMD&FP)",       decode_simd_pair<offset>, fp},
    {encoding("opc 101 1 001 L imm7 Rt2 Rn Rt"),             "LDP, STP (SIMD&FP)",         decode_simd_pair<post_index>, fp},
    {encoding("opc 101 1 010 L imm7 Rt2 Rn Rt"),             "LDP, STP (SIMD&FP)",         decode_simd_pair<offset>, fp},
    {encoding("opc 101 1 011 L imm7 Rt2 Rn Rt"),             "LDP, STP (SIMD&FP)",         decode_simd_pair<pre_index>, fp},

    {encoding("size 111 0 00 opc 0 imm9 00 Rn Rt"),          "LDUR, STUR, PRFUM",          decode_imm9<false, offset>},
    {encoding("size 111 0 00 opc 0 imm9 01 Rn Rt"),          "LDR, STR (post-index)",      decode_imm9<false, post_index>},
    {encoding("size 111 0 00 opc 0 imm9 10 Rn Rt"),          "LDTR, STTR",                 decode_unprivileged},
    {encoding("size 111 0 00 opc 0 imm9 11 Rn Rt"),          "LDR, STR (pre-index)",       decode_imm9<false, pre_index>},
    {encoding("size 111 0 00 opc 1 Rm option S 10 Rn Rt"),   "LDR, STR, PRFM (register)",  decode_register_offset<false>},
    {encoding("size 111 0 01 opc imm12 Rn Rt"),              "LDR, STR, PRFM (unsigned offset)", decode_unsigned_offset<false>},

    {encoding("size 111 1 00 opc 0 imm9 00 Rn Rt"),          "LDUR, STUR (SIMD&FP)",       decode_imm9<true, offset>, fp},
    {encoding("size 111 1 00 opc 0 imm9 01 Rn Rt"),          "LDR, STR (SIMD&FP, post-index)", decode_imm9<true, post_index>, fp},
    {encoding("size 111 1 00 opc 0 imm9 11 Rn Rt"),          "LDR, STR (SIMD&FP, pre-index)", decode_imm9<true, pre_index>, fp},
    {encoding("size 111 1 00 opc 1 Rm option S 10 Rn Rt"),   "LDR, STR (SIMD&FP, register)", decode_register_offset<true>, fp},
    {encoding("size 111 1 01 opc imm12 Rn Rt"),              "LDR, STR (SIMD&FP, unsigned offset)", decode_unsigned_offset<true>, fp},
    // clang-format on
};

}  // namespace
}  // namespace load_store

std::span<const Row> load_store_rows() { return load_store::rows; }

}  // namespace asterism::a64
