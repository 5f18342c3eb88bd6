// Devices of plug-ins (docs/plugins.md): a library is used, or refused with one message and a status.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "tests/platform/command.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const fs::path plugins = ASTERISM_TESTED_PLUGINS;

struct PluginTest : CommandTest {
  PluginTest() { environment["ASTERISM_HANG_LIMIT"] = "1"; }

  static std::string device(const fs::path& plugin, const std::string& keys = "") {
    return fmt::format(R"(node.devices.acme={{"type": "tested", "plugin": "{}", "base": "0x0b20_0000"{}}})",
                       plugin.string(), keys);
  }
  Ended check(const fs::path& plugin, const std::string& keys = "") const {
    return asterism({"check", "hello", device(plugin, keys)});
  }
  Ended run(const std::string& keys, const std::string& faults = "faults=[]") const {
    return asterism({"run", "hello", "--out", "run", faults, device(plugins / "libtested.so", keys)});
  }
  // The one line of `err`, without the place of the key.
  static std::string message(const Ended& ended) {
    const std::string start = "command line: error: node.devices.acme.plugin: ";
    EXPECT_TRUE(ended.err.starts_with(start)) << ended.err;
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
    return ended.err.substr(std::min(start.size(), ended.err.size()));
  }
  // The message about a copy of the plug-in whose bytes `change` has changed.
  std::string message_of_changed(const std::function<void(std::string&)>& change) const {
    std::ifstream in(plugins / "libtested.so", std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    change(bytes);
    write("changed.so", bytes);
    const Ended ended = check(folder / "changed.so");
    EXPECT_EQ(ended.status, 65);
    const std::string words = message(ended), start = (folder / "changed.so").string() + " ";
    EXPECT_TRUE(words.starts_with(start)) << words;
    return words.substr(std::min(start.size(), words.size()));
  }
};

// ---- keys ----

TEST_F(PluginTest, ItsKeysAreReadAsAllOthers) {
  const Ended ended = check("tests/libtested.so");
  EXPECT_EQ(ended.status, 66);
  EXPECT_EQ(message(ended), fmt::format("there is no file {}\n", (folder / "tests/libtested.so").string()));

  environment["ASTERISM_PLUGINS"] = fmt::format("/nowhere:{}", plugins.string());
  const Ended expanded = check("libtested.so", R"(, "level": 3)");
  ASSERT_EQ(expanded.status, 0) << expanded.err;
  const auto devices = nlohmann::json::parse(expanded.out)["node"]["devices"];
  EXPECT_EQ(devices["acme"]["level"], 3);
  EXPECT_EQ(devices["acme"]["plugin"], (plugins / "libtested.so").string()) << "it is valid anywhere";
  EXPECT_FALSE(devices["uart0"].contains("plugin"));

  EXPECT_EQ(check("libtested.so", R"(, "level": 9)").err,
            "command line: error: node.devices.acme.level: expected an integer from 1 to 8, got 9\n");
  EXPECT_EQ(check("libtested.so", R"(, "levl": 1)").err,
            "command line: error: node.devices.acme.levl: unknown key; did you mean \"level\"?\n");
  EXPECT_EQ(check("libtested.so", R"(, "level": 5)").err,
            "command line: error: node.devices.acme.level: five is no level of this device\n");
  EXPECT_EQ(check("libother.so").status, 66);
  EXPECT_EQ(message(check("libother.so")),
            fmt::format("there is no file libother.so; searched in {}, /nowhere, {}\n", folder.string(),
                        plugins.string()));
}

TEST_F(PluginTest, ATypeIsFoundByItsName) {
  environment["ASTERISM_PLUGINS"] = plugins.string();
  const std::string named = R"(node.devices.acme={"type": "tested", "base": "0x0b20_0000"})";
  const Ended ended = asterism({"check", "hello", named});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(nlohmann::json::parse(ended.out)["node"]["devices"]["acme"]["plugin"],
            (plugins / "libtested.so").string());
  environment.erase("ASTERISM_PLUGINS");
  EXPECT_THAT(asterism({"check", "hello", named}).err, HasSubstr("node.devices.acme.type: expected one of"));
  // Not only because another device has loaded it.
  EXPECT_THAT(asterism({"check", "hello", device(plugins / "libtested.so"),
                        R"(node.devices.beside={"type": "tested", "base": "0x0b30_0000"})"})
                  .err,
              AllOf(HasSubstr("node.devices.beside.type: expected the key plugin, since "),
                    EndsWith("libtested.so has this type\n")));
}

TEST_F(PluginTest, AFileNamesItRelativeToItself) {
  fs::create_directory(folder / "nodes");
  fs::copy(plugins / "libtested.so", folder / "nodes");
  write("nodes/mine.json", R"({ "use": "checkpoint_node",
  "devices": { "acme": { "type": "tasted", "plugin": "libtested.so", "base": "0x0b20_0000" } } })");
  const Ended wrong = asterism({"check", "nodes/mine.json"});
  EXPECT_EQ(wrong.status, 65);
  EXPECT_EQ(wrong.err, fmt::format("nodes/mine.json:2:54: error: devices.acme.plugin: {} has no type "
                                   "\"tasted\", but tested\n",
                                   (folder / "nodes/libtested.so").string()));
  EXPECT_EQ(asterism({"check", "nodes/mine.json", "devices.acme.type=tested"}).status, 0);
}

