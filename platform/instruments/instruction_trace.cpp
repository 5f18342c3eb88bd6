#include "platform/instruments/instruction_trace.h"

#include <capstone/capstone.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/a64/decoder.h"

namespace asterism {
namespace {

// A register, by capstone's name: "x3", "w3", "fp", "sp", "q0", "d0".
struct Operand {
  enum class Kind { general, stack_pointer, vector, flags } kind;
  unsigned index = 0;
  bool operator==(const Operand&) const = default;
};

// nullopt: the zero register, or one that the trace does not show.
std::optional<Operand> register_named(std::string_view name) {
  using enum Operand::Kind;
  if (name == "sp" || name == "wsp") return Operand{stack_pointer};
  if (name == "nzcv") return Operand{flags};
  if (name == "fp") return Operand{general, 29};
  if (name == "lr") return Operand{general, 30};
  if (name.size() < 2) return std::nullopt;
  unsigned index = 0;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), index);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  if (name[0] == 'x' || name[0] == 'w') return Operand{general, index};
  return Operand{vector, index};
}

std::string value_of(Operand which, const TracedInstruction& at) {
  switch (which.kind) {
    case Operand::Kind::general:
      return fmt::format("x{}={:#x}", which.index, at.x[which.index]);
    case Operand::Kind::stack_pointer:
      return fmt::format("sp={:#x}", at.sp);
    case Operand::Kind::vector:
      return fmt::format("v{}={:#x}{}", which.index,
                         at.v[which.index].high ? at.v[which.index].high : at.v[which.index].low,
                         at.v[which.index].high ? fmt::format("'{:016x}", at.v[which.index].low) : "");
    case Operand::Kind::flags:
      return fmt::format("nzcv={:04b}", at.nzcv);
  }
  return "";
}

void add(std::vector<Operand>& list, Operand which) {
  if (std::ranges::find(list, which) == list.end()) list.push_back(which);
}

// Also finds what capstone does not know to be written.
void add_changed(std::vector<Operand>& written, const TracedInstruction& before,
                 const TracedInstruction& after) {
  using enum Operand::Kind;
  for (unsigned i = 0; i < before.x.size(); ++i)
    if (before.x[i] != after.x[i]) add(written, {general, i});
  if (before.sp != after.sp) add(written, {stack_pointer});
  for (unsigned i = 0; i < before.v.size(); ++i)
    if (before.v[i] != after.v[i]) add(written, {vector, i});
  if (before.nzcv != after.nzcv) add(written, {flags});
}

std::uint64_t extended(std::uint64_t value, arm64_extender how) {
  switch (how) {
    case ARM64_EXT_UXTW:
      return static_cast<std::uint32_t>(value);
    case ARM64_EXT_SXTW:
      return static_cast<std::uint64_t>(static_cast<std::int32_t>(value));
    default:
      return value;
  }
}

// The address of a load or store, with the registers before it.
std::uint64_t address_of(csh capstone, const cs_arm64_op& operand, const TracedInstruction& at) {
  const auto value = [&](arm64_reg reg) -> std::uint64_t {
    const char* name = reg == ARM64_REG_INVALID ? nullptr : cs_reg_name(capstone, reg);
    const auto which = name ? register_named(name) : std::nullopt;
    if (!which) return 0;
    return which->kind == Operand::Kind::stack_pointer ? at.sp : at.x[which->index % at.x.size()];
  };
  const unsigned shift = operand.shift.type == ARM64_SFT_LSL ? operand.shift.value : 0;
  return value(operand.mem.base) + (extended(value(operand.mem.index), operand.ext) << shift) +
         static_cast<std::uint64_t>(static_cast<std::int64_t>(operand.mem.disp));
}

struct FreeInstruction {
  void operator()(cs_insn* instruction) const { cs_free(instruction, 1); }
};
using Disassembled = std::unique_ptr<cs_insn, FreeInstruction>;

