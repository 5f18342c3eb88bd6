// Measures memory as the published measurements of machines do.
//
//   memory_timing [latency] [from=4KiB] [to=B] [factor=2] [steps=1] [loads=32768]
//   memory_timing stream [size=B] [cores=N] [repetitions=2]
//   memory_timing bandwidth [size=B] [cores=N]
//   memory_timing loaded_latency [size=B] [cores=N] [loads=4096] [delays=3000,900,...,0]
//                                [mix=1:0|3:1|2:1|1:1]
//   memory_timing forward [pairs=32768]
//   memory_timing ping_pong [first=0] [second=N] [transfers=1000]
//
// latency: a pointer chase by the size of the memory. stream: STREAM's kernels and a sum. bandwidth: mixes of
// reads and writes. loaded_latency: a pointer chase while the other cores access memory. forward: a load of
// what was just stored. ping_pong: a line that goes from core to core. latency.c, stream.c, ... say how.
// Numbers can end in KiB, MiB or GiB. By default all cores run, and arrays are larger than the caches.
//
// Prints a table. Exit status: 0 if the data are right at the end, 1 if not; 2 a wrong argument; 3 too little
// memory, or one core for two.
#include <stdio.h>
#include <string.h>

#include "apps/memory_timing/measurement.h"

static const struct {
  const char* name;
  ExitStatus (*run)(int argc, char** argv);
} measurements[] = {{"latency", measure_latency},     {"stream", measure_stream},
                    {"bandwidth", measure_bandwidth}, {"loaded_latency", measure_loaded_latency},
                    {"forward", measure_forward},     {"ping_pong", measure_ping_pong}};
enum { count = sizeof measurements / sizeof *measurements };

int main(int argc, char** argv) {
  static char name[64];
  char* no_arguments[] = {name};
  const char* const wanted = argc > 1 ? argv[1] : measurements[0].name;
  for (unsigned i = 0; i < count; ++i) {
    if (strcmp(wanted, measurements[i].name) != 0) continue;
    snprintf(name, sizeof name, "memory_timing %s", wanted);
    if (argc < 2) return measurements[i].run(1, no_arguments);
    argv[1] = name;
    return measurements[i].run(argc - 1, argv + 1);
  }
  printf("memory_timing: unknown measurement '%s'; there is", wanted);
  for (unsigned i = 0; i < count; ++i) printf(" %s", measurements[i].name);
  printf("\n");
  return exit_usage;
}
