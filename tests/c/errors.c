/* Whatever a host does wrong is a status, never a crash. */
#include "check.h"

static void a_misspelt_option_names_the_likely_word(void) {
  lodger_error *error = NULL;
  lodger_agent *agent = (lodger_agent *)&error; /* stale on purpose: a failed call must clear it */
  lodger_status status = lodger_agent_create(NULL, lodger_text("{\"modle\":\"a/b\"}"), NULL, &agent, &error);
  CHECK(status == LODGER_E_INVALID_OPTIONS && agent == NULL);
  SAME_TEXT("invalid_options", lodger_error_code(error));
  HAS_TEXT("\"model\"", lodger_error_message(error));
  HAS_TEXT("\"code\":\"invalid_options\"", lodger_error_json(error));
  CHECK(lodger_error_status(error) == LODGER_E_INVALID_OPTIONS);
  lodger_error_free(error);
}

static void an_error_object_is_optional(void) {
  lodger_agent *agent;
  CHECK(lodger_agent_create(NULL, lodger_text("{}"), NULL, &agent, NULL) == LODGER_E_INVALID_OPTIONS);
}

static void every_status_has_a_name(void) {
  CHECK(strcmp(lodger_status_name(LODGER_OK), "ok") == 0);
  CHECK(strcmp(lodger_status_name(LODGER_AGAIN), "again") == 0);
  CHECK(strcmp(lodger_status_name(LODGER_END), "end") == 0);
  CHECK(strcmp(lodger_status_name(LODGER_E_SESSION_BUSY), "session_busy") == 0);
  CHECK(strcmp(lodger_status_name(LODGER_E_ABI_MISMATCH), "abi_mismatch") == 0);
  CHECK(strcmp(lodger_status_name(-123456), "unknown") == 0);
}

static void wake(void *ctx) { (void)ctx; }
static void ended(void *ctx, lodger_status status) { (void)ctx, (void)status; }

static void null_is_a_status_everywhere(void) {
  lodger_error *error = NULL;
  lodger_str text = lodger_text("x"), none = {NULL, 5};
  lodger_agent *agent;
  lodger_turn *turn;
  lodger_blob *blob;
  lodger_event *event;
  lodger_mailbox *mailbox;
  uint64_t key;
  size_t count;
  const lodger_status bad = LODGER_E_INVALID_INPUT;

  EXPECT(bad, lodger_runtime_new(NULL, NULL, &error));
  EXPECT(bad, lodger_runtime_shutdown(NULL, 0, &error));
  EXPECT(bad, lodger_agent_create(NULL, text, NULL, NULL, &error));
  EXPECT(bad, lodger_agent_create(NULL, none, NULL, &agent, &error));
  EXPECT(bad, lodger_agent_prompt(NULL, text, &turn, &error));
  EXPECT(bad, lodger_agent_answer(NULL, text, text, &error));
  EXPECT(bad, lodger_agent_fail_request(NULL, text, text, &error));
  EXPECT(bad, lodger_agent_progress(NULL, text, text, &error));
  EXPECT(bad, lodger_agent_interrupt(NULL, NULL, &error));
  EXPECT(bad, lodger_agent_set_mode(NULL, text, &error));
  EXPECT(bad, lodger_agent_set_model(NULL, text, &error));
  EXPECT(bad, lodger_agent_call(NULL, text, text, &blob, &error));
  EXPECT(bad, lodger_agent_close(NULL, 0, &error));
  EXPECT(bad, lodger_agent_begin_close(NULL, 0, ended, NULL, NULL, &error));
  EXPECT(bad, lodger_turn_read(NULL, &event, 1, &count, 0, &error));
  EXPECT(bad, lodger_turn_set_waker(NULL, wake, NULL, NULL, &error));
  EXPECT(bad, lodger_turn_cancel(NULL, &error));
  EXPECT(bad, lodger_turn_result(NULL, 0, &blob, &error));
  EXPECT(bad, lodger_request_on_settled(NULL, wake, NULL, NULL, &error));
  EXPECT(bad, lodger_request_progress(NULL, text, &error));
  EXPECT(bad, lodger_request_answer(NULL, text, &error));
  EXPECT(bad, lodger_request_allow(NULL, &error));
  EXPECT(bad, lodger_request_deny(NULL, text, &error));
  EXPECT(bad, lodger_request_fail(NULL, text, &error));
  EXPECT(bad, lodger_mailbox_new(NULL, NULL, NULL, &mailbox, &error));
  EXPECT(bad, lodger_mailbox_new(wake, NULL, NULL, NULL, &error));
  EXPECT(bad, lodger_mailbox_attach(NULL, NULL, 1, &error));
  EXPECT(bad, lodger_mailbox_take(NULL, &key, 1, &count, &error));

  CHECK(lodger_error_status(NULL) == LODGER_OK && lodger_error_code(NULL).ptr == NULL);
  CHECK(lodger_error_message(NULL).ptr == NULL && lodger_error_json(NULL).ptr == NULL);
  CHECK(lodger_blob_bytes(NULL).ptr == NULL && lodger_agent_session_id(NULL).ptr == NULL);
  CHECK(lodger_event_kind(NULL) == 0 && lodger_event_seq(NULL) == 0 && lodger_event_type(NULL).ptr == NULL);
  CHECK(lodger_event_text(NULL).ptr == NULL && lodger_event_json(NULL).ptr == NULL);
  CHECK(lodger_event_field(NULL, text).ptr == NULL);
  CHECK(lodger_request_kind(NULL) == 0 && lodger_request_id(NULL).ptr == NULL);
  CHECK(lodger_request_json(NULL).ptr == NULL && lodger_request_field(NULL, text).ptr == NULL);
  CHECK(lodger_request_settled(NULL));

  lodger_runtime_free(NULL);
  lodger_agent_free(NULL);
  lodger_turn_free(NULL);
  lodger_event_free(NULL);
  lodger_request_free(NULL);
  lodger_mailbox_free(NULL);
  lodger_blob_free(NULL);
  lodger_error_free(NULL);
}

