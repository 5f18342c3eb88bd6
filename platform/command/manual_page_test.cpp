#include "platform/command/manual_page.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace asterism {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::Not;

TEST(ManualPageTest, ParagraphsHaveCodeEmphasisAndTheTextOfLinks) {
  EXPECT_EQ(man_of_markdown("Say `a-b` or **c**,\nas [the `d` page](d.md#e) has it.\n"),
            "Say \\fBa\\-b\\fR or \\fBc\\fR, as the \\fBd\\fR page has it.\n");
}

TEST(ManualPageTest, ADelimiterWithoutItsCounterpartIsACharacter) {
  EXPECT_EQ(man_of_markdown("a `b [c] (d)\n"), "a \\(gab [c] (d)\n");
}

TEST(ManualPageTest, NothingIsTakenForARequestOrAnEscape) {
  EXPECT_EQ(man_of_markdown("    .so file\n    'a\\n~^\n"),
            ".RS 4\n.nf\n\\&.so file\n\\(aqa\\en\\(ti\\(ha\n.fi\n.RE\n");
  EXPECT_EQ(man_of_markdown(".so file\n"), "\\&.so file\n");
}

TEST(ManualPageTest, ALongCommandContinuesOnTheNextLine) {
  const std::string words(60, 'a');
  EXPECT_EQ(man_of_markdown("    " + words + " 12345678 [b c]\n"),
            ".RS 4\n.nf\n" + words + " \\e\n    12345678 [b c]\n.fi\n.RE\n");
  EXPECT_EQ(man_of_markdown("    " + words + words + "\n"), ".RS 4\n.nf\n" + words + words + "\n.fi\n.RE\n");
}

TEST(ManualPageTest, TablesAreDefinitionsAndThoseOfOptionsAreLeftOut) {
  EXPECT_EQ(man_of_markdown("| status | meaning |\n|---|---|\n| 0-63 | of `a\\|b` |\n"),
            ".TP\n0-63\nof \\fBa|b\\fR\n");
  EXPECT_EQ(man_of_markdown("| option | effect |\n|---|---|\n| `--out` | names |\n"), "");
}

TEST(ManualPageTest, ListsAndHeadingsBelowASectionRemain) {
  EXPECT_EQ(man_of_markdown("a\n\n### The `a`\n\n- b\n  c\n- d\n\ne\n"),
            "a\n.SS The \\fBa\\fR\n.IP \\(bu 2\nb c\n.IP \\(bu 2\nd\n.PP\ne\n");
}

constexpr const char* page_of_documentation =
    "# The command\n\nIntroduction.\n\n## Overrides\n\nKeys.\n\n## `run`\n\nRuns it.\n\n## `rtl` and "
    "`trace`\n\n"
    "Builds it.\n\n## Exit status\n\n| status | meaning |\n|---|---|\n| 64 | usage |\n\n## "
    "Environment\n\nOne.\n\n"
    "## Files\n\nTwo.\n";

json option(const char* name, const char* value, const char* description) {
  return {{"name", name},
          {"value", value},
          {"description", description},
          {"needs", json::array({"-x"})},
          {"excludes", json::array({"-y"})},
          {"required", true},
          {"repeats", true}};
}

json verb(const char* name, const json& verbs = json::array()) {
  return {{"name", name},
          {"description", "Do it"},
          {"arguments", json::array({option("FILE", "", "The file")})},
          {"options", json::array({option("--jobs", "N:INT in [1 - 64]", "So many")})},
          {"verbs", verbs}};
}

std::map<std::string, std::string> pages_of(const json& verbs,
                                            std::string_view page = page_of_documentation) {
  json command = verb("asterism", verbs);
  command["description"] = "Asterism: a platform";
  return manual_pages({command, page, "1.2", "2026-11-29"});
}

TEST(ManualPageTest, EachVerbHasAPageWithItsSectionAndAllOptions) {
  const auto pages = pages_of(json::array({verb("run"), verb("rtl", json::array({verb("build")}))}));
  EXPECT_THAT(pages, ElementsAre(Key("asterism"), Key("asterism-rtl"), Key("asterism-run")));
  const std::string& run = pages.at("asterism-run");
  EXPECT_THAT(
      run, HasSubstr(".TH ASTERISM\\-RUN 1 2026-11-29 \"asterism 1.2\" \"Asterism\"\n.nh\n.ad l\n.SH NAME\n"
                     "asterism\\-run \\- do it\n.SH SYNOPSIS\n"
                     "\\fBasterism run\\fR [\\fIOPTIONS\\fR] \\fIFILE\\fR...\n"));
  EXPECT_THAT(run, HasSubstr("\n.SH DESCRIPTION\nRuns it.\n"));
  EXPECT_THAT(run, HasSubstr(".TP\n\\fB\\-\\-jobs\\fR \\fIN\\fR\nSo many. Allowed: 1 - 64. "
                             "Only with \\fB\\-x\\fR. Not together with \\fB\\-y\\fR.\n"));
  EXPECT_THAT(run, HasSubstr(".SH EXIT STATUS\n.TP\n64\nusage\n.SH ENVIRONMENT\nOne.\n.SH FILES\n"));
  EXPECT_THAT(run, HasSubstr("\\fBasterism\\fR(1),\n\\fBasterism\\-rtl\\fR(1)\n"));
  EXPECT_THAT(run, Not(HasSubstr("Builds it.")));
  EXPECT_THAT(pages.at("asterism-rtl"), HasSubstr(".SH ASTERISM RTL BUILD\nDo it.\n.SS ARGUMENTS\n"));
  EXPECT_THAT(pages.at("asterism"), HasSubstr("asterism \\- a platform\n"));
  EXPECT_THAT(pages.at("asterism"), HasSubstr("\n.SH DESCRIPTION\nIntroduction.\n.SH VERBS\n"));
}

TEST(ManualPageTest, AVerbOrASectionThatIsNotDocumentedIsRefused) {
  EXPECT_THROW(pages_of(json::array({verb("new")})), std::invalid_argument);
  EXPECT_THROW(pages_of(json::array(), "# The command\n\n## Overrides\n"), std::invalid_argument);
}

}  // namespace
}  // namespace asterism
