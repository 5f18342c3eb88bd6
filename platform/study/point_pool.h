// Points in processes of their own, so that one that crashes is the only one that is lost. A worker process takes a point
// after the other; where one dies a new one takes its place.
//
// Workers are forked: they have what this process has, but not MPI, which they leave alone. They end with it.
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
  // The point of a task, in the worker; valid until the next call.
  using Points = std::function<StudyPoint&(const PointTask&)>;
  using News = std::function<void(PointMessage&&)>;

  PointPool(unsigned workers, Points points);
  ~PointPool();  // kills what is under way
  PointPool(const PointPool&) = delete;
  PointPool& operator=(const PointPool&) = delete;

  bool has_room() const;
  // Needs room. A PointOutcome comes for each, whatever becomes of it.
  void run(const PointTask& task);
  // Those under way are asked to stop; a point that keeps no part and has not stopped after 0.3 s is killed.
  void stop();
  // Tells every PointOutcome and PointProgress that has come, and waits this long for one when there is none.
  void wait(std::chrono::milliseconds time, const News& news);

 private:
  class Worker;
  using Clock = std::chrono::steady_clock;
  void kill_the_overdue();

  Points points_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::optional<Clock::time_point> stopped_;
};

}  // namespace asterism
