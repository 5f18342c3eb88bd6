#include "platform/host/forked_trial.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace asterism {
namespace {

using namespace std::chrono_literals;

struct ForkedTrialTest : testing::Test {
  TrialEnd run(const std::function<void(const TrialPipe&)>& body) {
    return run_forked(
        body, [this](std::string_view bytes) { received += bytes; }, *beats, 200ms);
  }
  SharedObject<std::atomic<std::uint64_t>> beats;
  std::string received;
};

TEST_F(ForkedTrialTest, ReceivesWhatTheBodySends) {
  const std::string much(300'000, 'x');
  EXPECT_EQ(run([&](const TrialPipe& pipe) { pipe.send(much); }).how, TrialEnd::How::returned);
  EXPECT_EQ(received, much);
}

TEST_F(ForkedTrialTest, SaysHowTheBodyEndedTheProcess) {
  const TrialEnd exited = run([](const TrialPipe& pipe) {
    pipe.send("begun");
    _exit(0);
  });
  EXPECT_EQ(exited.how, TrialEnd::How::exited);
  EXPECT_EQ(exited.number, 0);
  EXPECT_EQ(received, "begun");
  const TrialEnd crashed = run([](const TrialPipe&) {
    std::fputs("some words\nthe last ones\n", stderr);
    std::raise(SIGFPE);
  });
  EXPECT_EQ(crashed.how, TrialEnd::How::crashed);
  EXPECT_EQ(crashed.number, SIGFPE);
  EXPECT_EQ(crashed.last_words, "the last ones");
}

TEST_F(ForkedTrialTest, StopsABodyWithoutProgressOnly) {
  EXPECT_EQ(run([](const TrialPipe&) { sleep(60); }).how, TrialEnd::How::stopped);
  EXPECT_EQ(run([this](const TrialPipe&) {
              for (int i = 0; i < 20; ++i) ++*beats, usleep(20'000);
            }).how,
            TrialEnd::How::returned);
}

}  // namespace
}  // namespace asterism
