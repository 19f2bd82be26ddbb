/* Conversations as bytes: taken, kept, damaged, restored. */
#include "check.h"

#include <stdlib.h>

static lodger_blob *checkpoint(const lodger_agent *agent) {
  lodger_error *error = NULL;
  lodger_blob *blob;
  EXPECT(LODGER_OK, lodger_agent_checkpoint(agent, &blob, &error));
  return blob;
}

/* Counts the replies that are there: what a restored agent says shows what it knows. */
static const char *counts(void) {
  return "{'steps':[{'reply':[{'type':'text','text':'one'}],'usage':{'inputTokens':70,'outputTokens':7}},"
         "{'expect':{'lastUserText':'and then'},'reply':[{'type':'text','text':'two'}]}]}";
}

static const char *options(void) {
  write_file("counts.json", json("%s", counts()));
  return json("{'model':'scripted/counts.json','cwd':'%s'}", folder);
}

/* The bytes after one turn. */
static lodger_blob *after_one_turn(void) {
  struct trace trace = {0};
  lodger_agent *agent = new_agent(NULL, NULL, counts(), NULL);
  lodger_turn *turn = prompt(agent, "remember me");
  read_all(turn, &trace);
  lodger_blob *blob = checkpoint(agent);
  finish(agent, turn);
  return blob;
}

static lodger_status restore(lodger_bytes bytes, lodger_agent **agent) {
  return lodger_agent_restore(NULL, bytes, lodger_text(options()), NULL, agent, NULL);
}

static char *call(const lodger_agent *agent, const char *method) {
  lodger_error *error = NULL;
  lodger_blob *blob;
  EXPECT(LODGER_OK, lodger_agent_call(agent, lodger_text(method), lodger_text(""), &blob, &error));
  lodger_bytes bytes = lodger_blob_bytes(blob);
  char *text = (char *)json("%.*s", (int)bytes.len, (const char *)bytes.ptr);
  lodger_blob_free(blob);
  return text;
}

static void a_restored_agent_goes_on_with_history_and_usage(void) {
  lodger_error *error = NULL;
  struct trace trace = {0};
  lodger_agent *agent;
  lodger_runtime *runtime;
  lodger_blob *blob = after_one_turn();
  EXPECT(LODGER_OK, lodger_runtime_new(NULL, &runtime, &error));
  EXPECT(LODGER_OK, lodger_agent_restore(runtime, lodger_blob_bytes(blob), lodger_text(options()), NULL, &agent, &error));
  lodger_blob_free(blob);
  CHECK(strstr(call(agent, "session/messages"), "remember me") != NULL);
  CHECK(strstr(call(agent, "session/usage"), "\"inputTokens\":70") != NULL);
  lodger_turn *turn = prompt(agent, "and then");
  read_all(turn, &trace);
  CHECK(strcmp(trace.text, "two") == 0 && trace.first_seq >= 1);
  finish(agent, turn);
  lodger_runtime_free(runtime);
}

static void one_checkpoint_serves_many_agents_that_are_apart(void) {
  enum { AGENTS = 10 };
  lodger_agent *agents[AGENTS];
  lodger_turn *turns[AGENTS];
  lodger_blob *blob = after_one_turn();
  for (int i = 0; i < AGENTS; i++) {
    CHECK(restore(lodger_blob_bytes(blob), &agents[i]) == LODGER_OK);
    turns[i] = prompt(agents[i], json("and then %d", i));
  }
  lodger_blob_free(blob);
  for (int i = 0; i < AGENTS; i++) {
    struct trace trace = {0};
    read_all(turns[i], &trace);
    CHECK(strcmp(trace.text, "two") == 0);
    const char *messages = call(agents[i], "session/messages");
    CHECK(strstr(messages, json("and then %d", i)) && !strstr(messages, json("and then %d", (i + 1) % AGENTS)));
    finish(agents[i], turns[i]);
  }
}

static void what_becomes_of_the_bytes_after_the_call_changes_nothing(void) {
  struct trace trace = {0};
  lodger_agent *agent;
  lodger_blob *blob = after_one_turn();
  lodger_bytes bytes = lodger_blob_bytes(blob);
  uint8_t *own = malloc(bytes.len);
  CHECK(own != NULL);
  memcpy(own, bytes.ptr, bytes.len);
  lodger_bytes copy = {own, bytes.len};
  CHECK(restore(copy, &agent) == LODGER_OK);
  memset(own, 0xff, bytes.len);
  free(own);
  lodger_blob_free(blob);
  CHECK(strstr(call(agent, "session/messages"), "remember me") != NULL);
  lodger_turn *turn = prompt(agent, "and then");
  read_all(turn, &trace);
  CHECK(strcmp(trace.text, "two") == 0);
  finish(agent, turn);
}

/* A refusal that says so, and no agent. */
static bool refused(lodger_bytes bytes) {
  lodger_agent *agent = (lodger_agent *)1;
  lodger_status status = restore(bytes, &agent);
  return agent == NULL && (status == LODGER_E_CHECKPOINT_CORRUPT || status == LODGER_E_CHECKPOINT_UNSUPPORTED ||
                           status == LODGER_E_CHECKPOINT_INVALID || status == LODGER_E_CHECKPOINT_TOO_LARGE);
}

