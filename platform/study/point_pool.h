// Points in processes of their own, so that a point that crashes is the only one that is lost. A worker
// process runs one point after the other; if it dies, a new one takes its place.
//
// Workers are forked: they have all that this process has. They do not use MPI. They end with this process.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "platform/study/point_message.h"

namespace asterism {

class PointPool {
 public:
  // Makes the point of a task, in the worker. The point is valid until the next call.
  using Points = std::function<StudyPoint&(const PointTask&)>;
  using Receiver = std::function<void(PointMessage&&)>;

  PointPool(unsigned workers, Points points);
  ~PointPool();  // kills the points under way
  PointPool(const PointPool&) = delete;
  PointPool& operator=(const PointPool&) = delete;

  bool has_free_worker() const;
  // Runs a task; a worker must be free. Each task yields one PointOutcome, whatever happens to it.
  void run(const PointTask& task);
  // Asks the points under way to stop. A point that keeps no partial result and has not stopped after 0.3 s
  // is killed.
  void stop();
  // Hands every PointOutcome and PointProgress that has arrived to `receiver`, and waits up to `time` if
  // there is none.
  void wait(std::chrono::milliseconds time, const Receiver& receiver);

 private:
  class Worker;
  using Clock = std::chrono::steady_clock;
  void kill_the_overdue();

  Points points_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::optional<Clock::time_point> stopped_;
};

}  // namespace asterism