Disassembled disassembled(csh capstone, std::uint64_t pc, std::uint32_t word) {
  cs_insn* found = nullptr;
  const auto* code = reinterpret_cast<const std::uint8_t*>(&word);
  if (capstone) cs_disasm(capstone, code, sizeof word, pc, 1, &found);
  return Disassembled(found);
}

std::string text_of(const Disassembled& instruction, std::uint32_t word) {
  if (instruction) return fmt::format("{} {}", instruction->mnemonic, instruction->op_str);
  const a64::Row* const row = a64::find_row(word, {});
  return row ? row->name : "UNDEFINED";
}

}  // namespace

TracedInstruction::TracedInstruction(CoreModule& core, std::uint64_t pc, std::uint32_t word,
                                     std::uint64_t instructions)
    : instructions(instructions), pc(pc), word(word) {
  Iss& iss = core.iss();
  for (unsigned i = 0; i < x.size(); ++i) x[i] = iss.read(static_cast<CoreRegister>(i));
  sp = iss.read(CoreRegister::sp);
  nzcv = static_cast<unsigned>(iss.read(CoreRegister::pstate) >> 28 & 0xf);
  for (unsigned i = 0; i < v.size(); ++i) v[i] = iss.debug_port().read_vector(i);
}

Disassembler::Disassembler() {
  if (cs_open(CS_ARCH_ARM64, CS_MODE_ARM, &capstone_) != CS_ERR_OK) capstone_ = 0;
  if (capstone_) cs_option(capstone_, CS_OPT_DETAIL, CS_OPT_ON);
}

Disassembler::~Disassembler() {
  if (capstone_) cs_close(&capstone_);
}

std::string Disassembler::text(std::uint64_t pc, std::uint32_t word) const {
  const Disassembled instruction = disassembled(capstone_, pc, word);
  return text_of(instruction, word);
}

std::string InstructionText::line(const TracedInstruction& at, const TracedInstruction& after) const {
  const Disassembled instruction = disassembled(capstone_, at.pc, at.word);
  std::string text = fmt::format("{:>10} {:#010x} {:08x} {:<28} {:<34}", at.instructions, at.pc, at.word,
                                 symbols_.place_of(at.pc), text_of(instruction, at.word));
  std::vector<Operand> read, written;
  std::string address;
  if (instruction) {
    cs_regs read_by{}, written_by{};
    std::uint8_t reads = 0, writes = 0;
    cs_regs_access(capstone_, instruction.get(), read_by, &reads, written_by, &writes);
    const auto add_all = [this](std::vector<Operand>& list, const cs_regs& regs, std::uint8_t size) {
      for (unsigned i = 0; i < size; ++i)
        if (const auto which = register_named(cs_reg_name(capstone_, regs[i]))) add(list, *which);
    };
    add_all(read, read_by, reads), add_all(written, written_by, writes);
    // Capstone 4 is wrong about the first operand of these.
    const std::string_view mnemonic = instruction->mnemonic;
    if (mnemonic == "cmp" || mnemonic == "cmn" || mnemonic == "tst") {
      for (const Operand& each : std::exchange(written, {}))
        if (each.kind != Operand::Kind::flags) add(read, each);
      add(written, {Operand::Kind::flags});
    }
    if (mnemonic == "movz" || mnemonic == "movn") read.clear();
    const cs_arm64& detail = instruction->detail->arm64;
    for (unsigned i = 0; i < detail.op_count; ++i)
      if (detail.operands[i].type == ARM64_OP_MEM)
        address = fmt::format(" [{:#x}]", address_of(capstone_, detail.operands[i], at));
  }
  add_changed(written, at, after);
  for (const Operand& each : read) text += " " + value_of(each, at);
  text += address;
  if (!written.empty()) text += " ->";
  for (const Operand& each : written) text += " " + value_of(each, after);
  return text.erase(text.find_last_not_of(' ') + 1);
}

}  // namespace asterism
