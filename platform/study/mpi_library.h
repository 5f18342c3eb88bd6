// The interface of libasterism_mpi.so for the program that loads it: MPI_COMM_WORLD, in C.
#pragma once

extern "C" {

struct AsterismMpi {
  int rank, size;
  void (*send)(int to, const char* bytes, int count);  // copies them and returns at once
  // The size of the next message in bytes, and its sender; -1 if none has arrived. take() then gets it, once.
  int (*next)(int* from);
  void (*take)(char* bytes);
  void (*close)();  // waits until all that was sent has arrived, and until the others call it
};

// To be called once in a process. The number in the name changes with this header.
const AsterismMpi* asterism_mpi_1();
}