TEST_F(PluginTest, DocumentationHasItsTypeAndRegisters) {
  environment["ASTERISM_PLUGINS"] = plugins.string();
  fs::create_directory(folder / "usable");
  fs::copy(plugins / "libtested.so", folder / "usable");
  EXPECT_EQ(asterism({"list", "device_types"}).status, 65) << "others there are unusable";
  environment["ASTERISM_PLUGINS"] = (folder / "usable").string();
  write("usable/libtext.so", "not a library");
  EXPECT_THAT(asterism({"list", "device_types"}).out, HasSubstr("\ntested            A device of a test.\n"));
  EXPECT_THAT(asterism({"schema", "node"}).out, HasSubstr("\"A number. A larger one changes nothing."));
  EXPECT_THAT(asterism({"schema", "node", "--text"}).out, HasSubstr("An address that it reads"));
  const Ended listed = asterism({"list", "devices", "--node", "hello", device("libtested.so"), "--svd",
                                 "acme.svd", "--markdown", "acme.md", "--header", "acme.h"});
  ASSERT_EQ(listed.status, 0) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("acme               tested            0x0b200000-0x0b200fff  -\n"));
  EXPECT_THAT(contents("acme.svd"), HasSubstr("<name>SCRATCH</name>"));
  EXPECT_THAT(contents("acme.md"), HasSubstr("SCRATCH"));
  EXPECT_THAT(contents("acme.h"),
              AllOf(HasSubstr("#ifndef ACME_H\n"), HasSubstr("#define ACME_BASE 0x0b200000\n"),
                    HasSubstr("#define ACME_COUNT_LOW_MASK 0xff\n")));
}

// ---- files that are no plug-in ----

TEST_F(PluginTest, RefusesAFileBeforeItIsExecuted) {
  write("text.so", "a text");
  EXPECT_EQ(message(check(folder / "text.so")),
            fmt::format("{} is no shared library\n", (folder / "text.so").string()));
  EXPECT_EQ(message(check(folder)), fmt::format("{} is no file\n", folder.string()));
  const std::string place = (plugins / "libasterism_node_stub.so").string();
  EXPECT_EQ(message(check(place)),
            place + " is no plug-in of Asterism: none of its sources includes asterism/device.h\n");
  EXPECT_EQ(
      message(check(plugins / "libnode_user.so")),
      (plugins / "libnode_user.so").string() +
          " links libasterism_node_stub.so: a plug-in links Asterism::device, and takes the rest from the "
          "program that loads it\n");
  EXPECT_THAT(message(check(plugins / "libown_kernel.so")),
              EndsWith(" contains a SystemC kernel of its own: link no static libsystemc\n"));
  EXPECT_EQ(message_of_changed([](std::string& bytes) { bytes[18] = static_cast<char>(183); }),
            "is a library for another machine: AArch64, expected x86-64\n");
}

