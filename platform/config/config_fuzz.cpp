// libFuzzer entry: the bytes up to a NUL are a scenario, and each line after it is an override. Any input
// must end with a ConfigError or with a config whose expanded form reads back as the same.
#include <algorithm>
#include <cstdlib>

#include "platform/config/test_configs.h"

namespace asterism {
namespace {

using test_configs::Scenario;

void read_and_write(std::string_view text, std::string_view overrides) {
  ConfigDocument document = ConfigDocument::parse(text, "fuzz.json");
  while (!overrides.empty()) {
    const std::size_t end = std::min(overrides.find('\n'), overrides.size());
    document.apply_override(overrides.substr(0, end));
    overrides.remove_prefix(std::min(end + 1, overrides.size()));
  }
  Diagnostics problems;
  const Scenario scenario = read_config<Scenario>(document, nullptr, problems);
  problems.throw_if_any();

  const std::string written = expanded(scenario);
  ConfigDocument again = ConfigDocument::parse(written, "written.json");
  if (expanded(read_config<Scenario>(again, nullptr, problems)) != written || !problems.empty()) std::abort();
}

}  // namespace
}  // namespace asterism

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(input.find('\0'), input.size());
  try {
    asterism::read_and_write(input.substr(0, end), input.substr(std::min(end + 1, input.size())));
  } catch (const asterism::ConfigError&) {
  }
  return 0;
}
