#include "platform/study/mpi_library.h"

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <list>
#include <vector>

namespace {

struct Sent {
  std::vector<char> bytes;
  MPI_Request request = MPI_REQUEST_NULL;
};

AsterismMpi world;
std::list<Sent> sent;
MPI_Message next_message = MPI_MESSAGE_NULL;
int next_size = 0;

// MPI is set up so that an error ends the job.
void forget_what_has_arrived() {
  std::erase_if(sent, [](Sent& one) {
    int done = 0;
    MPI_Test(&one.request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
}

void send(int to, const char* bytes, int count) {
  forget_what_has_arrived();
  Sent& one = sent.emplace_back();
  one.bytes.assign(bytes, bytes + count);
  MPI_Isend(one.bytes.data(), count, MPI_BYTE, to, 0, MPI_COMM_WORLD, &one.request);
}

int next(int* from) {
  forget_what_has_arrived();
  int has_come = 0;
  MPI_Status status;
  MPI_Improbe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &has_come, &next_message, &status);
  if (has_come == 0) return -1;
  MPI_Get_count(&status, MPI_BYTE, &next_size);
  *from = status.MPI_SOURCE;
  return next_size;
}

void take(char* bytes) { MPI_Mrecv(bytes, next_size, MPI_BYTE, &next_message, MPI_STATUS_IGNORE); }

void close() {
  for (Sent& one : sent) MPI_Wait(&one.request, MPI_STATUS_IGNORE);
  MPI_Finalize();
}

}  // namespace

const AsterismMpi* asterism_mpi_1() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world.size);
  world.send = send;
  world.next = next;
  world.take = take;
  world.close = close;
  return &world;
}
