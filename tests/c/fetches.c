/* Requests to models that the host carries with a client of its own. */
#define _GNU_SOURCE
#include "courier.h"

#include <stdlib.h>

/* An agent whose requests are carried to the mock model server, which plays `script`. */
static lodger_agent *carried(struct courier *courier, const char *script) {
  lodger_host host = carried_by(courier);
  return new_wire_agent(&host, script);
}

static const char *talks(size_t pieces) {
  return says(json("{'type':'repeat','text':'0123456789abcdef','count':%zu}", pieces));
}

/* More than anybody waits for. */
static const char *talks_for_ever(void) { return talks(1000000000); }

/* ---- a client of one's own ----------------------------------------------------------------------------------- */

static void every_request_goes_through_the_hosts_client(void) {
  struct courier courier = {0};
  lodger_agent *agent = carried(&courier, "{'steps':[{'expect':{'lastUserText':'first'},'reply':[{'type':'text','text':'one'}]},"
                                          "{'reply':[{'type':'text','text':'two'}]}]}");
  static const char *const prompts[] = {"first", "second"}, *const texts[] = {"one", "two"};
  for (int i = 0; i < 2; i++) {
    struct trace trace = {0};
    lodger_turn *turn = prompt(agent, prompts[i]);
    read_all(turn, &trace);
    CHECK(strcmp(trace.text, texts[i]) == 0 && strcmp(trace.reason, "end_turn") == 0);
    lodger_turn_free(turn);
  }
  CHECK(courier.carried == 2 && server_saw("requests") >= 2);
  await_count(&courier.whole, 2);
  finish(agent, NULL);
  CHECK(count_of(&courier.dropped) == 1 && courier.stopped == 0);
  await_no_thread();
  stop_server();
}

static void a_long_answer_arrives_whole(enum waits waits) {
  struct courier courier = {.waits = waits};
  struct trace trace = {0};
  size_t pieces = many(100000);
  lodger_agent *agent = carried(&courier, talks(pieces));
  lodger_turn *turn = prompt(agent, "talk");
  read_all(turn, &trace);
  CHECK(trace.text_len == 16 * pieces && strcmp(trace.reason, "end_turn") == 0);
  for (size_t at = 0; at < trace.text_len; at += 16)
    CHECK(memcmp(trace.text + at, "0123456789abcdef", 16) == 0);
  finish(agent, turn);
  stop_server();
}

static void a_client_that_waits_in_the_push_brings_a_long_answer_whole(void) { a_long_answer_arrives_whole(IN_THE_PUSH); }

static void a_client_that_is_woken_brings_a_long_answer_whole(void) { a_long_answer_arrives_whole(FOR_THE_WAKER); }

static void a_reader_that_stops_stops_the_client_and_loses_nothing(enum waits waits) {
  struct courier courier = {.waits = waits};
  struct trace trace = {0};
  /* Several times as much as may stand in queues and sockets. */
  const size_t pieces = 300000;
  lodger_agent *agent = carried(&courier, talks(pieces));
  lodger_turn *turn = prompt(agent, "talk");
  await_count(&courier.full, waits == FOR_THE_WAKER); /* who waits in the push is not told that it does */
  long taken = server_rests();
  CHECK(taken > 0 && taken < 20 * 1000 * 1000);
  CHECK(courier.carried == 1 && courier.whole == 0);
  if (getenv("LODGER_SLOW")) {
    finish(agent, turn);
  } else {
    read_all(turn, &trace);
    CHECK(trace.text_len == 16 * pieces);
    finish(agent, turn);
  }
  await_count(getenv("LODGER_SLOW") ? &courier.stopped : &courier.whole, 1);
  stop_server();
}

static void a_reader_that_stops_stops_a_client_that_waits_in_the_push(void) {
  a_reader_that_stops_stops_the_client_and_loses_nothing(IN_THE_PUSH);
}

static void a_reader_that_stops_stops_a_client_that_is_woken(void) {
  a_reader_that_stops_stops_the_client_and_loses_nothing(FOR_THE_WAKER);
}

/* ---- cancelled, closed, freed -------------------------------------------------------------------------------- */

static lodger_turn *in_mid_body(const lodger_agent *agent) {
  lodger_error *error = NULL;
  lodger_event *event;
  size_t count;
  lodger_turn *turn = prompt(agent, "talk");
  for (uint32_t kind = 0; kind != LODGER_EVENT_TEXT_DELTA; lodger_event_free(event)) {
    EXPECT(LODGER_OK, lodger_turn_read(turn, &event, 1, &count, LIMIT_MS, &error));
    kind = lodger_event_kind(event);
  }
  return turn;
}

