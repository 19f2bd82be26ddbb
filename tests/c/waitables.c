/* Descriptors of turns, in the loop of the host. */
#define _GNU_SOURCE
#include "check.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static int waitable(const lodger_turn *turn) {
  lodger_error *error = NULL;
  lodger_waitable descriptor;
  EXPECT(LODGER_OK, lodger_turn_waitable(turn, &descriptor, &error));
  CHECK(descriptor >= 0);
  return descriptor;
}

static bool readable(int descriptor, int timeout_ms) {
  struct pollfd wait = {descriptor, POLLIN, 0};
  int ready = poll(&wait, 1, timeout_ms);
  CHECK(ready == 0 || (ready == 1 && wait.revents == POLLIN));
  return ready == 1;
}

/* Reads up to `max` events without waiting. */
static lodger_status read_some(const lodger_turn *turn, size_t max, struct trace *trace) {
  lodger_event *events[64];
  size_t count;
  lodger_status status = lodger_turn_read(turn, events, max, &count, 0, NULL);
  CHECK(status >= 0);
  for (size_t i = 0; i < count; i++)
    note(trace, events[i]);
  return status;
}

static const char *waits(void) { return says("{'type':'wait','file':'go'},{'type':'text','text':'abcdefgh','chunks':8}"); }

static void it_is_readable_until_everything_was_read_and_again_when_there_is_more(void) {
  struct trace trace = {0};
  lodger_agent *agent = new_agent(NULL, NULL, waits(), NULL);
  lodger_turn *turn = prompt(agent, "hi");
  int descriptor = waitable(turn);
  CHECK(readable(descriptor, LIMIT_MS));
  CHECK(readable(descriptor, 0)); /* looking takes nothing */
  while (trace.of_kind[LODGER_EVENT_TURN_START] == 0) {
    CHECK(readable(descriptor, LIMIT_MS));
    read_some(turn, 64, &trace);
  }
  sleep_ms(100);
  while (read_some(turn, 64, &trace) == LODGER_OK) {
  }
  CHECK(!readable(descriptor, 100));
  write_file("go", "");
  lodger_status status = LODGER_OK;
  while (status != LODGER_END) {
    CHECK(readable(descriptor, LIMIT_MS));
    status = read_some(turn, 1, &trace);
  }
  CHECK(strcmp(trace.text, "abcdefgh") == 0);
  CHECK(readable(descriptor, 0)); /* the end stays */
  finish(agent, turn);
}

static void taking_the_last_event_makes_it_wait_after_one_late_ring_at_most(void) {
  struct trace trace = {0};
  lodger_agent *agent = new_agent(NULL, NULL, waits(), NULL);
  lodger_turn *turn = prompt(agent, "hi");
  int descriptor = waitable(turn);
  while (trace.of_kind[LODGER_EVENT_TURN_START] == 0) {
    CHECK(readable(descriptor, LIMIT_MS));
    CHECK(read_some(turn, 64, &trace) == LODGER_OK);
  }
  /* Who brought the last event may still be about to ring for it: once, and for nothing. */
  if (readable(descriptor, 200)) read_some(turn, 64, &trace);
  CHECK(!readable(descriptor, 200));
  finish(agent, turn);
}

static void a_poll_loop_reads_twenty_turns_of_an_agent(void) {
  lodger_agent *agent = new_agent(
      NULL, NULL,
      "{'after':'loop','steps':[{'reply':[{'type':'repeat','text':'ab','count':50},{'type':'delay','ms':2},"
      "{'type':'text','text':'!'}]}]}",
      NULL);
  for (int i = 0; i < 20; i++) {
    struct trace trace = {0};
    lodger_turn *turn = prompt(agent, "again");
    int descriptor = waitable(turn);
    do
      CHECK(readable(descriptor, LIMIT_MS));
    while (read_some(turn, 8, &trace) != LODGER_END);
    CHECK(trace.text_len == 101 && trace.of_kind[LODGER_EVENT_DONE] == 1);
    lodger_turn_free(turn);
  }
  finish(agent, NULL);
}

static void an_epoll_loop_serves_twenty_turns_at_once(void) {
  enum { TURNS = 20 };
  lodger_agent *agents[TURNS];
  lodger_turn *turns[TURNS];
  struct trace traces[TURNS] = {0};
  int loop = epoll_create1(EPOLL_CLOEXEC), running = TURNS;
  CHECK(loop >= 0);
  for (uint32_t i = 0; i < TURNS; i++) {
    struct epoll_event interest = {.events = EPOLLIN, .data.u32 = i};
    agents[i] = new_agent(NULL, NULL,
                          says("{'type':'repeat','text':'ab','count':300},{'type':'delay','ms':5},{'type':'text','text':'!'}"),
                          NULL);
    turns[i] = prompt(agents[i], "hi");
    CHECK(epoll_ctl(loop, EPOLL_CTL_ADD, waitable(turns[i]), &interest) == 0);
  }
  while (running > 0) {
    struct epoll_event ready[8];
    int count = epoll_wait(loop, ready, 8, LIMIT_MS);
    CHECK(count > 0);
    for (int k = 0; k < count; k++) {
      uint32_t i = ready[k].data.u32;
      /* One read for each wake-up: what is left over wakes again. */
      if (read_some(turns[i], 16, &traces[i]) == LODGER_END) {
        CHECK(epoll_ctl(loop, EPOLL_CTL_DEL, waitable(turns[i]), NULL) == 0);
        running--;
      }
    }
  }
  close(loop);
  for (int i = 0; i < TURNS; i++) {
    CHECK(traces[i].text_len == 601 && traces[i].of_kind[LODGER_EVENT_DONE] == 1);
    finish(agents[i], turns[i]);
  }
}

