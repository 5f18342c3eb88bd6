// The greeting of hello.c without anything from this folder: a plain C program on picolibc's own start code
// and semihosting, like third-party firmware. It reads its arguments, prints, writes a file and reads it
// back.
#include <stdio.h>
#include <string.h>

static int write_and_read_back(const char* path, const char* text) {
  FILE* file = fopen(path, "w");
  if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) return 0;
  char back[64] = "";
  file = fopen(path, "r");
  if (file == NULL || fgets(back, sizeof back, file) == NULL || fclose(file) != 0) return 0;
  return strcmp(back, text) == 0;
}

int main(int argc, char** argv) {
  printf("hello from picolibc\n");
  for (int i = 2; i < argc; ++i) printf("argument: %s\n", argv[i]);  // 0: a fixed name, 1: the app's
  volatile double third = 1.0 / 3.0;
  printf("floating point: 1/3 = %.16g\n", third);
  const int right = write_and_read_back("picolibc.txt", "written by picolibc\n");
  printf("file: %s\n", right ? "read back as written" : "NOT as written");
  return right ? 0 : 1;
}
