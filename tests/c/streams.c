/* Ways to wait for events, and what happens when nobody reads. */
#include "check.h"

#include <pthread.h>
#include <stdlib.h>

static void ring(void *ctx) { count_up(ctx); }

/* ---- one turn ------------------------------------------------------------------------------------------------ */

/* Reads until the model is asked: then nothing more comes of itself. */
static void read_the_beginning(const lodger_turn *turn, struct trace *trace) {
  lodger_error *error = NULL;
  lodger_event *event;
  size_t count;
  while (trace->of_kind[LODGER_EVENT_TURN_START] == 0) {
    EXPECT(LODGER_OK, lodger_turn_read(turn, &event, 1, &count, LIMIT_MS, &error));
    note(trace, event);
  }
}

static void reading_waits_as_long_as_it_is_told(void) {
  lodger_error *error = NULL;
  lodger_event *event;
  size_t count;
  struct trace trace = {0};
  lodger_agent *agent = new_agent(NULL, NULL, says("{'type':'wait','file':'go'},{'type':'text','text':'x'}"), NULL);
  lodger_turn *turn = prompt(agent, "hi");
  read_the_beginning(turn, &trace);
  EXPECT(LODGER_AGAIN, lodger_turn_read(turn, &event, 1, &count, 200, &error));
  CHECK(count == 0 && event == NULL);
  EXPECT(LODGER_AGAIN, lodger_turn_read(turn, &event, 1, &count, 0, &error));
  write_file("go", "");
  read_all(turn, &trace);
  EXPECT(LODGER_END, lodger_turn_read(turn, &event, 1, &count, -1, &error));
  EXPECT(LODGER_END, lodger_turn_read(turn, &event, 1, &count, 0, &error));
  finish(agent, turn);
}

/* Until it has its place, it may be the one that is refused. */
static void *read_to_the_end(void *turn) {
  lodger_event *event;
  size_t count;
  lodger_status status;
  while ((status = lodger_turn_read(turn, &event, 1, &count, LIMIT_MS, NULL)) != LODGER_END) {
    CHECK(status == LODGER_OK || status == LODGER_E_READER_BUSY);
    lodger_event_free(event);
  }
  return NULL;
}

static void a_second_reader_at_the_same_time_is_refused(void) {
  lodger_error *error = NULL;
  lodger_event *event;
  size_t count;
  pthread_t thread;
  struct trace beginning = {0};
  lodger_agent *agent = new_agent(NULL, NULL, says("{'type':'wait','file':'go'},{'type':'text','text':'x'}"), NULL);
  lodger_turn *turn = prompt(agent, "hi");
  read_the_beginning(turn, &beginning);
  CHECK(pthread_create(&thread, NULL, read_to_the_end, turn) == 0);
  lodger_status status;
  while ((status = lodger_turn_read(turn, &event, 1, &count, 0, &error)) == LODGER_AGAIN)
    sleep_ms(1); /* the other thread is not there yet */
  EXPECT(LODGER_E_READER_BUSY, status);
  write_file("go", "");
  pthread_join(thread, NULL);
  finish(agent, turn);
}

static void a_waker_rings_whenever_there_is_more(void) {
  lodger_error *error = NULL;
  lodger_event *events[16];
  struct trace trace = {0};
  size_t count;
  int rings = 0, seen = 0;
  lodger_status status = LODGER_OK;
  lodger_agent *agent = new_agent(
      NULL, NULL, says("{'type':'text','text':'abcdefgh','chunks':8},{'type':'delay','ms':20},{'type':'text','text':'i'}"),
      NULL);
  lodger_turn *turn = prompt(agent, "hi");
  EXPECT(LODGER_OK, lodger_turn_set_waker(turn, ring, &rings, NULL, &error));
  while (status != LODGER_END) {
    await_count(&rings, ++seen);
    while ((status = lodger_turn_read(turn, events, 16, &count, 0, &error)) == LODGER_OK)
      for (size_t i = 0; i < count; i++)
        note(&trace, events[i]);
    CHECK(status == LODGER_AGAIN || status == LODGER_END);
  }
  CHECK(strcmp(trace.text, "abcdefghi") == 0);
  finish(agent, turn);
}

