/* Closing: an end with a limit, and nothing after it. */
#define _GNU_SOURCE
#include "ear.h"

static int calls, drops;

static void called(void *ctx) {
  (void)ctx;
  count_up(&calls);
}

static void dropped(void *ctx) {
  (void)ctx;
  count_up(&drops);
}

static void refuse(void *ctx, lodger_request *request) {
  called(ctx);
  lodger_request_free(request);
}

static const char *writes_for_ever(void) {
  return "{'after':'loop','steps':[{'reply':[{'type':'tool_call','toolName':'write_file','input':{'path':'a.txt',"
         "'content':'x'}}]}]}";
}

static lodger_request *kept;

static void keep(void *ctx, lodger_request *request) {
  kept = request;
  called(ctx);
}

static void no_callback_starts_after_close_returned(void) {
  lodger_error *error = NULL;
  for (int round = 0; round < 20; round++) {
    lodger_host host = {.size = sizeof host, .drop = dropped, .on_request = refuse};
    lodger_agent *agent = new_agent(NULL, &host, writes_for_ever(), "'limits':{'maxSteps':100000}");
    lodger_turn *turn = prompt(agent, "go");
    int before = count_of(&calls);
    EXPECT(LODGER_OK, lodger_turn_set_waker(turn, called, NULL, NULL, &error));
    await_count(&calls, before + 3);
    EXPECT(LODGER_OK, lodger_agent_close(agent, LIMIT_MS, &error));
    int at_close = count_of(&calls);
    sleep_ms(5);
    CHECK(count_of(&calls) == at_close);
    EXPECT(LODGER_OK, lodger_turn_set_waker(turn, called, NULL, NULL, &error));
    CHECK(count_of(&calls) == at_close);
    lodger_turn_free(turn);
    lodger_agent_free(agent);
    CHECK(count_of(&drops) == round + 1);
  }
}

static int let_go;

static void hold_on(void *ctx, lodger_request *request) {
  called(ctx);
  await_count(&let_go, 1);
  lodger_request_free(request);
}

static void a_callback_that_does_not_return_makes_close_time_out_and_no_other_starts(void) {
  lodger_error *error = NULL;
  lodger_host host = {.size = sizeof host, .drop = dropped, .on_request = hold_on};
  lodger_agent *agent = new_agent(NULL, &host, writes_for_ever(), NULL);
  lodger_turn *turn = prompt(agent, "go");
  await_count(&calls, 1);
  EXPECT(LODGER_E_TIMEOUT, lodger_agent_close(agent, 50, &error));
  lodger_turn_free(turn);
  lodger_agent_free(agent);
  CHECK(count_of(&drops) == 0);
  count_up(&let_go);
  await_count(&drops, 1);
  CHECK(count_of(&calls) == 1);
}

static void *close_too(void *agent) {
  lodger_error *error = NULL;
  EXPECT(LODGER_OK, lodger_agent_close(agent, LIMIT_MS, &error));
  return NULL;
}

static void two_threads_may_close_at_once(void) {
  pthread_t thread;
  lodger_host host = {.size = sizeof host, .on_request = refuse};
  lodger_agent *agent = new_agent(NULL, &host, writes_for_ever(), NULL);
  lodger_turn *turn = prompt(agent, "go");
  CHECK(pthread_create(&thread, NULL, close_too, agent) == 0);
  close_too(agent);
  pthread_join(thread, NULL);
  finish(agent, turn);
}

static lodger_status how;

static void ended(void *ctx, lodger_status status) {
  (void)ctx;
  how = status;
  count_up(&calls);
}

