/* Tokens for providers, which the host makes. */
#define _GNU_SOURCE
#include "courier.h"

#include <pthread.h>
#include <stdlib.h>

/* A vault in one struct: what it does when a token is wanted, and what it saw. */
struct vault {
  void (*act)(struct vault *, lodger_token_request *);
  lodger_token_request *kept;
  int wanted, refuses; /* how many were wanted; how many requests are refused before one is answered */
  int fetches, dropped;
  char sent[64];       /* the last token that a request brought */
};

static void on_token(void *ctx, lodger_token_request *wanted) {
  struct vault *vault = ctx;
  vault->kept = wanted;
  vault->act(vault, wanted);
  count_up(&vault->wanted);
}

/* The model: looks at the token. */
static void on_fetch(void *ctx, lodger_fetch *fetch) {
  struct vault *vault = ctx;
  const char *headers = json("%.*s", LODGER_ARG(lodger_fetch_headers(fetch))), *name = "authorization: Bearer ";
  const char *token = strstr(headers, name);
  CHECK(token != NULL && !strstr(headers, "x-api-key"));
  token += strlen(name);
  snprintf(vault->sent, sizeof vault->sent, "%.*s", (int)strcspn(token, "\r"), token);
  answer_with(fetch, vault->refuses-- > 0 ? 401 : 200, "ok");
  lodger_fetch_free(fetch);
  count_up(&vault->fetches);
}

static void on_drop(void *ctx) { count_up(&((struct vault *)ctx)->dropped); }

static lodger_status create(struct vault *vault, const char *more, lodger_agent **agent, lodger_error **error) {
  lodger_host host = {.size = sizeof host, .ctx = vault, .drop = on_drop, .on_token = on_token, .on_fetch = on_fetch};
  const char *options = json("{'model':'anthropic/mock','limits':{'maxRetries':0},"
                             "'endpoint':{'kind':'anthropic','baseUrl':'https://model.test'}%s}", more);
  return lodger_agent_create(NULL, lodger_text(options), &host, agent, error);
}

static lodger_agent *new_vaulted(struct vault *vault) {
  lodger_error *error = NULL;
  lodger_agent *agent;
  EXPECT(LODGER_OK, create(vault, "", &agent, &error));
  return agent;
}

static struct trace play(const lodger_agent *agent) {
  struct trace trace = {0};
  lodger_turn *turn = prompt(agent, "hi");
  read_all(turn, &trace);
  lodger_turn_free(turn);
  return trace;
}

static void issue(struct vault *vault, lodger_token_request *wanted) {
  lodger_error *error = NULL;
  char token[32];
  SAME_TEXT("https://model.test", lodger_token_request_audience(wanted));
  snprintf(token, sizeof token, "token-%d", vault->wanted + 1);
  EXPECT(LODGER_OK, lodger_token_request_issue(wanted, lodger_text(token), 0, &error));
  memset(token, '?', sizeof token); /* the library has a copy of its own */
  lodger_token_request_free(wanted);
}

static void a_token_is_made_when_one_is_needed_for_its_server_and_kept(void) {
  struct vault vault = {.act = issue};
  lodger_agent *agent = new_vaulted(&vault);
  CHECK(count_of(&vault.wanted) == 0);
  for (int i = 0; i < 2; i++)
    CHECK(strcmp(play(agent).text, "ok") == 0);
  CHECK(strcmp(vault.sent, "token-1") == 0);
  finish(agent, NULL);
  CHECK(vault.wanted == 1 && vault.fetches == 2 && vault.dropped == 1);
}

static void a_token_that_is_refused_is_made_anew_once(void) {
  struct vault vault = {.act = issue, .refuses = 1};
  lodger_agent *agent = new_vaulted(&vault);
  CHECK(strcmp(play(agent).text, "ok") == 0);
  CHECK(strcmp(vault.sent, "token-2") == 0 && count_of(&vault.wanted) == 2);
  vault.refuses = 2;
  CHECK(strcmp(play(agent).error_code, "provider_auth") == 0);
  finish(agent, NULL);
  CHECK(vault.wanted == 3 && vault.fetches == 4);
}

