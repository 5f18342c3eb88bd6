// Memory-mapped registers: 32 bits wide, made of named fields.
//
//   struct RtcRegisters : RegisterBank {
//     Register data {*this, 0x000, "DR", Access::read_only, varies, "Seconds since the epoch"};
//     Register match{*this, 0x004, "MR", Access::read_write, 0, "DR value that raises the interrupt"};
//     RtcRegisters() : RegisterBank("RTC", 4_KiB, "Real-time clock") {}
//   };
//   registers.data.computed([this] { return engine.seconds(); });
//   registers.match.on_write([this](std::uint32_t value) { engine.set_match(value); });
//
// A register whose fields are read or composed by code declares them as members, each with the type of its
// value:
//
//   struct Status : Register {
//     using Register::Register;
//     FieldOf<bool> busy{*this, {"busy", 0, 1, "A command is in progress"}};
//     FieldOf<Error> error{*this, {"error", 8, 8, "How the last command ended", {{"none", 0}, ...}}};
//   } status{*this, 0x008, "STATUS", Access::read_only, 0, "State of the command"};
//
//   r.status.computed([&] {
//     return r.status.busy.bits(engine.busy()) | r.status.error.bits(engine.error());
//   });
//   const bool was_busy = r.status.busy.get(value);
//
// A stored register keeps its own value. A computed register gets its value from its owner, so that a count
// which an engine owns exists only once. A `read` may have side effects (clear a flag, pop a FIFO); a `peek`
// never has, and debug accesses only peek. Mistakes of a guest (writing a read-only register, setting a
// reserved or not modelled field, accessing an offset without a register) are ignored and logged by name:
// such an access reads zero and never ends the simulation.
//
// The same list generates what developers look registers up in: the firmware's C header
// (platform/registers/firmware_header.h), CMSIS-SVD for debuggers (platform/registers/svd.h) and
// docs/registers.md. The meaning of a register is defined nowhere else.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/reset.h"
#include "base/units.h"

namespace asterism {

class RegisterBank;

enum class Access { read_write, read_only, write_only, write_one_to_clear, write_one_to_set };

// The content of a register after a cold reset.
struct ResetValue {
  std::uint32_t value = 0;
  bool is_fixed = true;

  // A plain number is a fixed value, for short register lists.
  constexpr ResetValue(std::uint32_t fixed) : value(fixed) {}
  constexpr ResetValue(std::uint32_t first, bool fixed) : value(first), is_fixed(fixed) {}
};
// The value depends on the node's configuration, on state that survives a reset, or on the master that reads
// it.
inline constexpr ResetValue varies{0, false};

// A value of a field that has a name for software.
struct FieldValue {
  std::string name;
  std::uint32_t value = 0;
  std::string meaning = {};  // "" if the name is sufficient
};

// Bits [low, low + width) of a register.
struct Field {
  // Setting a bit of a reserved or not modelled field is logged by name
  enum class Kind { plain, reserved, not_modelled };

  std::string name;
  unsigned low = 0;
  unsigned width = 1;
  std::string meaning = {};
  std::vector<FieldValue> values = {};
  Kind kind = Kind::plain;

  constexpr std::uint32_t mask() const { return (width >= 32 ? ~0u : (1u << width) - 1) << low; }
  constexpr std::uint32_t get(std::uint32_t value) const { return (value & mask()) >> low; }
};

// The initiator of an access, for banked registers.
struct Accessor {
  unsigned master;
};
// Whose view of banked registers documentation and tests show.
inline constexpr Accessor first_core{0};

class Register {
 public:
  Register(RegisterBank& bank, std::uint32_t offset, std::string name, Access access, ResetValue reset_value,
           std::string meaning, std::vector<Field> fields = {}, unsigned count = 1, std::uint32_t stride = 4);
  Register(const Register&) = delete;
  Register& operator=(const Register&) = delete;

  // The value is computed by the owner instead of being stored. `index` is the element of an array register.
  Register& computed(std::function<std::uint32_t(unsigned index, Accessor)> peek);
  Register& computed(std::function<std::uint32_t()> peek);
  // Documents that a read has side effects: a debugger should not read the register on its own.
  Register& acts_when_read();
  // Software may access it by bytes, or together with the next one. Any other register is meant for accesses
  // of 32 bits; other ones work, but a core's are reported (node.checks.register_width).
  Register& any_width();
  // The callback runs after the returned value has been determined. The list has to declare acts_when_read().
  Register& on_read(std::function<void(unsigned index, Accessor)> act);
  Register& on_read(std::function<void()> act);
  // The callback runs after a stored value has changed and gets the register's new value. Bytes that the
  // guest did not write have the value that it would have read (zero in a write-only register). For
  // write_one_to_clear and write_one_to_set it gets the ones that were written.
  Register& on_write(std::function<void(unsigned index, std::uint32_t value, Accessor)> act);
  Register& on_write(std::function<void(std::uint32_t value)> act);

