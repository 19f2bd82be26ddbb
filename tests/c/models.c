/* Which models a provider offers. */
#define _GNU_SOURCE
#include "courier.h"

#include <stdlib.h>

static lodger_status list(const char *options, int64_t timeout_ms, lodger_blob **ids, lodger_error **error) {
  return lodger_list_models(NULL, lodger_text(options), NULL, timeout_ms, ids, error);
}

/* A host that makes the token and carries the request. */
struct host {
  bool answers;
  int tokens, fetches, dropped, rung;
  lodger_fetch *kept;
};

static void on_token(void *ctx, lodger_token_request *wanted) {
  SAME_TEXT("https://model.test", lodger_token_request_audience(wanted));
  CHECK(lodger_token_request_issue(wanted, lodger_text("made-here"), 0, NULL) == LODGER_OK);
  lodger_token_request_free(wanted);
  count_up(&((struct host *)ctx)->tokens);
}

static void ring(void *ctx) { count_up(&((struct host *)ctx)->rung); }

static void on_fetch(void *ctx, lodger_fetch *fetch) {
  struct host *host = ctx;
  SAME_TEXT("GET", lodger_fetch_method(fetch));
  HAS_TEXT("authorization: Bearer made-here\r\n", lodger_fetch_headers(fetch));
  CHECK(lodger_fetch_body(fetch).len == 0);
  host->kept = fetch;
  if (host->answers) {
    CHECK(lodger_fetch_respond(fetch, 200, lodger_text(""), NULL) == LODGER_OK);
    CHECK(lodger_fetch_push(fetch, bytes_of("{\"data\":[{\"id\":\"b\"},{\"id\":\"a\"}],\"has_more\":false}"), 0, NULL) >= 0);
    CHECK(lodger_fetch_end(fetch, NULL) == LODGER_OK);
  } else {
    CHECK(lodger_fetch_set_waker(fetch, ring, ctx, NULL, NULL) == LODGER_OK);
  }
  count_up(&host->fetches);
}

static void on_drop(void *ctx) { count_up(&((struct host *)ctx)->dropped); }

static void a_list_goes_through_the_hosts_client_and_its_vault(void) {
  for (int answers = 1; answers >= 0; answers--) {
    struct host host = {.answers = answers};
    lodger_error *error = NULL;
    lodger_blob *ids = NULL;
    lodger_host table = {.size = sizeof table, .ctx = &host, .drop = on_drop, .on_token = on_token, .on_fetch = on_fetch};
    lodger_str options = lodger_text(json("{'provider':'anthropic','endpoint':{'kind':'anthropic','baseUrl':'https://model.test'}}"));
    lodger_status status = lodger_list_models(NULL, options, &table, answers ? LIMIT_MS : 1500, &ids, &error);
    EXPECT(answers ? LODGER_OK : LODGER_E_TIMEOUT, status);
    await_count(&host.dropped, 1);
    CHECK(host.tokens == 1 && host.fetches == 1);
    if (answers) {
      lodger_bytes list = lodger_blob_bytes(ids);
      SAME_TEXT("[\"a\",\"b\"]", ((lodger_str){(const char *)list.ptr, list.len}));
    } else {
      await_count(&host.rung, 1); /* nobody wants it any more */
    }
    CHECK(lodger_fetch_settled(host.kept));
    lodger_fetch_free(host.kept);
    lodger_blob_free(ids);
  }
}

static void a_provider_lists_its_models(void) {
  lodger_error *error = NULL;
  lodger_blob *ids = NULL;
  const char *options = json("{'provider':'acme','auth':{'apiKey':'key-of-the-test'},"
                             "'endpoint':{'kind':'anthropic','baseUrl':'%s'}}",
                             start_server("{'steps':[{'reply':[]}]}"));
  EXPECT(LODGER_OK, list(options, LIMIT_MS, &ids, &error));
  lodger_bytes bytes = lodger_blob_bytes(ids);
  CHECK(bytes.len > 4 && bytes.ptr[0] == '[' && bytes.ptr[1] == '"' && bytes.ptr[bytes.len - 1] == ']');
  lodger_blob_free(ids);
  stop_server();
}

static void a_list_without_a_provider_or_a_key_is_refused_before_anything_is_sent(void) {
  lodger_error *error = NULL;
  lodger_blob *ids = NULL;
  EXPECT(LODGER_E_INVALID_OPTIONS, list("{}", LIMIT_MS, &ids, &error));
  unsetenv("ANTHROPIC_API_KEY");
  EXPECT(LODGER_E_PROVIDER_AUTH, list(json("{'provider':'anthropic'}"), LIMIT_MS, &ids, &error));
  EXPECT(LODGER_E_INVALID_INPUT, list(json("{'provider':'anthropic'}"), -1, &ids, &error));
  CHECK(ids == NULL);
}

const struct test models[] = {
    TEST(a_provider_lists_its_models),
    TEST(a_list_goes_through_the_hosts_client_and_its_vault),
    TEST(a_list_without_a_provider_or_a_key_is_refused_before_anything_is_sent),
    {0},
};
