/* Permissions, tools of the host, and who may answer when. */
#define _GNU_SOURCE
#include "host.h"

#include <pthread.h>

/* The model calls a tool of the host. */
#define WEATHER \
  "'tools':[{'name':'weather','description':'Weather of a city','inputSchema':{'type':'object'}}]"

static const char *asks_for_weather(const char *expect) {
  return json("{'steps':[{'reply':[{'type':'tool_call','toolName':'weather','input':{'city':'Oslo'}}]},"
              "{'expect':{'toolResults':[%s]},'reply':[{'type':'text','text':'ok'}]}]}",
              expect);
}

/* ---- permissions --------------------------------------------------------------------------------------------- */

static void allow(struct host *host, lodger_request *request) {
  lodger_error *error = NULL;
  (void)host;
  CHECK(lodger_request_kind(request) == LODGER_REQUEST_PERMISSION);
  CHECK(!lodger_request_settled(request));
  HAS_TEXT("req_", lodger_request_id(request));
  SAME_TEXT("write_file", lodger_request_field(request, lodger_text("/permission/toolName")));
  HAS_TEXT("a.txt", lodger_request_field(request, lodger_text("/permission/summary")));
  HAS_TEXT("\"kind\":\"permission\"", lodger_request_json(request));
  EXPECT(LODGER_OK, lodger_request_allow(request, &error));
  CHECK(lodger_request_settled(request));
  lodger_request_free(request);
}

static void a_call_that_is_allowed_runs(void) {
  struct host host = {.act = allow};
  struct trace trace = {0};
  run(&host, writes(), NULL, &trace);
  await_count(&host.requests, 1);
  CHECK(has_file("a.txt"));
  CHECK(strcmp(trace.outcome, "allowed_once") == 0);
  CHECK(trace.of_kind[LODGER_EVENT_REQUEST_OPENED] == 1 && trace.of_kind[LODGER_EVENT_REQUEST_RESOLVED] == 1);
}

static void deny(struct host *host, lodger_request *request) {
  lodger_error *error = NULL;
  (void)host;
  EXPECT(LODGER_OK, lodger_request_deny(request, lodger_text("not in this house"), &error));
  lodger_request_free(request);
}

static void a_call_that_is_denied_does_not_run_and_the_model_hears_why(void) {
  struct host host = {.act = deny};
  struct trace trace = {0};
  run(&host,
      "{'steps':[{'reply':[{'type':'tool_call','toolName':'write_file','input':{'path':'a.txt','content':'x'}}]},"
      "{'expect':{'toolResults':[{'isError':true,'contains':'not in this house'}]},'reply':[{'type':'text','text':'ok'}]}]}",
      NULL, &trace);
  CHECK(!has_file("a.txt"));
  CHECK(strcmp(trace.outcome, "denied") == 0 && strcmp(trace.reason, "end_turn") == 0);
  CHECK(trace.of_kind[LODGER_EVENT_TOOL_DENIED] == 1 && trace.of_kind[LODGER_EVENT_TOOL_RESULT] == 1);
}

static void forget(struct host *host, lodger_request *request) {
  (void)host;
  lodger_request_free(request);
}

static void a_request_that_is_freed_unanswered_is_refused(void) {
  struct host host = {.act = forget};
  struct trace trace = {0};
  run(&host, writes(), NULL, &trace);
  CHECK(!has_file("a.txt") && strcmp(trace.outcome, "failed") == 0);
}

static void fall_over(struct host *host, lodger_request *request) {
  lodger_error *error = NULL;
  (void)host;
  EXPECT(LODGER_OK, lodger_request_fail(request, lodger_text("the handler failed: no screen"), &error));
  lodger_request_free(request);
}

static void a_handler_that_failed_refuses_and_the_model_hears_why(void) {
  struct host host = {.act = fall_over};
  struct trace trace = {0};
  run(&host, writes(), NULL, &trace);
  CHECK(!has_file("a.txt") && strcmp(trace.outcome, "failed") == 0);
  CHECK(strstr(trace.tool_result, "no screen") != NULL);
}

static void answer_nonsense(struct host *host, lodger_request *request) {
  lodger_error *error = NULL;
  (void)host;
  EXPECT(LODGER_OK, lodger_request_answer(request, lodger_text("{\"kind\":\"sure\"}"), &error));
  lodger_request_free(request);
}

static void nonsense_is_a_refusal(void) {
  struct host host = {.act = answer_nonsense};
  struct trace trace = {0};
  run(&host, writes(), NULL, &trace);
  CHECK(!has_file("a.txt") && strcmp(trace.outcome, "failed") == 0);
}

