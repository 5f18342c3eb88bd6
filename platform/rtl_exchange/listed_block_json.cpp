// Reads what a .core file has no key for from the block.json that it lists.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <iterator>

#include "platform/config/config.h"
#include "platform/rtl/block_config.h"
#include "platform/rtl_exchange/described_block.h"

namespace asterism {
namespace {

using Json = nlohmann::ordered_json;

class ListedBlock {
 public:
  ListedBlock(Json json, ConfigDocument document, DescribedBlock& described)
      : json_(std::move(json)), document_(std::move(document)), described_(described) {}

  void run(const std::filesystem::path& file, const std::filesystem::path& out) {
    for (const char* key : {"contract", "assertions", "radix", "device"})
      if (json_.contains(key)) described_.say(key, json_[key], document_.origin_of(key));
    if (json_.contains("properties")) {
      Json properties = Json::array();
      for (const std::string name : json_["properties"])
        properties.push_back(path_from(out, file.parent_path() / name));
      described_.say("properties", std::move(properties), document_.origin_of("properties"));
    }
    claim_simple();
    for (std::size_t i = 0; i < json_["ports"].size(); ++i)
      claim_port(json_["ports"][i], fmt::format("ports.{}", i));
  }

 private:
  void claim(const std::string& port, const std::string& role, const std::string& path) {
    described_.claims.push_back({port, role, document_.origin_of(path)});
  }

  void claim_simple() {
    for (const char* key : {"clock", "idle", "next_event"})
      if (json_.contains(key)) claim(json_[key], key, key);
    if (!json_.contains("reset")) return;
    const Json& reset = json_["reset"];
    claim(reset["port"], "reset:" + reset.value("active", "low"), "reset.port");
    if (reset.contains("power_on")) claim(reset["power_on"], "power_on_reset", "reset.power_on");
    if (!reset.contains("cycles")) return;
    described_.block["reset"]["cycles"] = reset["cycles"];
    described_.said["reset.cycles"] = document_.origin_of("reset.cycles");
  }

  void claim_port(const Json& port, const std::string& path) {
    const std::string role = port["role"], signal = port.value("signal", "");
    if (role == "state" && port.contains("states"))
      return claim(signal,
                   fmt::format("state:{}", fmt::join(port["states"].get<std::vector<std::string>>(), ",")),
                   path);
    if (role == "input") return claim(signal, fmt::format("input:{}", port.value("value", 0U)), path);
    if (role == "interrupt") return claim(signal, fmt::format("interrupt:{}", interrupts_++), path);
    if (!signal.empty()) return claim(signal, role, path);
    const std::string side = role == "bus" ? port.value("side", "target") : port.value("direction", "in");
    const std::string prefix = side == "target" ? "bus." : side + ".";
    for (const auto& [key, value] : port.items()) {
      if (key == "role" || key == "side" || key == "direction") continue;
      if (value.is_string()) claim(value, prefix + key, fmt::format("{}.{}", path, key));
      if (value.is_object())  // the signals of a table
        for (const auto& [name, each] : value.items())
          claim(each, prefix + name, fmt::format("{}.{}.{}", path, key, name));
    }
  }

  Json json_;
  ConfigDocument document_;
  DescribedBlock& described_;
  unsigned interrupts_ = 0;
};

}  // namespace

bool describe_by_block_json(const std::filesystem::path& file, const std::filesystem::path& out,
                            DescribedBlock& described) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  Json json = Json::parse(text, nullptr, false);
  const bool is_block = json.is_object() && json.contains("contract");
  if (!is_block && file.filename() != "block.json") return false;
  ConfigDocument document = ConfigDocument::load(file);
  Diagnostics problems;
  static_cast<void>(read_config<BlockConfig>(document, nullptr, problems));
  problems.throw_if_any();
  ListedBlock(std::move(json), std::move(document), described).run(file, out);
  return true;
}

}  // namespace asterism
