#include "boot/arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_number(const char* text, uint64_t* value) {
  char* end;
  if (*text < '0' || *text > '9') return false;
  *value = strtoull(text, &end, 0);
  unsigned shift = 0;
  if (strcmp(end, "KiB") == 0)
    shift = 10;
  else if (strcmp(end, "MiB") == 0)
    shift = 20;
  else if (strcmp(end, "GiB") == 0)
    shift = 30;
  else if (*end != 0)
    return false;
  if (*value > UINT64_MAX >> shift) return false;
  *value <<= shift;
  return true;
}

static bool read_choice(ArgumentChoice* choice, const char* text) {
  for (unsigned i = 0; i < choice->count; ++i) {
    if (strcmp(choice->names[i], text) != 0) continue;
    choice->index = i;
    return true;
  }
  return false;
}

static bool read_value(const Argument* argument, const char* text) {
  switch (argument->kind) {
    case argument_number: {
      uint64_t value;
      if (!read_number(text, &value) || value < argument->minimum || value > argument->maximum) return false;
      *(uint64_t*)argument->value = value;
      return true;
    }
    case argument_real: {
      char* end;
      const double value = strtod(text, &end);
      if (end == text || *end != 0 || !(value > 0)) return false;
      *(double*)argument->value = value;
      return true;
    }
    case argument_switch:
      if (strcmp(text, "on") != 0 && strcmp(text, "off") != 0) return false;
      *(bool*)argument->value = strcmp(text, "on") == 0;
      return true;
    case argument_text:
      if (*text == 0 || strlen(text) > argument->maximum) return false;
      *(const char**)argument->value = text;
      return true;
    case argument_choice:
      return read_choice(argument->value, text);
  }
  return false;
}

static void print_choice(const ArgumentChoice* choice) {
  printf("one of");
  for (unsigned i = 0; i < choice->count; ++i) printf(" %s", choice->names[i]);
}

static void print_expected(const Argument* argument) {
  switch (argument->kind) {
    case argument_number:
      printf("a number from %llu to %llu", (unsigned long long)argument->minimum,
             (unsigned long long)argument->maximum);
      break;
    case argument_real:
      printf("a number above 0");
      break;
    case argument_switch:
      printf("on or off");
      break;
    case argument_text:
      printf("a text of 1 to %llu characters", (unsigned long long)argument->maximum);
      break;
    case argument_choice:
      print_choice(argument->value);
      break;
  }
}

static bool read_one(const char* app, const char* word, const Argument* table, int count) {
  const char* equals = strchr(word, '=');
  const size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
  for (int i = 0; i < count; ++i) {
    if (strlen(table[i].name) != length || strncmp(table[i].name, word, length) != 0) continue;
    if (equals != NULL && read_value(&table[i], equals + 1)) return true;
    printf("%s: argument '%s' is wrong: %s (%s) must be ", app, word, table[i].name, table[i].meaning);
    print_expected(&table[i]);
    printf("\n");
    return false;
  }
  printf("%s: unknown argument '%s'; there is", app, word);
  for (int i = 0; i < count; ++i) printf(" %s=", table[i].name);
  printf("\n");
  return false;
}

bool arguments_read(int argc, char** argv, const Argument* table, int count) {
  for (int i = 1; i < argc; ++i)
    if (!read_one(argv[0], argv[i], table, count)) return false;
  return true;
}

bool arguments_interval_fits(const char* app, const char* argument, uint64_t interval, uint64_t run,
                             const char* units) {
  if (interval <= run) return true;
  printf("%s: argument '%s=%llu' is wrong: longer than the run of %llu %s, which would take no checkpoint\n",
         app, argument, (unsigned long long)interval, (unsigned long long)run, units);
  return false;
}
