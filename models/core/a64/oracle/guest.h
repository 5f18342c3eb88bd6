// A complete guest made of random programs, which runs in an endless loop: loops, branches, exceptions with
// their handlers, masking and unmasking of interrupts, a device, and code that changes itself. Its host runs
// it, is called at any interval, raises interrupts at given counts, and records what it observes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "base/random.h"
#include "core/a64/native_iss.h"
#include "core/a64/oracle/machine.h"

namespace asterism::a64::oracle {

inline constexpr std::uint64_t guest_device = 0x0900'0000;

struct Guest {
  std::vector<std::uint8_t> code, data;
  State state;
};
Guest make_guest(std::uint64_t seed, unsigned level);

// An observation of the host, with the instruction count at which it was made.
struct Seen {
  enum class What : std::uint8_t { load, store, event_wait, instructions_changed, stop } what;
  std::uint64_t count = 0, address = 0, value = 0;
  bool operator==(const Seen&) const = default;
};

// How a guest accesses a page of the data: directly, through the host, or not at all.
enum class Backing : std::uint8_t { direct, by_host, refused };

struct GuestResult {
  State state;
  std::uint64_t instructions = 0;
  std::vector<std::uint8_t> code, data;
  std::vector<Seen> seen;
  bool irq = false;  // the line's level
  std::array<Backing, data_size / 4096> backing{};
  std::vector<std::uint64_t> tables;  // of the translation, at tables_base
  std::uint64_t time = 0;             // Iss::executed_time()
  std::vector<PageLines> stored;      // of the data
  bool operator==(const GuestResult&) const = default;
};

// All features, and a timing.
Options guest_options();

class GuestHost final : private IssHost {
 public:
  // Continues from the state `from`. Interrupts are raised at some counts that follow from the seed.
  GuestHost(const GuestResult& from, std::uint64_t interrupt_seed, const Options& options = guest_options());

  // Runs to a count of instructions, with calls to the host at every multiple of the interval; ends earlier
  // if the core locks up. Calls of the guest (HVC, semihosting) and WFI are recorded, and the run continues.
  GuestResult run(std::uint64_t to, std::uint64_t interval);
  static GuestResult beginning(const Guest& guest) {
    return {guest.state, 0, guest.code, guest.data, {}, false, {}, {}, 0, {}};
  }

 private:
  std::uint64_t count() const { return iss_->instructions() + begun_; }
  void call_next();
  void raise_irq(bool level) { irq_ = level, iss_->set_irq(level); }

  std::uint8_t* by_host(Address address, unsigned size);
  bool load(Address address, unsigned size, std::uint64_t& value) override;
  bool store(Address address, unsigned size, std::uint64_t value) override;
  void touch(Address) override {}
  void on_monitored_accesses(std::span<const MonitoredAccess>) override {}
  std::optional<std::uint64_t> read_register(SystemRegister) override { return {}; }
  bool write_register(SystemRegister, std::uint64_t) override { return false; }
  void due() override;
  void event_wait() override { seen_.push_back({Seen::What::event_wait, count()}); }
  void translation_differs(const TranslationMismatch& mismatch) override {
    throw std::logic_error(mismatch.text());
  }
  void instructions_changed(AddressRange range) override {
    seen_.push_back({Seen::What::instructions_changed, count(), range.first.value(), range.size.count()});
  }

  const std::array<Backing, data_size / 4096> backing_;
  const std::vector<std::uint64_t> first_tables_;
  Pages code_, data_, tables_;
  std::unique_ptr<NativeIss> iss_;
  std::vector<Seen> seen_;
  std::vector<std::uint64_t> interrupts_;  // counts
  std::uint64_t begun_, begun_time_, to_ = 0, interval_ = 1;
  bool irq_ = false;
};

}  // namespace asterism::a64::oracle
