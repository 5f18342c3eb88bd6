#include "platform/debug/gdb_session.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "platform/debug/gdb_packet.h"
#include "platform/debug/test_target.h"

namespace asterism {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using What = GdbSession::Answer::What;

struct GdbSessionTest : testing::Test {
  TestTarget target;
  GdbSession session{target};
  GdbSessionTest() { session.reset(); }

  std::string ask(std::string_view packet) {
    const GdbSession::Answer answer = session.handle(packet);
    EXPECT_EQ(answer.what, What::reply) << packet;
    return answer.text;
  }
  std::vector<DebugAction> resume(std::string_view packet) {
    EXPECT_EQ(session.handle(packet).what, What::resume) << packet;
    return session.actions();
  }
  std::string description() {
    std::string whole;
    for (;;) {
      const std::string part = ask(fmt::format("qXfer:features:read:target.xml:{:x},100", whole.size()));
      whole += part.substr(1);
      if (part.starts_with('l')) return whole;
    }
  }
};

TEST_F(GdbSessionTest, WhatItDoesNotKnowGetsAnEmptyAnswer) {
  for (const char* packet : {"", "!", "b", "qTStatus", "vMustReplyEmpty", "vFile:open:0,0,0", "QNonStop:1",
                             "qXfer:auxv:read::0,10", "Z5,1000,4"})
    EXPECT_EQ(ask(packet), "") << packet;
}

TEST_F(GdbSessionTest, WhatIsMalformedIsAnError) {
  for (const char* packet : {"m",
                             "m,",
                             "m1000",
                             "m1000,g",
                             "M1000,2:00",
                             "M1000,1:0g",
                             "X1000,2:a",
                             "p",
                             "pg",
                             "pfff",
                             "P0",
                             "P0=00",
                             "P0=zz",
                             "G00",
                             "Gzz",
                             "H",
                             "Hx1",
                             "Hgx",
                             "Hg5",
                             "Tx",
                             "T5",
                             "Z",
                             "Z0",
                             "Z0,1001,4",
                             "Z2,1000,0",
                             "Z2,ffffffffffffffff,2",
                             "Zx,0,4",
                             "cxyz",
                             "vCont;",
                             "vCont;x",
                             "vCont;c:9",
                             "vCont;r1",
                             "qThreadExtraInfo,9",
                             "qXfer:features:read:other.xml:0,10",
                             "qXfer:features:read:target.xml:ffffff,10",
                             "qXfer:features:read:target.xml:0",
                             "qRcmd,0"})
    EXPECT_EQ(ask(packet), "E01") << packet;
}

TEST_F(GdbSessionTest, ItGoesBackByAnInstructionOrToTheLastStop) {
  EXPECT_THAT(ask("qSupported"), HasSubstr(";ReverseStep+;ReverseContinue+"));
  EXPECT_EQ(session.handle("bs").what, What::step_back);
  EXPECT_EQ(session.handle("bc").what, What::continue_back);
  const auto replies = session.stopped({.why = DebugStop::Why::beginning, .core = 2, .text = "why\n"});
  EXPECT_EQ(replies, (std::vector<std::string>{"O7768790a", "T05thread:3;core:2;replaylog:begin;"}));
}

// ---- registers ----

TEST_F(GdbSessionTest, RegistersAreLittleEndianInTheOrderOfTheDescription) {
  target.all[0].x[0] = 0x0102030405060708;
  target.all[0].x[33] = 0x3c5;
  target.all[0].port.v[0] = {1, 2};
  target.all[0].port.status = 3;
  EXPECT_EQ(ask("p0"), "0807060504030201");
  EXPECT_EQ(ask("p21"), "c5030000");
  EXPECT_EQ(ask("p22"), "01000000000000000200000000000000");
  EXPECT_EQ(ask("p42"), "03000000");
  EXPECT_EQ(ask("p44"), "0008000000000000");  // VBAR_EL1
  const std::string all = ask("g");
  EXPECT_THAT(all, StartsWith("0807060504030201"));
  EXPECT_EQ(all.size(), 2 * (33 * 8 + 4 + 32 * 16 + 4 + 4));
}

TEST_F(GdbSessionTest, RegistersOfTheChosenThreadAreWritten) {
  EXPECT_EQ(ask("Hg3"), "OK");
  EXPECT_EQ(ask("P1=2a00000000000000"), "OK");
  EXPECT_EQ(ask("P23=01000000000000000200000000000000"), "OK");
  EXPECT_EQ(ask("P43=00000003"), "OK");
  EXPECT_EQ(ask("P44=00100000000000ff"), "OK");
  EXPECT_EQ(ask("P45=0000000000000000"), "E01");  // read-only
  EXPECT_EQ(target.all[2].x[1], 42u);
  EXPECT_EQ(target.all[2].port.v[1], (DebugPort::Vector{1, 2}));
  EXPECT_EQ(target.all[2].port.control, 0x0300'0000u);
  EXPECT_EQ(target.all[2].port.system[0], 0xff00'0000'0000'1000u);
  EXPECT_EQ(target.all[0].x[1], 0u);
  const std::string all = ask("g");
  target.all[2].x[1] = 0;
  EXPECT_EQ(ask("G" + all), "OK");
  EXPECT_EQ(target.all[2].x[1], 42u);
  EXPECT_EQ(ask("G" + all.substr(2)), "E01");
}

TEST_F(GdbSessionTest, NothingIsWrittenToACoreInTheMidstOfAnInstruction) {
  target.all[0].port.between = false;
  EXPECT_EQ(ask("P0=0100000000000000"), "E01");
  EXPECT_EQ(ask("P22=01000000000000000200000000000000"), "E01");
  EXPECT_EQ(ask("P44=0010000000000000"), "E01");
  EXPECT_EQ(session.handle("c1000").text, "E01");
}

TEST_F(GdbSessionTest, TheDescriptionNamesEveryRegister) {
  const std::string text = description();
  for (const char* part :
       {"org.gnu.gdb.aarch64.core", "org.gnu.gdb.aarch64.fpu", "name=\"x30\"", "name=\"v31\"",
        "name=\"fpcr\"", "name=\"VBAR_EL1\" bitsize=\"64\"", "name=\"MIDR_EL1\""})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_TRUE(text.ends_with("</target>\n"));
}

// ---- memory ----

TEST_F(GdbSessionTest, MemoryIsReadAndWritten) {
  EXPECT_EQ(ask("M1000,3:01ff02"), "OK");
  EXPECT_EQ(ask("m1000,4"), "01ff0200");
  EXPECT_EQ(ask(std::string("X1002,3:}\x03") + "}]" + "z"), "OK");
  EXPECT_EQ(ask("m1002,3"), "237d7a");
  EXPECT_EQ(ask("X1000,0:"), "OK");
}

TEST_F(GdbSessionTest, WhatIsNotThereIsNotRead) {
  EXPECT_EQ(ask("m0,4"), "E0e");
  EXPECT_EQ(ask("m1ffe,8"), "0000");  // as much as there is
  EXPECT_EQ(ask("M1ffe,4:01020304"), "E0e");
  EXPECT_EQ(target.memory.back(), '\0');
  EXPECT_EQ(ask("m1000,ffffffffffffffff").size(), 2 * 4096u);
}

// ---- breakpoints ----

TEST_F(GdbSessionTest, BreakpointsAreThoseOfAllCores) {
  EXPECT_EQ(ask("Z0,1000,4"), "OK");
  EXPECT_EQ(ask("Z1,2000,4"), "OK");
  EXPECT_EQ(ask("Z0,1000,4"), "OK");
  for (const auto& core : target.all)
    EXPECT_EQ(core.port.breakpoints, (std::vector<std::uint64_t>{0x1000, 0x2000}));
  EXPECT_EQ(ask("z0,1000,4"), "OK");
  EXPECT_EQ(ask("z0,1000,4"), "OK");
  EXPECT_EQ(target.all[3].port.breakpoints, (std::vector<std::uint64_t>{0x2000}));
  session.reset();
  EXPECT_TRUE(target.all[3].port.breakpoints.empty());
}

TEST_F(GdbSessionTest, WatchpointsSayWhatTheyWatch) {
  EXPECT_EQ(ask("Z2,1000,8"), "OK");
  EXPECT_EQ(ask("Z3,2000,1"), "OK");
  EXPECT_EQ(ask("Z4,3000,4"), "OK");
  const AddressRange range{Address(0x1000), Bytes(8)};
  EXPECT_EQ(target.all[1].port.watchpoints[0], (Watchpoint{range, false, true}));
  EXPECT_TRUE(target.all[1].port.watchpoints[1].loads && !target.all[1].port.watchpoints[1].stores);
  EXPECT_TRUE(target.all[1].port.watchpoints[2].loads && target.all[1].port.watchpoints[2].stores);
}

TEST_F(GdbSessionTest, ThereIsAnEndToBreakpoints) {
  for (std::size_t i = 0; i < GdbSession::max_breakpoints; ++i)
    EXPECT_EQ(ask(fmt::format("Z0,{:x},4", 4 * i)), "OK");
  EXPECT_EQ(ask("Z0,ffff0000,4"), "E01");
  EXPECT_EQ(ask("z0,0,4"), "OK");
  EXPECT_EQ(ask("Z0,ffff0000,4"), "OK");
}

// ---- going on ----

TEST_F(GdbSessionTest, EachThreadDoesWhatTheFirstActionForItSays) {
  using enum DebugAction::What;
  const auto what = [&](std::string_view packet) {
    std::vector<DebugAction::What> all;
    for (const DebugAction& each : resume(packet)) all.push_back(each.what);
    return all;
  };
  using All = std::vector<DebugAction::What>;
  EXPECT_EQ(what("vCont;c"), (All{run, run, run, run}));
  EXPECT_EQ(what("vCont;s:2;c"), (All{run, step, run, run}));
  EXPECT_EQ(what("vCont;s:2"), (All{hold, step, hold, hold}));
  EXPECT_EQ(what("vCont;c:1;s:1;S05:3;C0b:-1"), (All{run, run, step, run}));
  EXPECT_EQ(what("c"), (All{run, run, run, run}));
  EXPECT_EQ(ask("Hc2"), "OK");
  EXPECT_EQ(what("s"), (All{run, step, run, run}));
  EXPECT_EQ(resume("vCont;r1000,1010:1;c")[0], (DebugAction{step, 0x1000, 0x1010}));
}

TEST_F(GdbSessionTest, AnotherPcMayBeGivenOnTheWay) {
  EXPECT_EQ(ask("Hc1"), "OK");
  resume("c1230");
  EXPECT_EQ(target.all[0].x[32], 0x1230u);
  resume("C05;1240");
  EXPECT_EQ(target.all[0].x[32], 0x1240u);
}

TEST_F(GdbSessionTest, AStopSaysWhyAndWhere) {
  using enum DebugStop::Why;
  ask("qSupported:multiprocess+;swbreak+;hwbreak+");
  ask("Z0,1000,4");
  ask("Z1,2000,4");
  ask("Z2,3000,4");
  ask("Z4,4000,4");
  const auto reply = [&](const DebugStop& stop) { return session.stopped(stop).back(); };
  EXPECT_EQ(reply({.why = interrupted, .core = 1}), "T02thread:2;core:1;");
  EXPECT_EQ(reply({.why = stepped, .core = 0}), "T05thread:1;core:0;");
  EXPECT_EQ(reply({.why = breakpoint, .core = 0, .address = 0x1000}), "T05thread:1;core:0;swbreak:;");
  EXPECT_EQ(reply({.why = breakpoint, .core = 0, .address = 0x2000}), "T05thread:1;core:0;hwbreak:;");
  EXPECT_EQ(reply({.why = stored, .core = 3, .address = 0x3002}), "T05thread:4;core:3;watch:3002;");
  EXPECT_EQ(reply({.why = loaded, .core = 3, .address = 0x4000}), "T05thread:4;core:3;awatch:4000;");
  EXPECT_EQ(ask("?"), "T05thread:4;core:3;awatch:4000;");
  EXPECT_EQ(ask("qC"), "QC4");
  EXPECT_EQ(session.stopped({.why = event, .text = "power\n"}),
            (std::vector<std::string>{"O" + to_hex("power\n"), "T05thread:1;core:0;"}));
}

TEST_F(GdbSessionTest, SwbreakIsReportedOnlyToADebuggerThatSupportsIt) {
  EXPECT_EQ(session.stopped({.why = DebugStop::Why::breakpoint}).back(), "T05thread:1;core:0;");
}

TEST_F(GdbSessionTest, KillAndDetachAreForTheCaller) {
  EXPECT_EQ(session.handle("k").what, What::kill);
  EXPECT_EQ(session.handle("vKill;1").what, What::kill);
  const GdbSession::Answer detach = session.handle("D");
  EXPECT_EQ(detach.what, What::detach);
  EXPECT_EQ(detach.text, "OK");
  EXPECT_EQ(session.ended(3), "W03");
}

// ---- threads and monitor ----

TEST_F(GdbSessionTest, CoresAreThreads) {
  EXPECT_EQ(ask("qfThreadInfo"), "m1,2,3,4");
  EXPECT_EQ(ask("qsThreadInfo"), "l");
  EXPECT_EQ(from_hex(ask("qThreadExtraInfo,2")), "core1: off");
  EXPECT_EQ(ask("T4"), "OK");
  EXPECT_THAT(ask("qXfer:threads:read::0,1000"),
              HasSubstr("<thread id=\"3\" core=\"2\" name=\"core2\">off</thread>"));
}

TEST_F(GdbSessionTest, MonitorCommandsGoToTheTarget) {
  EXPECT_EQ(from_hex(ask("qRcmd," + to_hex("info ssd"))), "info ssd: said\n");
  target.said.assign(100'000, 'x');
  const auto shortened = from_hex(ask("qRcmd," + to_hex("info ssd")));
  ASSERT_TRUE(shortened);
  EXPECT_EQ(shortened->size(), 8192u);
  EXPECT_TRUE(shortened->ends_with("...\n"));
}

TEST_F(GdbSessionTest, AcknowledgementsEndWhenTheDebuggerAsksForIt) {
  const GdbSession::Answer answer = session.handle("QStartNoAckMode");
  EXPECT_TRUE(answer.without_acknowledgements);
  EXPECT_EQ(answer.text, "OK");
}

}  // namespace
}  // namespace asterism
