#include "platform/study/ranks.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include "platform/config/diagnostics.h"
#include "platform/study/blocked_signals.h"
#include "platform/study/mpi_library.h"

namespace asterism {
namespace {

struct Variables {
  const char *rank, *size;
};
// The step of a Slurm job with only one task does not count as a launcher, because a batch script has the
// same variables.
constexpr std::array<Variables, 4> launchers{{{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                              {"PMI_RANK", "PMI_SIZE"},
                                              {"PMIX_RANK", "SLURM_STEP_NUM_TASKS"},
                                              {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}}};

std::optional<int> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return std::nullopt;
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (*end != '\0' || value < 0 || value > INT_MAX) return std::nullopt;
  return static_cast<int>(value);
}

// Keeps this program's handling of crashes. The MPI library would print a page of text and continue.
class CrashSignals {
 public:
  CrashSignals() {
    for (std::size_t i = 0; i < numbers.size(); ++i) sigaction(numbers[i], nullptr, &before_[i]);
  }
  ~CrashSignals() {
    for (std::size_t i = 0; i < numbers.size(); ++i) sigaction(numbers[i], &before_[i], nullptr);
  }
  CrashSignals(const CrashSignals&) = delete;
  CrashSignals& operator=(const CrashSignals&) = delete;

 private:
  static constexpr std::array numbers{SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
  std::array<struct sigaction, numbers.size()> before_{};
};

class MpiRanks final : public Ranks {
 public:
  explicit MpiRanks(const AsterismMpi* mpi) : mpi_(mpi) {}
  ~MpiRanks() override { mpi_->close(); }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int rank() const override { return mpi_->rank; }
  int size() const override { return mpi_->size; }
  void send(int to, const std::string& bytes) override {
    if (bytes.size() > INT_MAX) throw std::length_error("a point's results have more than 2 GiB");
    mpi_->send(to, bytes.data(), static_cast<int>(bytes.size()));
  }
  std::optional<Message> receive() override {
    Message message{};
    const int size = mpi_->next(&message.from);
    if (size < 0) return std::nullopt;
    message.bytes.resize(static_cast<std::size_t>(size));
    mpi_->take(message.bytes.data());
    return message;
  }

 private:
  const AsterismMpi* mpi_;
};

[[noreturn]] void refuse(const std::filesystem::path& library, const RankLaunch& launch,
                         const std::string& why) {
  const std::string many =
      launch.size == 0 ? "one of several processes" : fmt::format("{} processes", launch.size);
  throw InputMissing(Diagnostic::of_file(library.string(),
                                         fmt::format("started as {} by mpirun or srun, but {}", many, why)));
}

}  // namespace

std::optional<RankLaunch> RankLaunch::from_environment() {
  for (const Variables& variables : launchers) {
    const auto rank = number_in(variables.rank);
    if (!rank) continue;
    const int size = number_in(variables.size).value_or(0);
    if (variables.rank == launchers.back().rank && size < 2) continue;
    return RankLaunch{*rank, size};
  }
  return std::nullopt;
}

void RankLaunch::forget() {
  for (const Variables& variables : launchers) unsetenv(variables.rank);
}

std::unique_ptr<Ranks> open_ranks(const std::filesystem::path& library) {
  const auto launch = RankLaunch::from_environment();
  if (!launch) return nullptr;
  std::error_code none;
  if (!std::filesystem::exists(library, none)) {
    if (launch->size == 1) return nullptr;
    refuse(library, *launch,
           "there is no such file: this program was built without MPI (Debian: libopenmpi-dev, "
           "-DASTERISM_MPI=ON)");
  }
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) refuse(library, *launch, fmt::format("it cannot be loaded: {}", dlerror()));
  const auto open = reinterpret_cast<decltype(&asterism_mpi_1)>(dlsym(handle, "asterism_mpi_1"));
  if (open == nullptr) refuse(library, *launch, "it is of another version of this program");
  const AsterismMpi* mpi = nullptr;
  {
    const CrashSignals kept;
    const BlockedSignals inherited;  // MPI's threads inherit the signal mask, so that they receive no signal
    mpi = open();
  }
  auto ranks = std::make_unique<MpiRanks>(mpi);
  if (launch->size != 0 && launch->size != mpi->size)
    throw std::runtime_error(fmt::format(
        "the launcher has started {} processes, but MPI sees {}: mpirun, or srun's --mpi, is of another "
        "MPI than {}",
        launch->size, mpi->size, library.string()));
  return ranks;
}

}  // namespace asterism
