/* What a host does every day. */
#include "check.h"

static void the_library_says_its_versions(void) {
  CHECK(lodger_abi_version() >> 16 == 1);
  CHECK(strcmp(lodger_version(), "0.1.0") == 0);
  CHECK(strstr(lodger_build_info(), "\"version\":\"0.1.0\"") != NULL);
}

static void a_prompt_runs_to_its_one_done(void) {
  struct trace trace = {0};
  lodger_agent *agent = new_agent(NULL, NULL, says("{'type':'text','text':'Hello there.','chunks':3}"), NULL);
  lodger_turn *turn = prompt(agent, "Say hello");
  read_all(turn, &trace);
  CHECK(strcmp(trace.text, "Hello there.") == 0);
  CHECK(strcmp(trace.reason, "end_turn") == 0);
  CHECK(trace.of_kind[LODGER_EVENT_USER_MESSAGE] == 1);
  CHECK(trace.of_kind[LODGER_EVENT_ASSISTANT_MESSAGE] == 1);
  finish(agent, turn);
}

static void events_are_numbered_without_gaps_over_turns(void) {
  lodger_agent *agent = new_agent(NULL, NULL, "{'after':'loop','steps':[{'reply':[{'type':'text','text':'x'}]}]}", NULL);
  uint64_t last = 0;
  for (int i = 0; i < 3; i++) {
    struct trace trace = {0};
    lodger_turn *turn = prompt(agent, "again");
    read_all(turn, &trace);
    CHECK(trace.first_seq == last + 1);
    CHECK(trace.last_seq == last + trace.events);
    last = trace.last_seq;
    lodger_turn_free(turn);
  }
  finish(agent, NULL);
}

static void an_event_gives_kind_type_text_fields_and_json(void) {
  lodger_error *error = NULL;
  lodger_event *event = NULL;
  size_t count;
  lodger_agent *agent = new_agent(NULL, NULL, says("{'type':'text','text':'Hello.'}"), NULL);
  lodger_turn *turn = prompt(agent, "hi");
  while (lodger_event_kind(event) != LODGER_EVENT_TEXT_DELTA) {
    lodger_event_free(event);
    EXPECT(LODGER_OK, lodger_turn_read(turn, &event, 1, &count, LIMIT_MS, &error));
  }
  SAME_TEXT("text_delta", lodger_event_type(event));
  SAME_TEXT("Hello.", lodger_event_text(event));
  SAME_TEXT("Hello.", lodger_event_field(event, lodger_text("/text")));
  SAME_TEXT("1", lodger_event_field(event, lodger_text("/v")));
  CHECK(lodger_event_field(event, lodger_text("/nothing")).ptr == NULL);
  CHECK(lodger_event_field(event, lodger_text("not a pointer")).ptr == NULL);
  HAS_TEXT("\"type\":\"text_delta\"", lodger_event_json(event));
  lodger_str session = lodger_agent_session_id(agent), its = lodger_event_field(event, lodger_text("/sessionId"));
  CHECK(session.len > 0 && session.len == its.len && memcmp(session.ptr, its.ptr, its.len) == 0);
  CHECK(lodger_event_json(event).ptr == lodger_event_json(event).ptr);
  lodger_event_free(event);
  finish(agent, turn);
}

static void a_result_comes_with_the_end_and_not_before(void) {
  lodger_error *error = NULL;
  lodger_blob *blob;
  struct trace trace = {0};
  lodger_agent *agent = new_agent(NULL, NULL, says("{'type':'wait','file':'go'},{'type':'text','text':'Done.'}"), NULL);
  lodger_turn *turn = prompt(agent, "hi");
  EXPECT(LODGER_AGAIN, lodger_turn_result(turn, 0, &blob, &error));
  EXPECT(LODGER_AGAIN, lodger_turn_result(turn, 20, &blob, &error));
  CHECK(blob == NULL);
  write_file("go", "");
  read_all(turn, &trace);
  EXPECT(LODGER_OK, lodger_turn_result(turn, LIMIT_MS, &blob, &error));
  lodger_bytes bytes = lodger_blob_bytes(blob);
  lodger_str text = {(const char *)bytes.ptr, bytes.len};
  HAS_TEXT("\"reason\":\"end_turn\"", text);
  HAS_TEXT("\"text\":\"Done.\"", text);
  lodger_blob_free(blob);
  finish(agent, turn);
}

