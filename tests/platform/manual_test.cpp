// The man pages of this build.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "tests/platform/command.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

const fs::path pages = fs::path(ASTERISM_MANUAL) / "man1";

struct ManualTest : CommandTest {
  nlohmann::json verbs() const { return nlohmann::json::parse(asterism({"--help-json"}).out).at("verbs"); }
  // As on a terminal, without overstriking.
  std::string shown(const std::string& name) const {
    const Ended ended =
        program("sh", {"-c", fmt::format("LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l '{}' | col -bx",
                                         (pages / (name + ".1.gz")).string())});
    EXPECT_EQ(ended.status, 0);
    EXPECT_EQ(ended.err, "") << name;
    return ended.out;
  }
};

TEST_F(ManualTest, EachVerbHasAPageWithAllOfItsOptions) {
  const nlohmann::json all = verbs();
  EXPECT_GE(all.size(), 11u);
  for (const auto& verb : all) {
    const std::string name = verb.at("name"), text = shown("asterism-" + name);
    EXPECT_THAT(text, HasSubstr("\nNAME\n       asterism-" + name + " - "));
    for (const char* section : {"DESCRIPTION", "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO"})
      EXPECT_THAT(text, HasSubstr(fmt::format("\n{}\n", section))) << name;
    for (const auto& option : verb.at("options"))
      EXPECT_TRUE(
          std::regex_search(text, std::regex("\n +" + option.at("name").get<std::string>() + "( |\n)")))
          << name << " " << option.at("name");
  }
  const std::string text = shown("asterism");
  for (const auto& verb : all)
    EXPECT_THAT(text,
                HasSubstr(fmt::format("\n       asterism-{}(1)\n", verb.at("name").get<std::string>())));
}

TEST_F(ManualTest, TheHelpFitsATerminalAndHasTheStatusesOfItsVerb) {
  const auto help = [&](Arguments words) {
    words.emplace_back("--help");
    const std::string text = asterism(words).out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) EXPECT_LE(line.size(), 80u) << words[0] << ": " << line;
    return text.substr(text.rfind("Exit status: "));
  };
  help({});
  for (const auto& verb : verbs()) {
    const std::string name = verb.at("name"), statuses = help({name});
    EXPECT_EQ(statuses.find("from the firmware") != std::string::npos, name == "run") << name;
    for (const auto& below : verb.at("verbs")) help({name, below.at("name").get<std::string>()});
  }
  EXPECT_EQ(help({"compare"}),
            "Exit status: 0 the runs do not differ, 1 they differ, 64 usage, 65 error in a\n"
            "configuration or input file, 66 input missing, 70 internal error or output that\n"
            "cannot be written.\n");
}

TEST_F(ManualTest, ThePagesFitATerminalAndMandocFindsNothing) {
  for (const auto& page : fs::directory_iterator(pages)) {
    if (page.path().extension() != ".1") continue;
    std::istringstream in(shown(page.path().stem()));
    for (std::string line; std::getline(in, line);) {
      // A name of three bytes in UTF-8 is one column.
      const auto columns = std::ranges::count_if(line, [](char c) { return (c & 0xc0) != 0x80; });
      EXPECT_LE(columns, 80) << page.path() << ": " << line;
    }
    const Ended ended = program("mandoc", {"-T", "lint", "-W", "warning", page.path().string()});
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  }
}

}  // namespace
}  // namespace asterism