static void null_beside_a_good_handle_is_a_status_too(void) {
  lodger_error *error = NULL;
  lodger_str text = lodger_text("x"), none = {NULL, 5};
  lodger_event *event;
  lodger_blob *blob;
  lodger_mailbox *mailbox;
  uint64_t key;
  size_t count;
  const lodger_status bad = LODGER_E_INVALID_INPUT;
  lodger_agent *agent = new_agent(NULL, NULL, says("{'type':'wait','file':'go'}"), NULL);
  lodger_turn *turn = prompt(agent, "hi");

  EXPECT(bad, lodger_agent_prompt(agent, text, NULL, &error));
  EXPECT(bad, lodger_agent_answer(agent, none, text, &error));
  EXPECT(bad, lodger_agent_answer(agent, text, none, &error));
  EXPECT(bad, lodger_agent_fail_request(agent, none, text, &error));
  EXPECT(bad, lodger_agent_fail_request(agent, text, none, &error));
  EXPECT(bad, lodger_agent_progress(agent, none, text, &error));
  EXPECT(bad, lodger_agent_progress(agent, text, none, &error));
  EXPECT(bad, lodger_agent_set_mode(agent, none, &error));
  EXPECT(bad, lodger_agent_set_model(agent, none, &error));
  EXPECT(bad, lodger_agent_call(agent, none, text, &blob, &error));
  EXPECT(bad, lodger_agent_call(agent, text, text, NULL, &error));
  EXPECT(bad, lodger_agent_close(agent, -1, &error));
  EXPECT(bad, lodger_agent_begin_close(agent, -1, ended, NULL, NULL, &error));
  EXPECT(bad, lodger_agent_begin_close(agent, 0, NULL, NULL, NULL, &error));
  EXPECT(bad, lodger_turn_read(turn, NULL, 1, &count, 0, &error));
  EXPECT(bad, lodger_turn_read(turn, &event, 0, &count, 0, &error));
  EXPECT(bad, lodger_turn_read(turn, &event, 1, NULL, 0, &error));
  EXPECT(bad, lodger_turn_read(turn, &event, 1, &count, -2, &error));
  EXPECT(bad, lodger_turn_set_waker(turn, NULL, NULL, NULL, &error));
  EXPECT(bad, lodger_turn_result(turn, 0, NULL, &error));
  EXPECT(LODGER_OK, lodger_mailbox_new(wake, NULL, NULL, &mailbox, &error));
  EXPECT(bad, lodger_mailbox_attach(mailbox, NULL, 1, &error));
  EXPECT(bad, lodger_mailbox_take(mailbox, NULL, 1, &count, &error));
  EXPECT(bad, lodger_mailbox_take(mailbox, &key, 0, &count, &error));
  EXPECT(bad, lodger_mailbox_take(mailbox, &key, 1, NULL, &error));
  lodger_mailbox_free(mailbox);
  finish(agent, turn);
}

