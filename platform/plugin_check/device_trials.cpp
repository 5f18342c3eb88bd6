#include "platform/plugin_check/device_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "base/statistics.h"
#include "platform/plugin_check/stimulus.h"
#include "tlm/time.h"

namespace asterism {
namespace {

// ---- places where the device stores what is written ----

// A word is accessed by 4 bytes, or by 8 where the target refuses that; its first 4 bytes are compared.
struct StoredWord {
  std::size_t target;
  std::uint64_t offset;
  std::uint32_t mask;  // the bits that are stored
  unsigned width = 4;
};

std::vector<StoredWord> writable_words(CheckBench& bench) {
  constexpr unsigned most_elements = 2;
  std::vector<StoredWord> words;
  for (std::size_t target = 0; target < bench.targets(); ++target) {
    const DeviceTarget& shape = bench.target(target);
    if (!shape.registers) {
      const unsigned width = bench.call(BenchAccess::read(target, 0)).is_ok() ? 4 : 8;
      for (std::uint64_t offset = 0; offset + 8 <= std::min<std::uint64_t>(shape.size.count(), 64);
           offset += width)
        words.push_back({target, offset, ~0u, width});
    } else {
      for (const Register* reg : shape.registers->registers())
        for (unsigned i = 0; i < std::min(reg->count(), most_elements); ++i)
          if (reg->access() == asterism::Access::read_write && !reg->is_acting_when_read())
            words.push_back({target, reg->offset() + std::uint64_t{i} * reg->stride(), ~0u});
    }
  }
  return words;
}

BenchAccess read_of(const StoredWord& word) {
  return BenchAccess::read(word.target, word.offset, word.width);
}
// What the device gives back, or nullopt if it refuses.
std::optional<std::uint32_t> read_word(CheckBench& bench, const StoredWord& word) {
  const BenchAnswer answer = bench.call(read_of(word));
  return answer.is_ok() ? std::optional(answer.word()) : std::nullopt;
}
BenchAccess write_of(const StoredWord& word, std::uint32_t value) {
  std::vector<unsigned char> data(word.width);
  std::memcpy(data.data(), &value, 4);
  return BenchAccess::write(word.target, word.offset, std::move(data));
}
bool write_word(CheckBench& bench, const StoredWord& word, std::uint32_t value) {
  return bench.call(write_of(word, value)).is_ok();
}

// A word is stored if two reads have each of some patterns when all others have been written, and when what
// the writes have started has had time to end.
std::vector<StoredWord> stored_words(CheckBench& bench) {
  std::vector<StoredWord> words = writable_words(bench);
  constexpr std::pair<std::uint32_t, Picoseconds> patterns[] = {
      {0xa55a'c33cu, 1_us}, {0x5aa5'3cc3u, 1_us}, {0u, 1_us}, {~0u, 1_us}, {0x1234'5678u, 1_ms}};
  for (const auto& [pattern, time] : patterns) {
    for (const StoredWord& word : words)
      write_word(bench, word, pattern ^ static_cast<std::uint32_t>(word.offset));
    bench.wait(time);
    for (StoredWord& word : words) {
      read_word(bench, word);  // which takes it from a FIFO
      const auto value = read_word(bench, word);
      word.mask &= value ? ~(*value ^ pattern ^ static_cast<std::uint32_t>(word.offset)) : 0;
    }
  }
  const auto is_of_one_byte = [](const StoredWord& word) {
    int bytes = 0;
    for (unsigned shift = 0; shift < 32; shift += 8) bytes += (word.mask >> shift & 0xff) != 0;
    return bytes < 2;
  };
  std::erase_if(words, is_of_one_byte);
  return words;
}

std::vector<unsigned char> random_bytes(Random& random, std::size_t count) {
  std::vector<unsigned char> bytes(count);
  for (auto& byte : bytes) byte = static_cast<unsigned char>(random.next());
  return bytes;
}

// Writes a word, then a part of it in some way, and compares the word with what it then has to be: if the
// device refuses the second write, what was there before. Returns what was seen instead; nullopt if the word
// is right.
std::optional<std::string> seen_after_write(CheckBench& bench, const StoredWord& word, std::uint32_t before,
                                            const BenchAccess& access) {
  if (!write_word(bench, word, before)) return std::nullopt;
  const BenchAnswer answer = bench.call(access);
  unsigned char bytes[4];
  std::memcpy(bytes, &before, 4);
  if (answer.is_ok() && access.command == tlm::TLM_WRITE_COMMAND)
    for (unsigned i = 0; i < access.length(); ++i) {
      const std::uint64_t at = access.address + i % access.streaming_width - word.offset;
      if (access.is_enabled(i) && at < 4) bytes[at] = access.data[i];
    }
  std::uint32_t expected;
  std::memcpy(&expected, bytes, 4);
  const auto after = read_word(bench, word);
  if (after && (*after & word.mask) == (expected & word.mask)) return std::nullopt;
  return fmt::format(
      "was answered {}, and the word then read {} instead of {:#010x} (it was {:#010x} before)",
      text_of(answer.status), after ? fmt::format("{:#010x}", *after & word.mask) : "an error",
      expected & word.mask, before & word.mask);
}

// The device may have changed the word by itself, so that only what is seen twice is a finding.
void expect_write(CheckBench& bench, const StoredWord& word, Random& random, const BenchAccess& access,
                  TlmRule rule) {
  const auto before = static_cast<std::uint32_t>(random.next());
  bench.record.cover(rule);
  if (!seen_after_write(bench, word, before, access)) return;
  if (const auto seen = seen_after_write(bench, word, before, access))
    bench.record.broken(rule, access.place(bench.placed()), access.text(), *seen);
}

void try_byte_enables(CheckBench& bench, const StoredWord& word, Random& random) {
  for (unsigned round = 0; round < 8; ++round) {
    BenchAccess access = BenchAccess::write(word.target, word.offset, random_bytes(random, word.width));
    access.enables.emplace(round < 6 ? random.below(6) + 1 : word.width);
    for (auto& enable : *access.enables)
      enable = round != 0 && random.below(2) ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
    expect_write(bench, word, random, access, TlmRule::byte_enables);
  }
}

void try_streaming_widths(CheckBench& bench, const StoredWord& word, Random& random) {
  for (const auto& [length, width] : {std::pair(2 * word.width, word.width), {4u, 2u}, {4u, 1u}, {6u, 2u}}) {
    if (word.offset + length > bench.target(word.target).size.count()) continue;
    BenchAccess access = BenchAccess::write(word.target, word.offset, random_bytes(random, length));
    access.streaming_width = width;
    expect_write(bench, word, random, access, TlmRule::streaming_width);
  }
  const auto before = static_cast<std::uint32_t>(random.next());
  BenchAccess access = BenchAccess::read(word.target, word.offset, 2 * word.width);
  access.streaming_width = word.width;
  if (!access.is_within(bench.target(word.target).size) || !write_word(bench, word, before)) return;
  const BenchAnswer answer = bench.call(access);
  bench.record.cover(TlmRule::streaming_width);
  const auto second = answer.data.begin() + word.width;
  if (answer.is_ok() && !std::equal(answer.data.begin(), second, second))
    bench.record.broken(TlmRule::streaming_width, access.place(bench.placed()), access.text(),
                        fmt::format("read {} instead of the same word twice", hex_of(answer.data)));
}

// A debug write is either refused, or has written.
void try_debug_write(CheckBench& bench, const StoredWord& word, Random& random) {
  const auto before = static_cast<std::uint32_t>(random.next());
  if (!write_word(bench, word, before)) return;
  BenchAccess access = write_of(word, ~before);
  const unsigned count = bench.debug(access);
  if (count != 0 && count != word.width) return;
  const std::uint32_t expected = count == 0 ? before : ~before;
  const auto after = read_word(bench, word);
  if (!after || (*after & word.mask) != (expected & word.mask))
    bench.record.broken(TlmRule::debug, access.place(bench.placed()), "debug " + access.text(),
                        fmt::format("returned {}, but the word then read {:#010x} instead of {:#010x}", count,
                                    after.value_or(0) & word.mask, expected & word.mask));
  if (count == 0)
    if (const auto peeked = bench.peek(word.target, word.offset); peeked && *peeked != after)
      bench.record.broken(
          TlmRule::debug, access.place(bench.placed()), "debug read of the word",
          fmt::format("read {:#010x}, although b_transport reads {:#010x}", *peeked, after.value_or(0)));
}

}  // namespace

void try_payloads(CheckBench& bench, std::uint64_t seed, unsigned accesses) {
  Random random(seed);
  for (unsigned i = 0; i < accesses; ++i)
    for (std::size_t target = 0; target < bench.targets(); ++target) {
      BenchAccess access = random_access(random, bench.placed(), target);
      if (random.below(16) == 0) {
        if (random.below(8) == 0) access.data.clear(), access.has_data = false;
        bench.debug(access);
      } else {
        bench.call(access);
      }
      if (random.below(16) == 0) bench.wait(Picoseconds(random.below(1'000'000)));
    }
  bench.wait(1_ms);
}

void try_storage(CheckBench& bench, std::uint64_t seed) {
  constexpr std::size_t most = 24;
  Random random(seed);
  std::vector<StoredWord> words = stored_words(bench);
  while (words.size() > most)
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(random.below(words.size())));
  for (const StoredWord& word : words) {
    try_byte_enables(bench, word, random);
    try_streaming_widths(bench, word, random);
    try_debug_write(bench, word, random);
  }
}

// ---- recorded accesses ----

namespace {

void record_statistics(TrialRecord& record, const Statistics& statistics, const std::string& prefix) {
  std::set<std::string> names;
  for (const auto& [name, value] : statistics.entries()) {
    const std::string path = prefix + name;
    record.cover(TlmRule::statistics);
    if (name.empty() || !names.insert(name).second)
      record.broken(TlmRule::statistics, path, "", name.empty() ? "an entry has no name" : "is there twice");
    if (const auto* const group = std::get_if<std::unique_ptr<Statistics>>(&value))
      record_statistics(record, **group, path + ".");
    else if (const auto* const count = std::get_if<std::uint64_t>(&value))
      record.step("statistics", {path, "", std::to_string(*count)});
    else
      record.step("statistics", {path, "", std::get<std::string>(value)});
  }
}

void report_statistics(CheckBench& bench) {
  const Picoseconds before = now();
  const bool had_activity = sc_core::sc_pending_activity_at_current_time();
  Statistics first, second;
  const std::string& place = bench.placed().instance();
  bench.record.begin(place, "a report of statistics", TlmRule::statistics);
  bench.device().report(first);
  bench.device().report(second);
  bench.record.end();
  if (!(first == second))
    bench.record.broken(TlmRule::statistics, place, "", "two reports at one instant differ");
  if (before != now() || had_activity != sc_core::sc_pending_activity_at_current_time())
    bench.record.broken(TlmRule::statistics, place, "", "a report took simulated time or notified an event");
  record_statistics(bench.record, first, place + ".");
}

}  // namespace

void try_stimulus(CheckBench& bench, std::uint64_t seed, unsigned accesses, Picoseconds quantum,
                  bool has_debug_reads) {
  Stimulus stimulus(bench, seed,
                    {.quantum = quantum, .has_debug_reads = has_debug_reads, .is_recorded = true});
  stimulus.run(accesses);
  bench.wait(2_ms - Picoseconds(now().count() % 1'000'000'000));  // to an instant that no quantum changes
  for (const CheckBench::Edge& edge : bench.edges())
    bench.record.step("lines", {bench.line_name(edge.line), "",
                                fmt::format("{} at {}", edge.level ? "rises" : "falls", text_of(edge.at))});
  // In the order of their times, which is not that of the calls if callers run ahead.
  std::vector<CheckBench::Begun> transactions = bench.begun();
  std::ranges::stable_sort(transactions, {}, [](const CheckBench::Begun& begun) {
    return std::tie(begun.at, begun.place, begun.access);
  });
  for (const CheckBench::Begun& begun : transactions)
    bench.record.step("transactions",
                      {begun.place, fmt::format("{} at {}", begun.access, text_of(begun.at)), begun.answer});
  report_statistics(bench);
}

void try_debugger_before_run(CheckBench& bench) {
  for (std::size_t target = 0; target < bench.targets(); ++target) {
    const auto& bank = bench.target(target).registers;
    std::vector<std::uint64_t> offsets{0};
    if (bank) {
      offsets.clear();
      for (const Register* reg : bank->registers()) offsets.push_back(reg->offset());
    }
    for (const std::uint64_t offset : offsets) {
      const auto first = bench.peek(target, offset);
      if (first) bench.record.step("debug", {});
      if (first != bench.peek(target, offset))
        bench.record.broken_now(TlmRule::debug, "read another value than the same access a moment before");
    }
  }
}

// ---- direct memory ----

namespace {

struct Granted {
  std::size_t target;
  tlm::tlm_dmi dmi;
  std::size_t withdrawn;  // how many of the target's withdrawals came before
  unsigned length = 1;    // of the accesses that it is compared with, the least that the target accepts
};

std::optional<Granted> ask_for_memory(CheckBench& bench, const BenchAccess& access) {
  InitiatorExtension who;
  who.master = access.master.value_or(0);
  tlm::tlm_generic_payload payload;
  payload.set_command(access.command);
  payload.set_address(access.address);
  if (access.master) payload.set_extension(&who);
  Granted granted{access.target, {}, bench.socket(access.target).withdrawn.size()};
  bench.record.begin(access.place(bench.placed()), "request for direct memory, " + access.text(),
                     TlmRule::dmi);
  const bool is_granted = bench.socket(access.target).socket->get_direct_mem_ptr(payload, granted.dmi);
  bench.record.end();
  if (access.master) payload.clear_extension(&who);
  if (!is_granted) return std::nullopt;
  bench.record.cover(TlmRule::dmi);
  const auto broken = [&](const std::string& seen) { bench.record.broken_now(TlmRule::dmi, seen); };
  const tlm::tlm_dmi& dmi = granted.dmi;
  const std::uint64_t size = bench.target(access.target).size.count();
  const std::string range =
      fmt::format("granted {:#x} to {:#x}", dmi.get_start_address(), dmi.get_end_address());
  if (dmi.get_start_address() > dmi.get_end_address() || dmi.get_end_address() >= size)
    return broken(fmt::format("{}, although the target has {:#x} bytes", range, size)), std::nullopt;
  if (access.address < dmi.get_start_address() || access.address > dmi.get_end_address())
    return broken(range + ", which does not have the address"), std::nullopt;
  if (!dmi.get_dmi_ptr()) return broken(range + " without a pointer"), std::nullopt;
  if (access.command == tlm::TLM_WRITE_COMMAND ? !dmi.is_write_allowed() : !dmi.is_read_allowed())
    return broken(range + " for another kind of access"), std::nullopt;
  return granted;
}

bool is_withdrawn(CheckBench& bench, const Granted& granted, std::uint64_t address) {
  const auto& all = bench.socket(granted.target).withdrawn;
  return std::any_of(all.begin() + static_cast<std::ptrdiff_t>(granted.withdrawn), all.end(),
                     [&](const auto& each) { return each.first <= address && address <= each.last; });
}

// What b_transport reads at an address and after it; nothing if the target refuses or direct memory is
// withdrawn, which the access itself may do.
struct ReadBytes {
  std::uint64_t first = 0;
  std::vector<unsigned char> data = {};
};
ReadBytes read_granted(CheckBench& bench, Granted& granted, std::uint64_t address) {
  for (; granted.length <= 8; granted.length *= 2) {
    const std::uint64_t first = address / granted.length * granted.length;
    if (first < granted.dmi.get_start_address() ||
        first + granted.length - 1 > granted.dmi.get_end_address() || is_withdrawn(bench, granted, address))
      return {};
    const BenchAnswer answer = bench.call(BenchAccess::read(granted.target, first, granted.length));
    if (answer.is_ok())
      return is_withdrawn(bench, granted, address) ? ReadBytes() : ReadBytes{first, answer.data};
  }
  granted.length = 1;  // it refuses this address by any length
  return {};
}

const unsigned char* direct(const Granted& granted, std::uint64_t address) {
  return granted.dmi.get_dmi_ptr() + (address - granted.dmi.get_start_address());
}

void compare_memory(CheckBench& bench, Granted& granted, Random& random) {
  const std::uint64_t first = granted.dmi.get_start_address(), last = granted.dmi.get_end_address();
  for (unsigned i = 0; i < 64; ++i) {
    const std::uint64_t address =
        i == 0   ? first
        : i == 1 ? last
                 : first + random.below(std::min<std::uint64_t>(last - first + 1, i % 2 ? 4096 : ~0ull));
    if (!granted.dmi.is_read_allowed()) return;
    const ReadBytes read = read_granted(bench, granted, address);
    if (read.data.empty()) continue;
    bench.record.cover(TlmRule::dmi);
    if (!std::ranges::equal(read.data, std::span(direct(granted, read.first), read.data.size())))
      bench.record.broken_now(
          TlmRule::dmi,
          fmt::format("read {}, but direct memory that was granted from {:#x} has {}", hex_of(read.data),
                      first,
                      hex_of({direct(granted, read.first), direct(granted, read.first) + read.data.size()})));
  }
}

void write_directly(CheckBench& bench, Granted& granted, Random& random) {
  const std::uint64_t first = granted.dmi.get_start_address();
  for (unsigned i = 0; i < 16; ++i) {
    const std::uint64_t address = first + random.below(granted.dmi.get_end_address() - first + 1);
    if (!granted.dmi.is_write_allowed() || is_withdrawn(bench, granted, address)) continue;
    const auto value = static_cast<unsigned char>(random.next());
    granted.dmi.get_dmi_ptr()[address - first] = value;
    const ReadBytes read = read_granted(bench, granted, address);
    if (read.data.empty()) continue;
    bench.record.cover(TlmRule::dmi);
    if (const unsigned char seen = read.data[address - read.first]; seen != value)
      bench.record.broken_now(
          TlmRule::dmi, fmt::format("read {:02x} at {:#x}, after {:02x} was written to direct memory", seen,
                                    address, value));
  }
}

}  // namespace

void try_direct_memory(CheckBench& bench, std::uint64_t seed) {
  Random random(seed);
  std::vector<Granted> all;
  for (std::size_t target = 0; target < bench.targets(); ++target) {
    const std::uint64_t size = bench.target(target).size.count();
    for (unsigned i = 0; i < 24; ++i) {
      const std::uint64_t address = i < 2    ? i * (size - 1)
                                    : i == 2 ? size
                                    : i == 3 ? ~0ull
                                             : random.below(size);
      BenchAccess access = random.below(2) ? BenchAccess::read(target, address)
                                           : BenchAccess::write(target, address, random_bytes(random, 4));
      if (random.below(2)) access.master = std::nullopt;
      if (auto granted = ask_for_memory(bench, access); granted && all.size() < 12) all.push_back(*granted);
    }
  }
  Stimulus stimulus(bench, seed, {});
  for (unsigned round = 0; round < 4 && !all.empty(); ++round) {
    for (Granted& granted : all) compare_memory(bench, granted, random);
    for (Granted& granted : all) write_directly(bench, granted, random);
    stimulus.run(50);
    if (round == 2) bench.reset(Reset::warm), bench.power_up();
  }
}

// ---- several callers ----

void try_concurrency(CheckBench& bench, std::uint64_t seed) {
  constexpr unsigned callers = 4, rounds = 100;
  if (bench.targets() == 0) return;
  const std::vector<StoredWord> words = stored_words(bench);
  unsigned done = 0;
  bool has_overlapped = false;
  std::uint64_t compared = 0;
  const auto caller = [&](unsigned number) {
    Random random(seed + number);
    Stimulus stimulus(bench, seed + number, {});
    std::optional<std::uint32_t> value;
    for (unsigned round = 0; round < rounds; ++round) {
      const bool is_own = number < words.size() && random.below(2);
      BenchAccess access = is_own ? read_of(words[number]) : stimulus.next();
      if (is_own && !value) {
        value = static_cast<std::uint32_t>(random.next());
        access = write_of(words[number], *value);
      }
      // Others may command the device to change the word: only what nobody else writes is compared.
      if (!is_own) access.command = tlm::TLM_READ_COMMAND;
      access.delay = Picoseconds(random.below(300'000));
      const Picoseconds before = now();
      const BenchAnswer answer = bench.call(access);
      if (now() != before && bench.calls_under_way() != 0) has_overlapped = true;
      if (is_own && access.command == tlm::TLM_READ_COMMAND) {
        ++compared;
        if (!answer.is_ok() || ((answer.word() ^ *value) & words[number].mask) != 0)
          bench.record.broken(
              TlmRule::concurrency, access.place(bench.placed()), access.text(),
              fmt::format("was answered {}, {} instead of {:#010x}, which the same caller had written",
                          text_of(answer.status), hex_of(answer.data), *value & words[number].mask));
      }
      bench.wait(Picoseconds(random.below(100'000)));
    }
    ++done;
  };
  for (unsigned number = 1; number < callers; ++number) {
    sc_core::sc_spawn_options thread;
    thread.set_stack_size(256 << 10);
    sc_core::sc_spawn([&caller, number] { caller(number); }, sc_core::sc_gen_unique_name(caller_process),
                      &thread);
  }
  caller(0);
  while (done != callers) sc_core::wait(1, sc_core::SC_US);
  if (has_overlapped) bench.record.cover(TlmRule::concurrency, std::uint64_t{callers} * rounds);
}

}  // namespace asterism
