/* Every way in which a C program gets at the events of a turn. */
#ifndef TAPS_H
#define TAPS_H

#include <stdbool.h>

#include "lodger.h"

/* Gets an event, in order, on whatever thread; the event stays its caller's. True: cancel the turn. */
typedef bool (*tap_fn)(void *ctx, const lodger_event *event);

/*
 * Reads a turn to its end in the way of that name: pull, waker, waitable, mailbox or listener. False when there is no
 * such way. Ends the program when a call fails.
 */
bool tap_read(const char *name, lodger_turn *turn, tap_fn got, void *ctx);

/* Ends the program with the error's message if `status` is one. */
void tap_ok(lodger_status status, lodger_error *error);

#endif
