// `asterism run --live`: a program drives and inspects a run (docs/live.md).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <optional>
#include <set>
#include <thread>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using Json = nlohmann::json;
using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

// A client of a local socket.
class LiveClient {
 public:
  explicit LiveClient(const std::filesystem::path& path) : socket_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    path.string().copy(at.sun_path, sizeof at.sun_path - 1);
    for (int i = 0; i < 10'000; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(1)))
      if (connect(socket_, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0) return;
    ADD_FAILURE() << "there is no live session at " << path;
  }
  ~LiveClient() { vanish(); }
  LiveClient(const LiveClient&) = delete;
  LiveClient& operator=(const LiveClient&) = delete;

  void vanish() {
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
  }
  void end_input() const { shutdown(socket_, SHUT_WR); }
  void send(const std::string& line) const {
    const std::string text = line + "\n";
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t sent = ::send(socket_, text.data() + done, text.size() - done, MSG_NOSIGNAL);
      if (sent <= 0) return;
      done += static_cast<std::size_t>(sent);
    }
  }
  void request(const std::string& method, const Json& params = Json::object()) {
    send(Json{{"jsonrpc", "2.0"}, {"id", ++id_}, {"method", method}, {"params", params}}.dump());
  }
  // The next message; null if the connection has ended.
  Json receive() {
    for (;;) {
      if (const std::size_t end = received_.find('\n'); end != std::string::npos) {
        const Json message = Json::parse(received_.substr(0, end));
        received_.erase(0, end + 1);
        return message;
      }
      std::array<char, 65536> bytes{};
      const ssize_t size = recv(socket_, bytes.data(), bytes.size(), 0);
      if (size <= 0) return nullptr;
      received_.append(bytes.data(), static_cast<std::size_t>(size));
    }
  }
  // The result of the last request; of a refused one its error. Notifications before it are kept.
  Json answer() {
    for (;;) {
      const Json message = receive();
      if (message.is_null()) return nullptr;
      if (message.contains("id")) return message.contains("error") ? message["error"] : message["result"];
      notifications.push_back(message);
    }
  }
  Json ask(const std::string& method, const Json& params = Json::object()) {
    request(method, params);
    return answer();
  }
  std::string refusal(const std::string& method, const Json& params = Json::object()) {
    return ask(method, params).value("message", "");
  }

  std::vector<Json> notifications;

 private:
  int socket_;
  int id_ = 0;
  std::string received_;
};

struct LiveTest : CommandTest {
  Running live(const std::string& scenario, const Arguments& more = {},
               const std::string& out = "run") const {
    Arguments all{"run", scenario, "--live", "unix:live", "--quiet", "--out", out};
    all.insert(all.end(), more.begin(), more.end());
    return start(all);
  }
  LiveClient client() const { return LiveClient(folder / "live"); }
};

const Arguments alone{"expect={}"};
const Arguments endless{"firmware=spin", "expect={}", "until=3600s"};

TEST_F(LiveTest, ARunHaltsBeforeItsFirstInstructionAndGoesOnToItsEnd) {
  Running run = live("hello");
  LiveClient c = client();
  const Json version = c.ask("version");
  EXPECT_EQ(version["protocol"], 1);
  EXPECT_THAT(version["requests"], Contains("read_memory"));
  const Json status = c.ask("status");
  EXPECT_EQ(status["state"], "halted");
  EXPECT_EQ(status["instructions"], 0);
  EXPECT_EQ(status["halted"]["reason"], "start");
  EXPECT_EQ(status["halted"]["pc"], "0x40200000");
  const Json end = c.ask("run");
  EXPECT_EQ(end["reason"], "end");
  EXPECT_EQ(end["ended"], "firmware_exit");
  EXPECT_EQ(c.ask("status")["state"], "ended");
  EXPECT_EQ(c.ask("console")["text"], contents("run.partial/console.log"));
  EXPECT_THAT(c.refusal("step"), "step: the run has ended");
  EXPECT_EQ(c.ask("quit"), Json::object());
  const Ended ended = run.wait();
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(json("run/stats.json")["ended"], "firmware_exit");
}

