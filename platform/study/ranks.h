// The processes that mpirun or srun has started together, as one sees the others. MPI itself is in libasterism_mpi.so
// (mpi_library.h), loaded only where a launcher has started this process.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace asterism {

// All calls from one thread.
class Ranks {
 public:
  struct Message {
    int from;
    std::string bytes;
  };

  virtual ~Ranks() = default;  // waits for the others to come to this point, too
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Returns at once. What one rank sends to another arrives in that order.
  virtual void send(int to, const std::string& bytes) = 0;
  // One that has come, or none.
  virtual std::optional<Message> receive() = 0;
};

// What the environment says of a launcher: Open MPI's, PMIx, PMI, Slurm.
struct RankLaunch {
  int rank = 0;
  int size = 0;  // 0: not said

  static std::optional<RankLaunch> from_environment();
  // In a child that is no rank of its own: nothing that it starts takes itself for one.
  static void forget();
};

// Null for a process that no launcher has started, or has started alone and there is no library. Else throws InputMissing
// when there is no library or it cannot be loaded, std::runtime_error when MPI sees other ranks than the launcher tells.
std::unique_ptr<Ranks> open_ranks(const std::filesystem::path& library);

}  // namespace asterism
