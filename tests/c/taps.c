/*
 * The taps of the golden traces. All but the listener read until nothing is there and then wait, each for another sign
 * that there is more.
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "taps.h"

void tap_ok(lodger_status status, lodger_error *error) {
  if (status < 0) {
    fprintf(stderr, "%s: %.*s\n", lodger_status_name(status), LODGER_ARG(lodger_error_message(error)));
    exit(1);
  }
}

/* What another thread rings, as often as it likes, and one waits for. */
struct bell {
  pthread_mutex_t lock;
  pthread_cond_t rung;
  bool rings;
};

/* Rings when there is something to read; also for nothing, and even after the turn that it was meant for. */
static struct bell more = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
/* Rings when a listener has got everything. */
static struct bell over = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};

static void ring(void *ctx) {
  struct bell *bell = ctx;
  pthread_mutex_lock(&bell->lock);
  bell->rings = true;
  pthread_cond_signal(&bell->rung);
  pthread_mutex_unlock(&bell->lock);
}

static void wait_for(struct bell *bell) {
  pthread_mutex_lock(&bell->lock);
  while (!bell->rings)
    pthread_cond_wait(&bell->rung, &bell->lock);
  bell->rings = false;
  pthread_mutex_unlock(&bell->lock);
}

/* Reads what is there, or waits for the first event if `timeout_ms` says so. */
static lodger_status read_some(lodger_turn *turn, int64_t timeout_ms, tap_fn got, void *ctx) {
  enum { MANY = 64 };
  lodger_event *events[MANY];
  lodger_error *error = NULL;
  size_t count;
  lodger_status status = lodger_turn_read(turn, events, MANY, &count, timeout_ms, &error);
  tap_ok(status, error);
  for (size_t i = 0; i < count; i++) {
    if (got(ctx, events[i]))
      tap_ok(lodger_turn_cancel(turn, &error), error);
    lodger_event_free(events[i]);
  }
  return status;
}

static void pull(lodger_turn *turn, tap_fn got, void *ctx) {
  while (read_some(turn, -1, got, ctx) != LODGER_END)
    ;
}

static void waker(lodger_turn *turn, tap_fn got, void *ctx) {
  lodger_error *error = NULL;
  tap_ok(lodger_turn_set_waker(turn, ring, &more, NULL, &error), error);
  for (lodger_status status; (status = read_some(turn, 0, got, ctx)) != LODGER_END;)
    if (status == LODGER_AGAIN)
      wait_for(&more);
}

static void waitable(lodger_turn *turn, tap_fn got, void *ctx) {
  lodger_waitable descriptor;
  lodger_error *error = NULL;
  tap_ok(lodger_turn_waitable(turn, &descriptor, &error), error);
  for (lodger_status status = LODGER_AGAIN; status != LODGER_END;) {
    struct pollfd one = {descriptor, POLLIN, 0};
    if (poll(&one, 1, -1) != 1)
      exit((perror("poll"), 1));
    status = read_some(turn, 0, got, ctx);
  }
}

static void mailbox(lodger_turn *turn, tap_fn got, void *ctx) {
  enum { KEY = 7 };
  lodger_mailbox *box;
  lodger_error *error = NULL;
  tap_ok(lodger_mailbox_new(ring, &more, NULL, &box, &error), error);
  tap_ok(lodger_mailbox_attach(box, turn, KEY, &error), error);
  for (lodger_status status = LODGER_AGAIN; status != LODGER_END;) {
    uint64_t key;
    size_t count;
    wait_for(&more);
    while (lodger_mailbox_take(box, &key, 1, &count, &error) == LODGER_OK)
      while (key == KEY && (status = read_some(turn, 0, got, ctx)) == LODGER_OK)
        ;
  }
  lodger_mailbox_free(box);
}

struct listening {
  tap_fn got;
  void *ctx;
};

static lodger_flow listen(void *ctx, lodger_event *event) {
  struct listening *listening = ctx;
  bool cancel = listening->got(listening->ctx, event);
  lodger_event_free(event);
  return cancel ? LODGER_FLOW_CANCEL : LODGER_FLOW_CONTINUE;
}

static void listened(void *ctx) {
  (void)ctx;
  ring(&over);
}

static void listener(lodger_turn *turn, tap_fn got, void *ctx) {
  struct listening listening = {got, ctx};
  lodger_error *error = NULL;
  tap_ok(lodger_turn_set_listener(turn, listen, &listening, listened, &error), error);
  wait_for(&over);
}

bool tap_read(const char *name, lodger_turn *turn, tap_fn got, void *ctx) {
  static const struct {
    const char *name;
    void (*read)(lodger_turn *turn, tap_fn got, void *ctx);
  } taps[] = {{"pull", pull}, {"waker", waker}, {"waitable", waitable}, {"mailbox", mailbox}, {"listener", listener}};
  for (size_t i = 0; i < sizeof taps / sizeof *taps; i++) {
    if (strcmp(taps[i].name, name) == 0) {
      taps[i].read(turn, got, ctx);
      return true;
    }
  }
  return false;
}