static void issue_for_a_moment(struct vault *vault, lodger_token_request *wanted) {
  lodger_error *error = NULL;
  const char *token = json("token-%d", vault->wanted + 1);
  EXPECT(LODGER_OK, lodger_token_request_issue(wanted, lodger_text(token), 1, &error));
  lodger_token_request_free(wanted);
}

static void a_token_that_is_over_is_made_anew_for_the_next_request(void) {
  struct vault vault = {.act = issue_for_a_moment};
  lodger_agent *agent = new_vaulted(&vault);
  for (int i = 1; i <= 3; i++) {
    CHECK(strcmp(play(agent).text, "ok") == 0);
    CHECK(strcmp(vault.sent, json("token-%d", i)) == 0);
  }
  finish(agent, NULL);
}

static void keep(struct vault *vault, lodger_token_request *wanted) { vault->kept = wanted; }

static void *issue_late(void *ctx) {
  struct vault *vault = ctx;
  await_count(&vault->wanted, 1);
  sleep_ms(50);
  CHECK(lodger_token_request_issue(vault->kept, lodger_text("late"), 0, NULL) == LODGER_OK);
  lodger_token_request_free(vault->kept);
  return NULL;
}

static void another_thread_gives_the_token_long_after_the_callback(void) {
  struct vault vault = {.act = keep};
  pthread_t thread;
  lodger_agent *agent = new_vaulted(&vault);
  CHECK(pthread_create(&thread, NULL, issue_late, &vault) == 0);
  CHECK(strcmp(play(agent).text, "ok") == 0 && strcmp(vault.sent, "late") == 0);
  pthread_join(thread, NULL);
  finish(agent, NULL);
}

static void fail(struct vault *vault, lodger_token_request *wanted) {
  lodger_error *error = NULL;
  (void)vault;
  EXPECT(LODGER_OK, lodger_token_request_fail(wanted, lodger_text("the vault is locked"), &error));
  EXPECT(LODGER_E_REQUEST_SETTLED, lodger_token_request_issue(wanted, lodger_text("late"), 0, &error));
  lodger_token_request_free(wanted);
}

static void forget(struct vault *vault, lodger_token_request *wanted) {
  (void)vault;
  lodger_token_request_free(wanted);
}

static void issue_nothing(struct vault *vault, lodger_token_request *wanted) {
  lodger_error *error = NULL;
  (void)vault;
  EXPECT(LODGER_E_INVALID_INPUT, lodger_token_request_issue(wanted, (lodger_str){"\xff", 1}, 0, &error));
  EXPECT(LODGER_E_INVALID_INPUT, lodger_token_request_issue(wanted, (lodger_str){NULL, 1}, 0, &error));
  EXPECT(LODGER_OK, lodger_token_request_issue(wanted, lodger_text(" "), 0, &error));
  lodger_token_request_free(wanted);
}

static void without_a_token_a_turn_fails_and_the_agent_can_go_on(void) {
  void (*const ways[])(struct vault *, lodger_token_request *) = {fail, forget, issue_nothing};
  struct vault vault = {0};
  lodger_agent *agent = new_vaulted(&vault);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    vault.act = ways[i];
    CHECK(strcmp(play(agent).error_code, "provider_auth") == 0);
  }
  vault.act = issue;
  CHECK(strcmp(play(agent).text, "ok") == 0);
  finish(agent, NULL);
  CHECK(vault.wanted == 4 && vault.fetches == 1);
}

static void issue_twice(struct vault *vault, lodger_token_request *wanted) {
  lodger_error *error = NULL;
  (void)vault;
  EXPECT(LODGER_OK, lodger_token_request_issue(wanted, lodger_text("first"), 0, &error));
  EXPECT(LODGER_E_REQUEST_SETTLED, lodger_token_request_issue(wanted, lodger_text("second"), 0, &error));
  EXPECT(LODGER_E_REQUEST_SETTLED, lodger_token_request_fail(wanted, lodger_text("no"), &error));
  lodger_token_request_free(wanted);
}

static void only_the_first_answer_counts(void) {
  struct vault vault = {.act = issue_twice};
  lodger_agent *agent = new_vaulted(&vault);
  CHECK(strcmp(play(agent).text, "ok") == 0 && strcmp(vault.sent, "first") == 0);
  finish(agent, NULL);
}

