// What a library is kept under: SHA-1 of all that it is built from.
#pragma once

#include <boost/uuid/detail/sha1.hpp>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "platform/rtl/block_config.h"
#include "platform/rtl/toolchain.h"

namespace asterism {

// Parts keep their limits: "ab", "c" is another digest than "a", "bc".
class Digest {
 public:
  Digest& add(std::string_view part);
  std::string text();  // 40 hexadecimal digits; call it once

 private:
  boost::uuids::detail::sha1 hash_;
};

// The files of a block as programs are told them: below the current folder, or as the user wrote block.json.
struct BlockFiles {
  std::vector<std::filesystem::path> sources;   // properties too, where assertions are compiled
  std::vector<std::filesystem::path> include;   // folders
  std::vector<std::filesystem::path> included;  // all files in them
};

// Throws std::system_error for a file that cannot be read.
std::string block_digest(const BlockConfig& config, const BlockFiles& files, const Toolchain& tools);

// Of what is the same for all blocks.
std::string runtime_digest(const Toolchain& tools);

}  // namespace asterism