static void answer_twice(struct host *host, lodger_request *request) {
  lodger_error *error = NULL;
  EXPECT(LODGER_OK, lodger_request_deny(request, lodger_text(""), &error));
  EXPECT(LODGER_E_REQUEST_SETTLED, lodger_request_allow(request, &error));
  EXPECT(LODGER_E_REQUEST_SETTLED,
         lodger_agent_answer(host->agent, lodger_request_id(request), lodger_text("{\"kind\":\"allow_once\"}"), &error));
  lodger_request_free(request);
}

static void only_the_first_answer_counts(void) {
  struct host host = {.act = answer_twice};
  struct trace trace = {0};
  run(&host, writes(), NULL, &trace);
  CHECK(!has_file("a.txt") && strcmp(trace.outcome, "denied") == 0);
}

static void *answer_late(void *ctx) {
  struct host *host = ctx;
  lodger_error *error = NULL;
  await_count(&host->requests, 1);
  sleep_ms(50);
  EXPECT(LODGER_OK, lodger_request_answer(host->kept, lodger_text("{\"kind\":\"allow_always\"}"), &error));
  lodger_request_free(host->kept);
  return NULL;
}

static void another_thread_answers_long_after_the_callback(void) {
  struct host host = {.act = keep};
  struct trace trace = {0};
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, answer_late, &host) == 0);
  run(&host, writes(), NULL, &trace);
  pthread_join(thread, NULL);
  CHECK(has_file("a.txt") && strcmp(trace.outcome, "allowed_always") == 0);
}

static void with_the_option_events_requests_are_answered_by_id(void) {
  lodger_error *error = NULL;
  lodger_event *event;
  struct trace trace = {0};
  size_t count;
  lodger_status status;
  lodger_agent *agent = new_agent(NULL, NULL, writes(), "'requests':'events'");
  lodger_turn *turn = prompt(agent, "go");
  while ((status = lodger_turn_read(turn, &event, 1, &count, LIMIT_MS, &error)) == LODGER_OK) {
    if (lodger_event_kind(event) == LODGER_EVENT_REQUEST_OPENED)
      EXPECT(LODGER_OK, lodger_agent_answer(agent, lodger_event_field(event, lodger_text("/requestId")),
                                            lodger_text("{\"kind\":\"allow_once\"}"), &error));
    note(&trace, event);
  }
  EXPECT(LODGER_END, status);
  CHECK(has_file("a.txt") && strcmp(trace.outcome, "allowed_once") == 0);
  EXPECT(LODGER_E_REQUEST_NOT_FOUND, lodger_agent_answer(agent, lodger_text("req_x"), lodger_text("{}"), &error));
  finish(agent, turn);
}

static void a_tool_that_is_run_by_its_event_shows_progress_and_may_fail(void) {
  lodger_error *error = NULL;
  lodger_event *event;
  struct trace trace = {0};
  size_t count;
  lodger_agent *agent = new_agent(NULL, NULL, asks_for_weather("{'contains':'no window','isError':true}"),
                                  "'requests':'events'," WEATHER);
  lodger_turn *turn = prompt(agent, "go");
  while (lodger_turn_read(turn, &event, 1, &count, LIMIT_MS, &error) == LODGER_OK) {
    if (lodger_event_kind(event) == LODGER_EVENT_REQUEST_OPENED) {
      lodger_str id = lodger_event_field(event, lodger_text("/requestId"));
      EXPECT(LODGER_OK, lodger_agent_progress(agent, id, lodger_text("looking"), &error));
      EXPECT(LODGER_OK, lodger_agent_fail_request(agent, id, lodger_text("no window"), &error));
      EXPECT(LODGER_E_REQUEST_SETTLED, lodger_agent_fail_request(agent, id, lodger_text("again"), &error));
    }
    note(&trace, event);
  }
  CHECK(trace.of_kind[LODGER_EVENT_TOOL_PROGRESS] == 1);
  CHECK(strcmp(trace.outcome, "failed") == 0 && strcmp(trace.reason, "end_turn") == 0);
  EXPECT(LODGER_E_REQUEST_NOT_FOUND, lodger_agent_progress(agent, lodger_text("req_x"), lodger_text("x"), &error));
  finish(agent, turn);
}

static void without_a_handler_a_request_is_refused_at_once(void) {
  struct trace trace = {0};
  lodger_agent *agent = new_agent(NULL, NULL, writes(), NULL);
  lodger_turn *turn = prompt(agent, "go");
  read_all(turn, &trace);
  CHECK(!has_file("a.txt") && strcmp(trace.reason, "end_turn") == 0);
  CHECK(trace.of_kind[LODGER_EVENT_TOOL_DENIED] == 1);
  finish(agent, turn);
}

