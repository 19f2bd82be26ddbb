/* Lives: what outlives what, freeing in any order, threads that come and go. */
#include "check.h"

#include <pthread.h>
#include <stdlib.h>

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

static void handles_may_be_freed_in_any_order(void) {
  lodger_error *error = NULL;
  for (int order = 0; order < 6; order++) {
    lodger_runtime *runtime;
    struct trace trace = {0};
    EXPECT(LODGER_OK, lodger_runtime_new(NULL, &runtime, &error));
    lodger_agent *agent = new_agent(runtime, NULL, says("{'type':'text','text':'x'}"), NULL);
    lodger_turn *turn = prompt(agent, "hi");
    static const char orders[6][3] = {"rat", "rta", "art", "atr", "tra", "tar"};
    for (int i = 0; i < 3; i++) {
      if (orders[order][i] == 'r')
        lodger_runtime_free(runtime);
      if (orders[order][i] == 'a')
        lodger_agent_free(agent);
      if (orders[order][i] == 't') {
        read_all(turn, &trace);
        lodger_turn_free(turn);
        CHECK(strcmp(trace.text, "x") == 0);
      }
    }
  }
}

static void a_turn_outlives_its_agents_handle_and_still_asks(void) {
  struct trace trace = {0};
  lodger_host host = {.size = sizeof host, .ctx = &calls, .drop = dropped, .on_request = refuse};
  lodger_agent *agent = new_agent(NULL, &host,
                                  "{'steps':[{'reply':[{'type':'wait','file':'go'},{'type':'tool_call','toolName':'write_file',"
                                  "'input':{'path':'a.txt','content':'x'}}]},{'reply':[{'type':'text','text':'ok'}]}]}",
                                  NULL);
  lodger_turn *turn = prompt(agent, "go");
  lodger_agent_free(agent);
  write_file("go", "");
  read_all(turn, &trace);
  CHECK(strcmp(trace.text, "ok") == 0 && count_of(&calls) == 1);
  lodger_turn_free(turn);
  await_count(&drops, 1);
}

static void an_event_outlives_everything_it_came_from(void) {
  lodger_error *error = NULL;
  lodger_event *event;
  size_t count;
  lodger_agent *agent = new_agent(NULL, NULL, says("{'type':'text','text':'x'}"), NULL);
  lodger_turn *turn = prompt(agent, "remember this");
  EXPECT(LODGER_OK, lodger_turn_read(turn, &event, 1, &count, LIMIT_MS, &error));
  finish(agent, turn);
  HAS_TEXT("remember this", lodger_event_json(event));
  lodger_event_free(event);
}

static lodger_request *kept;

static void keep(void *ctx, lodger_request *request) {
  kept = request;
  called(ctx);
}

static void a_request_outlives_its_agent_and_is_settled_then(void) {
  lodger_error *error = NULL;
  lodger_host host = {.size = sizeof host, .drop = dropped, .on_request = keep};
  lodger_agent *agent = new_agent(NULL, &host, writes_for_ever(), NULL);
  lodger_turn *turn = prompt(agent, "go");
  await_count(&calls, 1);
  finish(agent, turn);
  CHECK(lodger_request_settled(kept));
  EXPECT(LODGER_E_REQUEST_SETTLED, lodger_request_allow(kept, &error));
  HAS_TEXT("a.txt", lodger_request_json(kept));
  lodger_request_free(kept);
  CHECK(count_of(&drops) == 1);
}

static void freeing_a_turn_cancels_it(void) {
  lodger_error *error = NULL;
  lodger_agent *agent = new_agent(NULL, NULL, says("{'type':'wait','file':'never'}"), NULL);
  lodger_turn_free(prompt(agent, "hi"));
  lodger_turn *turn;
  lodger_status status;
  while ((status = lodger_agent_prompt(agent, lodger_text("\"again\""), &turn, &error)) == LODGER_E_SESSION_BUSY) {
    lodger_error_free(error);
    sleep_ms(1);
  }
  EXPECT(LODGER_OK, status);
  finish(agent, turn);
}

static void freeing_a_turn_that_waits_for_an_answer_withdraws_the_request(void) {
  lodger_error *error = NULL;
  lodger_host host = {.size = sizeof host, .on_request = keep};
  lodger_agent *agent = new_agent(NULL, &host, writes_for_ever(), NULL);
  lodger_turn *turn = prompt(agent, "go");
  await_count(&calls, 1);
  EXPECT(LODGER_OK, lodger_request_on_settled(kept, called, NULL, dropped, &error));
  lodger_turn_free(turn);
  await_count(&calls, 2);
  await_count(&drops, 1);
  lodger_request_free(kept);
  finish(agent, NULL);
}