TEST_F(PluginTest, RefusesWhatWasCompiledWithSomethingElse) {
  const auto message_of = [&](std::size_t word) {
    return message_of_changed(
        [&](std::string& bytes) { bytes.at(bytes.find("asterism plug-in") + word) ^= 64; });
  };
  EXPECT_EQ(message_of(16),
            "was compiled for another Asterism: the interface is 65, expected 1; build it again\n");
  EXPECT_THAT(message_of(20), HasSubstr(": the ABI of C++ is "));
  EXPECT_THAT(message_of(24), HasSubstr(": _GLIBCXX_USE_CXX11_ABI is 65, expected 1; "));
  EXPECT_THAT(message_of(28), HasSubstr(": SystemC is "));
  EXPECT_THAT(message_of(32), HasSubstr(": SC_CPLUSPLUS is "));
  EXPECT_THAT(message_of(36), HasSubstr(": the size of DeviceType is "));
  EXPECT_THAT(message_of(56), HasSubstr(": the size of Statistics is "));
  EXPECT_EQ(message_of(0), "has a damaged description\n");
  EXPECT_EQ(message_of_changed([](std::string& bytes) {
              bytes.replace(bytes.find("asterism plug-in"), 60, std::string(60, '\0'));
            }),
            "has a damaged description\n");
}

TEST_F(PluginTest, MayHaveSeveralSourcesThatIncludeTheHeader) {
  const Ended ended = asterism({"check", "hello", device(plugins / "libtwo_sources.so"),
                                fmt::format(R"(node.devices.beside={{"type": "second", "plugin": "{}"}})",
                                            (plugins / "libtwo_sources.so").string())});
  EXPECT_EQ(ended.status, 0) << ended.err;
}

TEST_F(PluginTest, RefusesWhatFailsWhileItIsLoaded) {
  EXPECT_EQ(
      message(check(plugins / "libmissing_symbol.so")),
      (plugins / "libmissing_symbol.so").string() +
          " cannot be loaded: it needs acme::missing(int), which neither the program nor a library that it "
          "links has\n");
  const auto message_if = [&](const char* it) {
    environment["TESTED_PLUGIN"] = it;
    const Ended ended = check(plugins / "libtested.so");
    EXPECT_EQ(ended.status, 65);
    EXPECT_FALSE(left_a_run());
    return message(ended).substr((plugins / "libtested.so ").string().size());
  };
  EXPECT_EQ(message_if("throws"),
            "has thrown while it was loaded, in a static initializer: it cannot do that\n");
  EXPECT_EQ(message_if("crashes"), "has crashed while it was loaded, in a static initializer: SIGSEGV\n");
  EXPECT_EQ(message_if("hangs"), "has not returned for 1 s while it was loaded, in a static initializer\n");
  EXPECT_EQ(message_if("ends"),
            "has ended the process while it was loaded, in a static initializer, with status 0\n");
  EXPECT_EQ(message_if("registers nothing"), "registers no type of devices (RegisteredDevice)\n");
  EXPECT_EQ(message_if("exits"),
            "has ended the process while it was loaded, in a static initializer, with status 0\n");
  EXPECT_EQ(message_if("registers a known type"),
            "has a type pl011, and there is another one of this name\n");
  EXPECT_EQ(
      message_if("registers a bad name"),
      "has a type \"Acme 1\": the name of a type consists of lower-case letters, digits and underscores, "
      "and begins with a letter\n");
}

