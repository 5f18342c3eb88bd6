// How often a program should write checkpoints that take five minutes, on a machine that fails once a day.
#include <asterism/resilience/young_daly.h>

#include <iostream>

int main() {
  using namespace asterism;
  const Seconds hour(3600), day = hour * 24;
  const CheckpointLevel level{Rate(1 / day.count()), hour / 12, hour / 12};
  for (const Seconds interval : {hour / 2, young_interval(level), best_interval(level), hour * 8})
    std::cout << "every " << interval / hour
              << " hours: " << static_cast<int>(1000 * single_level_efficiency(level, interval)) / 10.0
              << "% of the time is work\n";
}
