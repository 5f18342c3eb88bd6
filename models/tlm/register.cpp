#include "tlm/register.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace asterism {

Register::Register(RegisterBank& bank, std::uint32_t offset, std::string name, Access access,
                   ResetValue reset_value, std::string meaning, std::vector<Field> fields, unsigned count,
                   std::uint32_t stride)
    : bank_(bank),
      offset_(offset),
      stride_(stride),
      name_(std::move(name)),
      access_(access),
      reset_value_(reset_value),
      meaning_(std::move(meaning)),
      fields_(std::move(fields)),
      values_(count, reset_value.value) {
  bank_.add(*this);
}

Register& Register::computed(std::function<std::uint32_t(unsigned, Accessor)> peek) {
  peek_ = std::move(peek);
  return *this;
}
Register& Register::computed(std::function<std::uint32_t()> peek) {
  return computed([peek = std::move(peek)](unsigned, Accessor) { return peek(); });
}
Register& Register::acts_when_read() {
  acts_when_read_ = true;
  return *this;
}
Register& Register::any_width() {
  any_width_ = true;
  return *this;
}
Register& Register::on_read(std::function<void(unsigned, Accessor)> act) {
  if (!acts_when_read_)
    throw std::logic_error(
        fmt::format("{}: the list does not say that reading {} acts", bank_.device(), name_));
  on_read_ = std::move(act);
  return *this;
}
Register& Register::on_read(std::function<void()> act) {
  return on_read([act = std::move(act)](unsigned, Accessor) { act(); });
}
Register& Register::on_write(std::function<void(unsigned, std::uint32_t, Accessor)> act) {
  on_write_ = std::move(act);
  return *this;
}
Register& Register::on_write(std::function<void(std::uint32_t)> act) {
  return on_write([act = std::move(act)](unsigned, std::uint32_t value, Accessor) { act(value); });
}

std::uint32_t Register::peek(unsigned index, Accessor who) const {
  if (access_ == Access::write_only) return 0;
  return peek_ ? peek_(index, who) : values_[index];
}

std::uint32_t Register::read(unsigned index, Accessor who) {
  if (access_ == Access::write_only) bank_.warn(fmt::format("guest read the write-only register {}", name_));
  const std::uint32_t value = peek(index, who);
  if (on_read_) on_read_(index, who);
  return value;
}

void Register::write(std::uint32_t value, std::uint32_t lanes, unsigned index, Accessor who) {
  if (access_ == Access::read_only) {
    bank_.warn(fmt::format("guest wrote the read-only register {} (offset {:#x}, value {:#x}): ignored",
                           name_, offset_ + index * stride_, value));
    return;
  }
  value &= lanes;
  warn_about_unusable_bits(value);
  if (access_ == Access::write_one_to_clear) {
    values_[index] &= ~value;
  } else if (access_ == Access::write_one_to_set) {
    values_[index] |= value;
  } else {
    value |= peek(index, who) & ~lanes;
    values_[index] = value;
  }
  if (on_write_) on_write_(index, value, who);
}

void Register::reset() { std::fill(values_.begin(), values_.end(), reset_value_.value); }

void Register::warn_about_unusable_bits(std::uint32_t written) const {
  for (const Field& field : fields_) {
    if (field.kind == Field::Kind::plain || !(written & field.mask())) continue;
    bank_.warn(fmt::format("guest set {}.{} to {:#x}, which is {}", name_, field.name, field.get(written),
                           field.kind == Field::Kind::reserved ? "reserved" : "not modelled"));
  }
}

void RegisterBank::add(Register& reg) {
  for (unsigned i = 0; i < reg.count(); ++i) {
    const std::uint32_t offset = reg.offset() + i * reg.stride();
    if (offset % 4 != 0)
      throw std::logic_error(fmt::format("{}: register {} is at {:#x}, which is no multiple of its 4 bytes",
                                         device_, reg.name(), offset));
    if (Bytes(offset + 4) > size_)
      throw std::logic_error(fmt::format("{}: register {} lies outside the device", device_, reg.name()));
    if (by_word_.size() <= offset / 4) by_word_.resize(offset / 4 + 1);
    if (const Register* const other = by_word_[offset / 4].reg)
      throw std::logic_error(
          fmt::format("{}: register {} overlaps {} at {:#x}", device_, reg.name(), other->name(), offset));
    by_word_[offset / 4] = {&reg, i};
  }
}

RegisterBank::Place RegisterBank::find(std::uint64_t offset) const {
  return offset / 4 < by_word_.size() ? by_word_[offset / 4] : Place{};
}

std::uint32_t RegisterBank::read(std::uint64_t offset, Accessor who) {
  if (const Place place = find(offset); place.reg) return place.reg->read(place.index, who);
  warn(fmt::format("guest read offset {:#x}, where there is no register: zero", offset));
  return 0;
}

std::uint32_t RegisterBank::peek(std::uint64_t offset, Accessor who) const {
  const Place place = find(offset);
  return place.reg ? place.reg->peek(place.index, who) : 0;
}

void RegisterBank::write(std::uint64_t offset, std::uint32_t value, std::uint32_t lanes, Accessor who) {
  if (const Place place = find(offset); place.reg) return place.reg->write(value, lanes, place.index, who);
  warn(fmt::format("guest wrote {:#x} to offset {:#x}, where there is no register: ignored", value, offset));
}

void RegisterBank::reset() {
  for (const Place& place : by_word_)
    if (place.reg && place.index == 0) place.reg->reset();
}

void RegisterBank::any_width() {
  for (const Place& place : by_word_)
    if (place.reg) place.reg->any_width();
}

std::vector<const Register*> RegisterBank::registers() const {
  std::vector<const Register*> list;
  for (const Place& place : by_word_)
    if (place.reg && place.index == 0) list.push_back(place.reg);
  return list;
}

}  // namespace asterism
