// A live session: programs drive and inspect a run while it goes on (docs/live.md), by requests
// (live_protocol.h) over sockets (live_port.h).
//
// The system is halted before its first instruction, and whenever what a request `run` waits for has come.
// While it is halted, neither instructions nor simulated time advance. All requests are served in the thread
// of the simulation: while the system runs, between two instructions of a core about once a quantum, and
// between two slices of simulated time. Requests that only read do not change what is simulated.
//
// At its end a run stays until no client is connected, so that it can still be read.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/event_log.h"
#include "base/units.h"
#include "core/core_module.h"
#include "platform/debug/debugged_core.h"
#include "platform/host/run_directory.h"
#include "platform/live/live_port.h"
#include "platform/live/live_protocol.h"
#include "platform/scenario/scenario.h"
#include "platform/system/simulated_system.h"

namespace asterism {

class LiveSession final : public EventLog, private CoreDebugger {
 public:
  // The run, and its services for the session.
  struct Run {
    SimulatedSystem& system;
    const Scenario& scenario;
    const RunDirectory& directory;
    std::string version;                // of the program
    std::string why_no_snapshots = {};  // in words; "" if it can have some
    // Saves the run to a file. Returns true in each process that continues from it, after continue_at().
    // Throws ConfigError.
    std::function<bool(const std::string& file)> save;
    std::function<void()> halted;       // called whenever the system has been halted
    std::function<bool()> interrupted;  // whether the run must end
  };

  // Throws as LivePort does.
  explicit LiveSession(const SocketEndpoint& endpoint);
  ~LiveSession() override;

  bool is_open() const { return port_ != nullptr; }  // not if the run goes on without a session
  std::string address() const { return port_->address(); }
  // Before simulation begins. Throws std::invalid_argument if no core runs firmware.
  void attach(Run run);

  // EventLog
  void record(Picoseconds at, std::string_view source, std::string_view kind,
              std::initializer_list<Detail> details) override;
  // What the guest has written to a line: "console", "uart0".
  void output(const std::string& line, std::string_view text);

  // To be called before and after a fork, because a fork does not copy threads.
  void pause_port();
  void resume_port();
  // In a process that continues from a snapshot: the clients are those of the process that was saved.
  void forget_clients();
  // Other clients connect there. nullopt: the run goes on without a session. Throws as LivePort does.
  void continue_at(const std::optional<SocketEndpoint>& endpoint);

  // To be called between two slices of the simulation, when no core runs.
  void poll();
  // When poll() must be called, apart from any other time.
  std::optional<Picoseconds> next_poll() const;
  // No event is pending.
  void stalled();
  // The run has ended; `how` is the word of stats.json. Returns when no client is connected any more.
  void ended(std::string_view how, std::optional<std::uint64_t> firmware_status);
  // Whether a client has requested the end of the run.
  bool has_quit() const { return has_quit_; }

 private:
  using Client = LivePort::Client;
  enum class State : std::uint8_t { halted, running, ended };
  // What happens when a client goes.
  enum class Then : std::uint8_t { wait, go_on, quit };
  struct Connection {
    std::set<std::string> subscriptions = {};
    Then then = Then::wait;
    bool has_gone = false;  // sends nothing more, and is closed when its last request is answered
  };
  struct Asked {  // a request that is answered when the system has halted
    Client client;
    LiveJson id;
    bool wants_answer;
  };
  // What the system runs to.
  struct Goal {
    std::optional<Picoseconds> until = {};
    std::set<std::string> kinds = {};  // of events
    std::optional<std::string> source = {};
    LiveJson details = LiveJson::object();
    std::vector<std::uint64_t> breakpoints = {};
    std::optional<unsigned> steps_of = {};  // a core
    std::uint64_t steps = 0;
  };
  // Those that return nullopt are answered when the system has halted.
  using Answer = std::optional<LiveJson>;
  struct Handler {
    std::string name;
    Answer (LiveSession::*serve)(const LiveParams&);
    bool needs_halt;
    std::vector<std::string> params;
  };
  static const std::vector<Handler>& handlers();

  // CoreDebugger
  bool wants_to_stop() const override;
  bool is_at_work() const override { return is_at_work_; }
  void stopped(CoreModule& core, Iss::Stop why) override;
  void went_off(CoreModule& core) override;

  // ---- halting and resuming ----
  void halt(const std::string& reason, std::optional<unsigned> core = {},
            const LiveJson& more = LiveJson::object());
  void stay_halted();
  void run_to(Goal goal);
  void serve_news();
  void serve(Client client, const std::string& line);
  LiveJson answer_to(Client client, const LiveRequest& request);
  void take_leave(Client client);
  void close(Client client);
  void notify(const std::string& what, const LiveJson& params);
  bool is_awaited_by(Client client) const;
  bool is_met_by(std::string_view source, std::string_view kind, const LiveJson& event) const;
  void quit();

  // ---- the requests (live_requests.cpp) ----
  Answer version(const LiveParams&);
  Answer status(const LiveParams&);
  Answer run(const LiveParams&);
  Answer step(const LiveParams&);
  Answer stop(const LiveParams&);
  Answer list_cores(const LiveParams&);
  Answer read_registers(const LiveParams&);
  Answer write_register(const LiveParams&);
  Answer read_memory(const LiveParams&);
  Answer write_memory(const LiveParams&);
  Answer list_devices(const LiveParams&);
  Answer read_device(const LiveParams&);
  Answer write_device(const LiveParams&);
  Answer statistics(const LiveParams&);
  Answer events(const LiveParams&);
  Answer console(const LiveParams&);
  Answer inject(const LiveParams&);
  Answer snapshot(const LiveParams&);
  Answer subscribe(const LiveParams&);
  Answer on_disconnect(const LiveParams&);
  Answer request_end(const LiveParams&);

  unsigned core_of(const LiveParams& params) const;
  CoreModule& core(unsigned index) const { return *cores_[index].core; }
  std::string place_of(unsigned core) const;
  std::uint64_t address_of(const LiveParams& params, const std::string& key, const std::string& word) const;
  void check_source(const LiveParams& params, const std::string& source) const;
  const PlacedDevice& find_device(const LiveParams& params) const;

  std::unique_ptr<LivePort> port_;  // nullptr: the run continues from a snapshot without a session
  std::optional<Run> run_;
  std::vector<DebuggedCore> cores_;
  std::map<Client, Connection> clients_;
  State state_ = State::running;
  LiveJson halt_;  // how the system was halted last
  std::optional<Goal> goal_;
  std::vector<Asked> asked_;  // `run` and `stop`
  Client client_ = 0;         // whose request is being served
  bool is_new_ = true;        // before the first instruction
  bool stop_wanted_ = false, is_at_work_ = false, has_quit_ = false;
  std::optional<unsigned> off_;  // a core that was to make a step but is off
  std::uint64_t events_ = 0;
  struct Position {  // in events.jsonl
    std::uint64_t event = 0, byte = 0;
  } read_until_;
};

}  // namespace asterism
