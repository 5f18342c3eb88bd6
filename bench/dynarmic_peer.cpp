#include "dynarmic_peer.h"

#ifdef ASTERISM_DYNARMIC

#include <dynarmic/interface/A64/a64.h>
#include <dynarmic/interface/A64/config.h>
#include <dynarmic/interface/exclusive_monitor.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "figures.h"

namespace asterism {
namespace {

// Counts instructions, and tracks no writes. Its memory is at an offset in the host's, without a translation.
class Peer final : public DynarmicPeer, private Dynarmic::A64::UserCallbacks {
 public:
  explicit Peer(const Program& program) {
    const std::vector<std::uint32_t> words = with_prologue(program);
    std::memcpy(space_ + memory_base, words.data(), words.size() * 4);
    jit_.SetPC(memory_base);
    run(100'000);
  }
  ~Peer() override { munmap(space_, space_size); }

  double mips(std::uint64_t instructions) override {
    const std::uint64_t before = executed_;
    const double elapsed = seconds_of([&] { run(instructions); });
    if (failed_) return 0;
    return static_cast<double>(executed_ - before) / elapsed / 1e6;
  }

 private:
  static constexpr std::size_t space_bits = 32, space_size = std::size_t{1} << space_bits;

  static std::uint8_t* make_space() {
    void* const space =
        mmap(nullptr, space_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED) throw std::runtime_error("there is no address space");
    auto* const bytes = static_cast<std::uint8_t*>(space);
    mprotect(bytes + memory_base, memory_size, PROT_READ | PROT_WRITE);
    return bytes;
  }
  Dynarmic::A64::UserConfig config() {
    Dynarmic::A64::UserConfig config;
    config.callbacks = this;
    config.global_monitor = &monitor_;
    config.fastmem_pointer = space_;
    config.fastmem_address_space_bits = space_bits;
    return config;
  }
  void run(std::uint64_t instructions) {
    left_ = failed_ ? 0 : instructions;
    while (left_ > 0) jit_.Run();
  }

  template <class T>
  T read(std::uint64_t address) const {
    T value;
    std::memcpy(&value, space_ + address, sizeof value);
    return value;
  }
  template <class T>
  void write(std::uint64_t address, T value) {
    std::memcpy(space_ + address, &value, sizeof value);
  }
  std::uint8_t MemoryRead8(std::uint64_t at) override { return read<std::uint8_t>(at); }
  std::uint16_t MemoryRead16(std::uint64_t at) override { return read<std::uint16_t>(at); }
  std::uint32_t MemoryRead32(std::uint64_t at) override { return read<std::uint32_t>(at); }
  std::uint64_t MemoryRead64(std::uint64_t at) override { return read<std::uint64_t>(at); }
  Dynarmic::A64::Vector MemoryRead128(std::uint64_t at) override { return read<Dynarmic::A64::Vector>(at); }
  void MemoryWrite8(std::uint64_t at, std::uint8_t value) override { write(at, value); }
  void MemoryWrite16(std::uint64_t at, std::uint16_t value) override { write(at, value); }
  void MemoryWrite32(std::uint64_t at, std::uint32_t value) override { write(at, value); }
  void MemoryWrite64(std::uint64_t at, std::uint64_t value) override { write(at, value); }
  void MemoryWrite128(std::uint64_t at, Dynarmic::A64::Vector value) override { write(at, value); }
  // It does not execute this program. No C++ exception passes its code.
  void fail() {
    failed_ = true;
    left_ = 0;
    jit_.HaltExecution();
  }
  void InterpreterFallback(std::uint64_t, std::size_t) override { fail(); }
  void CallSVC(std::uint32_t) override { fail(); }
  void ExceptionRaised(std::uint64_t, Dynarmic::A64::Exception) override { fail(); }
  void AddTicks(std::uint64_t ticks) override {
    executed_ += ticks;
    left_ -= std::min(left_, ticks);
  }
  std::uint64_t GetTicksRemaining() override { return left_; }
  std::uint64_t GetCNTPCT() override { return executed_; }

  std::uint8_t* const space_ = make_space();
  std::uint64_t executed_ = 0, left_ = 0;
  bool failed_ = false;
  Dynarmic::ExclusiveMonitor monitor_{1};
  Dynarmic::A64::Jit jit_{config()};
};

}  // namespace

std::unique_ptr<DynarmicPeer> make_dynarmic(const Program& program) {
  return std::make_unique<Peer>(program);
}

}  // namespace asterism

#else

namespace asterism {

std::unique_ptr<DynarmicPeer> make_dynarmic(const Program&) { return nullptr; }

}  // namespace asterism

#endif
