/* Events that are pushed to a function of the host. */
#define _GNU_SOURCE
#include "ear.h"

#include <stdlib.h>

static void a_listener_gets_every_event_in_order_and_done_last(void) {
  struct ear ear = {0};
  size_t events = many(20000);
  lodger_agent *agent = new_agent(NULL, NULL, talks(events), NULL);
  lodger_turn *turn = prompt(agent, "talk");
  listen_to(turn, &ear);
  await_count(&ear.dropped, 1); /* the context is the host's again after `done`, before the turn is freed */
  CHECK(ear.done == 1 && ear.trace.of_kind[LODGER_EVENT_DONE] == 1);
  CHECK(ear.trace.text_len == events * 5 && strcmp(ear.trace.reason, "end_turn") == 0);
  CHECK(ear.trace.first_seq == 1 && ear.trace.last_seq == ear.trace.events);
  CHECK(!ear.overlapped && ear.quiet && !pthread_equal(ear.thread, pthread_self()));
  finish(agent, turn);
  CHECK(ear.dropped == 1);
}

static void a_listener_that_comes_after_the_end_gets_everything(void) {
  lodger_error *error = NULL;
  lodger_blob *blob;
  struct ear ear = {0};
  lodger_agent *agent = new_agent(NULL, NULL, talks(20), NULL);
  lodger_turn *turn = prompt(agent, "talk");
  EXPECT(LODGER_OK, lodger_turn_result(turn, -1, &blob, &error));
  lodger_blob_free(blob);
  listen_to(turn, &ear);
  await_count(&ear.done, 1);
  CHECK(ear.trace.text_len == 100);
  finish(agent, turn);
}

/* ---- read or pushed ------------------------------------------------------------------------------------------ */

static void ring(void *ctx) { (void)ctx; }

static void a_turn_with_a_listener_cannot_be_read(void) {
  lodger_error *error = NULL;
  lodger_event *event;
  lodger_mailbox *mailbox;
  lodger_waitable descriptor;
  lodger_blob *blob;
  size_t count;
  struct ear ear = {0}, second = {0};
  const lodger_status busy = LODGER_E_READER_BUSY;
  lodger_agent *agent = new_agent(NULL, NULL, says("{'type':'wait','file':'go'},{'type':'text','text':'x'}"), NULL);
  lodger_turn *turn = prompt(agent, "hi");
  listen_to(turn, &ear);
  EXPECT(busy, lodger_turn_read(turn, &event, 1, &count, 0, &error));
  EXPECT(busy, lodger_turn_waitable(turn, &descriptor, &error));
  CHECK(descriptor == -1);
  EXPECT(busy, lodger_turn_set_waker(turn, ring, NULL, NULL, &error));
  EXPECT(LODGER_OK, lodger_mailbox_new(ring, NULL, NULL, &mailbox, &error));
  EXPECT(busy, lodger_mailbox_attach(mailbox, turn, 1, &error));
  lodger_mailbox_free(mailbox);
  EXPECT(busy, lodger_turn_set_listener(turn, hear, &second, let_go_of, &error));
  CHECK(second.dropped == 1);
  write_file("go", "");
  EXPECT(LODGER_OK, lodger_turn_result(turn, LIMIT_MS, &blob, &error)); /* a result may be waited for beside it */
  lodger_blob_free(blob);
  await_count(&ear.done, 1);
  CHECK(second.events == 0);
  finish(agent, turn);
}

static void a_turn_that_is_read_cannot_have_a_listener(void) {
  lodger_error *error = NULL;
  lodger_event *event;
  lodger_waitable descriptor;
  size_t count;
  struct ear ear = {0};
  lodger_agent *agent =
      new_agent(NULL, NULL, "{'after':'loop','steps':[{'reply':[{'type':'text','text':'x'}]}]}", NULL);
  for (int way = 0; way < 3; way++) {
    struct trace trace = {0};
    lodger_turn *turn = prompt(agent, "hi");
    if (way == 0)
      lodger_event_free(lodger_turn_read(turn, &event, 1, &count, 0, NULL) == LODGER_OK ? event : NULL);
    if (way == 1)
      EXPECT(LODGER_OK, lodger_turn_waitable(turn, &descriptor, &error));
    if (way == 2)
      EXPECT(LODGER_OK, lodger_turn_set_waker(turn, ring, NULL, NULL, &error));
    EXPECT(LODGER_E_READER_BUSY, lodger_turn_set_listener(turn, hear, &ear, let_go_of, &error));
    CHECK(ear.dropped == way + 1);
    EXPECT(LODGER_E_INVALID_INPUT, lodger_turn_resume(turn, &error));
    read_all(turn, &trace);
    lodger_turn_free(turn);
  }
  CHECK(ear.events == 0);
  finish(agent, NULL);
}

