// Files of parts, graphs and profiles with one number changed: `check`, of the file alone and of a study that
// uses it, must accept or refuse it (0 or 65) within a second.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <fstream>
#include <regex>

#include "base/sanitizers.h"
#include "tests/platform/command.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using testing::AnyOf;
using testing::HasSubstr;

// A file, and the studies that use it, each with the key that names it: "dimm_ssd part".
struct Mutated {
  std::string kind, name;
  std::vector<std::string> users = {};
};

constexpr double max_seconds = is_sanitized ? 10 : 1;
constexpr int every = is_sanitized ? 8 : 1;  // only every n-th mutation is tested

// The processor time of all child processes that have ended.
double seconds_of_children() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// Collects the places of all scalars except sources. Of a list only the first and the last element are
// visited.
void find_values(const Json& json, const Json::json_pointer& at, std::vector<Json::json_pointer>& found) {
  if (json.is_object()) {
    for (const auto& [key, value] : json.items())
      if (key != "sources" && key != "source") find_values(value, at / key, found);
  } else if (json.is_array()) {
    for (std::size_t i = 0; i < json.size(); ++i)
      if (i == 0 || i + 1 == json.size()) find_values(json[i], at / i, found);
  } else {
    found.push_back(at);
  }
}

std::vector<Json> mutations(const Json& value) {
  const std::string largest = "18446744073709551615";
  if (value.is_string()) {
    const std::string text = value;
    const std::regex number("^[0-9.]+");
    if (!std::regex_search(text, number)) return {"", std::string(300, 'x'), 0};
    const auto with = [&](const std::string& other) { return std::regex_replace(text, number, other); };
    return {with("0"), with("-1"), with("1"), with("1000000"), with(largest), 0};
  }
  if (value.is_boolean()) return {0};
  return {0, -1, 1, 1'000'000, 18446744073709551615u, 1e300, Json::array()};
}

struct MutatedFilesTest : CommandTest, testing::WithParamInterface<Mutated> {
  MutatedFilesTest() {
    fs::copy(source_configs(), folder / "configs", fs::copy_options::recursive);
    environment["ASTERISM_CONFIGS"] = (folder / "configs").string();
  }
  int expect_an_answer(const Arguments& arguments, const std::string& what) const {
    const double before = seconds_of_children();
    const Ended ended = asterism(arguments);
    EXPECT_THAT(ended.status, AnyOf(0, 65)) << what << "\n" << ended.err;
    EXPECT_LE(seconds_of_children() - before, max_seconds) << what;
    if (ended.status == 65) {
      EXPECT_THAT(ended.err, HasSubstr("error: ")) << what;
    }
    return ended.status;
  }
};

TEST_P(MutatedFilesTest, AreTakenOrRefused) {
  const Mutated& file = GetParam();
  const fs::path mutant = fs::path("configs") / file.kind / "mutant.json";
  std::ifstream in(source_configs() / file.kind / (file.name + ".json"));
  const Json whole = Json::parse(in);
  std::vector<Json::json_pointer> values;
  find_values(whole, Json::json_pointer(), values);
  ASSERT_GT(values.size(), 2u);
  int count = 0;
  for (const Json::json_pointer& at : values)
    for (const Json& other : mutations(whole.at(at))) {
      if (++count % every != 0) continue;
      Json changed = whole;
      changed[at] = other;
      write(mutant, changed.dump());
      const std::string what = fmt::format("{} = {}", at.to_string(), other.dump());
      if (expect_an_answer({"check", "mutant"}, what) != 0) continue;  // a study would refuse it too
      for (const std::string& user : file.users) {
        const std::size_t space = user.find(' ');
        expect_an_answer({"check", user.substr(0, space), user.substr(space + 1) + "=mutant"},
                         user + ": " + what);
      }
    }
}
INSTANTIATE_TEST_SUITE_P(
    Kinds, MutatedFilesTest,
    testing::Values(Mutated{"flash", "samsung_2015_vnand_16k", {"dimm_ssd part"}},
                    Mutated{"dram", "ddr4_2400_8gb_x4", {"memory part"}}, Mutated{"pcram", "dong2011_3d"},
                    Mutated{"faults", "jaguar_ddr2", {"memory_faults faults"}},
                    Mutated{"cxl", "asic", {"cxl expander"}}, Mutated{"graphs", "ring_with_chord"},
                    Mutated{"technologies", "swizzle_switch_15nm", {"swizzle_switch technology"}},
                    Mutated{"workloads", "mix1", {"manycore workload"}},
                    Mutated{"write_profiles", "lbm", {"dimm_ssd workload"}},
                    Mutated{"kernel_profiles", "snap", {"gpu workload"}},
                    Mutated{"systems", "coral_summit", {"gpu_system system"}},
                    Mutated{"failures", "meta_rsc1", {"training_goodput failures"}}),
    [](const auto& info) { return info.param.kind; });

struct AttackersFilesTest : CommandTest {};

// A bus with a bandwidth of 0 would never transfer anything.
TEST_F(AttackersFilesTest, AFlashWithABusOfNothingIsRefused) {
  fs::copy(source_configs(), folder / "configs", fs::copy_options::recursive);
  environment["ASTERISM_CONFIGS"] = (folder / "configs").string();
  Json part = Json::parse(std::ifstream(source_configs() / "flash/samsung_2015_vnand_16k.json"));
  part["bus"] = "0MB/s";
  write("configs/flash/broken.json", part.dump());
  for (const Arguments& arguments : {Arguments{"check", "broken"}, {"check", "dimm_ssd", "part=broken"}}) {
    const Ended ended = asterism(arguments);
    EXPECT_EQ(ended.status, 65);
    EXPECT_THAT(ended.err, HasSubstr("broken.json:1:"));
    EXPECT_THAT(ended.err,
                HasSubstr("error: bus: expected a bandwidth from \"1MB/s\" to \"1TB/s\", got \"0MB/s\""));
  }
}

TEST_F(AttackersFilesTest, ANameThatIsTooLongIsRefusedAndNotPrinted) {
  const std::string name(5000, 'a'), path = "b/" + name;
  for (const Arguments& arguments :
       {Arguments{"run", name},
        {"run", "hello", "--firmware", name},
        {"run", "hello", "--firmware", path},
        {"run", "hello", "firmware=" + name},
        {"run", "hello", "node.uart0.input=file", "node.uart0.input_file=" + path},
        {"check", name},
        {"study", name},
        {"run", "hello", "--out", name}}) {
    const Ended ended = asterism(arguments);
    EXPECT_EQ(ended.status, 65) << arguments[1].substr(0, 20) << ": " << ended.err;
  }
  EXPECT_EQ(asterism({"run", "hello", "--firmware", name}).err,
            "command line: error: firmware: expected the name of a file, got one of " +
                std::to_string(elf(name).size()) + " characters, which is too long for the file system\n");
}

}  // namespace
}  // namespace asterism
