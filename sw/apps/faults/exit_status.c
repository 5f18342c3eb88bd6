// Ends with the status given by its argument.
//
//   exit_status status=200
#include "boot/exit_status.h"

#include <stdint.h>
#include <stdio.h>

#include "boot/arguments.h"

int main(int argc, char** argv) {
  uint64_t status = 0;
  const Argument table[] = {{"status", argument_number, &status, 0, 255, "exit status"}};
  if (!arguments_read(argc, argv, table, 1)) return exit_usage;
  return (int)status;
}
