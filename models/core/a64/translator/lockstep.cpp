#include "core/a64/translator/lockstep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "core/a64/cpu.h"

namespace asterism::a64 {
namespace {

constexpr std::uint64_t most_compared = 4096;
constexpr std::size_t most_reported = 8;  // differences

// A name is made only where there is a difference.
std::string text(const std::string& name) { return name; }
template <class F>
requires std::is_invocable_v<F> std::string text(const F& name) { return name(); }

std::string hex(std::uint64_t value) { return fmt::format("0x{:x}", value); }
std::string hex(const Vector& value) { return fmt::format("0x{:016x}_{:016x}", value.d[1], value.d[0]); }

class Differences {
 public:
  template <class Name, class T>
  void add(const Name& name, const T& translated, const T& interpreted) {
    if (translated == interpreted || all_.size() == most_reported) return;
    all_.push_back({text(name), hex(translated), hex(interpreted)});
  }
  bool empty() const { return all_.empty(); }
  std::vector<TranslationMismatch::Difference> take() { return std::move(all_); }

 private:
  std::vector<TranslationMismatch::Difference> all_;
};

std::string name_of(std::size_t general) {
  return general == stack_pointer ? "sp" : general == zero_register ? "xzr" : fmt::format("x{}", general);
}

std::optional<std::uint32_t> instruction_at(std::uint64_t pc, Memory& memory) {
  const auto physical = memory.physical(pc);
  const auto direct = physical ? memory.direct(*physical) : std::nullopt;
  if (!direct) return std::nullopt;
  std::uint32_t word;
  std::memcpy(&word, direct->host, sizeof word);
  return word;
}

void compare_pages(std::uint64_t physical, const Memory::PageContents& translated,
                   const Memory::PageContents& interpreted, Differences& found) {
  if (translated == interpreted) return;
  for (std::uint64_t at = 0; at < Memory::page_size; at += sizeof(std::uint64_t)) {
    std::uint64_t one, other;
    std::memcpy(&one, translated.bytes.data() + at, sizeof one);
    std::memcpy(&other, interpreted.bytes.data() + at, sizeof other);
    found.add([&] { return fmt::format("memory at 0x{:x}", physical + at); }, one, other);
  }
  for (std::uint64_t at = 0; at < Memory::page_size; at += Memory::line)
    found.add([&] { return fmt::format("stores to the line at 0x{:x}", physical + at); },
              std::uint64_t{translated.dirty[at / Memory::line]},
              std::uint64_t{interpreted.dirty[at / Memory::line]});
}

// Of data caches.
void compare_lines(const std::vector<Memory::UsedEntry>& translated,
                   const std::vector<Memory::UsedEntry>& interpreted, Differences& found) {
  for (std::size_t i = 0; i < std::min(translated.size(), interpreted.size()); ++i) {
    const Memory::UsedEntry &one = translated[i], &other = interpreted[i];
    found.add(std::string("entry of the line filter"), one.address, other.address);
    for (std::size_t behind = 0; behind < 2; ++behind) {
      if (one.now[behind] == other.now[behind]) continue;
      const Memory::UsedLine &line = one.now[behind], &other_line = other.now[behind];
      const auto name = [&](const char* what) {
        return [&, what] { return fmt::format("{} of entry 0x{:x} of the line filter", what, one.address); };
      };
      found.add(name("hits"), line.hits, other_line.hits);
      found.add(name("last use"), std::uint64_t{line.behind_is_last},
                std::uint64_t{other_line.behind_is_last});
      found.add(name("stores"), std::uint64_t{line.dirty}, std::uint64_t{other_line.dirty});
      for (std::size_t at = 0; at < line.bytes.size(); ++at)
        found.add(name("data"), std::uint64_t{line.bytes[at]}, std::uint64_t{other_line.bytes[at]});
    }
  }
  found.add(std::string("used lines"), std::uint64_t{translated.size()}, std::uint64_t{interpreted.size()});
}

void compare_memory(const std::vector<Memory::StoredPage>& translated,
                    const std::vector<Memory::StoredPage>& interpreted, Differences& found) {
  const auto in = [](const std::vector<Memory::StoredPage>& pages, std::uint64_t physical) {
    return std::ranges::find(pages, physical, &Memory::StoredPage::physical);
  };
  for (const Memory::StoredPage& page : translated) {
    const auto other = in(interpreted, page.physical);
    compare_pages(page.physical, page.now, other != interpreted.end() ? other->now : page.before, found);
  }
  for (const Memory::StoredPage& page : interpreted)
    if (in(translated, page.physical) == translated.end())
      compare_pages(page.physical, page.before, page.now, found);
}

}  // namespace

Lockstep::Lockstep(Cpu& cpu) : cpu_(cpu), random_(cpu.core) {}

void Lockstep::run_blocks() {
  if (!cpu_.may_execute_tentatively()) return interpret();
  const auto left = static_cast<std::uint64_t>(cpu_.budget.left());
  const std::uint64_t before = cpu_.instructions();
  compare(std::min(left, 1 + random_.below(most_compared)));
  if (cpu_.instructions() != before && cpu_.budget.left() == 0) return;
  cpu_.executes_until = cpu_.instructions() + 1;
  cpu_.set_attend_at();
  cpu_.permit_one();
  interpret();
}

// The host may throw.
void Lockstep::interpret() {
  struct Interpreting {
    explicit Interpreting(Cpu& cpu) : cpu(cpu) { cpu.interprets = true; }
    ~Interpreting() {
      cpu.interprets = false;
      if (std::exchange(cpu.executes_until, Cpu::never) != Cpu::never) cpu.set_attend_at();
    }
    Cpu& cpu;
  } const interpreting(cpu_);
  cpu_.run_blocks();
}

Lockstep::Outcome Lockstep::execute(bool interprets, std::uint64_t until) {
  cpu_.interprets = interprets;
  cpu_.memory.begin_speculation();
  cpu_.run_speculatively(until);
  cpu_.memory.end_speculation();
  cpu_.interprets = false;
  return {SavedCore::of(cpu_), cpu_.instructions(), cpu_.time(), cpu_.memory.stored_pages(),
          cpu_.memory.used_entries()};
}

void Lockstep::roll_back(const SavedCore& to) {
  cpu_.drop_speculatively_decoded(true);
  cpu_.memory.roll_back();
  to.restore(cpu_);
}

void Lockstep::compare(std::uint64_t most) {
  const SavedCore before = SavedCore::of(cpu_);
  const std::uint64_t begin = cpu_.instructions();
  const Outcome translated = execute(false, begin + most);
  if (translated.instructions == begin) return roll_back(before);
  roll_back(before);
  const Outcome interpreted = execute(true, translated.instructions);
  compared_ += translated.instructions - begin;
  TranslationMismatch mismatch{.differences = differences(translated, interpreted)};
  if (mismatch.differences.empty()) return;
  roll_back(before);
  find_block(before, std::max(translated.instructions, interpreted.instructions), mismatch);
  execute(true, interpreted.instructions);
  cpu_.host.translation_differs(mismatch);
}

std::vector<TranslationMismatch::Difference> Lockstep::differences(const Outcome& translated,
                                                                   const Outcome& interpreted) const {
  Differences found;
  found.add(std::string("instructions"), translated.instructions, interpreted.instructions);
  const State &one = translated.core.state, &other = interpreted.core.state;
  found.add(std::string("pc"), one.pc, other.pc);
  for (std::size_t i = 0; i <= stack_pointer; ++i)
    found.add([i] { return name_of(i); }, one.x[i], other.x[i]);
  found.add(std::string("nzcv"), std::uint64_t{one.flags.nzcv()}, std::uint64_t{other.flags.nzcv()});
  for (std::size_t i = 0; i < one.v.size(); ++i)
    found.add([i] { return fmt::format("v{}", i); }, one.v[i], other.v[i]);
  found.add(std::string("fpsr"), std::uint64_t{one.fpsr}, std::uint64_t{other.fpsr});
  found.add(std::string("time"), translated.time, interpreted.time);
  if (found.empty() && !(one == other))
    found.add(std::string("another register"), std::uint64_t{0}, std::uint64_t{1});
  compare_memory(translated.stored, interpreted.stored, found);
  compare_lines(translated.lines, interpreted.lines, found);
  return found.take();
}

// Changes nothing: both executions are rolled back.
std::vector<TranslationMismatch::Difference> Lockstep::differences_up_to(const SavedCore& from,
                                                                         std::uint64_t until) {
  const Outcome translated = execute(false, until);
  roll_back(from);
  const Outcome interpreted = execute(true, translated.instructions);
  auto found = differences(translated, interpreted);
  roll_back(from);
  return found;
}

// An execution that ends within a block interprets that part of it. The shortest one with a difference
// therefore ends behind the block that is wrong.
void Lockstep::find_block(const SavedCore& from, std::uint64_t until, TranslationMismatch& mismatch) {
  const std::uint64_t begin = cpu_.instructions();
  std::uint64_t right = begin, wrong = until;
  while (wrong - right > 1) {
    const std::uint64_t middle = right + (wrong - right) / 2;
    (differences_up_to(from, middle).empty() ? right : wrong) = middle;
  }
  mismatch.instructions = wrong;
  if (auto found = differences_up_to(from, wrong); !found.empty()) mismatch.differences = std::move(found);
  // Where the interpreter is before each of the last instructions. Of the translated blocks that end there,
  // the longest one was executed, which an execution enters first.
  std::uint64_t words = 0;
  for (std::uint64_t back = 1; back <= std::min<std::uint64_t>(wrong - begin, max_block); ++back) {
    execute(true, wrong - back);
    const std::uint64_t pc = cpu_.pc;
    const auto physical = cpu_.memory.physical(pc);
    const Block* const block = physical ? cpu_.blocks.find(*physical, pc, cpu_.context()) : nullptr;
    const bool ends_there = block && block->region && block->count == back;
    roll_back(from);
    if (!ends_there && words != 0) continue;
    mismatch.pc = Address(pc);
    if (ends_there) words = back;
  }
  if (words == 0) words = std::min<std::uint64_t>(wrong - begin, max_block);
  for (std::uint64_t i = 0; i < words; ++i)
    if (const auto word = instruction_at(mismatch.pc.value() + 4 * i, cpu_.memory))
      mismatch.code.push_back(*word);
}

}  // namespace asterism::a64