  std::uint32_t peek(unsigned index, Accessor who) const;
  std::uint32_t read(unsigned index, Accessor who);
  // Writes the bytes whose bits are set in `lanes`.
  void write(std::uint32_t value, std::uint32_t lanes, unsigned index, Accessor who);

  // Access by the owner: without access rules or callbacks.
  std::uint32_t value(unsigned index = 0) const { return values_[index]; }
  void set(std::uint32_t value, unsigned index = 0) { values_[index] = value; }
  void reset();

  // Whether an access depends on simulated time or affects anything but the stored value.
  bool has_side_effects() const { return peek_ || on_read_ || on_write_; }

  const std::string& name() const { return name_; }
  const std::string& meaning() const { return meaning_; }
  const std::vector<Field>& fields() const { return fields_; }
  void add(Field field) { fields_.push_back(std::move(field)); }
  std::uint32_t offset() const { return offset_; }
  std::uint32_t stride() const { return stride_; }
  unsigned count() const { return static_cast<unsigned>(values_.size()); }
  Access access() const { return access_; }
  std::uint32_t reset_value() const { return reset_value_.value; }
  bool has_fixed_reset_value() const { return reset_value_.is_fixed; }
  bool is_acting_when_read() const { return acts_when_read_; }
  bool takes_any_width() const { return any_width_; }
  const RegisterBank& bank() const { return bank_; }

 private:
  void warn_about_unusable_bits(std::uint32_t written) const;

  RegisterBank& bank_;
  std::uint32_t offset_, stride_;
  std::string name_;
  Access access_;
  ResetValue reset_value_;
  bool acts_when_read_ = false, any_width_ = false;
  std::string meaning_;
  std::vector<Field> fields_;
  std::vector<std::uint32_t> values_;
  std::function<std::uint32_t(unsigned, Accessor)> peek_;
  std::function<void(unsigned, Accessor)> on_read_;
  std::function<void(unsigned, std::uint32_t, Accessor)> on_write_;
};

// A field of a register, with the type of its value: bool, an unsigned number or an enumeration.
template <class T>
class FieldOf {
 public:
  FieldOf(Register& owner, Field field)
      : low_(field.low), mask_(field.mask()), owner_(owner), index_(owner.fields().size()) {
    owner.add(std::move(field));
  }

  // The field's value in the value of the register.
  T get(std::uint32_t value) const { return static_cast<T>((value & mask_) >> low_); }
  // The bits of a register whose field has this value, and whose other fields are 0. Bits beyond the field
  // are dropped.
  std::uint32_t bits(T value) const { return static_cast<std::uint32_t>(value) << low_ & mask_; }
  std::uint32_t mask() const { return mask_; }
  // The name that the field's value has for software, "" if it has none.
  std::string name_in(std::uint32_t value) const {
    const Field& field = owner_.fields()[index_];
    for (const FieldValue& named : field.values)
      if (named.value == field.get(value)) return named.name;
    return "";
  }

 private:
  unsigned low_;
  std::uint32_t mask_;
  const Register& owner_;
  std::size_t index_;
};

// The registers of one device. Derive a struct whose members are the registers.
class RegisterBank {
 public:
  // `device` is the name in the firmware's header and in log lines, `size` is the extent in the address map,
  // and `meaning` describes the device in a sentence or two.
  RegisterBank(std::string device, Bytes size, std::string meaning = {})
      : device_(std::move(device)), size_(size), meaning_(std::move(meaning)) {}
  RegisterBank(const RegisterBank&) = delete;
  RegisterBank& operator=(const RegisterBank&) = delete;

  struct Place {
    Register* reg = nullptr;
    unsigned index = 0;
  };
  // The register at a word-aligned offset; reg is nullptr if there is none.
  Place find(std::uint64_t offset) const;

  // Word accesses by the guest; `offset` is word aligned.
  std::uint32_t read(std::uint64_t offset, Accessor who);
  std::uint32_t peek(std::uint64_t offset, Accessor who) const;
  // Writes the bytes whose bits are set in `lanes`.
  void write(std::uint64_t offset, std::uint32_t value, std::uint32_t lanes, Accessor who);
  // Sets every stored register to its reset value.
  void reset();

  const std::string& device() const { return device_; }
  Bytes size() const { return size_; }
  const std::string& meaning() const { return meaning_; }
  // Register::any_width() of all that have been added.
  void any_width();
  // In order of offset; an array register is listed once.
  std::vector<const Register*> registers() const;

  // Receives log lines about mistakes of the guest; the module sets its own logger.
  std::function<void(const std::string&)> warn = [](const std::string&) {};

 private:
  friend class Register;
  void add(Register& reg);

  std::string device_;
  Bytes size_;
  std::string meaning_;
  std::vector<Place> by_word_;  // at offset / 4, up to the last register
};

}  // namespace asterism
