#include "core/a64/oracle/streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/a64/oracle/known_differences.h"
#include "core/a64/oracle/machine.h"
#include "core/a64/oracle/program.h"
#include "core/a64/soft_float.h"

namespace asterism::a64::oracle {
namespace {

constexpr unsigned program_length = 48;
constexpr std::uint32_t nop = 0xaa1f'03ff;  // ORR xzr, xzr, xzr: keeps distances
constexpr unsigned runs_of_program = 6;  // from different states: Unicorn takes long to translate a program

// Most extensions beyond a Cortex-A57 are in these classes, for which Unicorn has to be `max`.
Cpu oracle_of(const std::string& of_class) {
  static const std::set<std::string> classes{"exclusive", "floating_point", "simd", "simd_floating_point",
                                             "all"};
  return classes.contains(of_class) ? Cpu::max : Cpu::cortex_a57;
}
Options decoding_of(const StreamOptions& options) {
  return {.features = features_of(oracle_of(options.of_class)), .translation = options.translation};
}

class Stream {
 public:
  explicit Stream(const StreamOptions& options)
      : options_(options),
        decoding_(decoding_of(options)),
        generator_(options.of_class, options.row, decoding_, options.seed),
        native_(make_native_machine(decoding_)),
        oracle_(options.is_vixl ? make_vixl_machine() : make_unicorn_machine(oracle_of(options.of_class))),
        before_(data_size) {}

  StreamResult run() {
    if (generator_.is_empty()) return result_;
    generator_.fill(native_->data());
    copy(native_->data(), oracle_->data());
    while (result_.instructions < options_.instructions && result_.mismatch.empty()) {
      Program program = generator_.program(program_length);
      if (options_.is_vixl)
        std::ranges::replace_if(
            program.words, [](std::uint32_t word) { return known_difference(word, Aspect::vixl); }, nop);
      ++result_.programs;
      place(program);
      for (unsigned i = 0; i < runs_of_program && result_.mismatch.empty(); ++i) {
        Registers from = generator_.registers();
        if (options_.is_vixl) from.fpcr &= fpcr_bit::dn;
        copy(native_->data(), before_);
        if (differs(from)) result_.mismatch = shrink(program, from);
        result_.instructions += program.words.size();
      }
    }
    return result_;
  }

 private:
  static void copy(std::span<const std::uint8_t> from, std::span<std::uint8_t> to) {
    std::memcpy(to.data(), from.data(), from.size());
  }

  void place(const Program& program) { native_->place(program.words), oracle_->place(program.words); }

  bool differs(const Registers& from) {
    if (options_.is_vixl) {  // which has no exceptions
      of_native_ = native_->run(from);
      if (of_native_.exception) return leave_memory();
      of_oracle_ = oracle_->run(from);
      of_oracle_.registers.fpsr = of_native_.registers.fpsr;
    } else {
      of_oracle_ = oracle_->run(from);
      if (of_oracle_.left_memory) return leave_memory();
      of_native_ = native_->run(from);
    }
    ++result_.compared;
    return !(of_native_ == of_oracle_) || !std::ranges::equal(native_->data(), oracle_->data());
  }

  bool leave_memory() {
    ++result_.left_memory;
    copy(before_, native_->data());
    copy(before_, oracle_->data());
    return false;
  }

  bool differs_anew(const Program& program, const Registers& from) {
    copy(before_, native_->data());
    copy(before_, oracle_->data());
    place(program);
    return differs(from);
  }

  // Removes instructions as long as the rest still differs, then reports the difference.
  std::string shrink(Program program, const Registers& from) {
    for (std::uint32_t& word : program.words) {
      const std::uint32_t kept = std::exchange(word, nop);
      if (!differs_anew(program, from)) word = kept;
    }
    const Program padded = program;
    std::erase(program.words, nop);
    if (program.words.empty() || !differs_anew(program, from)) program = padded;
    differs_anew(program, from);
    return report(program, from);
  }

