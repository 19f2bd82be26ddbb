/* One request in the hands of its host: what it may say of the answer, when, and from which thread. */
#define _GNU_SOURCE
#include "courier.h"

#include <pthread.h>
#include <stdlib.h>

/* ---- in the callback --------------------------------------------------------------------------------- */

/* A host that keeps what it is asked to carry. */
struct keeper {
  void (*act)(struct keeper *, lodger_fetch *);
  lodger_fetch *kept;
  int fetches, rung, dropped;
};

static void on_kept(void *ctx, lodger_fetch *fetch) {
  struct keeper *keeper = ctx;
  keeper->kept = fetch;
  if (keeper->act)
    keeper->act(keeper, fetch);
  count_up(&keeper->fetches);
}

static void ring(void *ctx) { count_up(&((struct keeper *)ctx)->rung); }

static void drop(void *ctx) { count_up(&((struct keeper *)ctx)->dropped); }

/* An agent at a server that is not there: only its host can reach it. */
static lodger_agent *kept_by(struct keeper *keeper) {
  lodger_error *error = NULL;
  lodger_agent *agent;
  lodger_host host = {.size = sizeof host, .ctx = keeper, .on_fetch = on_kept};
  const char *options = json("{'model':'anthropic/mock','auth':{'apiKey':'key-of-the-test'},'limits':{'maxRetries':0},"
                             "'endpoint':{'kind':'anthropic','baseUrl':'https://model.test'}}");
  EXPECT(LODGER_OK, lodger_agent_create(NULL, lodger_text(options), &host, &agent, &error));
  return agent;
}

/* Runs one turn, and says what became of it. */
static struct trace run(struct keeper *keeper) {
  struct trace trace = {0};
  lodger_agent *agent = kept_by(keeper);
  lodger_turn *turn = prompt(agent, "hi");
  read_all(turn, &trace);
  finish(agent, turn);
  lodger_fetch_free(keeper->kept);
  return trace;
}

static void look_and_answer(struct keeper *keeper, lodger_fetch *fetch) {
  (void)keeper;
  lodger_bytes body = lodger_fetch_body(fetch);
  lodger_str text = {(const char *)body.ptr, body.len};
  SAME_TEXT("POST", lodger_fetch_method(fetch));
  SAME_TEXT("https://model.test/v1/messages", lodger_fetch_url(fetch));
  HAS_TEXT("x-api-key: key-of-the-test\r\n", lodger_fetch_headers(fetch));
  HAS_TEXT("content-type: application/json\r\n", lodger_fetch_headers(fetch));
  HAS_TEXT("\"hi\"", text);
  CHECK(!lodger_fetch_settled(fetch));
  answer_with(fetch, 200, "made here");
  CHECK(lodger_fetch_settled(fetch));
}

static void a_request_can_be_answered_in_the_callback(void) {
  struct keeper keeper = {.act = look_and_answer};
  struct trace trace = run(&keeper);
  CHECK(strcmp(trace.text, "made here") == 0 && strcmp(trace.reason, "end_turn") == 0);
}

static void refuse(struct keeper *keeper, lodger_fetch *fetch) {
  (void)keeper;
  answer_with(fetch, 401, NULL);
}

static void any_status_is_an_answer(void) {
  struct keeper keeper = {.act = refuse};
  struct trace trace = run(&keeper);
  CHECK(strcmp(trace.reason, "error") == 0 && strcmp(trace.error_code, "provider_auth") == 0);
}

