// Prints asterism/platform.h with the devices of the standard map and of all other nodes in configs/nodes;
// the firmware's build calls it.
#include <cstdio>
#include <exception>
#include <systemc>

#include "platform/host/installed_files.h"
#include "platform/registers/firmware_header.h"
#include "platform/scenario/scenario.h"

int sc_main(int, char**) { return 0; }

int main() try {
  using namespace asterism;
  const InstalledFiles installed = InstalledFiles::find();
  std::vector<AddressMap> maps{load_node("every_device", {}, installed).map};
  for (const std::string& name : installed.configs.list("nodes"))
    maps.push_back(load_node(name, {}, installed).map);
  std::fputs(firmware_header(maps).c_str(), stdout);
  return std::fflush(stdout) == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
