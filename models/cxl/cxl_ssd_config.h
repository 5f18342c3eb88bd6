// A CXL SSD of a node: flash that cores load from and store to, behind a CXL link and a cache of DRAM.
#pragma once

#include <optional>
#include <string>

#include "base/units.h"
#include "flash/flash_config.h"
#include "flash/translation_config.h"
#include "matt/matt.h"
#include "memory/dram_config.h"
#include "memory/dram_part.h"

namespace asterism {

class Fields;

struct CxlSsdFlash {
  std::string part = "samsung_2016_vnand_16k";  // a file in configs/flash
  std::uint32_t channels = 4;
  std::uint32_t packages = 2;  // on each channel
  TranslationConfig translation = {};
};
void describe(Fields& f, CxlSsdFlash& flash);

struct CxlSsdConfig {
  std::string expander = "asic";  // the link, a file in configs/cxl
  Bytes size = 256_MiB;           // of the window
  Bytes cache = 16_MiB;
  bool power_loss_protection = false;
  std::uint32_t read_ahead = 8;  // pages
  CxlSsdFlash flash = {};
  MattConfig matt = {};
  Picoseconds latency = 10_ns;
  DramConfig dram = {};
  std::string image = {};  // file that keeps the flash across runs; empty: in memory
};
// The keys of `dram` are on the same level as the others.
void describe(Fields& f, CxlSsdConfig& config);
void describe_cxl_ssd(Fields& f, CxlSsdConfig& config);  // without what a study does not have: image

// With as many blocks as the window takes.
FlashGeometry flash_geometry(const CxlSsdConfig& config, const FlashPart& part);
// The reason why there cannot be such a device, with the key that it concerns.
struct CxlSsdProblem {
  std::string key, text;
};
std::optional<CxlSsdProblem> problem_of(const CxlSsdConfig& config, const FlashPart& flash,
                                        const DramPart& dram);

}  // namespace asterism
