// The flash of a device with a translation layer in front of it: the keys that such devices have in common.
#pragma once

#include <cstdint>
#include <string>

#include "flash/flash_config.h"
#include "flash/translation_config.h"

namespace asterism {

class Fields;

struct DeviceFlashConfig {
  // A file in configs/flash, which defines the numbers of dies and planes.
  std::string part = "samsung_2016_vnand_16k";
  std::uint32_t channels = 1;
  std::uint32_t packages = 8;  // on each channel
  std::uint32_t blocks = 64;   // of each plane
  TranslationConfig translation = {};

  FlashGeometry geometry(const FlashPart& contents_of_part) const;
};
// In the object of the device itself.
void describe(Fields& f, DeviceFlashConfig& config);
// Those of them that do not say how large the flash is.
void describe_flash(Fields& f, std::string& part, std::uint32_t& channels, std::uint32_t& packages);
void describe_translation(Fields& f, TranslationConfig& translation);

}  // namespace asterism
