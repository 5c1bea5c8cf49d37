/* fore.c - `fore COMMAND...` : runs it with INT, TERM and HUP as a terminal's
 * foreground has them; a script's background jobs ignore INT. */
#include <signal.h>
#include <unistd.h>

int main(int argc, char **argv) {
  (void)argc;
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  signal(SIGHUP, SIG_DFL);
  execvp(argv[1], argv + 1);
  return 127;
}