static void text_that_is_not_utf8_is_refused(void) {
  lodger_error *error = NULL;
  lodger_agent *agent;
  lodger_status status = lodger_agent_create(NULL, lodger_text("{\"model\":\"\xff\"}"), NULL, &agent, &error);
  CHECK(status == LODGER_E_INVALID_INPUT);
  HAS_TEXT("`options_json` is not UTF-8", lodger_error_message(error));
  lodger_error_free(error);
}

static void a_malformed_prompt_starts_nothing(void) {
  lodger_error *error = NULL;
  lodger_turn *turn;
  lodger_agent *agent = new_agent(NULL, NULL, says("{'type':'text','text':'x'}"), NULL);
  EXPECT(LODGER_E_INVALID_INPUT, lodger_agent_prompt(agent, lodger_text("no JSON"), &turn, &error));
  EXPECT(LODGER_E_INVALID_INPUT, lodger_agent_prompt(agent, lodger_text("{\"text\":1}"), &turn, &error));
  CHECK(turn == NULL);
  finish(agent, prompt(agent, "still idle"));
}

static void a_second_prompt_is_refused_while_the_first_runs(void) {
  lodger_error *error = NULL;
  lodger_turn *second;
  lodger_agent *agent = new_agent(NULL, NULL, says("{'type':'wait','file':'go'}"), NULL);
  lodger_turn *turn = prompt(agent, "hi");
  EXPECT(LODGER_E_SESSION_BUSY, lodger_agent_prompt(agent, lodger_text("\"again\""), &second, &error));
  finish(agent, turn);
}

static void a_closed_agent_says_so(void) {
  lodger_error *error = NULL;
  lodger_turn *turn;
  lodger_agent *agent = new_agent(NULL, NULL, says("{'type':'text','text':'x'}"), NULL);
  EXPECT(LODGER_OK, lodger_agent_close(agent, LIMIT_MS, &error));
  EXPECT(LODGER_OK, lodger_agent_close(agent, LIMIT_MS, &error));
  EXPECT(LODGER_E_CLOSED, lodger_agent_prompt(agent, lodger_text("\"hi\""), &turn, &error));
  EXPECT(LODGER_E_CLOSED, lodger_agent_set_mode(agent, lodger_text("plan"), &error));
  lodger_agent_free(agent);
}

static void a_failed_turn_ends_in_done_with_its_error(void) {
  struct trace trace = {0};
  lodger_agent *agent = new_agent(
      NULL, NULL, "{'steps':[{'fault':{'type':'error','code':'provider_auth'}}]}", NULL);
  lodger_turn *turn = prompt(agent, "hi");
  read_all(turn, &trace);
  CHECK(strcmp(trace.reason, "error") == 0);
  CHECK(strcmp(trace.error_code, "provider_auth") == 0);
  finish(agent, turn);
}

static void a_panic_ends_the_turn_and_the_agent_goes_on(void) {
  struct trace first = {0}, second = {0};
  lodger_agent *agent = new_agent(
      NULL, NULL, "{'after':'loop','steps':[{'fault':{'type':'panic'}}]}", NULL);
  lodger_turn *turn = prompt(agent, "fall over");
  read_all(turn, &first);
  CHECK(strcmp(first.reason, "error") == 0);
  CHECK(strcmp(first.error_code, "internal_panic") == 0);
  lodger_turn_free(turn);
  lodger_error *error = NULL;
  const char *script = says("{'type':'text','text':'Fine again.'}");
  write_file("sound.json", json("{'after':'last',%s", script + 1));
  EXPECT(LODGER_OK, lodger_agent_set_model(agent, lodger_text("scripted/sound.json"), &error));
  turn = prompt(agent, "and now");
  read_all(turn, &second);
  CHECK(strcmp(second.text, "Fine again.") == 0);
  finish(agent, turn);
}

