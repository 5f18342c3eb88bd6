// What the apps of this folder end with; the platform takes 0-63 as its own exit status.
#pragma once

#include "boot/layout.h"

typedef enum {
  exit_passed = 0,
  exit_failed = 1,                  // the app's own check found a difference
  exit_usage = 2,                   // an argument is wrong; a line says which
  exit_unavailable = 3,             // the machine has no such device or too little memory; a line says which
  exit_exception = EXIT_EXCEPTION,  // an exception that nobody handles; ESR, ELR and FAR stand on the console
} ExitStatus;
