/* What those who watch an agent hear of it. */
#define _GNU_SOURCE
#include "check.h"

#include <pthread.h>
#include <stdlib.h>

/* A watcher in one struct: what it does with a diagnostic, and what it heard. */
struct watcher {
  void (*act)(struct watcher *, const char *type);
  char *types;         /* of all, each with a space behind it */
  char *all;           /* the texts themselves, one a line */
  int told, dropped;
  const lodger_agent *agent;
  bool inside, overlapped, late; /* two calls at the same time; a call after `drop` */
};

static void append(char **text, const char *more, size_t len) {
  size_t had = *text ? strlen(*text) : 0;
  *text = realloc(*text, had + len + 1);
  CHECK(*text != NULL);
  memcpy(*text + had, more, len);
  (*text)[had + len] = '\0';
}

static void on_diagnostic(void *ctx, lodger_str json) {
  struct watcher *watcher = ctx;
  if (__atomic_exchange_n(&watcher->inside, true, __ATOMIC_SEQ_CST))
    watcher->overlapped = true;
  if (count_of(&watcher->dropped))
    watcher->late = true;
  append(&watcher->all, json.ptr, json.len);
  append(&watcher->all, "\n", 1);
  char type[64] = "";
  const char *line = strrchr(watcher->all, '{'), *at = line ? strstr(line, "\"type\":\"") : NULL;
  CHECK(at && sscanf(at, "\"type\":\"%63[^\"]", type) == 1);
  append(&watcher->types, type, strlen(type));
  append(&watcher->types, " ", 1);
  if (watcher->act)
    watcher->act(watcher, type);
  __atomic_store_n(&watcher->inside, false, __ATOMIC_SEQ_CST);
  count_up(&watcher->told);
}

static void on_drop(void *ctx) { count_up(&((struct watcher *)ctx)->dropped); }

static lodger_host watched_by(struct watcher *watcher) {
  lodger_host host = {.size = sizeof host, .ctx = watcher, .drop = on_drop, .on_diagnostic = on_diagnostic};
  return host;
}

static void forget(struct watcher *watcher) {
  CHECK(!watcher->overlapped && !watcher->late);
  free(watcher->types);
  free(watcher->all);
}

static int times(const char *text, const char *what) {
  int count = 0;
  for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
    count++;
  return count;
}

static const char *hello(void) { return says("{'type':'text','text':'hello'}"); }

static void asks_leave(void *ctx, lodger_request *request) {
  (void)ctx;
  lodger_request_allow(request, NULL);
  lodger_request_free(request);
}

static const char *writes_for_ever(void) {
  return "{'after':'loop','steps':[{'reply':[{'type':'tool_call','toolName':'write_file','input':{'path':'a.txt',"
         "'content':'x'}}]}]}";
}

/* ---- the life of an agent ------------------------------------------------------------------------------------ */

static void the_end_is_told_last_and_before_close_returns(void) {
  lodger_error *error = NULL;
  struct watcher watcher = {0};
  struct trace trace = {0};
  lodger_host host = watched_by(&watcher);
  lodger_agent *agent = new_agent(NULL, &host, hello(), NULL);
  await_count(&watcher.told, 2); /* without a turn, and without anybody who reads */
  lodger_turn *turn = prompt(agent, "hi");
  read_all(turn, &trace);
  EXPECT(LODGER_OK, lodger_agent_close(agent, LIMIT_MS, &error));
  CHECK(strcmp(watcher.types, "runtime.start runtime.ready runtime.exit ") == 0);
  lodger_str id = lodger_agent_session_id(agent);
  CHECK(times(watcher.all, json("'sessionId':'%.*s'", LODGER_ARG(id))) == 3);
  CHECK(times(watcher.all, "\"ts\":") == 3 && times(watcher.all, "\"code\":0") == 1);
  EXPECT(LODGER_OK, lodger_agent_close(agent, LIMIT_MS, &error));
  lodger_turn_free(turn);
  lodger_agent_free(agent);
  CHECK(watcher.told == 3 && count_of(&watcher.dropped) == 1);
  await_no_thread();
  forget(&watcher);
}

static int closed_calls;

static void closed(void *ctx, lodger_status status) {
  struct watcher *watcher = ctx;
  CHECK(status == LODGER_OK);
  CHECK(count_of(&watcher->told) == 3 && strstr(watcher->types, "runtime.exit "));
  count_up(&closed_calls);
}

static void the_end_is_told_before_a_begun_close_is_over(void) {
  lodger_error *error = NULL;
  struct watcher watcher = {0};
  lodger_host host = watched_by(&watcher);
  lodger_agent *agent = new_agent(NULL, &host, hello(), NULL);
  EXPECT(LODGER_OK, lodger_agent_begin_close(agent, LIMIT_MS, closed, &watcher, NULL, &error));
  lodger_agent_free(agent);
  await_count(&closed_calls, 1);
  await_count(&watcher.dropped, 1);
  forget(&watcher);
}

static void *close_it(void *agent) {
  lodger_error *error = NULL;
  EXPECT(LODGER_OK, lodger_agent_close(agent, LIMIT_MS, &error));
  return NULL;
}