static void answer_out_of_order(struct keeper *keeper, lodger_fetch *fetch) {
  lodger_error *error = NULL;
  lodger_bytes nothing = {NULL, 0}, nowhere = {NULL, 7};
  (void)keeper;
  EXPECT(LODGER_E_INVALID_INPUT, lodger_fetch_push(fetch, bytes_of("before the head"), 0, &error));
  EXPECT(LODGER_E_INVALID_INPUT, lodger_fetch_respond(fetch, 200, lodger_text("no header"), &error));
  EXPECT(LODGER_OK, lodger_fetch_respond(fetch, 200, lodger_text("x-latin-1: caf\xe9\r\n"), &error));
  EXPECT(LODGER_E_INVALID_INPUT, lodger_fetch_respond(fetch, 200, lodger_text(""), &error));
  EXPECT(LODGER_E_WOULD_DEADLOCK, lodger_fetch_push(fetch, bytes_of("inside a callback"), -1, &error));
  EXPECT(LODGER_E_INVALID_INPUT, lodger_fetch_push(fetch, bytes_of("x"), -2, &error));
  EXPECT(LODGER_E_INVALID_INPUT, lodger_fetch_push(fetch, nowhere, 0, &error));
  EXPECT(LODGER_OK, lodger_fetch_push(fetch, nothing, 0, &error));
  EXPECT(LODGER_OK, lodger_fetch_push(fetch, bytes_of("data: {'no':'json"), 0, &error));
  EXPECT(LODGER_E_INVALID_INPUT, lodger_fetch_fail(fetch, (lodger_str){"\xff", 1}, &error));
  EXPECT(LODGER_OK, lodger_fetch_fail(fetch, lodger_text("the line is cut"), &error));
  EXPECT(LODGER_OK, lodger_fetch_fail(fetch, lodger_text("again"), &error));
  EXPECT(LODGER_OK, lodger_fetch_end(fetch, &error));
  EXPECT(LODGER_END, lodger_fetch_push(fetch, bytes_of("after the end"), 0, &error));
  EXPECT(LODGER_END, lodger_fetch_push(fetch, nothing, 0, &error));
}

static void what_is_out_of_order_is_refused_and_what_is_late_changes_nothing(void) {
  struct keeper keeper = {.act = answer_out_of_order};
  struct trace trace = run(&keeper);
  CHECK(strcmp(trace.error_code, "provider_stream_cut") == 0);
}

static void answer_without_a_status(struct keeper *keeper, lodger_fetch *fetch) {
  lodger_error *error = NULL;
  (void)keeper;
  static const uint32_t statuses[] = {65736, UINT32_MAX, 0, 99, 600};
  for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
    EXPECT(LODGER_E_INVALID_INPUT, lodger_fetch_respond(fetch, statuses[i], lodger_text(""), &error));
  EXPECT(LODGER_END, lodger_fetch_respond(fetch, 200, lodger_text(""), &error));
}

static void a_status_that_is_none_ends_the_turn_for_good(void) {
  struct keeper keeper = {.act = answer_without_a_status};
  struct trace trace = run(&keeper);
  CHECK(strcmp(trace.reason, "error") == 0 && strcmp(trace.error_code, "invalid_input") == 0);
}

static void fail(struct keeper *keeper, lodger_fetch *fetch) {
  lodger_error *error = NULL;
  (void)keeper;
  EXPECT(LODGER_OK, lodger_fetch_fail(fetch, lodger_text("the proxy is closed"), &error));
  EXPECT(LODGER_END, lodger_fetch_respond(fetch, 200, lodger_text(""), &error));
}

static void end_at_once(struct keeper *keeper, lodger_fetch *fetch) {
  lodger_error *error = NULL;
  (void)keeper;
  EXPECT(LODGER_OK, lodger_fetch_end(fetch, &error));
}

static void free_at_once(struct keeper *keeper, lodger_fetch *fetch) {
  lodger_fetch_free(fetch);
  keeper->kept = NULL;
}

static void a_request_without_an_answer_fails_the_turn(void) {
  void (*const ways[])(struct keeper *, lodger_fetch *) = {fail, end_at_once, free_at_once};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    struct keeper keeper = {.act = ways[i]};
    struct trace trace = run(&keeper);
    CHECK(strcmp(trace.error_code, "provider_unavailable") == 0);
  }
}

/* ---- threads ------------------------------------------------------------------------------------------------- */

static void a_request_outlives_everything_it_came_from(void) {
  struct keeper keeper = {0};
  lodger_error *error = NULL;
  lodger_agent *agent = kept_by(&keeper);
  lodger_turn *turn = prompt(agent, "hi");
  await_count(&keeper.fetches, 1);
  EXPECT(LODGER_OK, lodger_fetch_respond(keeper.kept, 200, lodger_text(""), &error));
  finish(agent, turn);
  CHECK(lodger_fetch_settled(keeper.kept));
  EXPECT(LODGER_END, lodger_fetch_push(keeper.kept, bytes_of("late"), -1, &error));
  EXPECT(LODGER_OK, lodger_fetch_end(keeper.kept, &error));
  HAS_TEXT("model.test", lodger_fetch_url(keeper.kept));
  EXPECT(LODGER_OK, lodger_fetch_set_waker(keeper.kept, ring, &keeper, drop, &error));
  lodger_fetch_free(keeper.kept);
  CHECK(keeper.rung == 1 && keeper.dropped == 1);
}