static void a_result_holds_the_answer_that_fits_the_schema(void) {
  lodger_error *error = NULL;
  lodger_blob *blob;
  struct trace trace = {0};
  lodger_agent *agent = new_agent(
      NULL, NULL,
      "{'steps':[{'reply':[{'type':'tool_call','toolName':'structured_output','input':{'n':'1'}}]},"
      "{'reply':[{'type':'tool_call','toolName':'structured_output','input':{'n':1}}]}]}",
      "'outputSchema':{'type':'object','properties':{'n':{'type':'integer'}},'required':['n']}");
  lodger_turn *turn = prompt(agent, "How many?");
  read_all(turn, &trace);
  CHECK(strcmp(trace.reason, "end_turn") == 0);
  CHECK(trace.of_kind[LODGER_EVENT_OUTPUT_REJECTED] == 1);
  EXPECT(LODGER_OK, lodger_turn_result(turn, LIMIT_MS, &blob, &error));
  lodger_bytes bytes = lodger_blob_bytes(blob);
  lodger_str text = {(const char *)bytes.ptr, bytes.len};
  HAS_TEXT("\"structured\":{\"n\":1}", text);
  lodger_blob_free(blob);
  finish(agent, turn);
}

static void a_prompt_may_be_a_list_of_blocks(void) {
  lodger_error *error = NULL;
  lodger_turn *turn;
  struct trace trace = {0};
  lodger_agent *agent = new_agent(
      NULL, NULL, "{'steps':[{'expect':{'lastUserText':'blocks'},'reply':[{'type':'text','text':'ok'}]}]}", NULL);
  lodger_str blocks = lodger_text("[{\"type\":\"text\",\"text\":\"two \"},{\"type\":\"text\",\"text\":\"blocks\"}]");
  EXPECT(LODGER_OK, lodger_agent_prompt(agent, blocks, &turn, &error));
  read_all(turn, &trace);
  CHECK(strcmp(trace.reason, "end_turn") == 0);
  finish(agent, turn);
}

static void cold_verbs_go_by_their_name(void) {
  lodger_error *error = NULL;
  lodger_blob *blob;
  struct trace trace = {0};
  lodger_agent *agent = new_agent(NULL, NULL, says("{'type':'text','text':'Remember me.'}"), NULL);
  lodger_turn *turn = prompt(agent, "hi");
  read_all(turn, &trace);
  EXPECT(LODGER_OK, lodger_agent_call(agent, lodger_text("session/messages"), lodger_text(NULL), &blob, &error));
  lodger_bytes bytes = lodger_blob_bytes(blob);
  lodger_str text = {(const char *)bytes.ptr, bytes.len};
  HAS_TEXT("Remember me.", text);
  lodger_blob_free(blob);
  EXPECT(LODGER_E_UNSUPPORTED, lodger_agent_call(agent, lodger_text("no/such"), lodger_text("{}"), &blob, &error));
  CHECK(blob == NULL);
  finish(agent, turn);
}

static void mode_and_model_can_be_set(void) {
  lodger_error *error = NULL;
  struct trace trace = {0};
  lodger_agent *agent = new_agent(NULL, NULL,
                                  "{'steps':[{'reply':[{'type':'tool_call','toolName':'write_file','input':{'path':'a.txt',"
                                  "'content':'x'}}]},{'reply':[{'type':'text','text':'ok'}]}]}",
                                  NULL);
  EXPECT(LODGER_OK, lodger_agent_set_mode(agent, lodger_text("auto-edit"), &error));
  EXPECT(LODGER_E_INVALID_INPUT, lodger_agent_set_mode(agent, lodger_text("yolo"), &error));
  EXPECT(LODGER_OK, lodger_agent_set_model(agent, lodger_text("scripted/script0.json"), &error));
  lodger_turn *turn = prompt(agent, "write");
  read_all(turn, &trace);
  CHECK(has_file("a.txt"));
  finish(agent, turn);
}

