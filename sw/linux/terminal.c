// Runs a command in a session of its own, whose terminal is a device, so that the shell has job control and
// Ctrl-C reaches programs:
//
//   terminal DEVICE COMMAND [ARGUMENT]...
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char** words) {
  if (count < 3) return 2;
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    const int device = open(words[1], O_RDWR);
    if (device < 0 || ioctl(device, TIOCSCTTY, 0) != 0) {
      perror(words[1]);
      _exit(1);
    }
    for (int i = 0; i < 3; ++i) dup2(device, i);
    if (device > 2) close(device);
    execvp(words[2], words + 2);
    perror(words[2]);
    _exit(1);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