/* ---- tools --------------------------------------------------------------------------------------------------- */

static void tell_the_weather(struct host *host, lodger_request *request) {
  lodger_error *error = NULL;
  (void)host;
  CHECK(lodger_request_kind(request) == LODGER_REQUEST_TOOL);
  SAME_TEXT("weather", lodger_request_field(request, lodger_text("/tool/toolName")));
  SAME_TEXT("Oslo", lodger_request_field(request, lodger_text("/tool/input/city")));
  EXPECT(LODGER_E_INVALID_INPUT, lodger_request_allow(request, &error));
  EXPECT(LODGER_OK, lodger_request_progress(request, lodger_text("looking out of the window"), &error));
  EXPECT(LODGER_OK, lodger_request_answer(
                        request, lodger_text("{\"content\":[{\"type\":\"text\",\"text\":\"sunny\"}]}"), &error));
  EXPECT(LODGER_E_REQUEST_SETTLED, lodger_request_progress(request, lodger_text("late"), &error));
  lodger_request_free(request);
}

static void a_tool_of_the_host_answers_and_shows_progress(void) {
  struct host host = {.act = tell_the_weather};
  struct trace trace = {0};
  run(&host, asks_for_weather("{'contains':'sunny','isError':false}"), WEATHER, &trace);
  CHECK(trace.of_kind[LODGER_EVENT_TOOL_PROGRESS] == 1);
  CHECK(strcmp(trace.tool_result, "sunny") == 0 && strcmp(trace.reason, "end_turn") == 0);
}

static void a_tool_that_is_denied_fails_with_the_message(void) {
  struct host host = {.act = deny};
  struct trace trace = {0};
  run(&host, asks_for_weather("{'contains':'not in this house','isError':true}"), WEATHER, &trace);
  CHECK(strcmp(trace.reason, "end_turn") == 0);
}

static void a_tool_that_is_answered_with_nonsense_fails(void) {
  struct host host = {.act = answer_nonsense};
  struct trace trace = {0};
  run(&host, asks_for_weather("{'contains':'not understood','isError':true}"), WEATHER, &trace);
  CHECK(strcmp(trace.outcome, "failed") == 0 && strcmp(trace.reason, "end_turn") == 0);
}

/* ---- questions and plans ------------------------------------------------------------------------------------- */

static const char *asks_for_a_colour(const char *expect) {
  return json("{'steps':[{'reply':[{'type':'tool_call','toolName':'ask_user','input':{'question':'Which colour?',"
              "'options':[{'label':'Red'},{'label':'Blue'}]}}]},"
              "{'expect':{'toolResults':[%s]},'reply':[{'type':'text','text':'ok'}]}]}",
              expect);
}

static void choose_blue(struct host *host, lodger_request *request) {
  lodger_error *error = NULL;
  (void)host;
  CHECK(lodger_request_kind(request) == LODGER_REQUEST_QUESTION);
  SAME_TEXT("Which colour?", lodger_request_field(request, lodger_text("/question/question")));
  SAME_TEXT("Blue", lodger_request_field(request, lodger_text("/question/options/1/label")));
  EXPECT(LODGER_E_INVALID_INPUT, lodger_request_allow(request, &error));
  EXPECT(LODGER_OK, lodger_request_answer(request, lodger_text("{\"answers\":[\"Blue\"]}"), &error));
  lodger_request_free(request);
}

static void a_question_is_answered_with_what_it_offers(void) {
  struct host host = {.act = choose_blue};
  struct trace trace = {0};
  run(&host, asks_for_a_colour("{'isError':false,'contains':'Blue'}"), NULL, &trace);
  CHECK(strcmp(trace.outcome, "answered") == 0 && strcmp(trace.reason, "end_turn") == 0);
}

static void a_question_that_is_denied_is_dismissed(void) {
  struct host host = {.act = deny};
  struct trace trace = {0};
  run(&host, asks_for_a_colour("{'isError':false,'contains':'dismissed'}"), NULL, &trace);
  CHECK(strcmp(trace.outcome, "dismissed") == 0 && strcmp(trace.reason, "end_turn") == 0);
}

static void choose_green(struct host *host, lodger_request *request) {
  lodger_error *error = NULL;
  (void)host;
  EXPECT(LODGER_OK, lodger_request_answer(request, lodger_text("{\"answers\":[\"Green\"]}"), &error));
  lodger_request_free(request);
}