static void a_cancelled_turn_stops_its_client_in_mid_body(void) {
  for (int waits = IN_THE_PUSH; waits <= FOR_THE_WAKER; waits++) {
    struct courier courier = {.waits = (enum waits)waits};
    struct trace trace = {0};
    lodger_error *error = NULL;
    lodger_agent *agent = carried(&courier, talks_for_ever());
    lodger_turn *turn = in_mid_body(agent);
    EXPECT(LODGER_OK, lodger_turn_cancel(turn, &error));
    read_all(turn, &trace);
    CHECK(strcmp(trace.reason, "cancelled") == 0);
    await_count(&courier.stopped, 1);
    finish(agent, turn);
    stop_server();
  }
}

static void a_turn_that_is_cancelled_before_its_answer_stops_its_client(void) {
  struct courier courier = {0};
  lodger_error *error = NULL;
  lodger_agent *agent = carried(&courier, says("{'type':'wait','file':'never'}"));
  lodger_turn *turn = prompt(agent, "talk");
  await_count(&courier.carried, 1);
  EXPECT(LODGER_OK, lodger_turn_cancel(turn, &error));
  await_count(&courier.stopped, 1);
  CHECK(courier.rung >= 1);
  finish(agent, turn);
  stop_server();
}

static void a_close_rings_the_waker_before_it_is_over(void) {
  struct courier courier = {.waits = FOR_THE_WAKER};
  lodger_host host = carried_by(&courier);
  const char *options = json("{'model':'anthropic/mock','auth':{'apiKey':'k'},'endpoint':{'kind':'anthropic','baseUrl':'%s'}}",
                             start_server(talks_for_ever()));
  for (int round = 1; round <= 20; round++) {
    lodger_error *error = NULL;
    lodger_agent *agent;
    EXPECT(LODGER_OK, lodger_agent_create(NULL, lodger_text(options), &host, &agent, &error));
    lodger_turn *turn = prompt(agent, "talk");
    if (round % 2)
      lodger_turn_free(turn), turn = NULL; /* which cancels it: sometimes before the client heard of the request */
    int before = count_of(&courier.rung);
    if (turn)
      await_count(&courier.full, 1);
    EXPECT(LODGER_OK, lodger_agent_close(agent, LIMIT_MS, &error));
    int after = count_of(&courier.rung);
    CHECK(!turn || after > before);
    await_count(&courier.stopped, courier.carried);
    CHECK(!turn || count_of(&courier.rung) == after); /* none comes afterwards, where a turn was there to close */
    __atomic_store_n(&courier.full, 0, __ATOMIC_SEQ_CST);
    lodger_turn_free(turn);
    lodger_agent_free(agent);
    CHECK(count_of(&courier.dropped) == round);
  }
  stop_server();
}

static void an_agent_that_is_freed_stops_its_client(void) {
  struct courier courier = {0};
  lodger_agent *agent = carried(&courier, talks_for_ever());
  lodger_turn *turn = in_mid_body(agent);
  lodger_agent_free(agent);
  lodger_turn_free(turn);
  await_count(&courier.stopped, 1);
  await_count(&courier.dropped, 1);
  await_no_thread();
  stop_server();
}

static void a_runtime_that_is_shut_down_stops_its_clients(void) {
  struct courier courier = {0};
  lodger_error *error = NULL;
  lodger_runtime *runtime;
  lodger_agent *agent;
  lodger_host host = carried_by(&courier);
  EXPECT(LODGER_OK, lodger_runtime_new(NULL, &runtime, &error));
  const char *options = json("{'model':'anthropic/mock','auth':{'apiKey':'k'},'endpoint':{'kind':'anthropic','baseUrl':'%s'}}",
                             start_server(talks_for_ever()));
  EXPECT(LODGER_OK, lodger_agent_create(runtime, lodger_text(options), &host, &agent, &error));
  lodger_turn *turn = in_mid_body(agent);
  EXPECT(LODGER_OK, lodger_runtime_shutdown(runtime, LIMIT_MS, &error));
  await_count(&courier.stopped, 1);
  lodger_turn_free(turn);
  lodger_agent_free(agent);
  lodger_runtime_free(runtime);
  stop_server();
}

const struct test fetches[] = {
    TEST(every_request_goes_through_the_hosts_client),
    TEST(a_client_that_waits_in_the_push_brings_a_long_answer_whole),
    TEST(a_client_that_is_woken_brings_a_long_answer_whole),
    TEST(a_reader_that_stops_stops_a_client_that_waits_in_the_push),
    TEST(a_reader_that_stops_stops_a_client_that_is_woken),
    TEST(a_cancelled_turn_stops_its_client_in_mid_body),
    TEST(a_turn_that_is_cancelled_before_its_answer_stops_its_client),
    TEST(a_close_rings_the_waker_before_it_is_over),
    TEST(an_agent_that_is_freed_stops_its_client),
    TEST(a_runtime_that_is_shut_down_stops_its_clients),
    {0},
};
