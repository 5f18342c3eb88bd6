// A Unicorn instance as an A64 CPU: made and reset, its registers, the syndrome of the exception that it has told of.
#pragma once

#include <unicorn/unicorn.h>

#include <cstddef>
#include <cstdint>

#include "core/system_register.h"

// What Unicorn 2.1 has and 2.0.1, Debian 12's, has not: UC_HOOK_TLB_FILL, uc_ctl_set_tcg_buffer_size, and registers
// written through UC_ARM64_REG_CP_REG that take effect at once.
#define ASTERISM_UNICORN_TLB_FILL (UC_API_MAJOR > 2 || UC_API_MINOR >= 1)

namespace asterism {

// Throws std::runtime_error with Unicorn's words.
void require_ok(uc_err error, const char* what);

class UnicornCpu {
 public:
  // In the state of reset: EL1h, non-secure, below an EL2 and EL3 that do nothing, as firmware finds it on QEMU virt.
  // `model` is one of Unicorn's UC_CPU_ARM64_*.
  UnicornCpu(unsigned core, int model);
  ~UnicornCpu();
  UnicornCpu(const UnicornCpu&) = delete;

  uc_engine* handle() const { return uc_; }

  std::uint64_t get(int reg) const;
  void set(int reg, std::uint64_t value);
  std::uint64_t get(SystemRegister which) const;
  void set(SystemRegister which, std::uint64_t value);

  // All registers take the values of reset. Translations of addresses and code stay.
  void reset();

  struct Exception {
    std::uint64_t syndrome, address;  // as for ESR and FAR
  };
  Exception last_exception();

  // Whether Unicorn notices that PSTATE was set to a higher exception level.
  static constexpr bool can_raise_level = ASTERISM_UNICORN_TLB_FILL;

 private:
  void run_probe(unsigned core);
  void find_syndrome();
  std::uint32_t context_word(std::size_t offset) const;

  uc_engine* uc_ = nullptr;
  uc_context* reset_context_ = nullptr;
  uc_context* scratch_context_ = nullptr;
  std::size_t syndrome_offset_ = 0;  // of env->exception in a context
};

}  // namespace asterism
