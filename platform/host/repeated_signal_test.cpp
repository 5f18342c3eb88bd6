#include "platform/host/repeated_signal.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

using Meaning = RepeatedSignal::Meaning;
using std::chrono::milliseconds;

constexpr RepeatedSignal::Clock::time_point start{};

siginfo_t sent(int signal, pid_t sender) {
  siginfo_t info{};
  info.si_signo = signal;
  info.si_code = SI_USER;
  info.si_pid = sender;
  return info;
}

siginfo_t typed() {
  siginfo_t info{};
  info.si_signo = SIGINT;
  info.si_code = SI_KERNEL;
  return info;
}

TEST(RepeatedSignalTest, TheSameOfTheSameSenderIsMeantOnce) {
  RepeatedSignal signals;
  EXPECT_EQ(signals.take(sent(SIGTERM, 7), start), Meaning::first);
  EXPECT_EQ(signals.take(sent(SIGTERM, 7), start + milliseconds(1)), Meaning::echo);
  EXPECT_EQ(signals.take(sent(SIGTERM, 7), start + milliseconds(999)), Meaning::echo);
  EXPECT_EQ(signals.take(sent(SIGTERM, 7), start + milliseconds(1000)), Meaning::second);
}

TEST(RepeatedSignalTest, AnotherSignalOrSenderIsMeant) {
  RepeatedSignal signals;
  EXPECT_EQ(signals.take(sent(SIGTERM, 7), start), Meaning::first);
  EXPECT_EQ(signals.take(sent(SIGINT, 7), start), Meaning::second);
  EXPECT_EQ(signals.take(sent(SIGTERM, 8), start), Meaning::second);
}

TEST(RepeatedSignalTest, WhatTheParentPassesOnIsARepetition) {
  RepeatedSignal signals;
  EXPECT_EQ(signals.take(sent(SIGTERM, 7), start), Meaning::first);
  EXPECT_EQ(signals.take(sent(SIGTERM, getppid()), start + milliseconds(1)), Meaning::echo);
  EXPECT_EQ(signals.take(sent(SIGINT, getppid()), start + milliseconds(2)), Meaning::second);
}

TEST(RepeatedSignalTest, EachCtrlCIsMeant) {
  RepeatedSignal signals;
  EXPECT_EQ(signals.take(typed(), start), Meaning::first);
  EXPECT_EQ(signals.take(typed(), start + milliseconds(200)), Meaning::second);
}

}  // namespace
}  // namespace asterism
