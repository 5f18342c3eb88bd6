#include "platform/rtl/block_digest.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include "platform/config/config.h"
#include "platform/rtl/block_wrapper.h"
#include "platform/rtl/compile_commands.h"

namespace asterism {
namespace {

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::system_error(errno, std::generic_category(), file.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

Digest& Digest::add(std::string_view part) {
  const std::string length = std::to_string(part.size()) + ":";
  hash_.process_bytes(length.data(), length.size());
  hash_.process_bytes(part.data(), part.size());
  return *this;
}

std::string Digest::text() {
  boost::uuids::detail::sha1::digest_type words;
  hash_.get_digest(words);
  std::string text;
  for (const unsigned word : words) text += fmt::format("{:08x}", word);
  return text;
}

std::string block_digest(const BlockConfig& config, const BlockFiles& files, const Toolchain& tools) {
  Digest digest;
  BlockConfig built = config;
  built.device = std::nullopt;  // for software; the library does not have it
  digest.add(runtime_digest(tools)).add(expanded(built)).add(rtl_abi_text()).add(verilated_block_text());
  for (const auto* group : {&files.sources, &files.included})
    for (const std::filesystem::path& file : *group) digest.add(file.filename().string()).add(contents(file));
  return digest.text();
}

std::string runtime_digest(const Toolchain& tools) {
  Digest digest;
  digest.add(tools.verilator_include.string()).add(tools.verilator_version).add(tools.compiler_stamp);
  for (const std::string& word : build_flags()) digest.add(word);
  return digest.text();
}

}  // namespace asterism
