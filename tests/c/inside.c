/* What may be called inside a callback. */
#define _GNU_SOURCE
#include "host.h"

#include <pthread.h>
#include <signal.h>

static void wait_inside(struct host *host, lodger_request *request) {
  lodger_error *error = NULL;
  lodger_event *event;
  lodger_blob *blob;
  size_t count;
  const lodger_status bad = LODGER_E_WOULD_DEADLOCK;
  EXPECT(bad, lodger_agent_close(host->agent, 1000, &error));
  EXPECT(bad, lodger_turn_read(host->turn, &event, 1, &count, 100, &error));
  EXPECT(bad, lodger_turn_result(host->turn, -1, &blob, &error));
  EXPECT(LODGER_AGAIN, lodger_turn_result(host->turn, 0, &blob, &error));
  lodger_request_free(request);
}

static void calls_that_wait_are_refused_inside_a_callback(void) {
  struct host host = {.act = keep};
  struct trace trace = {0};
  lodger_host table = callbacks(&host);
  lodger_agent *agent = new_agent(NULL, &table,
                                  "{'steps':[{'reply':[{'type':'wait','file':'go'},{'type':'tool_call','toolName':"
                                  "'write_file','input':{'path':'a.txt','content':'x'}}]},{'reply':[{'type':'text','text':'ok'}]}]}",
                                  NULL);
  host.agent = agent;
  host.turn = prompt(agent, "go");
  host.act = wait_inside;
  write_file("go", "");
  read_all(host.turn, &trace);
  await_count(&host.requests, 1); /* the turn goes on before the callback has returned */
  finish(agent, (lodger_turn *)host.turn);
}

static void cancel_inside(struct host *host, lodger_request *request) {
  lodger_error *error = NULL;
  EXPECT(LODGER_OK, lodger_agent_interrupt(host->agent, NULL, &error));
  lodger_request_free(request);
}

static void a_callback_may_cancel_the_turn(void) {
  struct host host = {.act = cancel_inside};
  struct trace trace = {0};
  run(&host, writes(), NULL, &trace);
  CHECK(strcmp(trace.reason, "cancelled") == 0 && !has_file("a.txt"));
}

static void look_at_signals(struct host *host, lodger_request *request) {
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, NULL, &blocked);
  host->status = sigismember(&blocked, SIGINT) && sigismember(&blocked, SIGTERM) && sigismember(&blocked, SIGCHLD);
  lodger_request_free(request);
}

static void callbacks_come_on_a_thread_without_signals(void) {
  struct host host = {.act = look_at_signals};
  struct trace trace = {0};
  run(&host, writes(), NULL, &trace);
  await_count(&host.requests, 1);
  CHECK(host.status);
}

/* ---- waiting ------------------------------------------------------------------------------------------------- */

static const lodger_agent *closed_inside;
static int tries;

static void try_to_close(void) {
  lodger_error *error = NULL;
  EXPECT(LODGER_E_WOULD_DEADLOCK, lodger_agent_close(closed_inside, 1000, &error));
  count_up(&tries);
}

static void close_in_request(struct host *host, lodger_request *request) {
  (void)host;
  try_to_close();
  lodger_request_free(request);
}

static void close_in_call(void *ctx) {
  (void)ctx;
  try_to_close();
}

static lodger_flow close_in_listener(void *ctx, lodger_event *event) {
  (void)ctx;
  try_to_close();
  lodger_event_free(event);
  return LODGER_FLOW_CONTINUE;
}

static void close_is_refused_in_every_kind_of_callback(void) {
  lodger_error *error = NULL;
  struct host host = {.act = keep};
  struct trace trace = {0};
  lodger_host table = callbacks(&host);
  lodger_agent *agent = new_agent(NULL, &table, "{'after':'loop','steps':[{'reply':[{'type':'tool_call','toolName':"
                                  "'write_file','input':{'path':'a.txt','content':'x'}}]},{'reply':[{'type':'text','text':'ok'}]}]}", NULL);
  closed_inside = agent;
  lodger_turn *turn = prompt(agent, "go");
  await_count(&host.requests, 1);
  EXPECT(LODGER_OK, lodger_request_on_settled(host.kept, close_in_call, NULL, close_in_call, &error));
  EXPECT(LODGER_OK, lodger_request_allow(host.kept, &error));
  await_count(&tries, 2); /* when it is settled, and when the context is dropped */
  lodger_request_free(host.kept);
  EXPECT(LODGER_OK, lodger_turn_set_waker(turn, close_in_call, NULL, NULL, &error));
  await_count(&tries, 3);
  read_all(turn, &trace);
  lodger_turn_free(turn);
  host.act = close_in_request;
  int before = count_of(&tries);
  turn = prompt(agent, "again");
  EXPECT(LODGER_OK, lodger_turn_set_listener(turn, close_in_listener, NULL, NULL, &error));
  await_count(&tries, before + 5);
  finish(agent, turn);
}

