// A program that makes promises about files, for tests of power failures on Linux:
//
//   promises write FOLDER COUNT    appends COUNT records to a file, and replaces another one at every fourth.
//                                  When fsync has returned, it prints "promised N", the record's number
//   promises check FOLDER          checks every byte, and prints "kept N", the number of the last record. It
//                                  fails if the replaced file has none of its contents
//
// A record after the last promise may be there or not; what follows it is cut off, as recovery of a log does.
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { longest = 6000 };

struct Record {
  uint32_t number, size;
  unsigned char bytes[longest];
};

static void fail(const char* what) {
  printf("promises: %s: %s\n", what, strerror(errno));
  exit(1);
}

// Contents that follow from the number, so that nothing of them has to be stored elsewhere.
static void make(struct Record* record, uint32_t number) {
  uint64_t state = number * 0x9E3779B97F4A7C15u + 1;
  record->number = number;
  record->size = 16 + (uint32_t)(state >> 40) % (longest - 16);
  for (uint32_t i = 0; i < record->size; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    record->bytes[i] = (unsigned char)(state >> 56);
  }
}

static size_t size_of(const struct Record* record) { return 8 + record->size; }

static void write_all(int file, const struct Record* record) {
  const char* from = (const char*)record;
  for (size_t left = size_of(record); left > 0;) {
    const ssize_t done = write(file, from, left);
    if (done <= 0) fail("write");
    from += done;
    left -= (size_t)done;
  }
}

static void promise(uint32_t count) {
  static struct Record record;
  const int log = open("log", O_WRONLY | O_CREAT | O_APPEND, 0666),
            folder = open(".", O_RDONLY | O_DIRECTORY);
  if (log < 0 || folder < 0) fail("open");
  for (uint32_t number = 1; number <= count; ++number) {
    make(&record, number);
    write_all(log, &record);
    if (fsync(log) != 0) fail("fsync");
    if (number % 4 == 0) {
      const int file = open("new", O_WRONLY | O_CREAT | O_TRUNC, 0666);
      if (file < 0) fail("new");
      write_all(file, &record);
      if (fsync(file) != 0 || close(file) != 0 || rename("new", "latest") != 0 || fsync(folder) != 0)
        fail("replace");
    }
    printf("promised %u\n", number);
    fflush(stdout);
  }
}

static int read_record(FILE* file, struct Record* record) {
  return fread(record, 8, 1, file) == 1 && record->size <= longest &&
         fread(record->bytes, 1, record->size, file) == record->size;
}

static int is_right(const struct Record* record) {
  static struct Record expected;
  make(&expected, record->number);
  return record->size == expected.size && memcmp(record->bytes, expected.bytes, record->size) == 0;
}

static void check(void) {
  static struct Record record;
  uint32_t number = 0;
  FILE* file = fopen("log", "r");
  if (file) {
    while (read_record(file, &record) && record.number == number + 1 && is_right(&record)) ++number;
    fclose(file);
  }
  printf("kept %u\n", number);
  file = fopen("latest", "r");
  if (file) {
    if (!read_record(file, &record) || !is_right(&record)) fail("latest");
    printf("latest %u\n", record.number);
    fclose(file);
  }
}

int main(int count, char** words) {
  if (count < 3 || chdir(words[2]) != 0) fail("promises write FOLDER COUNT or promises check FOLDER");
  if (count == 4)
    promise((uint32_t)atoi(words[3]));
  else
    check();
  return 0;
}
