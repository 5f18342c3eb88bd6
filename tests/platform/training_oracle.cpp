#include "tests/platform/training_oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

extern "C" {
#include "apps/training/network.h"
}

namespace asterism {

std::string losses_on_the_host(std::uint64_t steps, unsigned ranks, std::uint32_t samples,
                               std::uint32_t hidden) {
  const std::uint32_t count = network_parameters(hidden);
  std::vector<float> weights(count), first(count), second(count), sum(count), gradient(count);
  network_begin(weights.data(), 0, count, hidden, 1);
  std::string losses;
  for (std::uint64_t step = 0; step < steps; ++step) {
    float loss = 0;
    std::ranges::fill(sum, 0.0f);
    for (unsigned rank = 0; rank < ranks; ++rank) {
      loss += network_gradient(weights.data(), hidden, 1, (step * ranks + rank) * samples, samples,
                               gradient.data());
      for (std::uint32_t i = 0; i < count; ++i) sum[i] += gradient[i];
    }
    const auto all = static_cast<float>(ranks * samples);
    losses += fmt::format("{} 0x{:08x}\n", step, std::bit_cast<std::uint32_t>(loss / all));
    const AdamStep adam = adam_step(0.01f, step + 1);
    for (std::uint32_t i = 0; i < count; ++i)
      adam_update({weights.data(), first.data(), second.data()}, i, sum[i] / all, adam);
  }
  return losses;
}

}  // namespace asterism
