#include "platform/study/point_message.h"

#include <bit>
#include <nlohmann/json.hpp>

namespace asterism {
namespace {

using MessageJson = nlohmann::json;

// A double is encoded as its bits, in brackets, so that a NaN keeps its sign.
MessageJson message_of(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* integer = std::get_if<std::uint64_t>(&cell)) return *integer;
  if (const auto* number = std::get_if<double>(&cell))
    return MessageJson::array({std::bit_cast<std::uint64_t>(*number)});
  return nullptr;
}

Cell cell_of(const MessageJson& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_unsigned()) return json.get<std::uint64_t>();
  if (json.is_array()) return std::bit_cast<double>(json.at(0).get<std::uint64_t>());
  return {};
}

MessageJson message_of(const std::exception_ptr& error) {
  if (!error) return nullptr;
  try {
    std::rethrow_exception(error);
  } catch (const StudyFileMissing& missing) {
    return {{"is", "file"}, {"what", missing.what()}, {"keys", missing.keys()}};
  } catch (const StudyMistake& mistake) {
    return {{"is", "mistake"}, {"what", mistake.what()}, {"keys", mistake.keys()}};
  } catch (const StudyFailure& failure) {
    return {{"is", "failure"}, {"what", failure.what()}};
  } catch (const std::exception& other) {
    return {{"is", "other"}, {"what", other.what()}};
  } catch (...) {
    return {{"is", "other"}, {"what", "an exception that is none of the standard library's"}};
  }
}

std::exception_ptr error_of(const MessageJson& json) {
  if (json.is_null()) return nullptr;
  const std::string is = json.at("is"), what = json.at("what");
  if (is == "failure") return std::make_exception_ptr(StudyFailure(what));
  if (is == "other") return std::make_exception_ptr(std::runtime_error(what));
  std::vector<std::string> others = json.at("keys");
  const std::string key = others.front();
  others.erase(others.begin());
  if (is == "file") return std::make_exception_ptr(StudyFileMissing(key, what, others));
  return std::make_exception_ptr(StudyMistake(key, what, others));
}

MessageJson message_of(const StartPoints& start) { return {{"is", "start"}, {"workers", start.workers}}; }
MessageJson message_of(const PointTask& task) {
  return {{"is", "task"},
          {"index", task.index},
          {"kind", task.kind},
          {"config", task.config},
          {"keeps", task.keeps_a_part}};
}
MessageJson message_of(StopPoints) { return {{"is", "stop"}}; }
MessageJson message_of(EndPoints) { return {{"is", "end"}}; }
MessageJson message_of(DismissRank) { return {{"is", "dismiss"}}; }
MessageJson message_of(const PointOutcome& outcome) {
  MessageJson json = {{"is", "outcome"},          {"index", outcome.index},
                      {"row", nullptr},           {"partial", outcome.partial},
                      {"detail", outcome.detail}, {"crash", outcome.crash}};
  json["error"] = message_of(outcome.error);
  if (!outcome.row) return json;
  json["row"] = MessageJson::array();
  for (const Cell& cell : *outcome.row) json["row"].push_back(message_of(cell));
  return json;
}
MessageJson message_of(const PointProgress& progress) {
  return {
      {"is", "progress"}, {"index", progress.index}, {"share", progress.share}, {"words", progress.words}};
}
MessageJson message_of(SignalReceived) { return {{"is", "signal"}}; }

PointOutcome outcome_of(const MessageJson& json) {
  PointOutcome outcome{.index = json.at("index")};
  if (!json.at("row").is_null()) {
    outcome.row.emplace();
    for (const MessageJson& cell : json.at("row")) outcome.row->push_back(cell_of(cell));
  }
  outcome.partial = json.at("partial");
  outcome.detail = json.at("detail");
  outcome.crash = json.at("crash");
  outcome.error = error_of(json.at("error"));
  return outcome;
}

}  // namespace

std::string to_bytes(const PointMessage& message) {
  std::string bytes;
  MessageJson::to_cbor(std::visit([](const auto& one) { return message_of(one); }, message), bytes);
  return bytes;
}

PointMessage read_point_message(const std::string& bytes) {
  const MessageJson json = MessageJson::from_cbor(bytes);
  const std::string is = json.at("is");
  if (is == "start") return StartPoints{json.at("workers")};
  if (is == "task") return PointTask{json.at("index"), json.at("kind"), json.at("config"), json.at("keeps")};
  if (is == "stop") return StopPoints{};
  if (is == "end") return EndPoints{};
  if (is == "dismiss") return DismissRank{};
  if (is == "outcome") return outcome_of(json);
  if (is == "progress") return PointProgress{json.at("index"), json.at("share"), json.at("words")};
  return SignalReceived{};
}

PointOutcome run_point(StudyPoint& point, std::uint64_t index, const std::stop_token& stop) {
  PointOutcome outcome{.index = index};
  try {
    std::vector<Cell> row = point.run(stop);
    outcome.partial = stop.stop_requested();
    if (outcome.partial && !point.keeps_a_part()) return outcome;
    outcome.row = std::move(row);
    outcome.detail = point.detail();
  } catch (...) {
    outcome.error = std::current_exception();
  }
  return outcome;
}

}  // namespace asterism