static void the_end_is_told_once_however_many_close(void) {
  struct watcher watcher = {0};
  lodger_host host = watched_by(&watcher);
  pthread_t threads[4];
  lodger_agent *agent = new_agent(NULL, &host, hello(), NULL);
  for (int i = 0; i < 4; i++)
    CHECK(pthread_create(&threads[i], NULL, close_it, agent) == 0);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  lodger_agent_free(agent);
  CHECK(strcmp(watcher.types, "runtime.start runtime.ready runtime.exit ") == 0);
  forget(&watcher);
}

static void each_agent_tells_its_own_watcher(void) {
  enum { AGENTS = 8 };
  lodger_error *error = NULL;
  struct watcher watchers[AGENTS] = {0};
  lodger_agent *agents[AGENTS];
  lodger_runtime *runtime;
  EXPECT(LODGER_OK, lodger_runtime_new(NULL, &runtime, &error));
  for (int i = 0; i < AGENTS; i++) {
    lodger_host host = watched_by(&watchers[i]);
    agents[i] = new_agent(runtime, &host, hello(), NULL);
  }
  for (int i = AGENTS - 1; i >= 0; i--)
    finish(agents[i], NULL);
  lodger_runtime_free(runtime);
  for (int i = 0; i < AGENTS; i++) {
    CHECK(strcmp(watchers[i].types, "runtime.start runtime.ready runtime.exit ") == 0);
    forget(&watchers[i]);
  }
}

static void an_agent_that_could_not_be_made_tells_nothing(void) {
  lodger_error *error = NULL;
  struct watcher watcher = {0};
  lodger_agent *agent;
  lodger_host host = watched_by(&watcher);
  EXPECT(LODGER_E_INVALID_OPTIONS, lodger_agent_create(NULL, lodger_text("{\"model\":\"none/x\"}"), &host, &agent, &error));
  CHECK(count_of(&watcher.dropped) == 1);
  await_no_thread();
  CHECK(watcher.told == 0);
}

static void an_agent_that_is_freed_calls_nobody_any_more(void) {
  for (int round = 0; round < 20; round++) {
    struct watcher watcher = {0};
    lodger_host host = watched_by(&watcher);
    lodger_agent *agent = new_agent(NULL, &host, hello(), NULL);
    await_count(&watcher.told, 2);
    lodger_agent_free(agent);
    await_count(&watcher.dropped, 1);
    CHECK(watcher.told == 2);
    forget(&watcher);
  }
  await_no_thread();
}

static void a_host_of_an_older_header_is_told_nothing(void) {
  struct watcher watcher = {0};
  struct trace trace = {0};
  lodger_host host = watched_by(&watcher);
  host.size = offsetof(lodger_host, on_diagnostic);
  lodger_agent *agent = new_agent(NULL, &host, hello(), NULL);
  lodger_turn *turn = prompt(agent, "hi");
  read_all(turn, &trace);
  CHECK(strcmp(trace.text, "hello") == 0);
  finish(agent, turn);
  CHECK(watcher.told == 0 && watcher.dropped == 1);
}

/* ---- what happens in between --------------------------------------------------------------------------------- */

static void a_permission_is_told_with_its_decision(void) {
  struct watcher watcher = {0};
  struct trace trace = {0};
  lodger_host host = watched_by(&watcher);
  host.on_request = asks_leave;
  lodger_agent *agent = new_agent(NULL, &host,
                                  "{'steps':[{'reply':[{'type':'tool_call','toolName':'write_file','input':{'path':"
                                  "'a.txt','content':'x'}}]},{'reply':[{'type':'text','text':'ok'}]}]}",
                                  NULL);
  lodger_turn *turn = prompt(agent, "go");
  read_all(turn, &trace);
  finish(agent, turn);
  CHECK(strcmp(watcher.types, "runtime.start runtime.ready permission.request permission.decision runtime.exit ") == 0);
  CHECK(times(watcher.all, "\"toolName\":\"write_file\"") == 2 && times(watcher.all, "\"kind\":\"file\"") == 2);
  CHECK(times(watcher.all, "\"outcome\":\"allowed_once\"") == 1);
  CHECK(!strstr(watcher.all, "a.txt")); /* what it is about is not a watcher's business */
  forget(&watcher);
}

static void a_slow_reader_is_told_once(void) {
  struct watcher watcher = {0};
  struct trace trace = {0};
  lodger_host host = watched_by(&watcher);
  lodger_agent *agent = new_agent(NULL, &host, says("{'type':'repeat','text':'word ','count':5000}"), NULL);
  lodger_turn *turn = prompt(agent, "talk");
  await_count(&watcher.told, 3); /* nobody has read yet */
  read_all(turn, &trace);
  finish(agent, turn);
  CHECK(strcmp(watcher.types, "runtime.start runtime.ready output.backpressure runtime.exit ") == 0);
  CHECK(times(watcher.all, "\"bufferedEvents\":") == 1 && times(watcher.all, "\"bufferedBytes\":") == 1);
  forget(&watcher);
}

