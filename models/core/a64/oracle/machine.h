// Two machines that run the same straight program from the same state: the engine of this project, and the
// oracle, which is Unicorn (QEMU's code generator) without changes. These are sources of tests, under GPLv2
// together with what they link.
//
// A program is in `code` and ends at its last word + 4. The memory of both machines consists of code_size
// bytes of code at code_base and data_size bytes of data at data_base. The MMU is off, the level is EL1h, and
// SIMD and floating point are enabled.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/a64/decoder.h"
#include "core/a64/state.h"

namespace asterism::a64::oracle {

inline constexpr std::uint64_t code_base = 0x4000'0000, code_size = 0x1'0000;
inline constexpr std::uint64_t program_base = code_base + 0x8000;  // literals reach around it
inline constexpr std::uint64_t vectors = code_base + 0xf000;       // the program is left here: b .
inline constexpr std::uint64_t tables_base = 0x6000'0000, tables_size = 0x4000;
inline constexpr std::uint64_t data_base = 0x5000'0000, data_size = 0x1'0000,
                               data_centre = data_base + data_size / 2;

// Memory of whole pages, which begins at the start of a page.
class Pages {
 public:
  explicit Pages(std::size_t size) : size_(size), bytes_(size + 4096) {}
  std::span<std::uint8_t> bytes() {
    return {bytes_.data() + (4096 - reinterpret_cast<std::uintptr_t>(bytes_.data()) % 4096), size_};
  }

 private:
  std::size_t size_;
  std::vector<std::uint8_t> bytes_;
};

struct Registers {
  std::array<std::uint64_t, 31> x{};
  std::uint64_t sp = 0, pc = program_base;
  std::array<Vector, 32> v{};
  std::uint32_t nzcv = 0, fpcr = 0, fpsr = 0;
  bool operator==(const Registers&) const = default;
};

struct Exception {
  std::uint64_t syndrome = 0;
  std::optional<std::uint64_t> address;  // of an abort
  bool operator==(const Exception&) const = default;
};

// The registers at the end of the program: pc is its end, or the preferred return address of the exception.
struct Outcome {
  Registers registers;
  std::optional<Exception> exception;
  bool left_memory = false;  // it accessed an address without memory, so that it is not compared
  bool operator==(const Outcome&) const = default;
};

class Machine {
 public:
  virtual ~Machine() = default;
  virtual std::span<std::uint8_t> data() = 0;
  // Places a program at program_base.
  virtual void place(std::span<const std::uint32_t> program) = 0;
  virtual Outcome run(const Registers& from) = 0;
  // Turns the MMU on: `tables` are copied to tables_base, the first level (of 1 GiB) first; 4 KiB granule,
  // T0SZ 32.
  virtual void translate_by(std::span<const std::uint64_t> tables) = 0;
};

enum class Cpu { cortex_a57, max };  // max has all CoreFeatures and much that the engine leaves out

// The features of Unicorn's Cortex-A57, and all those that the engine may have.
inline constexpr CoreFeatures features_of_a57 = CoreFeatures{usual_features}.without(CoreFeature::lse);
inline constexpr CoreFeatures features_of(Cpu cpu) {
  return cpu == Cpu::max ? CoreFeatures::all() : features_of_a57;
}

std::unique_ptr<Machine> make_native_machine(const Options& options);
std::unique_ptr<Machine> make_unicorn_machine(Cpu cpu);
// VIXL's simulator: without exceptions, system registers, FPSR, and FPCR but for default NaNs.
std::unique_ptr<Machine> make_vixl_machine();

// ---- translation: the identity, to normal memory; pages of the data are of these kinds ----

enum class PageKind : std::uint8_t { read_write, missing, read_only, not_accessed, el0, el0_read_only };
std::vector<std::uint64_t> identity_tables(std::span<const PageKind> data_pages);
inline constexpr std::uint64_t tcr_of_tables = 32 | 1 << 23, mair_of_tables = 0xff;

// The differences, one in each line; "" if there are none.
std::string difference(const Outcome& native, const Outcome& oracle);

}  // namespace asterism::a64::oracle
