// The keys of the study `training_goodput`, and the training run and the failures that follow from them: with
// the memory of GPUs as its faults and its code have it, what holds copies, and what is bought.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/enum_names.h"
#include "base/units.h"
#include "ecc/sector_code.h"
#include "platform/config/config_library.h"
#include "platform/study/checkpoint_medium.h"
#include "resilience/failure_profile.h"
#include "resilience/long_duration.h"
#include "resilience/training_job.h"

namespace asterism {

class Fields;

enum class TrainingHbmCode { field, none, secded, symbol, reach };
constexpr auto enum_names(TrainingHbmCode) {
  return std::to_array<EnumName<TrainingHbmCode>>(
      {{TrainingHbmCode::field, "field", "whatever the fleet of `failures` has"},
       {TrainingHbmCode::none, "none", "errors are not detected"},
       {TrainingHbmCode::secded, "secded", "that of HBM2, (72,64)"},
       {TrainingHbmCode::symbol, "symbol", "that of HBM3, RS(19,17) over 16-bit symbols"},
       {TrainingHbmCode::reach, "reach", "REACH's two levels, RS(36,32) and RS(72,64)"}});
}

// The memory of a GPU, from whose faults its failures follow.
struct TrainingHbm {
  std::string faults = "jaguar_ddr2";
  std::optional<SectorCode> fleet_code = std::nullopt;
  std::optional<std::uint32_t> dies = std::nullopt;  // without it, 40
  std::uint32_t span_dies = 1;
  LongDuration found_after = long_duration(3600);
  double bound = 0;
  std::uint64_t trials = 1'000;
};

// Changes that are bought together.
struct TrainingPurchase {
  double price = 0;
  std::optional<TrainingHbmCode> code = std::nullopt;
  std::optional<std::uint32_t> spares = std::nullopt, group = std::nullopt, parity = std::nullopt,
                               span_dies = std::nullopt;
  std::optional<TrainingProtocol> protocol = std::nullopt;
  std::optional<CheckpointMedium> medium = std::nullopt;
  std::optional<Bandwidth> copies_on = std::nullopt, node_link = std::nullopt, file_system = std::nullopt;
  std::optional<bool> background = std::nullopt;
  std::optional<LongDuration> interval = std::nullopt, detection = std::nullopt, restart = std::nullopt,
                              repair = std::nullopt;
};

struct TrainingCopies {
  ReplicaPlacement placement = ReplicaPlacement::mixed;
  std::uint32_t group = 2, parity = 1;
};

struct TrainingGoodputStudy {
  std::string failures = "llama3_405b";
  double factor = 1;
  std::optional<double> hbm_fit = std::nullopt;
  TrainingHbmCode code = TrainingHbmCode::field;
  TrainingHbm hbm = {};

  std::uint32_t gpus = 16'384, spares = 64;
  LongDuration iteration = long_duration(10);
  Bytes state = Bytes(5'670'000'000'000);
  std::uint32_t data_parallel = 128;

  TrainingProtocol protocol = TrainingProtocol::replicas;
  TrainingCopies copies = {};
  std::optional<LongDuration> memory_interval = std::nullopt, interval = std::nullopt;
  bool background = true;
  std::optional<CheckpointMedium> medium = std::nullopt;

  Bandwidth gpu_link = 25_GBps, node_link = 400_GBps, file_system = 2000_GBps;
  std::optional<Bandwidth> copies_on = std::nullopt;  // without it and without a medium, 100 GB/s
  double idle = 0.3;
  LongDuration detection = long_duration(600), restart = long_duration(300), replacement = long_duration(60),
               repair = long_duration(86'400);

  LongDuration work = long_duration(30ull * 86'400);
  bool new_machine = false;
  std::uint32_t runs = 10;
  std::uint64_t seed = 1;

  std::map<std::string, TrainingPurchase> purchases = {};
  std::string purchase = "none";
};

// A machine and its failures.
struct TrainingPlan {
  TrainingJob job;
  FailureProfile profile;
  double slowdown = 1;                 // of an iteration, by what the code transfers
  double stored = 0, transferred = 0;  // redundancy by data
  // With a code, the most that its drawn faults leave of failures of HBM, in 1e9 h of a GPU.
  std::optional<double> stops_high_fit = std::nullopt, silent_high_fit = std::nullopt;
};

void describe(Fields& f, TrainingGoodputStudy& c);

// Throws StudyMistake if something that is bought does not go with the machine.
void take_purchase(const TrainingPurchase& bought, TrainingGoodputStudy& config);

// Throws StudyMistake or ConfigError.
TrainingPlan plan_of(const TrainingGoodputStudy& config, const ConfigLibrary& library);

}  // namespace asterism
