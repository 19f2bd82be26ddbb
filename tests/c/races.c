/* Whoever comes first settles a request, and everybody else hears so. */
#define _GNU_SOURCE
#include "host.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 100 };

/* ---- four threads, four verbs -------------------------------------------------------------------------------- */

static pthread_barrier_t start, end;
static const lodger_agent *asking;
static lodger_request *asked;
static bool over;
static int wins[THREADS]; /* each its own thread's */

static lodger_status settle(int verb) {
  switch (verb) {
  case 0: return lodger_request_allow(asked, NULL);
  case 1: return lodger_request_deny(asked, lodger_text("no"), NULL);
  case 2: return lodger_agent_answer(asking, lodger_request_id(asked), lodger_text("{\"kind\":\"allow_always\"}"), NULL);
  default: return lodger_request_fail(asked, lodger_text("no screen"), NULL);
  }
}

static void *race(void *ctx) {
  int verb = (int)((int *)ctx - wins);
  for (;;) {
    pthread_barrier_wait(&start);
    if (over)
      return NULL;
    lodger_status status = settle(verb);
    CHECK(status == LODGER_OK || status == LODGER_E_REQUEST_SETTLED);
    wins[verb] += status == LODGER_OK;
    pthread_barrier_wait(&end);
  }
}

static void let_them_race(struct host *host, lodger_request *request) {
  (void)host;
  asked = request;
  pthread_barrier_wait(&start);
  pthread_barrier_wait(&end);
  CHECK(lodger_request_settled(request));
  lodger_request_free(request);
}

/* Different texts, lest one `allow_always` allows the rest. */
static const char *many_writes(void) {
  const char *steps = "";
  for (int i = 0; i < ROUNDS; i++)
    steps = json("%s{'reply':[{'type':'tool_call','toolName':'write_file','input':{'path':'%d.txt','content':'x'}}]},", steps, i);
  return json("{'steps':[%s{'reply':[{'type':'text','text':'ok'}]}]}", steps);
}

static void of_four_threads_that_settle_a_request_one_wins_a_hundred_times(void) {
  static const char *const outcomes[THREADS] = {"allowed_once", "denied", "allowed_always", "failed"};
  pthread_t threads[THREADS];
  lodger_event *event;
  size_t count;
  int resolved[THREADS] = {0}, sum = 0;
  struct host host = {.act = let_them_race};
  lodger_host table = callbacks(&host);
  CHECK(pthread_barrier_init(&start, NULL, THREADS + 1) == 0 && pthread_barrier_init(&end, NULL, THREADS + 1) == 0);
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_create(&threads[i], NULL, race, &wins[i]) == 0);
  lodger_agent *agent = new_agent(NULL, &table, many_writes(), "'limits':{'maxSteps':1000}");
  asking = agent;
  lodger_turn *turn = prompt(agent, "go");
  while (lodger_turn_read(turn, &event, 1, &count, LIMIT_MS, NULL) == LODGER_OK) {
    if (lodger_event_kind(event) == LODGER_EVENT_REQUEST_RESOLVED) {
      lodger_str outcome = lodger_event_field(event, lodger_text("/outcome"));
      for (int i = 0; i < THREADS; i++)
        resolved[i] += outcome.len == strlen(outcomes[i]) && memcmp(outcome.ptr, outcomes[i], outcome.len) == 0;
    }
    lodger_event_free(event);
  }
  await_count(&host.requests, ROUNDS); /* the last race is run, not only won */
  over = true;
  pthread_barrier_wait(&start);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    CHECK(resolved[i] == wins[i]); /* what the stream says is what the winner said */
    sum += wins[i];
  }
  CHECK(host.requests == ROUNDS && sum == ROUNDS);
  finish(agent, turn);
}

/* ---- an answer and an end ------------------------------------------------------------------------------------ */

static void *answer(void *ctx) {
  struct host *host = ctx;
  await_count(&host->requests, 1);
  host->status = lodger_request_allow(host->kept, NULL);
  CHECK(host->status == LODGER_OK || host->status == LODGER_E_REQUEST_SETTLED);
  lodger_request_free(host->kept);
  return NULL;
}

