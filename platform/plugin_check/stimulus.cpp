#include "platform/plugin_check/stimulus.h"

#include <fmt/format.h>

#include <algorithm>

#include "tlm/time.h"

namespace asterism {

Stimulus::Stimulus(CheckBench& bench, std::uint64_t seed, const Settings& settings)
    : bench_(bench), settings_(settings), random_(seed), debugger_(seed + 1) {
  constexpr unsigned most = 4;  // elements of an array of registers
  for (std::size_t target = 0; target < bench.targets(); ++target) {
    const auto& bank = bench.target(target).registers;
    if (!bank) memories_.push_back(target);
    if (bank)
      for (const Register* reg : bank->registers())
        for (unsigned i = 0; i < std::min(reg->count(), most); ++i)
          registers_.push_back({target, reg->offset() + std::uint64_t{i} * reg->stride(), reg->access()});
  }
}

// Addresses of memory, small numbers and single bits are what registers take; what was read before is what
// they are compared with.
std::uint32_t Stimulus::value() {
  switch (random_.below(8)) {
    case 0:
      return static_cast<std::uint32_t>(random_.next());
    case 1:
      return 1u << random_.below(32);
    case 2:
      return random_.below(2) ? ~0u : 0;
    case 3:
      return static_cast<std::uint32_t>(random_.below(9));
    case 4:
      return 4u << random_.below(11);
    case 5:
      if (!learned_.empty())
        return learned_[random_.below(learned_.size())] + static_cast<std::uint32_t>(random_.below(3)) - 1;
      [[fallthrough]];
    default:
      return static_cast<std::uint32_t>(bench_.main_memory().first.value() + 4096 * random_.below(64));
  }
}

BenchAccess Stimulus::of_registers() {
  const bool is_in_order = random_.below(2);
  const Place& place = is_in_order ? registers_[in_order_++ % registers_.size()]
                                   : registers_[random_.below(registers_.size())];
  const bool reads =
      place.access == Access::read_only ? random_.below(8) != 0 : random_.below(is_in_order ? 8 : 3) == 0;
  return reads ? BenchAccess::read(place.target, place.offset)
               : BenchAccess::write32(place.target, place.offset, value());
}

BenchAccess Stimulus::of_memory(std::size_t target) {
  const std::uint64_t size = bench_.target(target).size.count();
  const std::uint64_t near = random_.below(2) ? std::min<std::uint64_t>(size, 1024) : size;
  const unsigned length = std::min(static_cast<unsigned>(size), 1u << random_.below(7));
  const std::uint64_t address = random_.below(near) / length * length;
  if (random_.below(2)) return BenchAccess::read(target, std::min(address, size - length), length);
  std::vector<unsigned char> data(length);
  for (auto& byte : data) byte = static_cast<unsigned char>(random_.next());
  return BenchAccess::write(target, std::min(address, size - length), std::move(data));
}

BenchAccess Stimulus::next() {
  const bool is_memory = registers_.empty() || (!memories_.empty() && random_.below(2));
  BenchAccess access = is_memory ? of_memory(memories_[random_.below(memories_.size())]) : of_registers();
  access.master = static_cast<unsigned>(random_.below(bench_.node().devices.cores()));
  return access;
}

// Mostly that of software which goes on, sometimes so long that the device completes what it does. It is no
// multiple of a clock.
Picoseconds Stimulus::pause() {
  const std::uint64_t kind = random_.below(50);
  return Picoseconds(random_.below(kind == 0 ? 1'000'000'000 : kind < 8 ? 20'000'000 : 200'000));
}

void Stimulus::synchronise() {
  bench_.wait(ahead_);
  ahead_ = {};
}

void Stimulus::access(BenchAccess access) {
  const Picoseconds at = now() + ahead_;
  const std::string text = access.text();
  access.delay = ahead_;
  const BenchAnswer answer = bench_.call(access);
  ahead_ = answer.delay;
  if (access.command == tlm::TLM_READ_COMMAND && answer.is_ok() && answer.data.size() >= 4) {
    if (learned_.size() == 16) learned_.erase(learned_.begin());
    learned_.push_back(answer.word());
  }
  if (!settings_.is_recorded) return;
  std::string seen = text_of(answer.status);
  if (access.command == tlm::TLM_READ_COMMAND) seen += ", " + hex_of(answer.data);
  // The time of an access to memory depends on the accesses before it, as the model of its part knows them.
  if (bench_.target(access.target).registers) seen += ", ends at " + text_of(now() + ahead_);
  bench_.record.step("answers", {access.place(bench_.placed()), text + " at " + text_of(at), seen});
}

void Stimulus::read_by_debugger() {
  if (registers_.empty()) {
    BenchAccess read = BenchAccess::read(memories_.front(), debugger_.below(256) * 4);
    bench_.debug(read);
    return;
  }
  const Place& place = registers_[debugger_.below(registers_.size())];
  const auto first = bench_.peek(place.target, place.offset);
  if (first == bench_.peek(place.target, place.offset)) return;
  bench_.record.broken_now(TlmRule::debug, "read another value than the same access a moment before");
}

void Stimulus::run(unsigned accesses) {
  for (unsigned i = 0; i < accesses; ++i) {
    ahead_ += pause();
    if (ahead_ > settings_.quantum) synchronise();
    if (bench_.targets() == 0) continue;
    if (settings_.has_debug_reads && debugger_.below(2)) read_by_debugger();
    access(next());
  }
  synchronise();
}

}  // namespace asterism