  std::string report(const Program& program, const Registers& from) {
    std::string text =
        fmt::format("class {}, seed {}, program {}:\n", options_.of_class, options_.seed, result_.programs);
    for (std::size_t i = 0; i < program.words.size(); ++i)
      text += fmt::format("  {:#x}: {:08x}  {}\n", program_base + 4 * i, program.words[i],
                          describe(program.words[i], decoding_));
    text += difference(of_native_, of_oracle_);
    const auto native = native_->data(), oracle = oracle_->data();
    unsigned printed = 0;
    for (std::size_t at = 0; at < data_size && printed < 16; ++at)
      if (native[at] != oracle[at])
        text +=
            fmt::format("  memory {:#x}: {:02x}, oracle {:02x}\n", data_base + at, native[at], oracle[at]),
            ++printed;
    return text + "from\n" + all_of(from);
  }

  static std::string all_of(const Registers& registers) {
    std::string text;
    for (unsigned i = 0; i < 31; ++i)
      text += fmt::format("  x{:<2} {:016x}{}", i, registers.x[i], i % 4 == 3 ? "\n" : "");
    text += fmt::format("  sp {:x} nzcv {:04b} fpcr {:08x} fpsr {:08x}\n", registers.sp, registers.nzcv,
                        registers.fpcr, registers.fpsr);
    for (unsigned i = 0; i < 32; ++i)
      text += fmt::format("  v{:<2} {:016x}_{:016x}{}", i, registers.v[i].d[1], registers.v[i].d[0],
                          i % 2 == 1 ? "\n" : "");
    return text;
  }

  StreamOptions options_;
  Options decoding_;
  Generator generator_;
  std::unique_ptr<Machine> native_, oracle_;
  std::vector<std::uint8_t> before_;
  Outcome of_native_, of_oracle_;
  StreamResult result_;
};

std::string exception_text(const std::optional<Exception>& exception, std::uint64_t pc) {
  if (!exception) return fmt::format("none, pc {:#x}", pc);
  return fmt::format("ELR {:#x} ESR {:#x} FAR {}", pc, exception->syndrome,
                     exception->address ? fmt::format("{:#x}", *exception->address) : "-");
}

}  // namespace

std::string difference(const Outcome& native, const Outcome& oracle) {
  std::string text;
  const Registers &a = native.registers, &b = oracle.registers;
  const auto compare = [&](const std::string& name, std::uint64_t left, std::uint64_t right) {
    if (left != right) text += fmt::format("  {}: {:#x}, oracle {:#x}\n", name, left, right);
  };
  for (unsigned i = 0; i < a.x.size(); ++i) compare(fmt::format("x{}", i), a.x[i], b.x[i]);
  compare("sp", a.sp, b.sp);
  for (unsigned i = 0; i < a.v.size(); ++i)
    if (!(a.v[i] == b.v[i]))
      text += fmt::format("  v{}: {:016x}_{:016x}, oracle {:016x}_{:016x}\n", i, a.v[i].d[1], a.v[i].d[0],
                          b.v[i].d[1], b.v[i].d[0]);
  compare("nzcv", a.nzcv, b.nzcv);
  compare("fpcr", a.fpcr, b.fpcr);
  compare("fpsr", a.fpsr, b.fpsr);
  if (native.exception != oracle.exception || a.pc != b.pc)
    text += "  exception: " + exception_text(native.exception, a.pc) + "; oracle " +
            exception_text(oracle.exception, b.pc) + "\n";
  return text;
}

// Store-exclusives of the simulator fail at random.
const std::vector<std::string>& vixl_classes() {
  static const std::vector<std::string> classes{"branches", "immediate",           "register",
                                                "dense",    "load_store",          "floating_point",
                                                "simd",     "simd_floating_point", "simd_load_store"};
  return classes;
}

#ifndef ASTERISM_VIXL
bool has_vixl() { return false; }
std::unique_ptr<Machine> make_vixl_machine() { throw std::logic_error("VIXL is not installed"); }
#else
bool has_vixl() { return true; }
#endif

StreamResult run_stream(const StreamOptions& options) { return Stream(options).run(); }

std::vector<std::string> stream_rows(const std::string& of_class) {
  const Generator generator(of_class, "", decoding_of({.of_class = of_class, .row = {}}), 1);
  std::vector<std::string> names;
  for (const Row* row : generator.rows()) names.emplace_back(row->name);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace asterism::a64::oracle