TEST_F(PluginTest, AMistakeInItsDescriptionIsThatOfThePlugin) {
  const auto message_if = [&](const char* it) {
    environment["TESTED_PLUGIN"] = it;
    const Ended ended = check(plugins / "libtested.so");
    EXPECT_EQ(ended.status, 65);
    return message(ended).substr((plugins / "libtested.so ").string().size());
  };
  const std::string mistake =
      R"(has a mistake in describe() of the type "tested": (anonymous namespace)::Keys: )";
  EXPECT_EQ(message_if("describes a key twice"), mistake + "key \"level\" has two lines\n");
  EXPECT_EQ(message_if("describes a key badly"), mistake + "key \"Level\" is not lower_case\n");
  EXPECT_EQ(
      message_if("describes a default badly"),
      mistake + "the default of \"level\" breaks its own rule: expected an integer from 2 to 8, got 1\n");
  EXPECT_THAT(message_if("describes a nested default badly"),
              HasSubstr("::Nested: the default of \"depth\" breaks its own rule: "));
  EXPECT_EQ(message_if("describes a key of all"),
            "has a type \"tested\" with a key \"base\", which every device has\n");
  EXPECT_EQ(message_if("describe throws"),
            R"(has a mistake in describe() of the type "tested": it cannot do that)"
            "\n");
  EXPECT_EQ(message_if("describe crashes"), "has crashed in describe() of the type \"tested\": SIGSEGV\n");
  EXPECT_EQ(message_if("describe hangs"), "has not returned for 1 s in describe() of the type \"tested\"\n");
}

// ---- failures of a device ----

TEST_F(PluginTest, WhatItThrowsBeforeTheRunIsAMistakeInTheNode) {
  for (const std::string place : {"shape", "check", "device_tree"}) {
    const Ended ended = run(fmt::format(R"(, "fails_in": "{}")", place));
    EXPECT_EQ(ended.status, 65);
    EXPECT_EQ(ended.err,
              fmt::format("command line: error: node.devices.acme: {} has thrown in {}(): it cannot do "
                          "that\n",
                          (plugins / "libtested.so").string(), place));
    EXPECT_FALSE(left_a_run());
  }
  EXPECT_EQ(message(run(R"(, "fails_in": "sockets")")),
            "its shape() has 2 initiators, and its module has 1\n");
  EXPECT_EQ(message(run(R"(, "fails_in": "role")")),
            "its shape() is that of a ROM, and its module is no Rom\n");
  EXPECT_EQ(message(run(R"(, "fails_in": "interrupt")")),
            "its shape() has an interrupt 0, and its module does not\n");
}

TEST_F(PluginTest, APlainModuleHasTheInterruptsOfItsShape) {
  const auto run_with = [&](unsigned lines) {
    return asterism({"run", "hello", "--quiet", "--out", "run",
                     fmt::format(R"(node.devices.acme={{"type": "lines", "plugin": "{}", "lines": {}, )"
                                 R"("interrupt": 24}})",
                                 (plugins / "libtwo_sources.so").string(), lines)});
  };
  EXPECT_EQ(run_with(1).err, "");
  for (const unsigned lines : {0u, 2u}) {
    const Ended ended = run_with(lines);
    EXPECT_EQ(ended.status, 65);
    EXPECT_EQ(message(ended), fmt::format("its shape() has 1 interrupts, and its module has {}\n", lines));
  }
}

TEST_F(PluginTest, AMistakeInItsShapeIsThatOfThePlugin) {
  const std::string start =
      fmt::format("command line: error: node.devices.acme: {} has ", (plugins / "libtested.so").string());
  const auto mistake_if = [&](const char* it) {
    environment["TESTED_PLUGIN"] = it;
    const Ended ended = check(plugins / "libtested.so");
    EXPECT_EQ(ended.status, 65);
    EXPECT_THAT(ended.err, StartsWith(start + "a mistake in shape(): TESTED: "));
    return ended.err.substr(std::min(ended.err.size(), start.size() + 30));
  };
  EXPECT_EQ(mistake_if("has a bad register"), "the name of its register \"2ND\" is no C identifier\n");
  EXPECT_EQ(mistake_if("has a register twice"), "it has two registers \"scratch\"\n");
  EXPECT_EQ(mistake_if("has a register of the header"),
            "the name of its register \"BASE\" is that of another constant of the header\n");
  EXPECT_EQ(mistake_if("has a bad field"), "OTHER: the name of its field \"a-b\" is no C identifier\n");
  EXPECT_EQ(mistake_if("has a field twice"), "OTHER: it has two fields \"A\"\n");
  EXPECT_EQ(mistake_if("has fields that overlap"), "OTHER: its field \"b\" overlaps another one\n");
  EXPECT_EQ(mistake_if("has a field outside"), "OTHER: its field \"a\" is not within its 32 bits\n");
  EXPECT_EQ(mistake_if("has a bad value"), "OTHER: a: its value \"two\" has more than 1 bits\n");
  const auto thrown_if = [&](const char* it) {
    environment["TESTED_PLUGIN"] = it;
    const std::string message = check(plugins / "libtested.so").err;
    EXPECT_THAT(message, StartsWith(start + "thrown in shape(): TESTED: register OTHER "));
    return message.substr(std::min(message.size(), start.size() + 42));
  };
  EXPECT_EQ(thrown_if("has registers that overlap"), "overlaps COUNT at 0x4\n");
  EXPECT_EQ(thrown_if("has a register between words"), "is at 0xa, which is no multiple of its 4 bytes\n");
  EXPECT_EQ(thrown_if("has a register outside"), "lies outside the device\n");
  environment.erase("TESTED_PLUGIN");
  EXPECT_EQ(check(plugins / "libtested.so", R"(, "fails_in": "reg")").err,
            start + "a mistake in device_tree(): tested@b200000: its reg has no groups of four cells\n");
  EXPECT_EQ(
      check(plugins / "libtested.so", R"(, "fails_in": "compatible")").err,
      start + "a mistake in device_tree(): tested@b200000: its compatible has no string, or an empty one\n");
}

