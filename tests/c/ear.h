/* A listener that notes what it hears, for the tests that are about listeners. */
#ifndef EAR_H
#define EAR_H

#include "check.h"

#include <pthread.h>
#include <signal.h>

/* A listener in one struct: what it does with an event, and what it saw. */
struct ear {
  lodger_flow (*act)(struct ear *, lodger_event *);
  struct trace trace;
  int events, done, dropped;
  lodger_turn *turn;
  const lodger_agent *agent;
  pthread_t thread;
  bool inside, overlapped, quiet; /* calls at the same time; all signals blocked */
};

static inline lodger_flow hear(void *ctx, lodger_event *event) {
  struct ear *ear = ctx;
  sigset_t blocked;
  if (__atomic_exchange_n(&ear->inside, true, __ATOMIC_SEQ_CST))
    ear->overlapped = true;
  ear->thread = pthread_self();
  pthread_sigmask(SIG_BLOCK, NULL, &blocked);
  ear->quiet = sigismember(&blocked, SIGINT) && sigismember(&blocked, SIGCHLD);
  bool last = lodger_event_kind(event) == LODGER_EVENT_DONE;
  lodger_flow flow = ear->act ? ear->act(ear, event) : LODGER_FLOW_CONTINUE;
  note(&ear->trace, event);
  __atomic_store_n(&ear->inside, false, __ATOMIC_SEQ_CST);
  count_up(&ear->events);
  if (last)
    count_up(&ear->done);
  return flow;
}

static inline void let_go_of(void *ctx) { count_up(&((struct ear *)ctx)->dropped); }

static inline void listen_to(lodger_turn *turn, struct ear *ear) {
  lodger_error *error = NULL;
  ear->turn = turn;
  EXPECT(LODGER_OK, lodger_turn_set_listener(turn, hear, ear, let_go_of, &error));
}

static inline const char *talks(size_t events) { return says(json("{'type':'repeat','text':'word ','count':%zu}", events)); }

/* More than anybody waits for. */
static inline const char *talks_for_ever(void) { return talks(1000000000); }

#endif