static void a_waker_that_comes_late_is_rung_at_once_and_each_context_given_back_once(void) {
  struct keeper keeper = {0};
  lodger_error *error = NULL;
  lodger_agent *agent = kept_by(&keeper);
  lodger_turn *turn = prompt(agent, "hi");
  await_count(&keeper.fetches, 1);
  EXPECT(LODGER_OK, lodger_fetch_set_waker(keeper.kept, ring, &keeper, drop, &error));
  CHECK(count_of(&keeper.rung) == 0);
  EXPECT(LODGER_E_INVALID_INPUT, lodger_fetch_set_waker(keeper.kept, NULL, &keeper, drop, &error));
  CHECK(count_of(&keeper.dropped) == 1);
  EXPECT(LODGER_E_INVALID_INPUT, lodger_fetch_set_waker(NULL, ring, &keeper, drop, &error));
  CHECK(count_of(&keeper.dropped) == 2);
  EXPECT(LODGER_OK, lodger_turn_cancel(turn, &error));
  await_count(&keeper.rung, 1);
  EXPECT(LODGER_OK, lodger_fetch_set_waker(keeper.kept, ring, &keeper, drop, &error));
  CHECK(count_of(&keeper.rung) == 2);
  await_count(&keeper.dropped, 3);
  lodger_fetch_free(keeper.kept);
  CHECK(count_of(&keeper.dropped) == 4);
  finish(agent, turn);
}

/* Takes what comes while nobody reads the turn. */
static lodger_turn *unread(const lodger_agent *agent, struct keeper *keeper) {
  lodger_error *error = NULL;
  lodger_turn *turn = prompt(agent, "hi");
  await_count(&keeper->fetches, 1);
  EXPECT(LODGER_OK, lodger_fetch_respond(keeper->kept, 200, lodger_text("content-type: text/event-stream\n"), &error));
  const char *start = json("data: {'type':'message_start','message':{'id':'m','type':'message','role':'assistant',"
                           "'model':'mock','content':[],'stop_reason':null,'usage':{'input_tokens':1,'output_tokens':1}}}\n\n"
                           "data: {'type':'content_block_start','index':0,'content_block':{'type':'text','text':''}}\n\n");
  EXPECT(LODGER_OK, lodger_fetch_push(keeper->kept, bytes_of(start), 0, &error));
  return turn;
}

/* Some 64 KiB of what the model says. */
static lodger_bytes words(void) {
  static char line[70000];
  char text[1 << 16];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  snprintf(line, sizeof line,
           "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"%s\"}}\n\n",
           text);
  return bytes_of(line);
}

struct waiter {
  lodger_fetch *fetch;
  lodger_bytes piece;
  lodger_status status;
  int waits;
};

static void *wait_in_the_push(void *ctx) {
  struct waiter *waiter = ctx;
  count_up(&waiter->waits);
  do
    waiter->status = lodger_fetch_push(waiter->fetch, waiter->piece, -1, NULL);
  while (waiter->status == LODGER_OK);
  return NULL;
}

static void *stop_it(void *ctx) {
  lodger_fetch *fetch = ((struct waiter *)ctx)->fetch;
  CHECK(lodger_fetch_fail(fetch, lodger_text("enough"), NULL) == LODGER_OK);
  return NULL;
}