TEST_F(PluginTest, ACrashAHangOrAnExitBeforeTheRunIsAMistakeInTheNode) {
  const std::string plugin = (plugins / "libtested.so").string();
  const auto message_in = [&](const std::string& place, const std::string& how) {
    const Ended ended = asterism(
        {"check", "hello", device(plugin, fmt::format(R"(, "fails_in": "{}", "how": "{}")", place, how))});
    EXPECT_EQ(ended.status, 65) << ended.err;
    return ended.err;
  };
  for (const std::string place : {"shape", "check", "device_tree"}) {
    const std::string start = "command line: error: node.devices.acme: " + plugin;
    EXPECT_EQ(message_in(place, "crashes"), fmt::format("{} has crashed in {}(): SIGSEGV\n", start, place));
    EXPECT_EQ(message_in(place, "exits"),
              fmt::format("{} has ended the process in {}(), with status 0\n", start, place));
    EXPECT_EQ(message_in(place, "hangs"),
              fmt::format("{} has not returned from {}() for 1 s\n", start, place));
  }
  const std::string start = plugin + ": error: the type tested";
  EXPECT_EQ(message_in("describe", "crashes"), start + " has crashed in describe(): SIGSEGV\n");
  EXPECT_EQ(message_in("describe", "exits"), start + " has ended the process in describe(), with status 0\n");
  EXPECT_EQ(message_in("describe", "hangs"), start + " has not returned from describe() for 1 s\n");
  EXPECT_EQ(message_in("describe", "throws"), start + " has thrown in describe(): it cannot do that\n");
  environment["ASTERISM_HANG_LIMIT"] = "4";  // longer than other checks may take
  EXPECT_THAT(message_in("shape", "hangs"), EndsWith(" has not returned from shape() for 4 s\n"));
}