static void a_listener_that_is_null_decides_nothing(void) {
  lodger_error *error = NULL;
  struct ear ear = {0};
  struct trace trace = {0};
  lodger_agent *agent = new_agent(NULL, NULL, talks(3), NULL);
  lodger_turn *turn = prompt(agent, "hi");
  EXPECT(LODGER_E_INVALID_INPUT, lodger_turn_set_listener(turn, NULL, &ear, let_go_of, &error));
  EXPECT(LODGER_E_INVALID_INPUT, lodger_turn_set_listener(NULL, hear, &ear, let_go_of, &error));
  CHECK(ear.dropped == 2);
  read_all(turn, &trace);
  finish(agent, turn);
}

/* ---- flow ---------------------------------------------------------------------------------------------------- */

static lodger_flow pause_at_ten(struct ear *ear, lodger_event *event) {
  (void)event;
  return ear->events == 9 ? LODGER_FLOW_PAUSE : LODGER_FLOW_CONTINUE;
}

static void a_pause_holds_back_the_model_until_the_turn_is_resumed(void) {
  lodger_error *error = NULL;
  lodger_blob *blob;
  struct ear ear = {.act = pause_at_ten};
  size_t events = many(200000);
  lodger_agent *agent = new_wire_agent(
      NULL,
      json("{'steps':[{'reply':[{'type':'repeat','text':'0123456789abcdef','count':%zu}]}]}", events));
  lodger_turn *turn = prompt(agent, "talk");
  listen_to(turn, &ear);
  await_count(&ear.events, 10);
  long taken = server_rests();
  CHECK(count_of(&ear.events) == 10);
  EXPECT(LODGER_AGAIN, lodger_turn_result(turn, 0, &blob, &error));
  EXPECT(LODGER_OK, lodger_turn_resume(turn, &error));
  EXPECT(LODGER_OK, lodger_turn_resume(turn, &error)); /* twice is fine */
  await_count(&ear.done, 1);
  CHECK(ear.trace.text_len == events * 16);
  /* A short stream fits into the sockets' own buffers, and shows nothing. */
  CHECK(getenv("LODGER_SLOW") || taken < server_saw("bytesWritten") / 2);
  finish(agent, turn);
  stop_server();
}

static lodger_flow resume_and_pause(struct ear *ear, lodger_event *event) {
  lodger_error *error = NULL;
  (void)event;
  EXPECT(LODGER_OK, lodger_turn_resume(ear->turn, &error));
  return LODGER_FLOW_PAUSE;
}

static void a_resume_that_comes_before_the_pause_is_returned_is_not_lost(void) {
  struct ear ear = {.act = resume_and_pause};
  lodger_agent *agent = new_agent(NULL, NULL, talks(200), NULL);
  lodger_turn *turn = prompt(agent, "talk");
  listen_to(turn, &ear);
  await_count(&ear.done, 1);
  CHECK(ear.trace.text_len == 1000);
  finish(agent, turn);
}

static lodger_flow always_pause(struct ear *ear, lodger_event *event) {
  (void)ear, (void)event;
  return LODGER_FLOW_PAUSE;
}

static void another_thread_may_let_through_one_event_at_a_time(void) {
  lodger_error *error = NULL;
  struct ear ear = {.act = always_pause};
  lodger_agent *agent = new_agent(NULL, NULL, talks(200), NULL);
  lodger_turn *turn = prompt(agent, "talk");
  listen_to(turn, &ear);
  for (int seen = 1; count_of(&ear.done) == 0; seen++) {
    await_count(&ear.events, seen);
    EXPECT(LODGER_OK, lodger_turn_resume(turn, &error));
    if (ear.trace.of_kind[LODGER_EVENT_DONE])
      await_count(&ear.done, 1);
  }
  CHECK(ear.trace.text_len == 1000);
  finish(agent, turn);
}

static lodger_flow cancel_at_ten(struct ear *ear, lodger_event *event) {
  (void)event;
  return ear->events == 9 ? LODGER_FLOW_CANCEL : LODGER_FLOW_CONTINUE;
}

static lodger_flow answer_nonsense_at_ten(struct ear *ear, lodger_event *event) {
  (void)event;
  return ear->events == 9 ? 4711 : LODGER_FLOW_CONTINUE;
}