static void a_waker_rings_after_a_read_that_waited_in_vain(void) {
  lodger_error *error = NULL;
  lodger_event *event;
  struct trace trace = {0};
  size_t count;
  int rings = 0;
  lodger_agent *agent = new_agent(NULL, NULL, says("{'type':'wait','file':'go'},{'type':'text','text':'x'}"), NULL);
  lodger_turn *turn = prompt(agent, "hi");
  read_the_beginning(turn, &trace);
  EXPECT(LODGER_OK, lodger_turn_set_waker(turn, ring, &rings, NULL, &error));
  EXPECT(LODGER_AGAIN, lodger_turn_read(turn, &event, 1, &count, 100, &error));
  int before = count_of(&rings);
  write_file("go", "");
  await_count(&rings, before + 1);
  read_all(turn, &trace);
  finish(agent, turn);
}

static void a_waker_that_comes_after_the_end_rings_at_once(void) {
  lodger_error *error = NULL;
  lodger_blob *blob;
  int rings = 0;
  lodger_agent *agent = new_agent(NULL, NULL, says("{'type':'text','text':'x'}"), NULL);
  lodger_turn *turn = prompt(agent, "hi");
  EXPECT(LODGER_OK, lodger_turn_result(turn, -1, &blob, &error));
  lodger_blob_free(blob);
  EXPECT(LODGER_OK, lodger_turn_set_waker(turn, ring, &rings, NULL, &error));
  await_count(&rings, 1);
  finish(agent, turn);
}

/* ---- many turns ---------------------------------------------------------------------------------------------- */

static void one_mailbox_serves_fifty_turns(void) {
  enum { TURNS = 50 };
  lodger_error *error = NULL;
  lodger_mailbox *mailbox;
  lodger_agent *agents[TURNS];
  lodger_turn *turns[TURNS];
  struct trace traces[TURNS] = {0};
  int rings = 0, seen = 0, running = TURNS;
  EXPECT(LODGER_OK, lodger_mailbox_new(ring, &rings, NULL, &mailbox, &error));
  for (int i = 0; i < TURNS; i++) {
    agents[i] = new_agent(NULL, NULL,
                          says("{'type':'repeat','text':'ab','count':300},{'type':'delay','ms':5},{'type':'text','text':'!'}"),
                          NULL);
    turns[i] = prompt(agents[i], "hi");
    EXPECT(LODGER_OK, lodger_mailbox_attach(mailbox, turns[i], 1000 + (uint64_t)i, &error));
  }
  while (running > 0) {
    uint64_t keys[7];
    size_t taken;
    await_count(&rings, ++seen);
    while (lodger_mailbox_take(mailbox, keys, 7, &taken, &error) == LODGER_OK)
      for (size_t k = 0; k < taken; k++) {
        size_t i = keys[k] - 1000, count;
        lodger_event *events[32];
        lodger_status status;
        CHECK(i < TURNS);
        while ((status = lodger_turn_read(turns[i], events, 32, &count, 0, &error)) == LODGER_OK)
          for (size_t e = 0; e < count; e++)
            note(&traces[i], events[e]);
        CHECK(status == LODGER_AGAIN || status == LODGER_END);
        if (status == LODGER_END && traces[i].events) {
          CHECK(traces[i].text_len == 601 && traces[i].of_kind[LODGER_EVENT_DONE] == 1);
          traces[i].events = 0;
          running--;
        }
      }
  }
  for (int i = 0; i < TURNS; i++)
    finish(agents[i], turns[i]);
  lodger_mailbox_free(mailbox);
}

