// The key under which a library is kept: the SHA-1 of everything from which it is built.
#pragma once

#include <boost/uuid/detail/sha1.hpp>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "platform/rtl/block_config.h"
#include "platform/rtl/toolchain.h"

namespace asterism {

// The parts are delimited: "ab", "c" has another digest than "a", "bc".
class Digest {
 public:
  Digest& add(std::string_view part);
  std::string text();  // 40 hexadecimal digits; may be called only once

 private:
  boost::uuids::detail::sha1 hash_;
};

// The files of a block, with paths as they are passed to programs: relative to the current folder if they are
// below it, else as the user named block.json.
struct BlockFiles {
  std::vector<std::filesystem::path> sources;   // including properties if assertions are compiled
  std::vector<std::filesystem::path> include;   // folders
  std::vector<std::filesystem::path> included;  // the files in these folders that sources may include
};

// Throws std::system_error if a file cannot be read.
std::string block_digest(const BlockConfig& config, const BlockFiles& files, const Toolchain& tools);

// The digest of the parts that are the same for all blocks.
std::string runtime_digest(const Toolchain& tools);

}  // namespace asterism
