// What libasterism_mpi.so gives to the program that loads it: MPI_COMM_WORLD, in C.
#pragma once

extern "C" {

struct AsterismMpi {
  int rank, size;
  void (*send)(int to, const char* bytes, int count);  // copies them and returns at once
  // How many bytes the next message has, and from whom; -1 when none has come. Then take() gets it, once.
  int (*next)(int* from);
  void (*take)(char* bytes);
  void (*close)();  // waits until all that was sent is with its receiver, and for the others to call it
};

// Once in a process. The number is this header's: it changes with it.
const AsterismMpi* asterism_mpi_1();
}
