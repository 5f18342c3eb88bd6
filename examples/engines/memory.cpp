// The time of three reads of DRAM: of a closed row, of the open one, and of another row of the same bank.
#include <asterism/memory/dram_system.h>

#include <iostream>

int main() {
  using namespace asterism;
  DramSystem dram(DramConfig{.refresh = RefreshMode::none}, DramPart{}, 1_GiB);
  Picoseconds now;
  for (const std::uint32_t row : {0u, 0u, 1u}) {
    const Picoseconds took = dram.access(now, BlockLocation{.row = row}, false);
    std::cout << "row " << row << ": " << static_cast<double>(took.count()) / 1000 << " ns\n";
    now = now + took + 50_ns;
  }
}
