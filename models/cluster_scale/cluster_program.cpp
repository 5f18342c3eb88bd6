// asterism_cluster: simulates the machine whose setup it reads from standard input (cluster_text.h), one run
// after the other, and writes the results to standard output. `asterism study cluster_scale` starts it.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "cluster_scale/cluster_run.h"
#include "cluster_scale/cluster_text.h"

namespace asterism {
namespace {

// The network is built once; each run has a copy of the process, so that runs do not depend on each other.
int run_all(const ClusterSetup& setup) {
  ClusterNetwork network(setup);
  for (std::uint32_t run = 0; run < setup.runs; ++run) {
    std::cout.flush();
    const pid_t child = fork();
    if (child < 0) return EXIT_FAILURE;
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      write_text(std::cout, run_cluster(setup, setup.seed + run, network));
      return std::cout.flush() ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace asterism

int main() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // nothing reads the results when the parent has ended
  try {
    const auto setup = asterism::read_setup(std::cin);
    if (!setup) throw std::invalid_argument("there is no setup on standard input");
    return asterism::run_all(*setup);
  } catch (const std::exception& error) {
    std::cerr << "asterism_cluster: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