static void *cancel(void *ctx) {
  struct host *host = ctx;
  await_count(&host->requests, 1);
  CHECK(lodger_turn_cancel(host->turn, NULL) == LODGER_OK);
  return NULL;
}

static void keep_and_watch(struct host *host, lodger_request *request) {
  lodger_error *error = NULL;
  EXPECT(LODGER_OK, lodger_request_on_settled(request, on_settled, host, NULL, &error));
  host->kept = request;
}

static const char *writes_when_told(void) {
  return "{'steps':[{'reply':[{'type':'wait','file':'go'},{'type':'tool_call','toolName':'write_file','input':"
         "{'path':'a.txt','content':'x'}}]},{'reply':[{'type':'text','text':'ok'}]}]}";
}

static void an_answer_and_a_cancel_settle_a_request_once(void) {
  write_file("go", "");
  for (int round = 0; round < ROUNDS; round++) {
    pthread_t threads[2];
    struct host host = {.act = keep_and_watch};
    struct trace trace = {0};
    lodger_host table = callbacks(&host);
    lodger_agent *agent = new_agent(NULL, &table, writes_when_told(), NULL);
    lodger_turn *turn = prompt(agent, "go");
    host.turn = turn;
    CHECK(pthread_create(&threads[0], NULL, answer, &host) == 0 && pthread_create(&threads[1], NULL, cancel, &host) == 0);
    read_all(turn, &trace);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    CHECK(trace.of_kind[LODGER_EVENT_REQUEST_RESOLVED] == 1);
    CHECK(strcmp(trace.outcome, host.status == LODGER_OK ? "allowed_once" : "cancelled") == 0);
    finish(agent, turn);
    CHECK(host.settled == 1);
  }
}

static void an_answer_and_the_end_of_its_time_settle_a_request_once(void) {
  write_file("go", "");
  for (int round = 0; round < ROUNDS; round++) {
    pthread_t thread;
    struct host host = {.act = keep_and_watch};
    struct trace trace = {0};
    lodger_host table = callbacks(&host);
    lodger_agent *agent = new_agent(NULL, &table, writes_when_told(), "'permissionTimeoutMs':1");
    lodger_turn *turn = prompt(agent, "go");
    CHECK(pthread_create(&thread, NULL, answer, &host) == 0);
    read_all(turn, &trace);
    pthread_join(thread, NULL);
    CHECK(trace.of_kind[LODGER_EVENT_REQUEST_RESOLVED] == 1);
    CHECK(strcmp(trace.outcome, host.status == LODGER_OK ? "allowed_once" : "expired") == 0);
    finish(agent, turn);
    CHECK(host.settled == 1);
  }
}

static void an_answer_and_a_close_settle_a_request_once(void) {
  write_file("go", "");
  for (int round = 0; round < ROUNDS; round++) {
    pthread_t thread;
    struct host host = {.act = keep_and_watch};
    struct trace trace = {0};
    lodger_host table = callbacks(&host);
    lodger_agent *agent = new_agent(NULL, &table, writes_when_told(), NULL);
    lodger_turn *turn = prompt(agent, "go");
    CHECK(pthread_create(&thread, NULL, answer, &host) == 0);
    await_count(&host.requests, 1);
    CHECK(lodger_agent_close(agent, LIMIT_MS, NULL) == LODGER_OK);
    int told = host.settled;
    pthread_join(thread, NULL);
    /* Told before the close returned; only an answer that was given meanwhile may come too late to be told. */
    CHECK(told == 1 || (told == 0 && host.status == LODGER_OK));
    CHECK(host.settled == told);
    read_all(turn, &trace);
    CHECK(trace.of_kind[LODGER_EVENT_REQUEST_RESOLVED] == 1);
    CHECK(strcmp(trace.outcome, host.status == LODGER_OK ? "allowed_once" : "cancelled") == 0);
    finish(agent, turn);
  }
}

const struct test races[] = {
    TEST(of_four_threads_that_settle_a_request_one_wins_a_hundred_times),
    TEST(an_answer_and_a_cancel_settle_a_request_once),
    TEST(an_answer_and_the_end_of_its_time_settle_a_request_once),
    TEST(an_answer_and_a_close_settle_a_request_once),
    {0},
};
