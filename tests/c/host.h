/* A host that answers requests, for the tests that are about them. */
#ifndef HOST_H
#define HOST_H

#include "check.h"

/* A host in one struct: what it does with a request, and what it saw. */
struct host {
  void (*act)(struct host *, lodger_request *);
  int requests;          /* how many came */
  int settled;           /* how many `settled` were called */
  lodger_request *kept;  /* for those who answer later */
  const lodger_agent *agent;
  const lodger_turn *turn;
  lodger_status status;  /* of a call made inside the callback */
  int dropped;           /* how often the context was given back */
};

static inline void on_request(void *ctx, lodger_request *request) {
  struct host *host = ctx;
  host->act(host, request);
  count_up(&host->requests);
}

static inline void on_settled(void *ctx) { count_up(&((struct host *)ctx)->settled); }

static inline lodger_host callbacks(struct host *host) {
  lodger_host callbacks = {.size = sizeof callbacks, .ctx = host, .on_request = on_request};
  return callbacks;
}

/* The model wants to write a file, and says whether it could. */
static inline const char *writes(void) {
  return "{'steps':[{'reply':[{'type':'tool_call','toolName':'write_file','input':{'path':'a.txt','content':'x'}}]},"
         "{'reply':[{'type':'text','text':'ok'}]}]}";
}

/* Runs one turn of one agent from end to end. */
static inline void run(struct host *host, const char *script, const char *more, struct trace *trace) {
  lodger_host table = callbacks(host);
  lodger_agent *agent = new_agent(NULL, &table, script, more);
  host->agent = agent;
  lodger_turn *turn = prompt(agent, "go");
  read_all(turn, trace);
  finish(agent, turn);
}

/* For those who answer later. */
static inline void keep(struct host *host, lodger_request *request) { host->kept = request; }

#endif
