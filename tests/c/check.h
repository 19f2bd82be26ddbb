/*
 * What the tests of the C interface share: checks, and a host that scripts its model.
 *
 * Each test runs in a process of its own, so that a crash fails one test and a fork in one does not meet the threads
 * of another.
 */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>

#include "lodger.h"

/* ---- tests -------------------------------------------------------------------------------------------------- */

struct test {
  const char *name; /* the behaviour, as a sentence with underscores */
  void (*run)(void);
};

#define TEST(name) \
  { #name, name }

/* Tables of tests, each closed by a row without a name. */
extern const struct test basics[], errors[], requests[], races[], inside[], streams[], waitables[], listeners[],
    checkpoints[], lifetimes[], closing[], diagnostics[], forks[], models[], fetches[], answers[], tokens[];

/* What bounds a hang. It measures nothing: machines are busy. */
enum { LIMIT_MS = 60000 };

/* ---- checks: the first that fails ends the test -------------------------------------------------------------- */

#define CHECK(condition) \
  ((condition) ? (void)0 : check_failed(__FILE__, __LINE__, #condition, NULL))

/* The status of a call that gets `&error` as its last argument; the error is freed. */
#define EXPECT(wanted, call) check_status(__FILE__, __LINE__, #call, (wanted), (call), &error)

#define SAME_TEXT(wanted, view) check_text(__FILE__, __LINE__, #view, (wanted), (view), false)
#define HAS_TEXT(wanted, view) check_text(__FILE__, __LINE__, #view, (wanted), (view), true)

_Noreturn void check_failed(const char *file, int line, const char *what, const char *detail);
void check_status(const char *file, int line, const char *call, lodger_status wanted, lodger_status got,
                  lodger_error **error);
void check_text(const char *file, int line, const char *what, const char *wanted, lodger_str got, bool part);

/* ---- the host ------------------------------------------------------------------------------------------------ */

/* The folder of this test, which is the agent's `cwd` too; gone afterwards. */
extern char folder[];

/* JSON with ' for ", formatted like printf. The text lives until the test ends. */
const char *json(const char *format, ...);

/* The path of a file in the folder; whether it is there; its text. */
const char *path_of(const char *name);
bool has_file(const char *name);
void write_file(const char *name, const char *text);

/* An agent whose model plays `script` (see docs/scripted-model.md). `more` are further options, such as
 * "'mode':'ask'", or NULL. */
lodger_agent *new_agent(const lodger_runtime *runtime, const lodger_host *host, const char *script, const char *more);

/* The script of one reply. */
const char *says(const char *parts);

lodger_turn *prompt(const lodger_agent *agent, const char *text);

/* What a turn came to, event by event. */
struct trace {
  size_t events;
  size_t of_kind[64];
  uint64_t first_seq, last_seq;
  struct text *kept;
  char *text;           /* of all text deltas */
  size_t text_len, text_room;
  char reason[32];      /* of `done` */
  char error_code[40];  /* of `done`, where there is one */
  char outcome[32];     /* of the last `request_resolved` */
  char tool_result[256]; /* text of the last `tool_result` */
};

/* Notes an event and frees it. */
void note(struct trace *trace, lodger_event *event);

/* Reads until the end. */
void read_all(const lodger_turn *turn, struct trace *trace);

/* Closes and frees. */
void finish(lodger_agent *agent, lodger_turn *turn);

/* Waits until `*flag` is at least `wanted`, or fails after a minute. */
void await_count(const int *flag, int wanted);

/* Lets others see a count. */
void count_up(int *flag);
int count_of(const int *flag);

/* Under a tool that makes everything slow, long streams are shorter. */
size_t many(size_t events);

/* The mock model server, which plays `script` over HTTP; its address. */
const char *start_server(const char *script);

/* An agent whose model is the mock model server, which plays `script` over HTTP. */
lodger_agent *new_wire_agent(const lodger_host *host, const char *script);
void stop_server(void);

/* The largest number behind `"name":` in what the server saw; how many bytes it had written when it came to rest. */
long server_saw(const char *name);
long server_rests(void);

/* How many descriptors this process has open; how many threads; how many KiB it occupies. */
int descriptors_now(void);
int threads_now(void);
long resident_kib(void);

/* Waits until only this thread is left, or fails after a minute. */
void await_no_thread(void);

void sleep_ms(int ms);

#endif
