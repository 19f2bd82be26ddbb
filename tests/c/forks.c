/* A process that forks and goes on without exec. */
#include "courier.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int drops;
static void dropped(void *ctx) {
  (void)ctx;
  drops++;
}

static void refuse(void *ctx, lodger_request *request) {
  (void)ctx;
  lodger_request_free(request);
}

static int kept;
static lodger_fetch *fetch;
static lodger_token_request *wanted;

static void keep_fetch(void *ctx, lodger_fetch *asked) {
  (void)ctx;
  fetch = asked;
  count_up(&kept);
}

static void keep_wanted(void *ctx, lodger_token_request *asked) {
  (void)ctx;
  wanted = asked;
  CHECK(lodger_token_request_issue(wanted, lodger_text("token"), 0, NULL) == LODGER_OK);
}

static void ended(void *ctx, lodger_status status) { (void)ctx, (void)status; }

static lodger_flow hear(void *ctx, lodger_event *event) {
  (void)ctx;
  lodger_event_free(event);
  return LODGER_FLOW_CONTINUE;
}

/* Runs the rest of the test in a child, and passes when that does. */
static bool in_child(void) {
  int status;
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0)
    return true;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return false;
}

static void inherited_handles_say_that_they_were_forked(void) {
  lodger_error *error = NULL;
  lodger_runtime *runtime;
  lodger_mailbox *mailbox;
  lodger_event *event, *other;
  lodger_blob *blob;
  lodger_turn *turn, *second;
  lodger_waitable descriptor;
  size_t count;
  struct trace trace = {0};
  const lodger_status forked = LODGER_E_FORKED;
  EXPECT(LODGER_OK, lodger_runtime_new(NULL, &runtime, &error));
  lodger_host host = {.size = sizeof host, .drop = dropped, .on_request = refuse};
  lodger_agent *agent = new_agent(runtime, &host, says("{'type':'wait','file':'go'},{'type':'text','text':'x'}"), NULL);
  turn = prompt(agent, "hi");
  EXPECT(LODGER_OK, lodger_mailbox_new(dropped, NULL, NULL, &mailbox, &error));
  EXPECT(LODGER_OK, lodger_turn_read(turn, &event, 1, &count, LIMIT_MS, &error));
  EXPECT(LODGER_OK, lodger_turn_waitable(turn, &descriptor, &error));
  if (in_child()) {
    EXPECT(forked, lodger_agent_prompt(agent, lodger_text("\"hi\""), &second, &error));
    EXPECT(forked, lodger_agent_answer(agent, lodger_text("x"), lodger_text("{}"), &error));
    EXPECT(forked, lodger_agent_fail_request(agent, lodger_text("x"), lodger_text("x"), &error));
    EXPECT(forked, lodger_agent_progress(agent, lodger_text("x"), lodger_text("x"), &error));
    EXPECT(forked, lodger_agent_interrupt(agent, NULL, &error));
    EXPECT(forked, lodger_agent_set_mode(agent, lodger_text("ask"), &error));
    EXPECT(forked, lodger_agent_call(agent, lodger_text("health"), lodger_text(""), &blob, &error));
    EXPECT(forked, lodger_agent_checkpoint(agent, &blob, &error));
    EXPECT(forked, lodger_agent_close(agent, 1000, &error));
    EXPECT(forked, lodger_agent_begin_close(agent, 1000, ended, NULL, NULL, &error));
    EXPECT(forked, lodger_turn_read(turn, &other, 1, &count, -1, &error));
    EXPECT(forked, lodger_turn_waitable(turn, &descriptor, &error));
    EXPECT(forked, lodger_turn_set_listener(turn, hear, NULL, NULL, &error));
    EXPECT(forked, lodger_turn_resume(turn, &error));
    EXPECT(forked, lodger_turn_cancel(turn, &error));
    EXPECT(forked, lodger_turn_result(turn, -1, &blob, &error));
    EXPECT(forked, lodger_mailbox_attach(mailbox, turn, 1, &error));
    EXPECT(forked, lodger_runtime_shutdown(runtime, 1000, &error));
    CHECK(lodger_agent_session_id(agent).len > 0);
    HAS_TEXT("user_message", lodger_event_json(event)); /* what is only memory can still be read */
    lodger_event_free(event);
    lodger_mailbox_free(mailbox);
    lodger_turn_free(turn);
    lodger_agent_free(agent);
    lodger_runtime_free(runtime);
    CHECK(drops == 0);
    _exit(0);
  }
  /* The parent's turn went on all the while. */
  write_file("go", "");
  read_all(turn, &trace);
  CHECK(strcmp(trace.text, "x") == 0);
  lodger_event_free(event);
  lodger_mailbox_free(mailbox);
  finish(agent, turn);
  lodger_runtime_free(runtime);
}

