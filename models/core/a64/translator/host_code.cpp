#include "core/a64/translator/host_code.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace asterism::a64 {
namespace {

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}
std::size_t page_of(std::size_t at) { return at / page_size() * page_size(); }

}  // namespace

HostCode::HostCode(std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  memory_ = static_cast<std::uint8_t*>(memory);
  size_ = bytes;
}

HostCode::~HostCode() {
  if (memory_) munmap(memory_, size_);
}

// A change of the protection takes longer than the code of a region, so that there is one for several.
std::uint8_t* HostCode::begin(std::size_t least) {
  constexpr std::size_t usual = 256 << 10;
  if (least > size_ - used_) return nullptr;
  if (used_ + least > writable_to_) {
    if (!finish()) return nullptr;
    writable_from_ = page_of(used_);
    writable_to_ = page_of(std::min(size_, used_ + std::max(least, usual)));
    if (used_ + least > writable_to_) writable_to_ = size_;
    if (mprotect(memory_ + writable_from_, writable_to_ - writable_from_, PROT_READ | PROT_WRITE) != 0)
      return nullptr;
  }
  return memory_ + used_;
}

bool HostCode::finish() {
  const std::size_t first = std::exchange(writable_from_, 0), end = std::exchange(writable_to_, 0);
  return first == end || mprotect(memory_ + first, end - first, PROT_READ | PROT_EXEC) == 0;
}

}  // namespace asterism::a64

#if defined(__x86_64__)
// Saves the registers that a function has to keep. C++ exceptions of the host pass this frame.
asm(R"(
  .text
  .globl asterism_a64_call
  .type asterism_a64_call, @function
asterism_a64_call:
  .cfi_startproc
  push %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  push %rbx
  .cfi_def_cfa_offset 24
  .cfi_offset %rbx, -24
  push %r12
  .cfi_def_cfa_offset 32
  .cfi_offset %r12, -32
  push %r13
  .cfi_def_cfa_offset 40
  .cfi_offset %r13, -40
  push %r14
  .cfi_def_cfa_offset 48
  .cfi_offset %r14, -48
  push %r15
  .cfi_def_cfa_offset 56
  .cfi_offset %r15, -56
  sub $8, %rsp
  .cfi_def_cfa_offset 64
  call *%rdx
  add $8, %rsp
  .cfi_def_cfa_offset 56
  pop %r15
  .cfi_def_cfa_offset 48
  pop %r14
  .cfi_def_cfa_offset 40
  pop %r13
  .cfi_def_cfa_offset 32
  pop %r12
  .cfi_def_cfa_offset 24
  pop %rbx
  .cfi_def_cfa_offset 16
  pop %rbp
  .cfi_def_cfa_offset 8
  ret
  .cfi_endproc
  .size asterism_a64_call, . - asterism_a64_call
)");
#else
extern "C" const asterism::a64::Operation* asterism_a64_call(asterism::a64::Cpu& cpu,
                                                             const asterism::a64::Operation* op,
                                                             asterism::a64::Handler run) {
  return run(cpu, op);
}
#endif
