#include "platform/live/live_protocol.h"

#include <gmock/gmock.h>

namespace asterism {
namespace {

using Code = LiveError::Code;

void expect_error(const std::string& line, Code code, const std::string& message,
                  const LiveJson& id = nullptr) {
  try {
    parse_live_request(line);
    ADD_FAILURE() << line;
  } catch (const LiveError& error) {
    EXPECT_EQ(error.code, code) << line;
    EXPECT_THAT(error.what(), testing::StartsWith(message));
    EXPECT_EQ(error.id, id);
  }
}

TEST(LiveRequestTest, HasAMethodAndParameters) {
  const LiveRequest request =
      parse_live_request(R"({"jsonrpc": "2.0", "id": 7, "method": "run", "params": {"until": "5ms"}})");
  EXPECT_EQ(request.method, "run");
  EXPECT_EQ(request.id, 7);
  EXPECT_TRUE(request.wants_answer);
  EXPECT_EQ(request.params["until"], "5ms");
  EXPECT_FALSE(parse_live_request(R"({"method": "stop"})").wants_answer);
  EXPECT_TRUE(parse_live_request(R"({"id": null, "method": "stop", "params": null})").params.empty());
}

TEST(LiveRequestTest, SaysWhatIsWrong) {
  expect_error("{", Code::no_json, "expected a JSON object in one line: parse error at line 1, column 2");
  expect_error("[]", Code::no_request, "expected one request a line, got a list");
  expect_error("7", Code::no_request, "expected a request as a JSON object, got 7");
  expect_error(R"({"id": [1], "method": "run"})", Code::no_request,
               "id: expected a number or a text, got [1]");
  expect_error(R"({"id": 1})", Code::no_request, "expected a \"method\"", 1);
  expect_error(R"({"id": 1, "method": "run", "jsonrpc": "1.0"})", Code::no_request,
               R"(jsonrpc: expected "2.0", got "1.0")", 1);
  expect_error(R"({"id": "a", "method": "run", "until": 1})", Code::no_request,
               "there is no \"until\" in a request; it has jsonrpc, id, method and params", "a");
  expect_error(R"({"id": 1, "method": "run", "params": [1]})", Code::bad_parameters,
               "params: expected a JSON object, got [1]", 1);
}

template <class F>
std::string refusal(F f) {
  try {
    f();
  } catch (const LiveError& error) {
    EXPECT_EQ(error.code, Code::bad_parameters);
    return error.what();
  }
  return "";
}

TEST(LiveParamsTest, AreReadByNameAndKind) {
  const LiveRequest request{.method = "m",
                            .params = {{"n", "0x40"},
                                       {"big", 18446744073709551615u},
                                       {"t", "2us"},
                                       {"spaced", "1 ms"},
                                       {"ps", 5u},
                                       {"data", "00fF"},
                                       {"one", "a"},
                                       {"two", {"a", "b"}},
                                       {"none", nullptr},
                                       {"bad", -1}}};
  const LiveParams params(request, {"n", "big", "t", "spaced", "ps", "data", "one", "two", "none", "bad"});
  EXPECT_EQ(params.number("n"), 64u);
  EXPECT_EQ(params.number("big"), ~std::uint64_t{0});
  EXPECT_EQ(params.time("t"), 2_us);
  EXPECT_EQ(params.time("spaced"), 1_ms);
  EXPECT_EQ(params.time("ps"), Picoseconds(5));
  EXPECT_EQ(params.needed_bytes("data"), std::string("\0\xff", 2));
  EXPECT_EQ(params.texts("one"), std::vector<std::string>{"a"});
  EXPECT_EQ(params.texts("two")->size(), 2u);
  EXPECT_FALSE(params.has("none") || params.number("none") || params.has("absent"));
  EXPECT_EQ(refusal([&] { params.number("bad"); }),
            "m: bad: expected a number from 0 to 2^64-1, or a text such as \"0x40\", got -1");
  EXPECT_EQ(refusal([&] { params.number("t"); }),
            "m: t: expected a number from 0 to 2^64-1, or a text such as \"0x40\", got \"2us\"");
  EXPECT_EQ(refusal([&] { params.needed_number("absent"); }), "m: needs the parameter \"absent\"");
  EXPECT_EQ(refusal([&] { params.needed_bytes("t"); }), "m: t: expected hexadecimal digits, got \"2u\" at 0");
  EXPECT_EQ(refusal([&] {
              LiveParams(request, {"n", "bigg"});
            }),
            "m: there is no parameter \"big\"; did you mean \"bigg\"?");
}

TEST(LiveAnswerTest, IsOneLineWhateverTheBytes) {
  EXPECT_EQ(to_line(live_answer(1, {{"text", "a\nb\xff"}})),
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"text\":\"a\\nb\xef\xbf\xbd\"}}");
  EXPECT_EQ(to_line(live_error({Code::not_now, "no"}, nullptr)),
            R"({"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"no"}})");
  EXPECT_EQ(hex_of_bytes(std::string("\0\x1f\xff", 3)), "001fff");
}

}  // namespace
}  // namespace asterism