TEST_F(PluginTest, WhatItThrowsEndsTheRunWithOneMessage) {
  const auto message_in = [&](const std::string& keys, const std::string& faults = "faults=[]") {
    const Ended ended = run(", " + keys, faults);
    EXPECT_EQ(ended.status, 71) << ended.err;
    EXPECT_FALSE(left_a_run()) << "no result of it may be taken for a good one";
    return ended.err;
  };
  const auto thrown_in = [](const std::string& where) {
    return fmt::format("node.acme (libtested.so) has thrown in {}: it cannot do that\n", where);
  };
  EXPECT_EQ(message_in(R"("fails_in": "constructor")"), thrown_in("its constructor"));
  EXPECT_EQ(message_in(R"("fails_in": "reset")", R"(faults=[{"at": "3us", "kind": "power_loss"}])"),
            thrown_in("reset()"));
  EXPECT_EQ(message_in(R"("fails_in": "power_up")"), thrown_in("power_up()"));
  EXPECT_EQ(message_in(R"("fails_in": "access", "touch": "0x0b20_0004")"), thrown_in("an access"));
  EXPECT_EQ(message_in(R"("fails_in": "process")"), thrown_in("its process node.acme.start_0"));
  EXPECT_THAT(message_in(R"("fails_in": "spawned", "touch": "0x0b20_0004")"),
              AllOf(StartsWith("node.acme (libtested.so) has thrown in its process node."),
                    EndsWith(": it cannot do that\n")));
  EXPECT_EQ(message_in(R"("fails_in": "report")"), thrown_in("report()"));
  const std::string mistake = "node.acme (libtested.so) has a mistake in report(): ";
  EXPECT_EQ(message_in(R"("fails_in": "statistics", "how": "level")"),
            mistake + "it has two statistics \"level\"\n");
  EXPECT_EQ(message_in(R"("fails_in": "nested statistics", "how": "of all")"),
            mistake + "the name \"of all\" has other characters than letters, digits, _ and -\n");
  EXPECT_EQ(message_in(R"("fails_in": "callback")"), thrown_in("a callback of SystemC"));
  EXPECT_EQ(message_in(R"("fails_in": "stop")"),
            "a plug-in has called sc_stop(), which ends the simulation for all\n");
  EXPECT_EQ(message_in(R"("fails_in": "stop in access", "touch": "0x0b20_0004")"),
            "node.acme (libtested.so) has called sc_stop(), which ends the simulation for all\n");
  EXPECT_THAT(message_in(R"("fails_in": "port")"),
              StartsWith("node.acme (libtested.so) has a mistake: port not bound: port 'node.acme.unbound'"));
}

TEST_F(PluginTest, ACrashAHangOrAnExitNamesTheInstance) {
  const auto failed = [&](const std::string& keys, const std::string& words) {
    const Ended ended = run(", " + keys);
    EXPECT_EQ(ended.status, 71) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(fmt::format("node.acme (libtested.so){}. The run is left in ", words)));
    EXPECT_FALSE(exists("run/scenario.json"));
  };
  const std::string crash = " has crashed: SIGSEGV",
                    hang = ": the plug-in has not let simulated time pass for 1 s: it may be an endless loop";
  failed(R"("fails_in": "constructor", "how": "crashes")", crash);
  failed(R"("fails_in": "access", "how": "crashes", "touch": "0x0b20_0004")", crash);
  failed(R"("fails_in": "process", "how": "crashes")", crash);
  failed(R"("fails_in": "constructor", "how": "hangs")", hang);
  failed(R"("fails_in": "access", "how": "hangs", "touch": "0x0b20_0004")", hang);
  failed(R"("fails_in": "process", "how": "hangs")", hang);
  failed(R"("fails_in": "deltas")", hang);
  failed(R"("fails_in": "spawned", "how": "crashes", "touch": "0x0b20_0004")", crash);
  failed(R"("fails_in": "spawned deltas", "touch": "0x0b20_0004")", hang);
  failed(R"("fails_in": "report", "how": "crashes")", crash);
  failed(R"("fails_in": "report", "how": "overflows")", crash);
  failed(R"("fails_in": "report", "how": "hangs")", hang);
  failed(R"("fails_in": "callback", "how": "crashes")", crash);
  failed(R"("fails_in": "destructor", "how": "crashes")", crash);
  const std::string exit = " has ended the process, with status 0";
  failed(R"("fails_in": "constructor", "how": "exits")", exit);
  failed(R"("fails_in": "access", "how": "exits", "touch": "0x0b20_0004")", exit);
  failed(R"("fails_in": "process", "how": "exits")", exit);
  failed(R"("fails_in": "report", "how": "exits")", exit);
  const Ended ended = run(R"(, "fails_in": "process", "how": "exits in a thread")");
  EXPECT_EQ(ended.status, 71);
  EXPECT_THAT(ended.err,
              HasSubstr("\na thread of a plug-in has ended the process, with status 0. The run is left in "));
}

