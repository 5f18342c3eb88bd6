// A medium of checkpoints behind a CXL link, for models that need its bandwidths only. Its engine measures
// them (models/cxl): an expander writes and reads an array by DMA, as in the study `cxl`, a CXL SSD writes
// and flushes a checkpoint and reads it, as in the study `cxl_ssd`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "base/units.h"
#include "cxl/cxl_ssd_config.h"
#include "memory/dram_config.h"
#include "platform/config/config_library.h"
#include "platform/study/study_kind.h"
#include "resilience/checkpoint_levels.h"

namespace asterism {

class Fields;

enum class MediumType { cxl, cxl_ssd };
constexpr auto enum_names(MediumType) {
  return std::to_array<EnumName<MediumType>>(
      {{MediumType::cxl, "cxl", "DRAM behind a CXL link"},
       {MediumType::cxl_ssd, "cxl_ssd", "flash behind a CXL link and a cache of DRAM"}});
}

DramConfig dimm_of_ddr5();  // two channels of DDR5-5600, one rank

struct CheckpointMedium {
  MediumType type = MediumType::cxl;
  std::string expander = "asic";
  Picoseconds path = 83_ns;
  DramConfig dram = dimm_of_ddr5();
  Bytes cache = 16_MiB;
  CxlSsdFlash flash = {};
};
void describe(Fields& f, CheckpointMedium& medium);

struct MediumBandwidths {
  Bandwidth write, read;
};
// The first time takes half a second, or one for flash. Throws StudyMistake, with keys below `key`, if there
// cannot be such a device.
MediumBandwidths measured(CheckpointMedium medium, const ConfigLibrary& library,
                          const std::string& key = "medium");

// Puts the first level on the medium: it takes the time that this takes to write and to read so many bytes.
void put_first_level_on(const CheckpointMedium& medium, Bytes checkpoint, const ConfigLibrary& library,
                        std::vector<CheckpointLevel>& levels);
// The columns of a study that does so, and their cells: the times that replace those of the keys; empty
// without a medium.
constexpr Column medium_write_column{"medium_write_s", "on medium", "s",
                                     "The time of a checkpoint of the first level on the medium"};
constexpr Column medium_read_column{"medium_read_s", "from it", "s", "The time of a restart from the medium"};
void add_times_on_medium(const std::optional<CheckpointMedium>& medium,
                         const std::vector<CheckpointLevel>& levels, std::vector<Cell>& cells);

}  // namespace asterism