static void a_close_that_is_only_begun_tells_when_it_is_over(void) {
  lodger_error *error = NULL;
  lodger_host host = {.size = sizeof host, .drop = dropped, .on_request = keep};
  lodger_agent *agent = new_agent(NULL, &host, writes_for_ever(), NULL);
  lodger_turn *turn = prompt(agent, "go");
  await_count(&calls, 1);
  EXPECT(LODGER_OK, lodger_agent_begin_close(agent, LIMIT_MS, ended, NULL, dropped, &error));
  lodger_turn_free(turn);
  lodger_agent_free(agent);
  await_count(&calls, 2);
  CHECK(how == LODGER_OK && lodger_request_settled(kept));
  lodger_request_free(kept);
  await_count(&drops, 2);
  await_no_thread();
}

static const lodger_agent *to_close;

static void begin_to_close(void *ctx, lodger_request *request) {
  lodger_error *error = NULL;
  kept = request; /* open, so that it is the close that ends the turn */
  EXPECT(LODGER_OK, lodger_agent_begin_close(to_close, LIMIT_MS, ended, ctx, NULL, &error));
}

static void a_callback_may_begin_to_close_its_agent(void) {
  struct trace trace = {0};
  lodger_host host = {.size = sizeof host, .on_request = begin_to_close};
  lodger_agent *agent = new_agent(NULL, &host,
                                  "{'steps':[{'reply':[{'type':'wait','file':'go'},{'type':'tool_call','toolName':"
                                  "'write_file','input':{'path':'a.txt','content':'x'}}]}]}",
                                  NULL);
  lodger_turn *turn = prompt(agent, "go");
  to_close = agent;
  write_file("go", "");
  await_count(&calls, 1);
  CHECK(how == LODGER_OK);
  read_all(turn, &trace);
  CHECK(strcmp(trace.reason, "cancelled") == 0);
  lodger_request_free(kept);
  finish(agent, turn);
  await_no_thread();
}

static void a_close_that_is_begun_tells_that_it_took_too_long(void) {
  lodger_error *error = NULL;
  lodger_host host = {.size = sizeof host, .on_request = hold_on};
  lodger_agent *agent = new_agent(NULL, &host, writes_for_ever(), NULL);
  lodger_turn *turn = prompt(agent, "go");
  await_count(&calls, 1);
  EXPECT(LODGER_OK, lodger_agent_begin_close(agent, 50, ended, NULL, NULL, &error));
  await_count(&calls, 2);
  CHECK(how == LODGER_E_TIMEOUT);
  count_up(&let_go);
  finish(agent, turn);
}

static void the_last_close_leaves_no_thread(void) {
  for (int round = 0; round < 3; round++) {
    struct trace trace = {0};
    lodger_host host = {.size = sizeof host, .on_request = refuse};
    lodger_agent *one = new_agent(NULL, &host, says("{'type':'text','text':'x'}"), NULL);
    lodger_agent *other = new_agent(NULL, &host, says("{'type':'text','text':'x'}"), NULL);
    lodger_turn *turn = prompt(one, "hi");
    read_all(turn, &trace);
    finish(one, turn);
    CHECK(threads_now() > 1);
    finish(other, NULL);
    await_no_thread();
  }
}

/* ---- listeners ----------------------------------------------------------------------------------------------- */

static void ring(void *ctx) { (void)ctx; }

static lodger_flow always_pause(struct ear *ear, lodger_event *event) {
  (void)ear, (void)event;
  return LODGER_FLOW_PAUSE;
}

static void nothing_is_pushed_after_a_turn_was_freed(void) {
  struct ear ear = {0};
  lodger_agent *agent = new_agent(NULL, NULL, "{'after':'loop','steps':[{'reply':[{'type':'repeat','text':'x','count':100000}]}]}", NULL);
  for (int round = 0; round < 20; round++) {
    lodger_turn *turn;
    while (lodger_agent_prompt(agent, lodger_text("\"talk\""), &turn, NULL) != LODGER_OK)
      sleep_ms(1);
    int before = count_of(&ear.events);
    listen_to(turn, &ear);
    await_count(&ear.events, before + 20);
    lodger_turn_free(turn);
    await_count(&ear.dropped, round + 1); /* the call that was under way returned */
    before = count_of(&ear.events);
    sleep_ms(2);
    CHECK(count_of(&ear.events) == before);
  }
  finish(agent, NULL);
}

