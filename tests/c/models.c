/* Which models a provider offers. */
#define _GNU_SOURCE
#include "check.h"

#include <stdlib.h>

static lodger_status list(const char *options, int64_t timeout_ms, lodger_blob **ids, lodger_error **error) {
  return lodger_list_models(NULL, lodger_text(options), timeout_ms, ids, error);
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
    TEST(a_list_without_a_provider_or_a_key_is_refused_before_anything_is_sent),
    {0},
};