static void a_listener_may_cancel_and_nonsense_cancels_too(void) {
  for (int way = 0; way < 2; way++) {
    struct ear ear = {.act = way ? answer_nonsense_at_ten : cancel_at_ten};
    lodger_agent *agent = new_agent(NULL, NULL, talks_for_ever(), NULL);
    lodger_turn *turn = prompt(agent, "talk");
    listen_to(turn, &ear);
    await_count(&ear.dropped, 1);
    CHECK(ear.done == 1 && strcmp(ear.trace.reason, "cancelled") == 0);
    finish(agent, turn);
  }
}

/* ---- inside a listener --------------------------------------------------------------------------------------- */

static lodger_flow wait_inside(struct ear *ear, lodger_event *event) {
  lodger_error *error = NULL;
  lodger_event *other;
  lodger_blob *blob;
  size_t count;
  (void)event;
  EXPECT(LODGER_E_WOULD_DEADLOCK, lodger_agent_close(ear->agent, 1000, &error));
  EXPECT(LODGER_E_WOULD_DEADLOCK, lodger_turn_result(ear->turn, -1, &blob, &error));
  EXPECT(LODGER_E_READER_BUSY, lodger_turn_read(ear->turn, &other, 1, &count, 0, &error));
  return LODGER_FLOW_CONTINUE;
}

static void calls_that_wait_are_refused_inside_a_listener(void) {
  struct ear ear = {.act = wait_inside};
  lodger_agent *agent = new_agent(NULL, NULL, talks(3), NULL);
  ear.agent = agent;
  lodger_turn *turn = prompt(agent, "talk");
  listen_to(turn, &ear);
  await_count(&ear.done, 1);
  finish(agent, turn);
}

static lodger_flow free_at_ten(struct ear *ear, lodger_event *event) {
  (void)event;
  if (ear->events == 9)
    lodger_turn_free(ear->turn);
  return LODGER_FLOW_CONTINUE;
}

static void a_listener_may_free_its_turn_and_hears_no_more(void) {
  struct ear ear = {.act = free_at_ten};
  lodger_agent *agent = new_agent(NULL, NULL, talks_for_ever(), NULL);
  listen_to(prompt(agent, "talk"), &ear);
  await_count(&ear.dropped, 1);
  CHECK(ear.events == 10 && ear.done == 0);
  finish(agent, NULL);
}

static void allow(void *ctx, lodger_request *request) {
  lodger_error *error = NULL;
  EXPECT(LODGER_OK, lodger_request_allow(request, &error));
  lodger_request_free(request);
  count_up(ctx);
}

static void a_stream_without_end_starves_no_request_of_another_agent(void) {
  struct ear endless = {0}, ear = {0};
  int asked = 0;
  lodger_host host = {.size = sizeof host, .ctx = &asked, .on_request = allow};
  lodger_agent *talker = new_agent(NULL, &host, talks_for_ever(), NULL);
  lodger_turn *talk = prompt(talker, "talk");
  listen_to(talk, &endless);
  await_count(&endless.events, 1000);
  lodger_agent *agent = new_agent(NULL, &host,
                                  "{'steps':[{'reply':[{'type':'tool_call','toolName':'write_file','input':{'path':'a.txt',"
                                  "'content':'x'}}]},{'reply':[{'type':'text','text':'ok'}]}]}",
                                  NULL);
  lodger_turn *turn = prompt(agent, "write");
  listen_to(turn, &ear);
  await_count(&ear.done, 1);
  CHECK(asked == 1 && has_file("a.txt") && count_of(&endless.done) == 0);
  finish(agent, turn);
  finish(talker, talk);
}

const struct test listeners[] = {
    TEST(a_listener_gets_every_event_in_order_and_done_last),
    TEST(a_listener_that_comes_after_the_end_gets_everything),
    TEST(a_turn_with_a_listener_cannot_be_read),
    TEST(a_turn_that_is_read_cannot_have_a_listener),
    TEST(a_listener_that_is_null_decides_nothing),
    TEST(a_pause_holds_back_the_model_until_the_turn_is_resumed),
    TEST(a_resume_that_comes_before_the_pause_is_returned_is_not_lost),
    TEST(another_thread_may_let_through_one_event_at_a_time),
    TEST(a_listener_may_cancel_and_nonsense_cancels_too),
    TEST(calls_that_wait_are_refused_inside_a_listener),
    TEST(a_listener_may_free_its_turn_and_hears_no_more),
    TEST(a_stream_without_end_starves_no_request_of_another_agent),
    {0},
};