static void ring(void *ctx) { count_up(ctx); }

static void it_is_made_once_and_stands_beside_a_waker(void) {
  lodger_error *error = NULL;
  struct trace trace = {0};
  int rings = 0;
  lodger_agent *agent = new_agent(NULL, NULL, waits(), NULL);
  lodger_turn *turn = prompt(agent, "hi");
  int descriptor = waitable(turn);
  CHECK(waitable(turn) == descriptor);
  EXPECT(LODGER_OK, lodger_turn_set_waker(turn, ring, &rings, NULL, &error));
  CHECK(waitable(turn) == descriptor);
  write_file("go", "");
  lodger_status status = LODGER_OK;
  for (int seen = 0; status != LODGER_END;) {
    await_count(&rings, ++seen);
    CHECK(readable(descriptor, LIMIT_MS));
    while ((status = read_some(turn, 64, &trace)) == LODGER_OK) {
    }
  }
  CHECK(strcmp(trace.text, "abcdefgh") == 0);
  finish(agent, turn);
}

static void it_is_readable_also_when_the_agent_was_closed(void) {
  lodger_error *error = NULL;
  struct trace trace = {0};
  lodger_agent *agent = new_agent(NULL, NULL, waits(), NULL);
  lodger_turn *turn = prompt(agent, "hi");
  int descriptor = waitable(turn);
  while (read_some(turn, 64, &trace) == LODGER_OK) {
  }
  EXPECT(LODGER_OK, lodger_agent_close(agent, LIMIT_MS, &error));
  do
    CHECK(readable(descriptor, LIMIT_MS));
  while (read_some(turn, 64, &trace) != LODGER_END);
  CHECK(strcmp(trace.reason, "cancelled") == 0);
  finish(agent, turn);
}

static void it_is_closed_with_its_turn_and_its_number_is_never_touched_again(void) {
  lodger_agent *agent = new_agent(
      NULL, NULL, "{'after':'loop','steps':[{'reply':[{'type':'repeat','text':'ab','count':100000}]}]}", NULL);
  int reused = 0;
  for (int round = 0; round < 100; round++) {
    int mine[2];
    lodger_turn *turn;
    while (lodger_agent_prompt(agent, lodger_text("\"talk\""), &turn, NULL) != LODGER_OK)
      sleep_ms(1);
    int descriptor = waitable(turn);
    struct trace trace = {0};
    while (trace.of_kind[LODGER_EVENT_TEXT_DELTA] < 50)
      read_some(turn, 16, &trace);
    lodger_turn_free(turn);
    /* The numbers that are free now go to the host, who sees whatever is written to them. */
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, mine) == 0);
    reused += mine[0] == descriptor || mine[1] == descriptor;
    sleep_ms(1);
    CHECK(!readable(mine[0], 0) && !readable(mine[1], 0));
    close(mine[0]);
    close(mine[1]);
  }
  CHECK(reused > 0);
  finish(agent, NULL);
}

static void fifty_turns_leave_no_descriptor(void) {
  lodger_agent *agent =
      new_agent(NULL, NULL, "{'after':'loop','steps':[{'reply':[{'type':'text','text':'x'}]}]}", NULL);
  int before = descriptors_now();
  for (int i = 0; i < 50; i++) {
    struct trace trace = {0};
    lodger_turn *turn = prompt(agent, "hi");
    CHECK(fcntl(waitable(turn), F_GETFD) == FD_CLOEXEC);
    read_all(turn, &trace);
    lodger_turn_free(turn);
  }
  CHECK(descriptors_now() == before);
  finish(agent, NULL);
}

static void without_a_turn_there_is_no_descriptor(void) {
  lodger_error *error = NULL;
  lodger_waitable descriptor = 7;
  EXPECT(LODGER_E_INVALID_INPUT, lodger_turn_waitable(NULL, &descriptor, &error));
  CHECK(descriptor == -1); /* 0 would be one */
  lodger_agent *agent = new_agent(NULL, NULL, waits(), NULL);
  lodger_turn *turn = prompt(agent, "hi");
  EXPECT(LODGER_E_INVALID_INPUT, lodger_turn_waitable(turn, NULL, &error));
  finish(agent, turn);
}

const struct test waitables[] = {
    TEST(it_is_readable_until_everything_was_read_and_again_when_there_is_more),
    TEST(taking_the_last_event_makes_it_wait_after_one_late_ring_at_most),
    TEST(a_poll_loop_reads_twenty_turns_of_an_agent),
    TEST(an_epoll_loop_serves_twenty_turns_at_once),
    TEST(it_is_made_once_and_stands_beside_a_waker),
    TEST(it_is_readable_also_when_the_agent_was_closed),
    TEST(it_is_closed_with_its_turn_and_its_number_is_never_touched_again),
    TEST(fifty_turns_leave_no_descriptor),
    TEST(without_a_turn_there_is_no_descriptor),
    {0},
};
