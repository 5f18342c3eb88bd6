// Prints asterism/platform.h; the firmware's build calls it.
#include <cstdio>
#include <systemc>

#include "platform/registers/firmware_header.h"

int sc_main(int, char**) { return 0; }

int main() {
  std::fputs(asterism::firmware_header().c_str(), stdout);
  return std::fflush(stdout) == 0 ? 0 : 1;
}
