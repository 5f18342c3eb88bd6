// A plain C program on picolibc's own start code and semihosting, built like third-party firmware:
// constructors, heap, sorting, formatted output and input, mathematics, long jumps, thread-local variables,
// files. Its output is the same under QEMU and Asterism.
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char order[16];

static void note(char letter) { order[strlen(order)] = letter; }
__attribute__((constructor(201))) static void first(void) { note('a'); }
__attribute__((constructor(202))) static void second(void) { note('b'); }
__attribute__((constructor)) static void last(void) { note('c'); }
__attribute__((destructor)) static void at_the_end(void) { printf("destructor\n"); }
static void at_exit_first(void) { printf("registered first, called last\n"); }
static void at_exit_second(void) { printf("registered second, called first\n"); }

static _Thread_local int of_this_thread = 42;
static volatile int initialised = 7;
static int zero;

static uint32_t state = 1;
static uint32_t random_number(void) { return state = state * 1664525 + 1013904223; }

static int ascending(const void* a, const void* b) {
  const uint32_t x = *(const uint32_t*)a, y = *(const uint32_t*)b;
  return (x > y) - (x < y);
}

// Allocates blocks of all sizes, and writes, grows and frees them in another order: each must keep its
// contents.
static void heap(void) {
  enum { blocks = 200 };
  static unsigned char* block[blocks];
  static size_t size[blocks];
  unsigned wrong = 0;
  for (int round = 0; round < 20; ++round)
    for (int i = 0; i < blocks; ++i) {
      const int which = (int)(random_number() >> 8) % blocks;
      for (size_t at = 0; at < size[which]; ++at) wrong += block[which][at] != (unsigned char)which;
      size[which] = (random_number() >> 12) % 3000;
      if (size[which] == 0) {
        free(block[which]);
        block[which] = NULL;
        continue;
      }
      block[which] = realloc(block[which], size[which]);
      if (block[which] == NULL) {
        printf("heap: exhausted\n");
        return;
      }
      memset(block[which], which, size[which]);
    }
  errno = 0;
  void* const too_large = malloc((size_t)1 << 40);
  printf("heap: %u wrong bytes, a tebibyte %s\n", wrong,
         too_large == NULL && errno == ENOMEM ? "refused" : "given");
}

static void sorting(void) {
  enum { count = 1000 };
  static uint32_t values[count];
  for (int i = 0; i < count; ++i) values[i] = random_number();
  const uint32_t wanted = values[123];
  qsort(values, count, sizeof *values, ascending);
  int in_order = 1;
  for (int i = 1; i < count; ++i) in_order = in_order && values[i - 1] <= values[i];
  const uint32_t* const found = bsearch(&wanted, values, count, sizeof *values, ascending);
  printf("sorting: %s, %s, middle %08lx\n", in_order ? "in order" : "NOT in order",
         found != NULL && *found == wanted ? "found" : "NOT found", (unsigned long)values[count / 2]);
}

static int format(char* to, size_t size, const char* what, ...) {
  va_list arguments;
  va_start(arguments, what);
  const int length = vsnprintf(to, size, what, arguments);
  va_end(arguments);
  return length;
}

static void text(void) {
  char line[80], word[20];
  printf(
      "%d bytes: %s\n",
      format(line, sizeof line, "[%5d|%-8s|%+.3e|%#x|%c|%%|%5.2f]", -42, "left", 12345.678, 255, 'z', 2.675),
      line);
  printf("%d bytes of which %u fit\n", format(line, 8, "%s", "truncated here"), (unsigned)strlen(line));
  int number = 0;
  double real = 0;
  const int fields = sscanf("17 words -2.5e3 rest", "%d %19s %lf", &number, word, &real);
  printf("%d fields: %d, %s, %g\n", fields, number, word, real);
  char* end = NULL;
  errno = 0;
  const double largest = strtod("1e999!", &end);
  printf("%g, %s, rest %s\n", largest, errno == ERANGE ? "out of range" : "in range", end);
  printf("%ld, %lx, %llu\n", strtol("-0x7f", NULL, 0), strtoul("0777", NULL, 8),
         strtoull("18446744073709551615", NULL, 10));
  char list[] = "one,two,,three";
  for (const char* part = strtok(list, ","); part != NULL; part = strtok(NULL, ",")) printf("%s;", part);
  memmove(list + 2, list, 6);
  printf(" %.*s %d\n", 8, "moved over itself", memcmp("abcd", "abce", 4) < 0);
}

static void mathematics(void) {
  static const double values[] = {0.1, 0.5, 1, 2, 3.7, 10, 123.456};
  for (unsigned i = 0; i < sizeof values / sizeof *values; ++i) {
    volatile double x = values[i];
    printf("%g: %a %a %a %a %a\n", x, sin(x), exp(x), log(x), pow(x, 1.5), sqrt(x));
  }
  volatile double huge = 1e308, nothing = 0;
  printf("%g %g %g %d\n", huge * 10, nothing / nothing, -1 / nothing, (int)isnan(fmod(huge, nothing)));
}

static jmp_buf back;
static void deep(int depth) {
  if (depth == 0) {
    if (initialised == 7) longjmp(back, 17);
    return;
  }
  deep(depth - 1);
  printf("never here\n");
}

static void files(void) {
  FILE* file = fopen("library.txt", "w");
  for (int i = 0; i < 100; ++i) fprintf(file, "line %d of a file\n", i);
  fclose(file);
  file = fopen("library.txt", "r");
  fseek(file, -18, SEEK_END);
  char line[40] = "";
  fgets(line, sizeof line, file);
  printf("file: %s", line);
  rewind(file);
  unsigned long bytes = 0;
  while (getc(file) != EOF) ++bytes;
  fclose(file);
  printf("file: %lu bytes, another %s\n", bytes,
         fopen("no_such_file.txt", "r") == NULL ? "is not there" : "is there");
}

int main(void) {
  printf("constructors: %s; variables: %d %d %d\n", order, of_this_thread, initialised, zero);
  atexit(at_exit_first);
  atexit(at_exit_second);
  heap();
  sorting();
  text();
  mathematics();
  volatile int local = 1;
  const int jumped = setjmp(back);
  if (jumped == 0) {
    local = 2;
    deep(10);
  }
  printf("jumped with %d, local %d\n", jumped, local);
  files();
  return 5;
}