static void no_diagnostic_has_a_credential_or_anything_that_was_said(void) {
  struct watcher watcher = {0};
  struct trace trace = {0};
  lodger_host host = watched_by(&watcher);
  lodger_agent *agent = new_wire_agent(&host, "{'steps':[{'reply':[{'type':'text','text':'an-answer'}]}]}");
  lodger_turn *turn = prompt(agent, "a-question");
  read_all(turn, &trace);
  CHECK(strcmp(trace.text, "an-answer") == 0);
  finish(agent, turn);
  stop_server();
  CHECK(strcmp(watcher.types, "runtime.start runtime.ready transport.start transport.response runtime.exit ") == 0);
  CHECK(times(watcher.all, "\"model\":\"anthropic/mock\"") == 2 && times(watcher.all, "\"status\":200") == 1);
  for (const char *const *secret = (const char *const[]){"key-of-the-test", "an-answer", "a-question", NULL}; *secret; secret++)
    CHECK(!strstr(watcher.all, *secret));
  forget(&watcher);
}

/* ---- a watcher that takes its time --------------------------------------------------------------------------- */

static void try_what_waits(struct watcher *watcher, const char *type) {
  lodger_error *error = NULL;
  if (strcmp(type, "permission.request") != 0)
    return;
  EXPECT(LODGER_E_WOULD_DEADLOCK, lodger_agent_close(watcher->agent, LIMIT_MS, &error));
  EXPECT(LODGER_OK, lodger_agent_interrupt(watcher->agent, NULL, &error));
}

static void a_watcher_may_call_everything_but_what_waits(void) {
  struct watcher watcher = {.act = try_what_waits};
  struct trace trace = {0};
  lodger_host host = watched_by(&watcher);
  lodger_agent *agent = new_agent(NULL, &host, writes_for_ever(), "'requests':'events'");
  watcher.agent = agent;
  lodger_turn *turn = prompt(agent, "go"); /* nobody answers: the watcher ends it */
  read_all(turn, &trace);
  CHECK(strcmp(trace.reason, "cancelled") == 0);
  finish(agent, turn);
  forget(&watcher);
}

static int held, let_go;

static void hold_on(struct watcher *watcher, const char *type) {
  (void)watcher;
  if (strcmp(type, "runtime.ready") != 0)
    return;
  count_up(&held);
  await_count(&let_go, 1);
}

/* Allows by id whatever is asked, until the turn ends. */
static void read_and_allow(const lodger_agent *agent, const lodger_turn *turn, struct trace *trace) {
  lodger_error *error = NULL;
  lodger_event *event;
  size_t count;
  while (lodger_turn_read(turn, &event, 1, &count, LIMIT_MS, &error) == LODGER_OK) {
    if (lodger_event_kind(event) == LODGER_EVENT_REQUEST_OPENED) {
      lodger_str id = lodger_event_field(event, lodger_text("/requestId"));
      EXPECT(LODGER_OK, lodger_agent_answer(agent, id, lodger_text("{\"kind\":\"allow_once\"}"), &error));
    }
    note(trace, event);
  }
}

static void what_a_watcher_is_too_slow_for_is_counted(void) {
  struct watcher watcher = {.act = hold_on};
  struct trace trace = {0};
  lodger_host host = watched_by(&watcher);
  lodger_agent *agent = new_agent(NULL, &host, writes_for_ever(), "'requests':'events','limits':{'maxSteps':700}");
  await_count(&held, 1);
  lodger_turn *turn = prompt(agent, "go");
  read_and_allow(agent, turn, &trace);
  CHECK(strcmp(trace.reason, "max_steps") == 0);
  count_up(&let_go);
  finish(agent, turn);
  int kept = times(watcher.types, "permission.");
  const char *dropped = strstr(watcher.all, "\"diagnostics.dropped\"");
  const char *count = dropped ? strstr(dropped, "\"count\":") : NULL;
  CHECK(times(watcher.types, "diagnostics.dropped ") == 1 && count);
  CHECK(kept == 1024 && kept + atoi(count + strlen("\"count\":")) == 2 * 700);
  CHECK(strcmp(strstr(watcher.types, "diagnostics.dropped"), "diagnostics.dropped runtime.exit ") == 0);
  forget(&watcher);
}

const struct test diagnostics[] = {
    TEST(the_end_is_told_last_and_before_close_returns),
    TEST(the_end_is_told_before_a_begun_close_is_over),
    TEST(the_end_is_told_once_however_many_close),
    TEST(each_agent_tells_its_own_watcher),
    TEST(an_agent_that_could_not_be_made_tells_nothing),
    TEST(an_agent_that_is_freed_calls_nobody_any_more),
    TEST(a_host_of_an_older_header_is_told_nothing),
    TEST(a_permission_is_told_with_its_decision),
    TEST(a_slow_reader_is_told_once),
    TEST(no_diagnostic_has_a_credential_or_anything_that_was_said),
    TEST(a_watcher_may_call_everything_but_what_waits),
    TEST(what_a_watcher_is_too_slow_for_is_counted),
    {0},
};
