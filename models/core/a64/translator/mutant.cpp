#include "core/a64/translator/mutant.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "core/a64/translator/emitter.h"

namespace asterism::a64 {
namespace {

class Mutant final : public Emitter {
 public:
  explicit Mutant(std::unique_ptr<Emitter> right) : right_(std::move(right)) {}
  HostRegisters host_registers() const override { return right_->host_registers(); }
  bool emit(Region& region, std::uint8_t* to, std::size_t most) override {
    // X2 is not written back before a handler is executed.
    if (bug == Bug::lost_register) region.written &= ~std::uint64_t{1 << 2};
    if (!right_->emit(region, to, most)) return false;
    for (std::uint8_t* at = to; at + 16 < to + region.bytes; ++at) change(at);
    return true;
  }

 private:
  static void change(std::uint8_t* at) {
    // SETAE byte [rdi + displacement] becomes SETB: the carry of a subtraction.
    const bool sets_carry = at[0] == 0x0f && at[1] == 0x93 && (at[2] & 0x3f) == 0x07;
    if (bug == Bug::inverted_carry && sets_carry) at[1] = 0x92;
    // MOV rax, the epoch; CMP rax, [rcx + 8 bits], the epoch of a link; JNE becomes a check whether the link
    // has ever been set.
    const bool checks_link =
        at[0] == 0x48 && at[1] == 0x3b && at[2] == 0x41 && at[4] == 0x0f && at[5] == 0x85;
    if (bug != Bug::stale_chain || !checks_link) return;
    const std::uint8_t compare[] = {0x48, 0x83, 0x79, at[3], 0};
    std::memset(at - 7, 0x90, 6);
    std::memcpy(at - 1, compare, sizeof compare);
    at[5] = 0x84;
  }
  const std::unique_ptr<Emitter> right_;
};

}  // namespace

std::unique_ptr<Emitter> make_emitter(const CpuLayout& layout, const HandlersOfEmitter& handlers,
                                      bool timed) {
  return std::make_unique<Mutant>(make_host_emitter(layout, handlers, timed));
}

}  // namespace asterism::a64
