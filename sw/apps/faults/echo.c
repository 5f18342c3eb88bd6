// Reads a line from PL011 by interrupt, sleeping in between, and prints it on PL011. Exit status 0. A line
// ends with CR or LF.
#include "boot/exit_status.h"
#include "drivers/pl011.h"

int main(void) {
  char line[128];
  unsigned length = 0;
  pl011_initialize();
  pl011_print("echo: type a line\n");
  for (;;) {
    const char c = pl011_get();
    if (c == '\n' || c == '\r') break;
    if (length < sizeof line - 1) line[length++] = c;
  }
  line[length] = 0;
  pl011_print(line);
  pl011_print("\n");
  return exit_passed;
}
