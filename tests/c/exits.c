/*
 * A host that ends in the middle of its turns: `exits WAY BUSY MICROSECONDS FOLDER`. It cleans nothing up.
 *
 * WAY is how it ends, BUSY what its agents do at that moment. What is left behind is looked for from outside.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lodger.h"

enum { CODE = 7 };

static const char *way;

static void end_on_this_thread(void) {
  if (strncmp(way, "exit", 4) == 0)
    exit(CODE);
  if (strcmp(way, "_exit") == 0)
    _exit(CODE);
  if (strcmp(way, "quick_exit") == 0)
    quick_exit(CODE);
  if (strcmp(way, "abort") == 0)
    abort();
  if (strcmp(way, "sigterm") == 0)
    kill(getpid(), SIGTERM);
  if (strcmp(way, "sigkill") == 0)
    kill(getpid(), SIGKILL);
}

static void *end_on_a_thread(void *ctx) {
  end_on_this_thread();
  return ctx;
}

static lodger_flow hear(void *ctx, lodger_event *event) {
  int *events = ctx;
  lodger_event_free(event);
  if (++*events > 20 && strcmp(way, "exit_in_a_callback") == 0)
    exit(CODE);
  return LODGER_FLOW_CONTINUE;
}

/* Never answers; the callback thread stays in here. */
static void wait_for_ever(void *ctx, lodger_request *request) {
  (void)ctx, (void)request;
  if (strcmp(way, "exit_in_a_callback") == 0)
    exit(CODE);
  for (;;)
    pause();
}

static lodger_turn *start(const char *folder, const char *script, bool asks) {
  char options[512];
  lodger_host host = {.size = sizeof host, .on_request = asks ? wait_for_ever : NULL};
  lodger_agent *agent;
  lodger_turn *turn;
  snprintf(options, sizeof options, "{\"model\":\"scripted/%s.json\",\"cwd\":\"%s\",\"mode\":\"%s\"}", script, folder,
           asks ? "ask" : "full-auto");
  if (lodger_agent_create(NULL, lodger_text(options), &host, &agent, NULL) != LODGER_OK ||
      lodger_agent_prompt(agent, lodger_text("\"go\""), &turn, NULL) != LODGER_OK)
    _exit(99);
  return turn;
}

int main(int count, char **arguments) {
  static int events;
  if (count != 5)
    return 2;
  way = arguments[1];
  const char *busy = arguments[2], *folder = arguments[4];
  bool all = strcmp(busy, "all") == 0;
  if (all || strcmp(busy, "command") == 0)
    start(folder, "command", false);
  if (all || strcmp(busy, "stream") == 0)
    start(folder, "stream", false); /* nobody reads: it stands on a full queue */
  if (all || strcmp(busy, "listener") == 0 || strcmp(way, "exit_in_a_callback") == 0)
    lodger_turn_set_listener(start(folder, "stream", false), hear, &events, NULL, NULL);
  if (all || strcmp(busy, "request") == 0)
    start(folder, "command", true);
  usleep((useconds_t)atoi(arguments[3]));
  if (strcmp(way, "return") == 0)
    return CODE;
  if (strcmp(way, "exit_on_a_thread") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, end_on_a_thread, NULL);
    pthread_join(thread, NULL);
  }
  if (strcmp(way, "exit_in_a_callback") == 0)
    for (;;)
      pause();
  end_on_this_thread();
  return 99;
}