static void an_answer_that_the_question_does_not_offer_is_a_refusal(void) {
  struct host host = {.act = choose_green};
  struct trace trace = {0};
  run(&host, asks_for_a_colour("{'isError':true,'contains':'Green'}"), NULL, &trace);
  CHECK(strcmp(trace.outcome, "failed") == 0 && strcmp(trace.reason, "end_turn") == 0);
}

/* The model presents a plan, and then writes a file. */
static const char *plans(const char *expect) {
  return json("{'steps':[{'reply':[{'type':'tool_call','toolName':'present_plan','input':{'plan':'1. Write it.'}}]},"
              "{'expect':{'toolResults':[%s]},"
              "'reply':[{'type':'tool_call','toolName':'write_file','input':{'path':'a.txt','content':'x'}}]},"
              "{'reply':[{'type':'text','text':'ok'}]}]}",
              expect);
}

static void approve(struct host *host, lodger_request *request) {
  lodger_error *error = NULL;
  if (count_of(&host->requests) == 0) {
    CHECK(lodger_request_kind(request) == LODGER_REQUEST_PLAN);
    SAME_TEXT("1. Write it.", lodger_request_field(request, lodger_text("/plan/plan")));
  } else {
    CHECK(lodger_request_kind(request) == LODGER_REQUEST_PERMISSION);
  }
  EXPECT(LODGER_OK, lodger_request_allow(request, &error));
  lodger_request_free(request);
}

static void an_approved_plan_ends_plan_mode_and_changes_are_asked_about(void) {
  struct host host = {.act = approve};
  struct trace trace = {0};
  run(&host, plans("{'isError':false,'contains':'approved'}"), "'mode':'plan'", &trace);
  await_count(&host.requests, 2);
  CHECK(trace.of_kind[LODGER_EVENT_MODE_CHANGED] == 1);
  CHECK(has_file("a.txt") && strcmp(trace.outcome, "allowed_once") == 0);
}

static void a_plan_that_is_denied_is_rejected_and_the_model_hears_why(void) {
  struct host host = {.act = deny};
  struct trace trace = {0};
  run(&host, plans("{'isError':false,'contains':'not in this house'}"), "'mode':'plan'", &trace);
  CHECK(trace.of_kind[LODGER_EVENT_MODE_CHANGED] == 0);
  CHECK(!has_file("a.txt") && strcmp(trace.outcome, "rejected") == 0);
}

/* ---- settled by others --------------------------------------------------------------------------------------- */

static void keep_and_watch(struct host *host, lodger_request *request) {
  lodger_error *error = NULL;
  EXPECT(LODGER_OK, lodger_request_on_settled(request, on_settled, host, NULL, &error));
  host->kept = request;
}

static void a_cancelled_turn_takes_its_request_along_and_says_so(void) {
  lodger_error *error = NULL;
  struct host host = {.act = keep_and_watch};
  struct trace trace = {0};
  lodger_host table = callbacks(&host);
  lodger_agent *agent = new_agent(NULL, &table, writes(), NULL);
  lodger_turn *turn = prompt(agent, "go");
  await_count(&host.requests, 1);
  CHECK(count_of(&host.settled) == 0);
  EXPECT(LODGER_OK, lodger_turn_cancel(turn, &error));
  await_count(&host.settled, 1);
  EXPECT(LODGER_E_REQUEST_SETTLED, lodger_request_allow(host.kept, &error));
  read_all(turn, &trace);
  CHECK(strcmp(trace.reason, "cancelled") == 0 && strcmp(trace.outcome, "cancelled") == 0 && !has_file("a.txt"));
  lodger_request_free(host.kept);
  finish(agent, turn);
  CHECK(host.settled == 1);
}

static void whoever_asks_too_late_hears_of_it_at_once(void) {
  lodger_error *error = NULL;
  struct host host = {.act = keep};
  lodger_host table = callbacks(&host);
  lodger_agent *agent = new_agent(NULL, &table, writes(), NULL);
  lodger_turn *turn = prompt(agent, "go");
  await_count(&host.requests, 1);
  EXPECT(LODGER_OK, lodger_request_allow(host.kept, &error));
  EXPECT(LODGER_OK, lodger_request_on_settled(host.kept, on_settled, &host, NULL, &error));
  await_count(&host.settled, 1);
  lodger_request_free(host.kept);
  finish(agent, turn);
}

