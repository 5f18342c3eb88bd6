// The processes that mpirun or srun has started together, as seen by one of them. MPI itself is in
// libasterism_mpi.so (mpi_library.h), which is loaded only if a launcher has started this process.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace asterism {

// All calls are made from one thread.
class Ranks {
 public:
  struct Message {
    int from;
    std::string bytes;
  };

  virtual ~Ranks() = default;  // waits until the other ranks reach this point too
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Returns at once. Messages from one rank to another arrive in order.
  virtual void send(int to, const std::string& bytes) = 0;
  // A message that has arrived, or none.
  virtual std::optional<Message> receive() = 0;
};

// What the environment says about a launcher: Open MPI's, PMIx, PMI, Slurm.
struct RankLaunch {
  int rank = 0;
  int size = 0;  // 0: unknown

  static std::optional<RankLaunch> from_environment();
  // In a child that is not a rank of its own, so that no process that it starts takes itself for one.
  static void forget();
};

// Null for a process that no launcher has started, and for one started alone if there is no library.
// Otherwise throws InputMissing if the library is missing or cannot be loaded, and std::runtime_error if MPI
// reports other ranks than the launcher.
std::unique_ptr<Ranks> open_ranks(const std::filesystem::path& library);

}  // namespace asterism
