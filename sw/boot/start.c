// Calls main(argc, argv) after the start code and ends the run with its exit status; the console of the C
// library.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "boot/exit_status.h"
#include "drivers/device_tree.h"
#include "drivers/gic.h"
#include "drivers/semihosting.h"

int main(int argc, char** argv);

// stdout and stderr are written line by line: one semihosting call for a line instead of one for a character.
static struct {
  char text[160];
  unsigned used;
} line;

static int flush(FILE* file) {
  (void)file;
  if (line.used == 0) return 0;
  line.text[line.used] = 0;
  semihosting_print(line.text);
  line.used = 0;
  return 0;
}

static int put(char c, FILE* file) {
  line.text[line.used++] = c;
  if (c == '\n' || line.used == sizeof line.text - 1) flush(file);
  return (unsigned char)c;
}

static FILE console = FDEV_SETUP_STREAM(put, NULL, flush, _FDEV_SETUP_WRITE);
FILE* const stdin = &console;
FILE* const stdout = &console;
FILE* const stderr = &console;

_Noreturn void _exit(int status) {
  flush(stdout);
  semihosting_exit(status);
}

_Noreturn void exit(int status) { _exit(status); }
_Noreturn void abort(void) { _exit(exit_failed); }

static int split(char* text, char** words, int at_most) {
  int count = 0;
  for (char* word = strtok(text, " "); word != NULL && count < at_most; word = strtok(NULL, " "))
    words[count++] = word;
  return count;
}

_Noreturn void start_main(uintptr_t device_tree_hint) {
  static char command_line[512];
  static char* words[33];
  device_tree_initialize(device_tree_hint);
  gic_initialize_distributor();
  gic_initialize_core();
  const bool known = semihosting_command_line(command_line, sizeof command_line);
  const int count = known ? split(command_line, words, 32) : 0;
  _exit(main(count, words));
}
