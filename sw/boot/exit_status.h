// The exit statuses of the apps; the platform returns statuses 0-63 as its own.
#pragma once

#include "boot/layout.h"

typedef enum {
  exit_passed = 0,
  exit_failed = 1,                  // the app's own check found a difference
  exit_usage = 2,                   // an argument is wrong; a line says which
  exit_unavailable = 3,             // the machine lacks a device or has too little memory; a line says which
  exit_exception = EXIT_EXCEPTION,  // an exception without a handler; the console shows ESR, ELR and FAR
} ExitStatus;
