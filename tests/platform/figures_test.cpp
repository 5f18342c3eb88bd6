// Figures of studies and sweeps with the real command: PDF, and points that are means over seeds.
#include <gmock/gmock.h>

#include <filesystem>
#include <sstream>

#include "tests/platform/command.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

struct FiguresTest : CommandTest {
  const Arguments curve{"study",     "markov",       "failures=200", "counts=[]",
                        "cost=[9s]", "restart=[9s]", "rate=[1e-4]"};
  Arguments with(Arguments all, const Arguments& more) const {
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::string first_line(const std::string& file) const {
    const std::string text = contents(file);
    return text.substr(0, text.find('\n'));
  }
};

TEST_F(FiguresTest, APdfIsTheFigureWithItsFonts) {
  for (const char* file : {"a.pdf", "b.pdf"})
    ASSERT_EQ(asterism(with(curve, {"interval=1h:3h:1h", "--pdf", file})).status, 0);
  EXPECT_EQ(contents("a.pdf"), contents("b.pdf"));
  const std::string text = program("/usr/bin/pdftotext", {"a.pdf", "-"}).out;
  EXPECT_THAT(text, HasSubstr("played"));
  EXPECT_THAT(text, HasSubstr("error bars: 95% confidence interval"));
  EXPECT_THAT(program("/usr/bin/pdfinfo", {"a.pdf"}).out, ContainsRegex("Pages: +1\n"));
  EXPECT_THAT(program("/usr/bin/pdffonts", {"a.pdf"}).out, ContainsRegex("yes yes (yes|no)"));
}

TEST_F(FiguresTest, WithoutTheProgramNothingIsRun) {
  environment["PATH"] = folder.string();
  const Ended ended = asterism(with(curve, {"--pdf", "a.pdf", "--csv", "a.csv"}));
  EXPECT_EQ(ended.status, 66);
  EXPECT_EQ(ended.err,
            "command line: error: --pdf: .pdf files need the program rsvg-convert, which is not installed: "
            "apt-get install librsvg2-bin\n");
  EXPECT_TRUE(fs::is_empty(folder));
  EXPECT_EQ(asterism({"paper", "abeyratne2017.fig3.3", "--out", "p", "--pdf"}).status, 66);
}

TEST_F(FiguresTest, SeedsAreMeansInEveryOutput) {
  for (const char* threads : {"1", "3"})
    ASSERT_EQ(asterism(with(curve, {"seeds=4", "interval=1h:3h:1h", "--threads", threads, "--csv",
                                    std::string(threads) + ".csv", "--json", std::string(threads) + ".json",
                                    "--svg", std::string(threads) + ".svg"}))
                  .status,
              0);
  for (const char* kind : {".csv", ".json", ".svg"})
    EXPECT_EQ(contents(std::string("1") + kind), contents(std::string("3") + kind));
  EXPECT_THAT(first_line("1.csv"), HasSubstr(",seeds,"));
  EXPECT_THAT(first_line("1.csv"), HasSubstr(",monte_carlo,monte_carlo_ci95,"));
  EXPECT_EQ(json("1.json")["points"][0]["by_seed"].size(), 4u);
  EXPECT_THAT(contents("1.svg"), HasSubstr("of the mean of 4 seeds, by Student's t"));
}

TEST_F(FiguresTest, ASweepRunsEachPointWithEachSeed) {
  const Ended ended = asterism({"sweep", "hello", "node.cores.count=1,2", "node.memory.size=64MiB", "seeds=2",
                                "seed=5", "--show", "instructions", "--out", "out"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("no result depends on the seed: all 2 are equal"));
  for (const char* run : {"0_seed5", "0_seed6", "1_seed5", "1_seed6"})
    EXPECT_TRUE(exists(fs::path("out/runs") / run / "stats.json")) << run;
  EXPECT_EQ(json("out/runs/1_seed6/scenario.json")["seed"], 6);
  EXPECT_EQ(first_line("out/results.csv"),
            "node.cores.count,seeds,run,outcome,instructions,instructions_ci95,status,reason");
}

TEST_F(FiguresTest, IdleSeedsAreNamedWhileTheOtherPointsRun) {
  const Ended ended = asterism({"sweep", "hello", "node.cores.count=1:8:1", "node.memory.size=64MiB",
                                "seeds=2", "--jobs", "1", "--out", "out"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err,
              HasSubstr("asterism: the 2 seeds of the first point give the same results; if nothing "
                        "in the study is random, leave out seeds=2\n"));
}

TEST_F(FiguresTest, APdfIsNotWrittenUnderAnotherName) {
  const Ended ended = asterism({"study", "topology", "--pdf", "x.svg"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_THAT(ended.err, HasSubstr("--pdf: expected a name that ends in .pdf, got \"x.svg\""));
  EXPECT_FALSE(exists("x.svg"));
}

TEST_F(FiguresTest, ExactAndPublishedSharesOfCodesAreSigns) {
  ASSERT_EQ(asterism({"study", "ecc", "trials=1000", "failure=pin+chip,chip+chip", "--svg", "a.svg"}).status,
            0);
  for (const char* sign : {">exact<", ">published<", ">SDC (ppm)<"})
    EXPECT_THAT(contents("a.svg"), HasSubstr(sign));
  EXPECT_THAT(contents("a.svg"), Not(HasSubstr(">exact (ppm)<")));
}

TEST_F(FiguresTest, SeedsAreRefusedWhereTheyHaveNoMeaning) {
  const Ended none = asterism({"study", "topology", "seeds=3"});
  EXPECT_EQ(none.status, 65);
  EXPECT_THAT(none.err,
              HasSubstr("seeds: nothing in this study of kind \"topology\" is random: its results do "
                        "not depend on a seed"));
  const Ended zero = asterism({"study", "markov", "seeds=0"});
  EXPECT_EQ(zero.status, 65);
  EXPECT_THAT(zero.err, HasSubstr("seeds: expected an integer from 1 to 10000, got 0"));
  const Ended paper = asterism({"paper", "dong2011.fig17", "seeds=3"});
  EXPECT_EQ(paper.status, 65);
  EXPECT_THAT(paper.err, HasSubstr("command line: error: seeds: paper takes no keys"));
}

}  // namespace
}  // namespace asterism
