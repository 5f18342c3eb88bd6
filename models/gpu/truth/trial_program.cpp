#include "gpu/truth/trial_program.h"

#include <algorithm>

namespace asterism {

namespace {
constexpr std::uint64_t sector = 32;
}

TrialProgram::TrialProgram(const TrialSetup& setup, std::uint64_t seed) : setup_(setup), seed_(seed) {
  start();
}

void TrialProgram::start() {
  state_.kernel = 1;
  state_.memory.assign(setup_.gpu.memory.count() / 8, 0);
  const Random random(seed_);
  for (std::size_t word = 0; word < setup_.allocated.count() / 8; ++word)
    state_.memory[word] = random.at(word);
}

// Shapes: 0 a stream, 1 anywhere, 2 in a few runs, 3 whole runs in order.
DeviceAccess TrialProgram::any_access(Random& random, std::uint64_t& stream, std::uint32_t shape) const {
  const std::uint64_t sectors = setup_.allocated.count() / sector;
  std::uint64_t first = random.below(sectors);
  if (shape == 2) first %= std::min<std::uint64_t>(sectors, 64);
  if (shape == 0 || shape == 3) first = stream % sectors;
  const std::uint64_t run = setup_.gpu.interleave.count() / sector;
  const std::uint64_t space = std::min(run - first % run, sectors - first);
  const std::uint64_t size = shape == 3 ? space : 1 + random.below(std::min<std::uint64_t>(space, 6));
  stream = first + size;
  return {Picoseconds(random.below(setup_.gap.count() + 1)), first * sector,
          static_cast<std::uint32_t>(size * sector), random.below(4) != 0};
}

ListedKernel TrialProgram::run_next(bool loses) {
  const std::uint64_t number = state_.kernel++;
  Random random(Random(seed_).at(number * 2 + 1));
  std::vector<std::vector<DeviceAccess>> lists(between(random, 1, setup_.gpu.pipelines));
  for (auto& list : lists) {
    const auto shape = static_cast<std::uint32_t>(random.below(4));
    std::uint64_t stream = random.next() >> 16;
    list.resize(random.below(std::uint64_t{2} * setup_.busy / lists.size() + 1));
    for (DeviceAccess& access : list) {
      access = any_access(random, stream, shape);
      if (!access.write) continue;
      for (std::uint64_t at = access.address; at < access.address + access.size; at += 8)
        state_.memory[at / 8] = kernel_word(state_.memory[at / 8], number, at);
    }
  }
  if (loses && !lists.front().empty()) lists.front().pop_back();
  return ListedKernel(std::move(lists));
}

}  // namespace asterism
