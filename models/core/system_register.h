// A64 system registers, named by their encoding as in MRS and MSR (Arm ARM DDI 0487, D17).
#pragma once

#include <compare>
#include <cstdint>

namespace asterism {

struct SystemRegister {
  std::uint8_t op0, op1, crn, crm, op2;
  constexpr auto operator<=>(const SystemRegister&) const = default;
  // 16 bits, in the order of the instruction: for a switch.
  constexpr std::uint16_t code() const {
    return static_cast<std::uint16_t>(op0 << 14 | op1 << 11 | crn << 7 | crm << 3 | op2);
  }
};

namespace system_register {
inline constexpr SystemRegister mpidr_el1{3, 0, 0, 0, 5};
inline constexpr SystemRegister sctlr_el1{3, 0, 1, 0, 0};
inline constexpr SystemRegister spsr_el1{3, 0, 4, 0, 0};
inline constexpr SystemRegister scr_el3{3, 6, 1, 1, 0};
inline constexpr SystemRegister hcr_el2{3, 4, 1, 1, 0};
inline constexpr SystemRegister cntfrq_el0{3, 3, 14, 0, 0};
inline constexpr SystemRegister cntpct_el0{3, 3, 14, 0, 1};
inline constexpr SystemRegister cntvct_el0{3, 3, 14, 0, 2};
inline constexpr SystemRegister cntp_tval_el0{3, 3, 14, 2, 0};
inline constexpr SystemRegister cntp_ctl_el0{3, 3, 14, 2, 1};
inline constexpr SystemRegister cntp_cval_el0{3, 3, 14, 2, 2};
inline constexpr SystemRegister cntv_tval_el0{3, 3, 14, 3, 0};
inline constexpr SystemRegister cntv_ctl_el0{3, 3, 14, 3, 1};
inline constexpr SystemRegister cntv_cval_el0{3, 3, 14, 3, 2};
}  // namespace system_register

}  // namespace asterism
