// A snapshot of a channel of 1,024 zones while writes go on.
#include <asterism/zone_monitor/zone_monitor.h>

#include <iostream>

int main() {
  using namespace asterism;
  using Answer = ZoneMonitor::Answer;
  ZoneMonitor monitor(ZoneMonitorConfig{}, 1024);
  monitor.track(true);
  for (const std::uint32_t zone : {5u, 6u, 900u}) monitor.write(zone);  // since the last snapshot
  monitor.begin();
  std::cout << monitor.unpreserved() << " zones are to be saved\n";
  std::cout << "a write to zone 6 " << (monitor.write(6).answer == Answer::proceed ? "proceeds" : "waits")
            << '\n';
  monitor.preserve(6);
  monitor.refresh();
  std::cout << "once it is saved, it " << (monitor.write(6).answer == Answer::proceed ? "proceeds" : "waits")
            << '\n';
}