static void an_agent_that_is_only_freed_goes_in_the_background(void) {
  lodger_host host = {.size = sizeof host, .drop = dropped, .on_request = refuse};
  lodger_turn *turn;
  lodger_agent *agent = new_agent(NULL, &host, says("{'type':'wait','file':'never'}"), NULL);
  turn = prompt(agent, "hi");
  lodger_agent_free(agent);
  lodger_turn_free(turn);
  await_count(&drops, 1);
  await_no_thread();
}

static int begun, over, seen_by_host;
static __thread bool announced;

static void announce(void *ctx) {
  CHECK(ctx == &begun && !announced);
  announced = true;
  count_up(&begun);
}

static void take_leave(void *ctx) {
  CHECK(ctx == &begun && announced);
  count_up(&over);
}

static void look(void *ctx) {
  (void)ctx;
  CHECK(announced);
  count_up(&seen_by_host);
}

static void look_and_refuse(void *ctx, lodger_request *request) {
  look(ctx);
  lodger_request_free(request);
}

static void every_thread_that_calls_back_was_announced_and_takes_its_leave(void) {
  lodger_error *error = NULL;
  lodger_runtime *runtime;
  lodger_turn *turn;
  struct trace trace = {0};
  lodger_runtime_options options = {sizeof options, 3, announce, take_leave, &begun, dropped};
  lodger_host host = {.size = sizeof host, .on_request = look_and_refuse};
  EXPECT(LODGER_OK, lodger_runtime_new(&options, &runtime, &error));
  lodger_agent *agent = new_agent(runtime, &host,
                                  "{'steps':[{'reply':[{'type':'wait','file':'go'},{'type':'tool_call','toolName':'write_file',"
                                  "'input':{'path':'a.txt','content':'x'}}]},{'reply':[{'type':'text','text':'ok'}]}]}",
                                  NULL);
  turn = prompt(agent, "go");
  announced = true; /* this thread is the host's own, and may be the one that rings at once */
  EXPECT(LODGER_OK, lodger_turn_set_waker(turn, look, NULL, NULL, &error));
  write_file("go", "");
  read_all(turn, &trace);
  await_count(&seen_by_host, 2);
  await_count(&begun, 4); /* a thread may begin after the others have done all the work */
  CHECK(count_of(&over) < count_of(&begun));
  finish(agent, turn);
  EXPECT(LODGER_OK, lodger_runtime_shutdown(runtime, LIMIT_MS, &error));
  CHECK(count_of(&over) == count_of(&begun));
  await_no_thread();
  lodger_runtime_free(runtime);
  CHECK(count_of(&drops) == 1);
}

static void *use_everything(void *ctx) {
  lodger_error *error = NULL;
  lodger_agent *shared = ctx;
  lodger_blob *blob;
  for (int i = 0; i < 50; i++) {
    struct trace trace = {0};
    lodger_agent *own = new_agent(NULL, NULL, says("{'type':'text','text':'x'}"), NULL);
    lodger_turn *turn = prompt(own, "hi");
    read_all(turn, &trace);
    EXPECT(LODGER_OK, lodger_agent_call(shared, lodger_text("session/usage"), lodger_text("{}"), &blob, &error));
    lodger_blob_free(blob);
    EXPECT(LODGER_OK, lodger_agent_interrupt(shared, NULL, &error));
    finish(own, turn);
  }
  return NULL;
}

static void four_threads_use_the_library_at_once(void) {
  pthread_t threads[4];
  lodger_agent *shared = new_agent(NULL, NULL, says("{'type':'text','text':'x'}"), NULL);
  for (int i = 0; i < 4; i++)
    CHECK(pthread_create(&threads[i], NULL, use_everything, shared) == 0);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  finish(shared, NULL);
}

const struct test lifetimes[] = {
    TEST(handles_may_be_freed_in_any_order),
    TEST(a_turn_outlives_its_agents_handle_and_still_asks),
    TEST(an_event_outlives_everything_it_came_from),
    TEST(a_request_outlives_its_agent_and_is_settled_then),
    TEST(freeing_a_turn_cancels_it),
    TEST(freeing_a_turn_that_waits_for_an_answer_withdraws_the_request),
    TEST(an_agent_that_is_only_freed_goes_in_the_background),
    TEST(every_thread_that_calls_back_was_announced_and_takes_its_leave),
    TEST(four_threads_use_the_library_at_once),
    {0},
};