/* ---- freeing ------------------------------------------------------------------------------------------------- */

static void free_turn_inside(struct host *host, lodger_request *request) {
  lodger_turn_free((lodger_turn *)host->turn);
  lodger_request_free(request);
}

static void a_callback_may_free_its_turn(void) {
  struct host host = {.act = free_turn_inside};
  lodger_host table = callbacks(&host);
  lodger_agent *agent = new_agent(NULL, &table,
                                  "{'steps':[{'reply':[{'type':'wait','file':'go'},{'type':'tool_call','toolName':"
                                  "'write_file','input':{'path':'a.txt','content':'x'}}]}]}",
                                  NULL);
  host.turn = prompt(agent, "go");
  write_file("go", "");
  await_count(&host.requests, 1);
  finish(agent, NULL);
  CHECK(!has_file("a.txt"));
}

static void free_agent_inside(struct host *host, lodger_request *request) {
  lodger_turn_free((lodger_turn *)host->turn);
  lodger_agent_free((lodger_agent *)host->agent);
  lodger_request_free(request);
}

static void give_back(void *ctx) { count_up(&((struct host *)ctx)->dropped); }

static void a_callback_may_free_the_last_agent_of_all(void) {
  struct host host = {.act = free_agent_inside};
  lodger_host table = callbacks(&host);
  table.drop = give_back;
  lodger_agent *agent = new_agent(NULL, &table,
                                  "{'steps':[{'reply':[{'type':'wait','file':'go'},{'type':'tool_call','toolName':"
                                  "'write_file','input':{'path':'a.txt','content':'x'}}]}]}",
                                  NULL);
  host.agent = agent;
  host.turn = prompt(agent, "go");
  write_file("go", "");
  await_count(&host.requests, 1);
  await_count(&host.dropped, 1);
  await_no_thread();
  CHECK(!has_file("a.txt"));
}

/* ---- other agents -------------------------------------------------------------------------------------------- */

static struct host inner = {.act = keep};

static void run_another_inside(struct host *host, lodger_request *request) {
  lodger_error *error = NULL;
  lodger_host table = callbacks(&inner);
  (void)host;
  inner.agent = new_agent(NULL, &table, writes(), NULL);
  inner.turn = prompt(inner.agent, "go");
  EXPECT(LODGER_OK, lodger_request_allow(request, &error));
  lodger_request_free(request);
}

static void a_callback_may_start_another_agent_that_asks_later(void) {
  lodger_error *error = NULL;
  struct host host = {.act = run_another_inside};
  struct trace trace = {0}, inner_trace = {0};
  run(&host, writes(), NULL, &trace);
  CHECK(has_file("a.txt"));
  await_count(&inner.requests, 1); /* on the same thread, once it was free again */
  EXPECT(LODGER_OK, lodger_request_allow(inner.kept, &error));
  lodger_request_free(inner.kept);
  read_all(inner.turn, &inner_trace);
  CHECK(strcmp(inner_trace.outcome, "allowed_once") == 0);
  finish((lodger_agent *)inner.agent, (lodger_turn *)inner.turn);
}

static void answer_for_another(struct host *host, lodger_request *request) {
  lodger_error *error = NULL;
  EXPECT(LODGER_OK, lodger_request_allow(inner.kept, &error));
  lodger_request_free(inner.kept);
  inner.kept = NULL;
  EXPECT(LODGER_OK, lodger_agent_answer(host->agent, lodger_request_id(request),
                                        lodger_text("{\"kind\":\"deny\",\"feedback\":\"not you\"}"), &error));
  CHECK(lodger_request_settled(request));
  lodger_request_free(request);
}

static void a_callback_may_answer_what_another_agent_asked(void) {
  struct host host = {.act = answer_for_another};
  struct trace trace = {0}, inner_trace = {0};
  lodger_host table = callbacks(&inner);
  lodger_agent *waiting = new_agent(NULL, &table, writes(), NULL);
  lodger_turn *its_turn = prompt(waiting, "go");
  await_count(&inner.requests, 1);
  run(&host, writes(), NULL, &trace);
  CHECK(strcmp(trace.outcome, "denied") == 0);
  read_all(its_turn, &inner_trace);
  CHECK(strcmp(inner_trace.outcome, "allowed_once") == 0 && has_file("a.txt"));
  finish(waiting, its_turn);
}

const struct test inside[] = {
    TEST(calls_that_wait_are_refused_inside_a_callback),
    TEST(close_is_refused_in_every_kind_of_callback),
    TEST(a_callback_may_cancel_the_turn),
    TEST(a_callback_may_free_its_turn),
    TEST(a_callback_may_free_the_last_agent_of_all),
    TEST(a_callback_may_start_another_agent_that_asks_later),
    TEST(a_callback_may_answer_what_another_agent_asked),
    TEST(callbacks_come_on_a_thread_without_signals),
    {0},
};