static void a_mailbox_gives_all_keys_also_a_few_at_a_time(void) {
  lodger_error *error = NULL;
  lodger_mailbox *mailbox;
  lodger_agent *agents[3];
  lodger_turn *turns[3];
  lodger_blob *blob;
  uint64_t key, sum = 0;
  size_t count;
  int rings = 0;
  EXPECT(LODGER_OK, lodger_mailbox_new(ring, &rings, NULL, &mailbox, &error));
  for (int i = 0; i < 3; i++) {
    agents[i] = new_agent(NULL, NULL, says("{'type':'text','text':'x'}"), NULL);
    turns[i] = prompt(agents[i], "hi");
    EXPECT(LODGER_OK, lodger_turn_result(turns[i], -1, &blob, &error));
    lodger_blob_free(blob);
    EXPECT(LODGER_OK, lodger_mailbox_attach(mailbox, turns[i], 1u << i, &error));
  }
  CHECK(count_of(&rings) == 1);
  for (int i = 0; i < 3; i++) {
    EXPECT(LODGER_OK, lodger_mailbox_take(mailbox, &key, 1, &count, &error));
    CHECK(count == 1);
    sum += key;
  }
  EXPECT(LODGER_AGAIN, lodger_mailbox_take(mailbox, &key, 1, &count, &error));
  CHECK(sum == 7 && count == 0);
  lodger_mailbox_free(mailbox);
  for (int i = 0; i < 3; i++)
    finish(agents[i], turns[i]);
}

/* ---- nobody reads -------------------------------------------------------------------------------------------- */

static void a_reader_that_stops_holds_the_model_back_and_loses_nothing(void) {
  lodger_error *error = NULL;
  lodger_event *event;
  struct trace trace = {0};
  size_t count, unread, events = many(20000);
  /* 40 MB of text, if nothing held it back. */
  char word[2001] = {0};
  memset(word, 'x', 2000);
  lodger_agent *agent = new_agent(NULL, NULL, says(json("{'type':'repeat','text':'%s','count':%zu}", word, events)), NULL);
  lodger_turn *turn = prompt(agent, "talk");
  EXPECT(LODGER_OK, lodger_turn_read(turn, &event, 1, &count, LIMIT_MS, &error));
  note(&trace, event);
  sleep_ms(300);
  long before = resident_kib();
  sleep_ms(300);
  CHECK(resident_kib() - before < 4096);
  /* What lies there now is what the queue holds. */
  for (unread = 0; unread < 256 + 16; unread++)
    if (lodger_turn_read(turn, &event, 1, &count, 0, &error) == LODGER_OK)
      note(&trace, event);
  read_all(turn, &trace);
  CHECK(trace.text_len == events * 2000);
  CHECK(trace.last_seq - trace.first_seq + 1 == trace.events);
  finish(agent, turn);
}

/* ---- over the wire ------------------------------------------------------------------------------------------- */

static void back_pressure_reaches_the_socket_of_the_model(void) {
  struct trace trace = {0};
  size_t events = many(200000);
  lodger_agent *agent = new_wire_agent(
      NULL, json("{'steps':[{'reply':[{'type':'repeat','text':'0123456789abcdef','count':%zu}]}]}", events));
  lodger_turn *turn = prompt(agent, "talk");
  long taken = server_rests();
  read_all(turn, &trace);
  CHECK(trace.text_len == events * 16);
  /* A short stream fits into the sockets' own buffers, and shows nothing. */
  CHECK(getenv("LODGER_SLOW") || taken < server_saw("bytesWritten") / 2);
  finish(agent, turn);
  stop_server();
}

const struct test streams[] = {
    TEST(reading_waits_as_long_as_it_is_told),
    TEST(a_second_reader_at_the_same_time_is_refused),
    TEST(a_waker_rings_whenever_there_is_more),
    TEST(a_waker_rings_after_a_read_that_waited_in_vain),
    TEST(a_waker_that_comes_after_the_end_rings_at_once),
    TEST(one_mailbox_serves_fifty_turns),
    TEST(a_mailbox_gives_all_keys_also_a_few_at_a_time),
    TEST(a_reader_that_stops_holds_the_model_back_and_loses_nothing),
    TEST(back_pressure_reaches_the_socket_of_the_model),
    {0},
};