TEST_F(LiveTest, HaltsExactlyAtTimesAndAtEventsAndBreakpoints) {
  Running run = live("power_loss", alone);
  LiveClient c = client();
  for (const std::uint64_t time : {1u, 1'000'000u, 1'000'001u, 700'000'000u}) {
    const Json halt = c.ask("run", {{"until", time}});
    EXPECT_EQ(halt["reason"], "time");
    EXPECT_EQ(halt["time_ps"], time);
  }
  EXPECT_EQ(c.ask("run", {{"for", "1us"}})["time_ps"], 701'000'000);
  const Json commit = c.ask("run", {{"event", "checkpoint_commit"}, {"details", {{"version", 10}}}});
  EXPECT_EQ(commit["reason"], "event");
  EXPECT_EQ(commit["event"]["kind"], "checkpoint_commit");
  EXPECT_EQ(commit["event"]["version"], 10);
  EXPECT_EQ(c.ask("events", {{"since", commit["event"]["n"]}})["events"][0], commit["event"]);
  const Json stop = c.ask("run", {{"breakpoint", "solver_iterate"}});
  EXPECT_EQ(stop["reason"], "breakpoint");
  EXPECT_THAT(stop["place"], StartsWith("solver_iterate ("));
  const Json step = c.ask("step", {{"core", stop["core"]}});
  EXPECT_EQ(step["reason"], "step");
  const auto address = [](const Json& halt) {
    return std::stoull(halt["pc"].get<std::string>(), nullptr, 16);
  };
  EXPECT_EQ(address(step), address(stop) + 4);
  EXPECT_THAT(c.refusal("run", {{"until", "1ms"}}), HasSubstr("run: until: 1 ms has passed, it is "));
  EXPECT_THAT(c.refusal("run", {{"event", "power_los"}}), HasSubstr("did you mean \"power_lost\"?"));
  EXPECT_THAT(c.refusal("run", {{"breakpoint", "solver_iterat"}}),
              HasSubstr("did you mean \"solver_iterate\"?"));
  EXPECT_THAT(c.refusal("run", {{"source", "node.power"}}), "run: source: has no effect without \"event\"");
  EXPECT_EQ(c.refusal("run", {{"event", "checkpoint_commit"}, {"source", "node.dimm_sd"}}),
            "run: source: there is no instance \"node.dimm_sd\"; did you mean \"node.dimm_ssd\"?");
  EXPECT_EQ(c.refusal("run", {{"event", "checkpoint_commit"}, {"source", "dimm_ssd"}}),
            "run: source: there is no instance \"dimm_ssd\"; did you mean \"node.dimm_ssd\"?");
  EXPECT_EQ(c.refusal("run", {{"event", Json::array()}}), "run: event: expected at least one kind");
  EXPECT_EQ(c.refusal("run", {{"breakpoint", Json::array()}}),
            "run: breakpoint: expected at least one place");
  EXPECT_EQ(c.refusal("run", {{"details", Json::object()}}), "run: details: has no effect without \"event\"");
  EXPECT_EQ(c.refusal("run", {{"breakpoint", "0x40200001"}}),
            "run: breakpoint: expected the address of an instruction, a multiple of 4, got 0x40200001");
  c.ask("quit");
  EXPECT_EQ(run.wait().status, 0);
  EXPECT_EQ(json("run/stats.json")["ended"], "quit");
}

TEST_F(LiveTest, ReadingChangesNothing) {
  ASSERT_EQ(asterism({"run", "power_loss", "expect={}", "--quiet", "--out", "other"}).status, 0);
  Running run = live("power_loss", alone);
  LiveClient c = client();
  const auto read_all = [&] {
    for (const char* request : {"status", "cores", "devices", "statistics", "events", "console"})
      c.ask(request);
    c.ask("read_registers", {{"registers", {"general", "vector", "system"}}});
    c.ask("read_memory", {{"address", "0x40200000"}, {"size", 65536}});
    for (const char* device : {"uart0", "gic", "dimm_ssd", "power"})
      c.ask("read_device", {{"device", device}});
  };
  for (const char* time : {"3us", "100us", "1ms", "4ms", "20ms"}) {
    read_all();
    c.ask("run", {{"until", time}});
  }
  c.request("run");
  for (int i = 0; i < 20; ++i) c.send(R"({"method": "statistics"})");
  EXPECT_EQ(c.answer()["reason"], "end");
  read_all();
  c.ask("quit");
  EXPECT_EQ(run.wait().status, 0);
  EXPECT_EQ(left_by("run"), left_by("other"));
}