static int drops;
static void drop(void *ctx) {
  CHECK(ctx == &drops);
  drops++;
}

static void a_context_is_dropped_once_also_when_the_call_fails(void) {
  lodger_error *error = NULL;
  lodger_agent *agent;
  lodger_mailbox *mailbox;
  lodger_host host = {.size = sizeof host, .ctx = &drops, .drop = drop};
  EXPECT(LODGER_E_INVALID_OPTIONS, lodger_agent_create(NULL, lodger_text("{}"), &host, &agent, &error));
  CHECK(drops == 1);
  EXPECT(LODGER_E_INVALID_INPUT, lodger_agent_create(NULL, lodger_text("{}"), &host, NULL, &error));
  CHECK(drops == 2);
  EXPECT(LODGER_E_INVALID_INPUT, lodger_turn_set_waker(NULL, wake, &drops, drop, &error));
  CHECK(drops == 3);
  EXPECT(LODGER_E_INVALID_INPUT, lodger_mailbox_new(NULL, &drops, drop, &mailbox, &error));
  CHECK(drops == 4);
  EXPECT(LODGER_E_INVALID_INPUT, lodger_request_on_settled(NULL, wake, &drops, drop, &error));
  CHECK(drops == 5);
  EXPECT(LODGER_OK, lodger_mailbox_new(wake, &drops, drop, &mailbox, &error));
  lodger_mailbox_free(mailbox);
  CHECK(drops == 6);
  agent = new_agent(NULL, &host, says("{'type':'text','text':'x'}"), NULL);
  finish(agent, NULL);
  CHECK(drops == 7);
  lodger_runtime *runtime;
  lodger_runtime_options options = {.size = sizeof options, .thread_ctx = &drops, .thread_drop = drop};
  EXPECT(LODGER_E_INVALID_INPUT, lodger_runtime_new(&options, NULL, &error));
  CHECK(drops == 8);
  EXPECT(LODGER_OK, lodger_runtime_new(&options, &runtime, &error));
  EXPECT(LODGER_OK, lodger_runtime_shutdown(runtime, LIMIT_MS, &error));
  lodger_runtime_free(runtime);
  CHECK(drops == 9);
}

static void a_struct_of_a_newer_header_must_be_zero_where_it_is_unknown(void) {
  lodger_error *error = NULL;
  lodger_runtime *runtime;
  lodger_agent *agent;
  struct {
    lodger_runtime_options options;
    uint64_t later;
  } newer = {{.size = sizeof newer}, 0};
  EXPECT(LODGER_OK, lodger_runtime_new(&newer.options, &runtime, &error));
  lodger_runtime_free(runtime);
  newer.later = 1;
  EXPECT(LODGER_E_ABI_MISMATCH, lodger_runtime_new(&newer.options, &runtime, &error));
  CHECK(runtime == NULL);
  lodger_host host = {.size = 0};
  EXPECT(LODGER_E_ABI_MISMATCH, lodger_agent_create(NULL, lodger_text("{}"), &host, &agent, &error));
}

const struct test errors[] = {
    TEST(a_misspelt_option_names_the_likely_word),
    TEST(an_error_object_is_optional),
    TEST(every_status_has_a_name),
    TEST(null_is_a_status_everywhere),
    TEST(null_beside_a_good_handle_is_a_status_too),
    TEST(text_that_is_not_utf8_is_refused),
    TEST(a_malformed_prompt_starts_nothing),
    TEST(a_second_prompt_is_refused_while_the_first_runs),
    TEST(a_closed_agent_says_so),
    TEST(a_failed_turn_ends_in_done_with_its_error),
    TEST(a_panic_ends_the_turn_and_the_agent_goes_on),
    TEST(a_context_is_dropped_once_also_when_the_call_fails),
    TEST(a_struct_of_a_newer_header_must_be_zero_where_it_is_unknown),
    {0},
};