static void a_push_that_waits_returns_when_another_thread_ends_the_answer(void) {
  for (size_t round = 0; round < many(100) + 2; round++) {
    struct keeper keeper = {0};
    pthread_t pushing, stopping;
    lodger_agent *agent = kept_by(&keeper);
    lodger_turn *turn = unread(agent, &keeper);
    struct waiter waiter = {.fetch = keeper.kept, .piece = words()};
    CHECK(pthread_create(&pushing, NULL, wait_in_the_push, &waiter) == 0);
    await_count(&waiter.waits, 1);
    if (round % 2)
      sleep_ms(2);
    CHECK(pthread_create(&stopping, NULL, stop_it, &waiter) == 0);
    pthread_join(pushing, NULL);
    pthread_join(stopping, NULL);
    CHECK(waiter.status == LODGER_END);
    finish(agent, turn);
    lodger_fetch_free(keeper.kept);
  }
}

static void a_push_waits_as_long_as_it_is_told(void) {
  struct keeper keeper = {0};
  lodger_error *error = NULL;
  lodger_status status;
  lodger_bytes nothing = {NULL, 0}, piece = words();
  lodger_agent *agent = kept_by(&keeper);
  lodger_turn *turn = unread(agent, &keeper);
  do
    status = lodger_fetch_push(keeper.kept, piece, 50, &error);
  while (status == LODGER_OK);
  EXPECT(LODGER_AGAIN, status);
  EXPECT(LODGER_AGAIN, lodger_fetch_push(keeper.kept, nothing, 1, &error));
  EXPECT(LODGER_AGAIN, lodger_fetch_push(keeper.kept, nothing, 0, &error));
  EXPECT(LODGER_OK, lodger_turn_cancel(turn, &error));
  EXPECT(LODGER_END, lodger_fetch_push(keeper.kept, nothing, -1, &error));
  finish(agent, turn);
  lodger_fetch_free(keeper.kept);
}

static void a_host_that_does_not_wait_is_cut_off(void) {
  struct keeper keeper = {0};
  struct trace trace = {0};
  lodger_error *error = NULL;
  lodger_status status = LODGER_OK;
  lodger_bytes piece = words();
  lodger_agent *agent = kept_by(&keeper);
  lodger_turn *turn = unread(agent, &keeper);
  int pushed = 0;
  while ((status = lodger_fetch_push(keeper.kept, piece, 0, &error)) != LODGER_END) {
    CHECK(status == LODGER_OK || status == LODGER_AGAIN);
    CHECK(++pushed < 1000); /* 32 MiB are 512 */
  }
  CHECK(pushed > 400 && lodger_fetch_settled(keeper.kept));
  if (!getenv("LODGER_SLOW")) { /* what came before is read first */
    read_all(turn, &trace);
    CHECK(strcmp(trace.error_code, "provider_stream_cut") == 0);
  }
  finish(agent, turn);
  lodger_fetch_free(keeper.kept);
}

static void null_is_never_a_crash(void) {
  lodger_error *error = NULL;
  CHECK(lodger_fetch_method(NULL).ptr == NULL && lodger_fetch_url(NULL).ptr == NULL);
  CHECK(lodger_fetch_headers(NULL).ptr == NULL && lodger_fetch_body(NULL).ptr == NULL);
  CHECK(lodger_fetch_settled(NULL));
  EXPECT(LODGER_E_INVALID_INPUT, lodger_fetch_respond(NULL, 200, lodger_text(""), &error));
  EXPECT(LODGER_E_INVALID_INPUT, lodger_fetch_push(NULL, bytes_of("x"), 0, &error));
  EXPECT(LODGER_E_INVALID_INPUT, lodger_fetch_end(NULL, &error));
  EXPECT(LODGER_E_INVALID_INPUT, lodger_fetch_fail(NULL, lodger_text("x"), &error));
  lodger_fetch_free(NULL);
}

const struct test answers[] = {
    TEST(a_request_can_be_answered_in_the_callback),
    TEST(any_status_is_an_answer),
    TEST(what_is_out_of_order_is_refused_and_what_is_late_changes_nothing),
    TEST(a_status_that_is_none_ends_the_turn_for_good),
    TEST(a_request_without_an_answer_fails_the_turn),
    TEST(a_request_outlives_everything_it_came_from),
    TEST(a_waker_that_comes_late_is_rung_at_once_and_each_context_given_back_once),
    TEST(a_push_that_waits_returns_when_another_thread_ends_the_answer),
    TEST(a_push_waits_as_long_as_it_is_told),
    TEST(a_host_that_does_not_wait_is_cut_off),
    TEST(null_is_never_a_crash),
    {0},
};
