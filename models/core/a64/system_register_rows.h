// Functions that make the rows of the table of system registers.
#pragma once

#include <cstdint>

#include "core/a64/cpu.h"
#include "core/a64/system_register_table.h"

namespace asterism::a64::rows {

inline Permission anyone(const Cpu&, bool) { return Permission::allowed; }
inline Permission reader(const Cpu&, bool is_write) {
  return is_write ? Permission::undefined : Permission::allowed;
}
inline Written write_nothing(Cpu&, std::uint64_t) { return Written::done; }

consteval SystemRegisterRow constant(SystemRegister which, const char* name, std::uint64_t value,
                                     SystemRegisterRow::AtEl0 at_el0 = nullptr) {
  return {.which = which, .name = name, .at_el0 = at_el0, .constant = value};
}
// Reads as zero, writes are ignored.
consteval SystemRegisterRow ignored(SystemRegister which, const char* name,
                                    SystemRegisterRow::AtEl0 at_el0 = nullptr) {
  return {.which = which, .name = name, .writable = true, .at_el0 = at_el0, .write = write_nothing};
}
consteval SystemRegisterRow computed(SystemRegister which, const char* name, SystemRegisterRow::Read read,
                                     SystemRegisterRow::Write write = nullptr,
                                     SystemRegisterRow::AtEl0 at_el0 = nullptr) {
  return {.which = which,
          .name = name,
          .writable = write != nullptr,
          .at_el0 = at_el0,
          .read = read,
          .write = write};
}
consteval SystemRegisterRow stored(SystemRegister which, const char* name, SystemRegisterRow::State state,
                                   SystemRegisterRow::AtEl0 at_el0 = nullptr,
                                   SystemRegisterRow::Write write = nullptr) {
  return {.which = which, .name = name, .writable = true, .at_el0 = at_el0, .state = state, .write = write};
}
consteval SystemRegisterRow owned_by_host(SystemRegister which, const char* name,
                                          SystemRegisterRow::AtEl0 at_el0, bool is_writable = true) {
  return {.which = which, .name = name, .writable = is_writable, .at_el0 = at_el0, .belongs_to_host = true};
}
consteval SystemRegisterRow of_gic(SystemRegister which, const char* name, bool readable, bool writable) {
  return {.which = which,
          .name = name,
          .readable = readable,
          .writable = writable,
          .belongs_to_host = true,
          .of_gic = true};
}
consteval SystemRegisterRow only_written(SystemRegister which, const char* name,
                                         SystemRegisterRow::Write write) {
  return {.which = which, .name = name, .readable = false, .writable = true, .write = write};
}

}  // namespace asterism::a64::rows
