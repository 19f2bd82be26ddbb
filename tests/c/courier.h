/* A host that carries requests to models with an HTTP client of its own: one thread and one socket for each. */
#ifndef COURIER_H
#define COURIER_H

#include "check.h"

/* How a client waits for room. */
enum waits { IN_THE_PUSH, FOR_THE_WAKER };

/* A host in one struct: how it waits, and what it saw. */
struct courier {
  enum waits waits;
  int carried; /* requests that came */
  int full;    /* pushes that were asked to wait */
  int whole;   /* answers that were handed over to their end */
  int stopped; /* clients that heard that nobody wants the answer any more */
  int rung;    /* wakers */
  int dropped; /* how often the context was given back */
};

/* The table of that host. */
lodger_host carried_by(struct courier *courier);

/* Answers a request at once, and keeps it: the status, and a text of the model if that is 200. */
void answer_with(const lodger_fetch *fetch, uint32_t status, const char *text);

/* The bytes of a text. */
lodger_bytes bytes_of(const char *text);

#endif