static void another_model_carries_on_and_says_so(void) {
  struct trace trace = {0};
  write_file("other.json", says("{'type':'text','text':'carried on'}"));
  lodger_agent *agent = new_agent(NULL, NULL, "{'steps':[{'fault':{'type':'error','code':'provider_overloaded'}}]}",
                                  "'fallbackModels':['scripted/other.json']");
  lodger_turn *turn = prompt(agent, "hi");
  read_all(turn, &trace);
  CHECK(trace.of_kind[LODGER_EVENT_FALLBACK] == 1 && strcmp(trace.text, "carried on") == 0);
  finish(agent, turn);
}

static void an_own_runtime_serves_agents_until_it_is_shut_down(void) {
  lodger_error *error = NULL;
  lodger_runtime *runtime;
  lodger_turn *turn;
  struct trace trace = {0};
  lodger_runtime_options options = {.size = sizeof options, .worker_threads = 1};
  EXPECT(LODGER_OK, lodger_runtime_new(&options, &runtime, &error));
  lodger_agent *agent = new_agent(runtime, NULL, says("{'type':'text','text':'x'}"), NULL);
  turn = prompt(agent, "hi");
  read_all(turn, &trace);
  lodger_turn_free(turn);
  EXPECT(LODGER_OK, lodger_agent_close(agent, LIMIT_MS, &error));
  EXPECT(LODGER_OK, lodger_runtime_shutdown(runtime, LIMIT_MS, &error));
  await_no_thread();
  EXPECT(LODGER_E_CLOSED, lodger_agent_prompt(agent, lodger_text("\"hi\""), &turn, &error));
  CHECK(turn == NULL);
  lodger_agent_free(agent);
  lodger_runtime_free(runtime);
}

static void shutting_a_runtime_down_ends_its_turns(void) {
  lodger_error *error = NULL;
  lodger_runtime *runtime;
  struct trace trace = {0};
  EXPECT(LODGER_OK, lodger_runtime_new(NULL, &runtime, &error));
  lodger_agent *agent = new_agent(runtime, NULL, says("{'type':'wait','file':'never'}"), NULL);
  lodger_turn *turn = prompt(agent, "hi");
  EXPECT(LODGER_OK, lodger_runtime_shutdown(runtime, LIMIT_MS, &error));
  read_all(turn, &trace);
  CHECK(strcmp(trace.reason, "cancelled") == 0);
  lodger_turn_free(turn);
  lodger_agent_free(agent);
  lodger_runtime_free(runtime);
}

static void an_interrupt_says_whether_something_ran(void) {
  lodger_error *error = NULL;
  bool ran = true;
  struct trace trace = {0};
  lodger_agent *agent = new_agent(NULL, NULL, says("{'type':'wait','file':'never'}"), NULL);
  EXPECT(LODGER_OK, lodger_agent_interrupt(agent, &ran, &error));
  CHECK(!ran);
  lodger_turn *turn = prompt(agent, "hi");
  EXPECT(LODGER_OK, lodger_agent_interrupt(agent, &ran, &error));
  CHECK(ran);
  read_all(turn, &trace);
  CHECK(strcmp(trace.reason, "cancelled") == 0);
  finish(agent, turn);
}

const struct test basics[] = {
    TEST(the_library_says_its_versions),
    TEST(a_prompt_runs_to_its_one_done),
    TEST(events_are_numbered_without_gaps_over_turns),
    TEST(an_event_gives_kind_type_text_fields_and_json),
    TEST(a_result_comes_with_the_end_and_not_before),
    TEST(a_result_holds_the_answer_that_fits_the_schema),
    TEST(a_prompt_may_be_a_list_of_blocks),
    TEST(cold_verbs_go_by_their_name),
    TEST(mode_and_model_can_be_set),
    TEST(another_model_carries_on_and_says_so),
    TEST(an_own_runtime_serves_agents_until_it_is_shut_down),
    TEST(shutting_a_runtime_down_ends_its_turns),
    TEST(an_interrupt_says_whether_something_ran),
    {0},
};
