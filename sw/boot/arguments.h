// Reads the key=value arguments of an app, which a table describes:
//
//   uint64_t nx = 16;
//   const Argument table[] = {{"nx", argument_number, &nx, 3, 256, "nodes an edge"}};
//   if (!arguments_read(argc, argv, table, 1)) return exit_usage;
//
// A wrong argument prints one line with its name, what was expected and, for an unknown name, the known
// names; the function then returns false.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum {
  argument_number,  // uint64_t: decimal or 0x..., may be followed by KiB, MiB or GiB; minimum..maximum
  argument_real,    // double, above 0
  argument_switch,  // bool: on or off
  argument_text,    // const char*: 1..maximum characters
  argument_choice,  // ArgumentChoice: one of its names
} ArgumentKind;

typedef struct {
  const char* const* names;
  unsigned count;
  unsigned index;  // of the chosen name
} ArgumentChoice;

typedef struct {
  const char* name;
  ArgumentKind kind;
  void* value;
  uint64_t minimum;
  uint64_t maximum;
  const char* meaning;
} Argument;

bool arguments_read(int argc, char** argv, const Argument* table, int count);

// Whether a run of `run` units reaches a checkpoint; otherwise prints a line that names the argument.
bool arguments_interval_fits(const char* app, const char* argument, uint64_t interval, uint64_t run,
                             const char* units);