static void close_brings_done_to_the_listener_and_nothing_after_it(void) {
  lodger_error *error = NULL;
  for (int round = 0; round < 20; round++) {
    struct ear ear = {0};
    lodger_agent *agent = new_agent(NULL, NULL, talks_for_ever(), NULL);
    lodger_turn *turn = prompt(agent, "talk");
    listen_to(turn, &ear);
    await_count(&ear.events, 3);
    EXPECT(LODGER_OK, lodger_agent_close(agent, LIMIT_MS, &error));
    CHECK(count_of(&ear.done) == 1 && strcmp(ear.trace.reason, "cancelled") == 0);
    EXPECT(LODGER_E_READER_BUSY, lodger_turn_set_waker(turn, ring, NULL, NULL, &error));
    finish(agent, turn);
    CHECK(count_of(&ear.dropped) == 1);
  }
}

static void a_closed_agent_takes_no_listener(void) {
  lodger_error *error = NULL;
  struct ear ear = {0};
  struct trace trace = {0};
  lodger_agent *agent = new_agent(NULL, NULL, talks(3), NULL);
  lodger_turn *turn = prompt(agent, "talk");
  EXPECT(LODGER_OK, lodger_agent_close(agent, LIMIT_MS, &error));
  EXPECT(LODGER_E_CLOSED, lodger_turn_set_listener(turn, hear, &ear, let_go_of, &error));
  CHECK(ear.dropped == 1 && ear.events == 0);
  read_all(turn, &trace); /* what is there can still be read */
  finish(agent, turn);
  await_no_thread();
}

static void a_pause_outlives_nothing(void) {
  struct ear ear = {.act = always_pause};
  lodger_agent *agent = new_agent(NULL, NULL, talks_for_ever(), NULL);
  lodger_turn *turn = prompt(agent, "talk");
  listen_to(turn, &ear);
  await_count(&ear.events, 1);
  finish(agent, turn);
  CHECK(ear.events == 1 && ear.dropped == 1);
  await_no_thread();
}

static void a_runtime_that_is_shut_down_pushes_no_more(void) {
  lodger_error *error = NULL;
  lodger_runtime *runtime;
  struct ear ear = {0};
  EXPECT(LODGER_OK, lodger_runtime_new(NULL, &runtime, &error));
  lodger_agent *agent = new_agent(runtime, NULL, talks_for_ever(), NULL);
  lodger_turn *turn = prompt(agent, "talk");
  listen_to(turn, &ear);
  await_count(&ear.events, 100);
  EXPECT(LODGER_OK, lodger_runtime_shutdown(runtime, LIMIT_MS, &error));
  int before = count_of(&ear.events);
  sleep_ms(5);
  CHECK(count_of(&ear.events) == before);
  lodger_turn_free(turn);
  lodger_agent_free(agent);
  lodger_runtime_free(runtime);
  CHECK(count_of(&ear.dropped) == 1);
}

const struct test closing[] = {
    TEST(no_callback_starts_after_close_returned),
    TEST(a_callback_that_does_not_return_makes_close_time_out_and_no_other_starts),
    TEST(two_threads_may_close_at_once),
    TEST(a_close_that_is_only_begun_tells_when_it_is_over),
    TEST(a_callback_may_begin_to_close_its_agent),
    TEST(a_close_that_is_begun_tells_that_it_took_too_long),
    TEST(the_last_close_leaves_no_thread),
    TEST(nothing_is_pushed_after_a_turn_was_freed),
    TEST(close_brings_done_to_the_listener_and_nothing_after_it),
    TEST(a_closed_agent_takes_no_listener),
    TEST(a_pause_outlives_nothing),
    TEST(a_runtime_that_is_shut_down_pushes_no_more),
    {0},
};
