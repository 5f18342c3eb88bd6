// The HTTP server of `asterism run --serve`: pages in browsers follow a run while it goes on.
//
// It listens at 127.0.0.1 only, in a thread of its own. A page asks for the state and gets the next one that
// the run publishes, and then for what the record (instruments/run_record.h) has more by then. Nothing is
// kept for a page, so that one that is late, slow or gone costs no memory and holds up nothing.
//
//   GET  /                          the page itself, and the files that it consists of
//   GET  /state?page=ID&after=N     the first state that is later than number N, or after 5 s the last one
//   GET  /record?from=N&to=M        at most 256 KiB of the record's bytes from N on
//   GET  /report                    the report of the run, once it has ended
//   POST /control                   {"action": "stop"}, {"action": "go_on"} or
//                                   {"action": "go_on", "until": "5ms"}; a time that is wrong or has
//                                   passed is answered with {"problem": "..."}
//
// There are no other targets; none of them names a file. A request is refused (403) unless
//   - its Host is the address of the server, against pages of names that lead here (DNS rebinding),
//   - its Origin, if it has one, is the server,
//   - it has the token, as the parameter `token` or as `Authorization: Bearer TOKEN`; a POST needs the
//     latter,
//   - it is a GET, or control is allowed.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/units.h"

namespace asterism {

struct PageServerOptions {
  std::uint16_t port = 0;  // 0: any free one
  bool control = false;    // pages may stop the run
  bool waits = false;      // the run begins when a page is open
  // For a request to come; an answer may take four times as long.
  std::chrono::milliseconds request_limit = std::chrono::seconds(15);
};

// Parses "8080,control,wait", in which any part may be missing; "" is none of them. Throws
// std::invalid_argument with what was expected.
PageServerOptions parse_page_server_options(const std::string& text);

class PageServer {
 public:
  struct File {
    std::string target;  // "/page.js"
    std::string type;    // "text/javascript"
    std::string contents;
  };
  // The files of the page, which refer to each other with ?token=TOKEN.
  using Files = std::function<std::vector<File>(const std::string& token)>;

  // Throws std::runtime_error with the reason if it cannot listen.
  PageServer(const PageServerOptions& options, const Files& files);
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  // What a user opens: "http://127.0.0.1:8080/?token=0123...".
  std::string address() const;

  // All functions below are for the thread of the run.

  // Waits until a page is open, at most for this time. Returns whether one is.
  bool wait_for_page(std::chrono::milliseconds at_most);
  // Whether a page waits for a state, and the last one is at least a quarter of a second old.
  bool wants_state() const;
  // `now`: the simulated time of the state.
  void publish(nlohmann::ordered_json state, Picoseconds now);
  // The file of the record, which stays open.
  void serve_record(const std::filesystem::path& file);

  // What pages have asked for: to stop now, or at a time.
  bool is_stopped() const;
  void stop();
  Picoseconds stops_at() const;
  void wait_until_changed(std::chrono::milliseconds at_most);

  // Ends the thread, and starts it again: a process with threads cannot be copied.
  void pause();
  void resume();

  // The run has ended. Waits until the open pages have its report, at most for ten seconds.
  void finish(const std::filesystem::path& report);

 private:
  class Host;
  std::unique_ptr<Host> host_;
};

}  // namespace asterism