static void a_request_that_nobody_answers_expires(void) {
  struct host host = {.act = keep_and_watch};
  struct trace trace = {0};
  run(&host, writes(), "'permissionTimeoutMs':50", &trace);
  CHECK(strcmp(trace.outcome, "expired") == 0 && host.settled == 1 && !has_file("a.txt"));
  lodger_request_free(host.kept);
}

/* ---- never behind events ------------------------------------------------------------------------------------- */

static void a_request_arrives_while_two_hundred_events_lie_unread_and_another_turn_is_full(void) {
  struct host host = {.act = keep};
  struct trace trace = {0}, beside = {0};
  lodger_error *error = NULL;
  lodger_host table = callbacks(&host);
  lodger_agent *full = new_agent(NULL, &table, says("{'type':'repeat','text':'word ','count':10000}"), NULL);
  lodger_turn *standing = prompt(full, "talk");
  lodger_agent *agent = new_agent(NULL, &table,
                                  "{'steps':[{'reply':[{'type':'repeat','text':'word ','count':200},{'type':'tool_call',"
                                  "'toolName':'write_file','input':{'path':'a.txt','content':'x'}}]},"
                                  "{'reply':[{'type':'text','text':'ok'}]}]}",
                                  NULL);
  lodger_turn *turn = prompt(agent, "go");
  await_count(&host.requests, 1); /* nobody has read an event of either turn */
  EXPECT(LODGER_OK, lodger_request_allow(host.kept, &error));
  lodger_request_free(host.kept);
  read_all(turn, &trace);
  CHECK(has_file("a.txt") && trace.text_len == 200 * 5 + 2);
  read_all(standing, &beside);
  CHECK(beside.text_len == 10000 * 5);
  finish(agent, turn);
  finish(full, standing);
}

static void a_request_arrives_while_ten_thousand_events_lie_unread_in_other_turns(void) {
  enum { TURNS = 42 };
  struct host host = {.act = keep};
  struct trace trace = {0};
  lodger_error *error = NULL;
  lodger_host table = callbacks(&host);
  lodger_agent *full[TURNS];
  lodger_turn *standing[TURNS];
  for (size_t i = 0; i < TURNS; i++) {
    full[i] = new_agent(NULL, &table, says("{'type':'repeat','text':'word ','count':1000}"), NULL);
    standing[i] = prompt(full[i], "talk");
  }
  lodger_agent *agent = new_agent(NULL, &table, writes(), NULL);
  lodger_turn *turn = prompt(agent, "go");
  await_count(&host.requests, 1); /* nobody has read an event of any turn */
  EXPECT(LODGER_OK, lodger_request_allow(host.kept, &error));
  lodger_request_free(host.kept);
  read_all(turn, &trace);
  CHECK(has_file("a.txt"));
  finish(agent, turn);
  for (size_t i = 0; i < TURNS; i++) {
    struct trace beside = {0};
    read_all(standing[i], &beside);
    CHECK(beside.text_len == 1000 * 5);
    finish(full[i], standing[i]);
  }
}

const struct test requests[] = {
    TEST(a_call_that_is_allowed_runs),
    TEST(a_call_that_is_denied_does_not_run_and_the_model_hears_why),
    TEST(a_request_that_is_freed_unanswered_is_refused),
    TEST(a_handler_that_failed_refuses_and_the_model_hears_why),
    TEST(nonsense_is_a_refusal),
    TEST(only_the_first_answer_counts),
    TEST(another_thread_answers_long_after_the_callback),
    TEST(with_the_option_events_requests_are_answered_by_id),
    TEST(a_tool_that_is_run_by_its_event_shows_progress_and_may_fail),
    TEST(without_a_handler_a_request_is_refused_at_once),
    TEST(a_tool_of_the_host_answers_and_shows_progress),
    TEST(a_tool_that_is_denied_fails_with_the_message),
    TEST(a_tool_that_is_answered_with_nonsense_fails),
    TEST(a_question_is_answered_with_what_it_offers),
    TEST(a_question_that_is_denied_is_dismissed),
    TEST(an_answer_that_the_question_does_not_offer_is_a_refusal),
    TEST(an_approved_plan_ends_plan_mode_and_changes_are_asked_about),
    TEST(a_plan_that_is_denied_is_rejected_and_the_model_hears_why),
    TEST(a_cancelled_turn_takes_its_request_along_and_says_so),
    TEST(whoever_asks_too_late_hears_of_it_at_once),
    TEST(a_request_that_nobody_answers_expires),
    TEST(a_request_arrives_while_two_hundred_events_lie_unread_and_another_turn_is_full),
    TEST(a_request_arrives_while_ten_thousand_events_lie_unread_in_other_turns),
    {0},
};