static void every_change_of_a_single_byte_is_refused_with_a_code(void) {
  static const uint8_t changes[] = {0x01, 0x20, 0x80, 0xff};
  lodger_blob *blob = after_one_turn();
  lodger_bytes bytes = lodger_blob_bytes(blob);
  uint8_t *damaged = malloc(bytes.len);
  CHECK(damaged != NULL && bytes.len > 50);
  memcpy(damaged, bytes.ptr, bytes.len);
  lodger_bytes view = {damaged, bytes.len};
  for (size_t at = 0; at < bytes.len; at += many(100) >= 100 ? 1 : 7)
    for (size_t i = 0; i < sizeof changes; i++) {
      damaged[at] ^= changes[i];
      if (!refused(view))
        check_failed(__FILE__, __LINE__, "a damaged byte was accepted", json("byte %zu, change %d", at, changes[i]));
      damaged[at] ^= changes[i];
    }
  lodger_agent *agent;
  CHECK(restore(view, &agent) == LODGER_OK); /* the damage was all that was wrong */
  finish(agent, NULL);
  free(damaged);
  lodger_blob_free(blob);
}

static void too_few_and_too_many_bytes_are_refused(void) {
  lodger_error *error = NULL;
  lodger_agent *agent;
  lodger_blob *blob = after_one_turn();
  lodger_bytes bytes = lodger_blob_bytes(blob);
  for (size_t len = 0; len < bytes.len; len++) {
    /* Memory of its own, so that reading past the end is seen by those who watch. */
    uint8_t *start = malloc(len ? len : 1);
    CHECK(start != NULL);
    memcpy(start, bytes.ptr, len);
    lodger_bytes cut = {start, len};
    CHECK(refused(cut));
    free(start);
  }
  uint8_t *longer = calloc(1, bytes.len + 1);
  CHECK(longer != NULL);
  memcpy(longer, bytes.ptr, bytes.len);
  lodger_bytes more = {longer, bytes.len + 1};
  CHECK(refused(more));
  free(longer);
  lodger_bytes nothing = {NULL, 5};
  EXPECT(LODGER_E_INVALID_INPUT, lodger_agent_restore(NULL, nothing, lodger_text(options()), NULL, &agent, &error));
  EXPECT(LODGER_E_INVALID_INPUT, lodger_agent_restore(NULL, bytes, lodger_text(options()), NULL, NULL, &error));
  lodger_blob_free(blob);
}

static void a_checkpoint_is_taken_between_turns_of_an_open_agent(void) {
  lodger_error *error = NULL;
  lodger_blob *blob;
  lodger_agent *agent = new_agent(NULL, NULL, says("{'type':'wait','file':'go'}"), NULL);
  lodger_blob_free(checkpoint(agent)); /* of nothing yet */
  lodger_turn *turn = prompt(agent, "hi");
  EXPECT(LODGER_E_SESSION_BUSY, lodger_agent_checkpoint(agent, &blob, &error));
  CHECK(blob == NULL);
  EXPECT(LODGER_E_INVALID_INPUT, lodger_agent_checkpoint(NULL, &blob, &error));
  EXPECT(LODGER_E_INVALID_INPUT, lodger_agent_checkpoint(agent, NULL, &error));
  EXPECT(LODGER_OK, lodger_agent_close(agent, LIMIT_MS, &error));
  EXPECT(LODGER_E_CLOSED, lodger_agent_checkpoint(agent, &blob, &error));
  finish(agent, turn);
}

static void a_checkpoint_holds_no_key_and_no_option(void) {
  struct trace trace = {0};
  lodger_agent *agent = new_wire_agent(NULL, "{'steps':[{'reply':[{'type':'text','text':'hello'}]}]}");
  lodger_turn *turn = prompt(agent, "hi");
  read_all(turn, &trace);
  CHECK(strcmp(trace.text, "hello") == 0);
  lodger_blob *blob = checkpoint(agent);
  lodger_bytes bytes = lodger_blob_bytes(blob);
  for (size_t at = 0; at + 15 <= bytes.len; at++)
    CHECK(memcmp(bytes.ptr + at, "key-of-the-test", 15) != 0 && memcmp(bytes.ptr + at, "http://127.0.0.", 15) != 0);
  lodger_blob_free(blob);
  finish(agent, turn);
  stop_server();
}

const struct test checkpoints[] = {
    TEST(a_restored_agent_goes_on_with_history_and_usage),
    TEST(one_checkpoint_serves_many_agents_that_are_apart),
    TEST(what_becomes_of_the_bytes_after_the_call_changes_nothing),
    TEST(every_change_of_a_single_byte_is_refused_with_a_code),
    TEST(too_few_and_too_many_bytes_are_refused),
    TEST(a_checkpoint_is_taken_between_turns_of_an_open_agent),
    TEST(a_checkpoint_holds_no_key_and_no_option),
    {0},
};