TEST_F(LiveTest, WritesRegistersMemoryAndDevices) {
  Running run = live("hello", endless);
  LiveClient c = client();
  c.ask("run", {{"until", "10us"}});
  EXPECT_EQ(c.ask("write_register", {{"register", "x7"}, {"value", "0xfedcba9876543210"}})["value"],
            "0xfedcba9876543210");
  EXPECT_EQ(
      c.ask("write_register", {{"register", "v3"}, {"value", "0x00000000000000010000000000000002"}})["value"],
      "0x00000000000000010000000000000002");
  EXPECT_EQ(c.ask("read_registers", {{"registers", {"x7"}}})["registers"]["x7"], "0xfedcba9876543210");
  EXPECT_THAT(c.refusal("read_registers", {{"registers", "VBAR_EL"}}),
              HasSubstr("did you mean \"VBAR_EL1\"?"));
  EXPECT_THAT(c.refusal("read_registers", {{"core", "core9"}}), HasSubstr("there is no core \"core9\""));
  EXPECT_EQ(c.ask("read_registers", {{"core", 0}})["core"], "core0");
  EXPECT_THAT(c.refusal("read_registers", {{"core", 99}}), HasSubstr("core: expected a number below "));
  c.ask("write_memory", {{"address", 0x4100'0ffe}, {"data", "01020304"}});
  EXPECT_EQ(c.ask("read_memory", {{"address", "0x41000fff"}, {"size", 2}})["data"], "0203");
  EXPECT_EQ(c.ask("read_memory", {{"address", "0x41000fff"}, {"size", 2}, {"core", "core0"}})["data"],
            "0203");
  EXPECT_EQ(c.refusal("read_memory", {{"address", "0x50"}, {"size", 4}}),
            "read_memory: nothing answers at 0x50");
  EXPECT_EQ(c.refusal("write_memory", {{"address", "0x50"}, {"data", "00"}}),
            "write_memory: not all of 0x50 to 0x51 can be written");
  EXPECT_THAT(c.refusal("read_memory", {{"address", 0}, {"size", 1 << 30}}),
              HasSubstr("size: expected at most"));
  c.ask("write_device", {{"device", "uart0"}, {"register", "IMSC"}, {"value", "0x50"}});
  const Json imsc = c.ask("read_device", {{"device", "uart0"}, {"register", "IMSC"}});
  EXPECT_EQ(imsc["value"], "0x50");
  EXPECT_TRUE(imsc["fields"].is_object());
  EXPECT_EQ(c.ask("read_device", {{"device", "uart0"}})["registers"]["IMSC"], "0x50");
  EXPECT_THAT(c.refusal("read_device", {{"device", "uart0"}, {"register", "IMSCC"}}),
              HasSubstr("uart0 has no register \"IMSCC\"; did you mean \"IMSC\"?"));
  EXPECT_THAT(c.refusal("read_device", {{"device", "uart"}}), HasSubstr("did you mean \"uart0\"?"));
  EXPECT_EQ(c.refusal("write_device", {{"device", "uart0"}, {"register", "FR"}, {"value", 1}}),
            "write_device: FR of uart0 cannot be written");
  c.ask("quit");
  run.wait();
}

TEST_F(LiveTest, AFaultOccursWhenItIsInjected) {
  Running run = live("power_loss", {"faults=[]", "expect={}"});
  LiveClient c = client();
  c.ask("run", {{"event", "checkpoint_commit"}});
  EXPECT_THAT(c.refusal("inject_fault", {{"fault", {{"kind", "power_los"}}}}),
              HasSubstr("inject_fault: kind: expected one of \"power_loss\""));
  EXPECT_EQ(c.ask("inject_fault", {{"fault", {{"kind", "power_loss"}, {"restore_after", "1ms"}}}}),
            Json::object());
  EXPECT_EQ(c.ask("run", {{"event", "recovery"}})["event"]["kind"], "restore");
  EXPECT_EQ(c.ask("run")["firmware_status"], 0);
  c.vanish();
  const Ended ended = run.wait();  // without a client the run is over
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(json("run/stats.json")["power_losses"], 1);
}

TEST_F(LiveTest, ARunningSystemIsReadAndStoppedByAnotherClient) {
  Running run = live("hello", endless);
  LiveClient first = client(), second = client();
  first.request("run");
  while (second.ask("status")["state"] != "running") continue;
  const auto instructions = [&] { return second.ask("status")["instructions"].get<std::uint64_t>(); };
  const std::uint64_t before = instructions();
  while (instructions() == before) continue;
  EXPECT_EQ(second.refusal("run"), "run: the run goes on; `stop` halts it");
  EXPECT_EQ(second.refusal("write_memory", {{"address", "0x41000000"}, {"data", "00"}}),
            "write_memory: the run goes on; `stop` halts it");
  const Json stop = second.ask("stop");
  EXPECT_EQ(stop["reason"], "stop");
  EXPECT_EQ(first.answer(), stop);
  EXPECT_EQ(second.ask("stop"), stop);
  second.ask("quit");
  EXPECT_EQ(run.wait().status, 0);
}

TEST_F(LiveTest, NotifiesThoseThatHaveSubscribed) {
  Running run = live("power_loss", alone);
  LiveClient c = client(), other = client();
  c.ask("subscribe", {{"to", {"event", "halted", "output"}}});
  EXPECT_THAT(c.refusal("subscribe", {{"to", "events"}}),
              HasSubstr("expected some of event, halted, output"));
  other.ask("run", {{"event", "checkpoint_commit"}});
  EXPECT_TRUE(other.notifications.empty());
  std::set<std::string> methods;
  std::string output;
  for (Json message = Json::object(); message.value("method", "") != "halted";) {
    message = c.receive();
    methods.insert(message["method"]);
    if (message["method"] == "output") output += message["params"]["text"];
  }
  EXPECT_EQ(methods, (std::set<std::string>{"event", "halted", "output"}));
  EXPECT_EQ(output, contents("run.partial/console.log"));
  c.ask("quit");
  run.wait();
}

TEST_F(LiveTest, AClientThatDisappearsLeavesTheRunAsItIs) {
  Running run = live("hello", endless);
  {
    LiveClient first = client();
    first.ask("run", {{"until", "5us"}});
  }
  {
    LiveClient second = client();
    EXPECT_EQ(second.ask("status")["time_ps"], 5'000'000);  // still halted
    second.request("run", {{"until", "2ms"}});
  }
  LiveClient third = client();
  for (Json status = Json::object();
       status.value("state", "") != "halted" || status["time_ps"] != 2'000'000'000;)
    status = third.ask("status");  // it went on to where it was to halt
  {
    LiveClient fourth = client();
    fourth.ask("on_disconnect", {{"then", "quit"}});
  }
  EXPECT_EQ(run.wait().status, 0);
  EXPECT_EQ(json("run/stats.json")["ended"], "quit");
}

TEST_F(LiveTest, AClientMayEndItsInputAndWaitForItsAnswers) {
  Running run = live("hello");
  LiveClient c = client();
  c.request("run");
  c.end_input();
  EXPECT_EQ(c.answer()["reason"], "end");
  EXPECT_TRUE(c.receive().is_null());
  EXPECT_EQ(run.wait().status, 0);
}

TEST_F(LiveTest, SaysWhatIsWrongInARequest) {
  Running run = live("hello");
  LiveClient c = client();
  c.send("{\"method\": \"run\"");
  EXPECT_EQ(c.receive()["error"]["code"], -32700);
  c.send("[1]");
  EXPECT_EQ(c.receive()["error"]["message"], "expected one request a line, got a list");
  EXPECT_EQ(c.ask("runn"),
            (Json{{"code", -32601}, {"message", "there is no request \"runn\"; did you mean \"run\"?"}}));
  EXPECT_EQ(c.ask("run", {{"untill", "1ms"}}),
            (Json{{"code", -32602},
                  {"message", "run: there is no parameter \"untill\"; did you mean \"until\"?"}}));
  EXPECT_THAT(c.refusal("run", {{"until", "1mss"}}), StartsWith("run: until: "));
  EXPECT_EQ(c.ask("status")["time_ps"], 0);
  LiveClient browser = client();
  browser.send("POST / HTTP/1.1\r\n\r\n{\"id\": 1, \"method\": \"quit\"}");
  EXPECT_EQ(browser.receive()["error"]["code"], -32700);
  EXPECT_TRUE(browser.receive().is_null());
  LiveClient other = client();
  other.send(std::string(17 << 20, 'x'));
  EXPECT_EQ(other.receive()["error"]["message"], "a line is longer than 16 MiB");
  EXPECT_TRUE(other.receive().is_null());
  c.ask("quit");
  EXPECT_EQ(run.wait().status, 0);
}

TEST_F(LiveTest, ASnapshotContinuesAsASessionOrWithoutOne) {
  Running run = live("power_loss", alone);
  LiveClient c = client();
  c.ask("run", {{"breakpoint", "main"}});
  const Json made = c.ask("snapshot", {{"file", "main.snapshot"}});
  if (made.value("message", "").find("sanitizers") != std::string::npos) GTEST_SKIP() << made["message"];
  ASSERT_EQ(made.value("file", ""), (folder / "main.snapshot").string());
  for (const char* own : {"run.partial/stats.json", "run/new", "./x/../run.partial/files/deep"})
    EXPECT_EQ(
        c.refusal("snapshot", {{"file", own}}),
        fmt::format("snapshot: file: \"{}\" is in the folder of the run, whose files it could replace", own));
  const Json end = c.ask("run");
  EXPECT_THAT(c.refusal("snapshot", {{"file", "late"}}), "snapshot: the run has ended");
  c.ask("quit");
  EXPECT_EQ(run.wait().status, 0);

  Running restored =
      start({"run", "--restore", "main.snapshot", "--live", "unix:live", "--quiet", "--out", "restored"});
  LiveClient again = client();
  EXPECT_EQ(again.ask("status")["halted"]["reason"], "restored");
  EXPECT_THAT(again.ask("status")["halted"]["place"], StartsWith("main ("));
  EXPECT_EQ(again.ask("run"), end);
  again.ask("quit");
  EXPECT_EQ(restored.wait().status, 0);
  EXPECT_EQ(left_by("restored"), left_by("run"));

  EXPECT_EQ(asterism({"run", "--restore", "main.snapshot", "--quiet", "--out", "free"}).status, 0);
  EXPECT_EQ(left_by("free"), left_by("run"));
}

TEST_F(LiveTest, IsRefusedWhereItCannotBe) {
  const auto refused = [&](const Arguments& arguments, int status, const std::string& message) {
    Arguments all = arguments;
    all.insert(all.end(), {"--out", "refused"});
    const Ended ended = asterism(all);
    EXPECT_EQ(ended.status, status) << ended.out;
    EXPECT_THAT(ended.err, HasSubstr(message));
    EXPECT_FALSE(exists("refused") || exists("refused.partial"));
  };
  refused({"run", "hello", "--live", "4000"}, 65,
          "command line: error: --live: expected tcp:[HOST:]PORT or unix:PATH, got \"4000\"\n");
  refused({"run", "hello", "--live", "tcp:99999"}, 65, ": a port is a number from 0 to 65535\n");
  refused({"run", "kilocore_mix1", "--live", "tcp:0"}, 65,
          "--live: no core of this scenario runs firmware\n");
  refused({"run", "hello", "--live", "tcp:0", "--gdb", ":0"}, 64, "--gdb");
  refused({"run", "hello", "--live", "unix:no/such/folder"}, 65,
          "--live: cannot listen at unix:no/such/folder: ");
  write("taken", "contents");
  refused({"run", "hello", "--live", "unix:taken"}, 65,
          "--live: cannot listen at unix:taken: a file of this name exists\n");
  EXPECT_EQ(contents("taken"), "contents");
}

TEST_F(LiveTest, AClientThatReadsNothingKeepsNobodyWaiting) {
  Running run = live("power_loss");
  LiveClient greedy = client(), other = client();
  for (int i = 0; i < 300; ++i) greedy.request("read_memory", {{"address", "0x40000000"}, {"size", 4 << 20}});
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(other.ask("status")["state"], "halted");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  run.signal(SIGINT);
  EXPECT_EQ(run.wait().status, 130);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(40));
}

TEST_F(LiveTest, CtrlCEndsAHaltedRun) {
  Running run = live("hello");
  LiveClient c = client();
  c.ask("status");
  run.signal(SIGINT);
  EXPECT_EQ(run.wait().status, 130);
}

}  // namespace
}  // namespace asterism
