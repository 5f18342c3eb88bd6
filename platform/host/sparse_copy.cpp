#include "platform/host/sparse_copy.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

namespace asterism {

void copy_sparse(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::string words[] = {"cp", "--sparse=always", "--", from.string(), to.string()};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(),
                       words[3].data(), words[4].data(), nullptr};
  pid_t copying = 0;
  int status = 0;
  if (posix_spawnp(&copying, "cp", nullptr, nullptr, arguments, environ) != 0 ||
      waitpid(copying, &status, 0) < 0 || status != 0)
    throw std::runtime_error("cannot copy " + from.string());
}

}  // namespace asterism