static void what_a_host_carries_stays_with_the_parent(void) {
  lodger_error *error = NULL;
  lodger_agent *agent;
  const lodger_status forked = LODGER_E_FORKED;
  struct trace trace = {0};
  lodger_host host = {.size = sizeof host, .drop = dropped, .on_token = keep_wanted, .on_fetch = keep_fetch};
  lodger_str options = lodger_text(json("{'model':'anthropic/mock','endpoint':{'kind':'anthropic','baseUrl':'https://model.test'}}"));
  EXPECT(LODGER_OK, lodger_agent_create(NULL, options, &host, &agent, &error));
  lodger_turn *turn = prompt(agent, "hi");
  await_count(&kept, 1);
  if (in_child()) {
    EXPECT(forked, lodger_fetch_respond(fetch, 200, lodger_text(""), &error));
    EXPECT(forked, lodger_fetch_push(fetch, bytes_of("x"), -1, &error));
    EXPECT(forked, lodger_fetch_end(fetch, &error));
    EXPECT(forked, lodger_fetch_fail(fetch, lodger_text("x"), &error));
    EXPECT(forked, lodger_fetch_set_waker(fetch, dropped, NULL, NULL, &error));
    EXPECT(forked, lodger_token_request_issue(wanted, lodger_text("x"), 0, &error));
    EXPECT(forked, lodger_token_request_fail(wanted, lodger_text("x"), &error));
    CHECK(lodger_fetch_settled(fetch));
    SAME_TEXT("POST", lodger_fetch_method(fetch)); /* what is only memory can still be read */
    SAME_TEXT("https://model.test", lodger_token_request_audience(wanted));
    lodger_token_request_free(wanted);
    lodger_fetch_free(fetch);
    lodger_turn_free(turn);
    lodger_agent_free(agent);
    CHECK(drops == 0);
    _exit(0);
  }
  CHECK(!lodger_fetch_settled(fetch));
  answer_with(fetch, 200, "of the parent");
  read_all(turn, &trace);
  CHECK(strcmp(trace.text, "of the parent") == 0);
  lodger_token_request_free(wanted);
  lodger_fetch_free(fetch);
  finish(agent, turn);
}

static void a_child_can_have_agents_of_its_own(void) {
  lodger_host host = {.size = sizeof host, .drop = dropped, .on_request = refuse};
  const char *script = "{'after':'last','steps':[{'reply':[{'type':'tool_call','toolName':'write_file','input':"
                       "{'path':'a.txt','content':'x'}}]},{'reply':[{'type':'text','text':'ok'}]}]}";
  lodger_agent *agent = new_agent(NULL, &host, script, NULL);
  lodger_turn *turn = prompt(agent, "hi");
  struct trace trace = {0}, in_between = {0};
  read_all(turn, &trace);
  if (in_child()) {
    lodger_agent *own = new_agent(NULL, &host, script, NULL);
    lodger_turn *own_turn = prompt(own, "hi");
    read_all(own_turn, &in_between);
    CHECK(strcmp(in_between.outcome, "failed") == 0 && strcmp(in_between.text, "ok") == 0);
    finish(own, own_turn);
    CHECK(drops == 1); /* its own, not the parent's */
    _exit(0);
  }
  lodger_turn_free(turn);
  finish(agent, prompt(agent, "the parent goes on"));
  CHECK(drops == 1);
}

static void a_child_of_a_process_without_agents_is_free(void) {
  if (in_child()) {
    struct trace trace = {0};
    lodger_agent *agent = new_agent(NULL, NULL, says("{'type':'text','text':'x'}"), NULL);
    lodger_turn *turn = prompt(agent, "hi");
    read_all(turn, &trace);
    finish(agent, turn);
    _exit(0);
  }
}

const struct test forks[] = {
    TEST(inherited_handles_say_that_they_were_forked),
    TEST(what_a_host_carries_stays_with_the_parent),
    TEST(a_child_can_have_agents_of_its_own),
    TEST(a_child_of_a_process_without_agents_is_free),
    {0},
};
