// Tries to open files outside the folder to which semihosting is confined. Exit status: 0 if every path was
// refused, 1 if one was opened. QEMU confines nothing: there /etc/passwd is opened.
#include <stdbool.h>
#include <stdio.h>

#include "boot/exit_status.h"
#include "drivers/semihosting.h"

static bool refused(const char* path, FileMode mode) {
  const int file = semihosting_open(path, mode);
  printf("path_traversal: %s %s: %s\n", mode == file_write ? "write" : "read", path,
         file < 0 ? "refused" : "OPENED");
  if (file >= 0) semihosting_close(file);
  return file < 0;
}

int main(void) {
  bool all = refused("../../etc/passwd", file_read);
  all = refused("/etc/passwd", file_read) && all;
  all = refused("a/../../climbed", file_write) && all;
  all = refused("../climbed", file_write) && all;
  return all ? exit_passed : exit_failed;
}