static void a_cancelled_turn_does_not_wait_and_the_next_has_the_token(void) {
  struct vault vault = {.act = keep};
  struct trace trace = {0};
  lodger_error *error = NULL;
  lodger_agent *agent = new_vaulted(&vault);
  lodger_turn *turn = prompt(agent, "hi");
  await_count(&vault.wanted, 1);
  EXPECT(LODGER_OK, lodger_turn_cancel(turn, &error));
  read_all(turn, &trace);
  CHECK(strcmp(trace.reason, "cancelled") == 0);
  lodger_turn_free(turn);
  EXPECT(LODGER_OK, lodger_token_request_issue(vault.kept, lodger_text("in time for the next"), 0, &error));
  lodger_token_request_free(vault.kept);
  CHECK(strcmp(play(agent).text, "ok") == 0 && strcmp(vault.sent, "in time for the next") == 0);
  finish(agent, NULL);
  CHECK(vault.wanted == 1);
}

static void a_token_may_come_when_nobody_is_there_any_more(void) {
  struct vault vault = {.act = keep};
  lodger_agent *agent = new_vaulted(&vault);
  lodger_turn *turn = prompt(agent, "hi");
  await_count(&vault.wanted, 1);
  finish(agent, turn);
  await_no_thread();
  lodger_error *error = NULL;
  EXPECT(LODGER_E_REQUEST_SETTLED, lodger_token_request_issue(vault.kept, lodger_text("late"), 0, &error));
  HAS_TEXT("model.test", lodger_token_request_audience(vault.kept));
  lodger_token_request_free(vault.kept);
  CHECK(vault.dropped == 1);
}

static void a_vault_beside_the_option_auth_is_refused(void) {
  struct vault vault = {.act = issue};
  lodger_error *error = NULL;
  lodger_agent *agent;
  EXPECT(LODGER_E_INVALID_OPTIONS, create(&vault, ",'auth':{'apiKey':'k'}", &agent, &error));
  CHECK(agent == NULL && vault.dropped == 1 && vault.wanted == 0);
}

static void an_older_host_has_no_vault(void) {
  struct vault vault = {.act = issue};
  lodger_error *error = NULL;
  lodger_agent *agent;
  lodger_host host = {.size = offsetof(lodger_host, on_token), .ctx = &vault, .on_token = on_token, .on_fetch = on_fetch};
  unsetenv("ANTHROPIC_API_KEY");
  const char *options = json("{'model':'anthropic/mock','auth':{'apiKey':'k'},'limits':{'maxRetries':0},"
                             "'endpoint':{'kind':'anthropic','baseUrl':'http://127.0.0.1:9'}}");
  EXPECT(LODGER_OK, lodger_agent_create(NULL, lodger_text(options), &host, &agent, &error));
  CHECK(strcmp(play(agent).reason, "error") == 0);
  finish(agent, NULL);
  CHECK(vault.wanted == 0 && vault.fetches == 0);
}

static void null_is_never_a_crash(void) {
  lodger_error *error = NULL;
  CHECK(lodger_token_request_audience(NULL).ptr == NULL);
  EXPECT(LODGER_E_INVALID_INPUT, lodger_token_request_issue(NULL, lodger_text("x"), 0, &error));
  EXPECT(LODGER_E_INVALID_INPUT, lodger_token_request_fail(NULL, lodger_text("x"), &error));
  lodger_token_request_free(NULL);
}

const struct test tokens[] = {
    TEST(a_token_is_made_when_one_is_needed_for_its_server_and_kept),
    TEST(a_token_that_is_refused_is_made_anew_once),
    TEST(a_token_that_is_over_is_made_anew_for_the_next_request),
    TEST(another_thread_gives_the_token_long_after_the_callback),
    TEST(without_a_token_a_turn_fails_and_the_agent_can_go_on),
    TEST(only_the_first_answer_counts),
    TEST(a_cancelled_turn_does_not_wait_and_the_next_has_the_token),
    TEST(a_token_may_come_when_nobody_is_there_any_more),
    TEST(a_vault_beside_the_option_auth_is_refused),
    TEST(an_older_host_has_no_vault),
    TEST(null_is_never_a_crash),
    {0},
};