TEST_F(PluginTest, AProcessThatTakesLongButGoesOnDoesNotHang) {
  const Ended ended = run(R"(, "fails_in": "nothing, slowly")");
  EXPECT_EQ(ended.status, 0) << ended.err;
}

TEST_F(PluginTest, TheLimitIsANumberOfSeconds) {
  environment["ASTERISM_HANG_LIMIT"] = "5s";
  const Ended ended = check(plugins / "libtested.so");
  EXPECT_EQ(ended.status, 65);
  EXPECT_EQ(ended.err,
            "ASTERISM_HANG_LIMIT: error: expected a number of seconds from 1 to 86400, got \"5s\"\n");
}

// ---- in a node ----

TEST_F(PluginTest, ItIsADeviceOfTheNode) {
  const Ended ended = run(R"(, "touch": "0x0b20_0004", "level": 2)");
  ASSERT_EQ(ended.status, 0) << ended.err;
  const nlohmann::json statistics = json("run/stats.json")["node"]["acme"];
  EXPECT_EQ(statistics, (nlohmann::json{{"level", 2}, {"accesses", 1}}));
  const Ended again = asterism({"run", "run/scenario.json", "--out", "again"});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(contents("again/stats.json"), contents("run/stats.json"));
}

TEST_F(PluginTest, AWarningAboutItsAccessNamesIt) {
  for (const char* topology : {"crossbar", "mesh"}) {
    const Ended ended =
        asterism({"run", "hello", "--out", "run", fmt::format("node.fabric.topology={}", topology),
                  device(plugins / "libtested.so", R"(, "touch": "0x1000")")});
    EXPECT_EQ(ended.status, 0);
    EXPECT_THAT(ended.err,
                HasSubstr(" node.fabric: acme read 4 bytes at 0x1000, where there is no target\n"));
  }
}

TEST_F(PluginTest, ANodeMayHaveSeveral) {
  const std::string beside =
      fmt::format(R"(node.devices.beside={{"type": "tested", "plugin": "{}", "base": "0x0b30_0000"}})",
                  (plugins / "libtested.so").string());
  const Ended ended =
      asterism({"run", "hello", "--quiet", "--out", "run", device(plugins / "libtested.so"), beside});
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.err, "");
}

TEST_F(PluginTest, ItsKeysCanBeSwept) {
  const Ended ended = asterism({"sweep", "hello", "node.memory.size=64MiB", device(plugins / "libtested.so"),
                                "node.acme.level=0x2,3", "--show", "node.acme.level", "--csv", "table.csv"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(contents("table.csv"),
            "node.devices.acme.level,run,outcome,node.acme.level,status,reason\n2,0,ok,2,0,\n3,1,ok,3,0,\n");
}

TEST_F(PluginTest, ASnapshotHasIt) {
  const Ended made =
      asterism({"run", "hello", "--out", "run", device(plugins / "libtested.so", R"(, "level": 2)"),
                "--snapshot-at", "5us", "--snapshot", "hello.snapshot"});
  if (is_refused_by_sanitizers(made)) GTEST_SKIP() << made.err;
  ASSERT_EQ(made.status, 0) << made.err;
  const Ended restored = asterism({"run", "--restore", "hello.snapshot", "--out", "restored"});
  ASSERT_EQ(restored.status, 0) << restored.err;
  EXPECT_EQ(contents("restored/stats.json"), contents("run/stats.json"));
}

TEST_F(PluginTest, ACrashAfterASnapshotNamesTheFolderOfTheRestoredRun) {
  const Ended made =
      asterism({"run", "hello", "--out", "run",
                device(plugins / "libtested.so", R"(, "fails_in": "report", "how": "overflows")"),
                "--snapshot-at", "5us", "--snapshot", "hello.snapshot"});
  if (is_refused_by_sanitizers(made)) GTEST_SKIP() << made.err;
  ASSERT_EQ(made.status, 71) << made.err;
  const Ended restored = asterism({"run", "--restore", "hello.snapshot", "--out", "restored"});
  EXPECT_EQ(restored.status, 71);
  EXPECT_THAT(restored.err, EndsWith((folder / "restored.partial\n").string()));
}

}  // namespace
}  // namespace asterism
