/*
 * Mends the failing test in a folder, and asks before it changes or runs anything.
 *
 *   cc fixer.c -llodger -o fixer && ./fixer FOLDER [--yes]
 *
 * LODGER_MODEL       provider/model; default anthropic/claude-sonnet-5-5
 * LODGER_BASE_URL    a server that speaks Anthropic Messages; default: the provider's own
 * ANTHROPIC_API_KEY  the key, under the name of the model's provider
 */
#define _XOPEN_SOURCE 700
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lodger.h"

#define PROMPT "\"The test in this folder fails. Find out why, mend the code, and run the test again.\""

/* A text as a JSON string. */
static const char *quoted(const char *text, char *json) {
  char *to = json;
  for (*to++ = '"'; *text; *to++ = *text++)
    if (*text == '"' || *text == '\\')
      *to++ = '\\';
  strcpy(to, "\"");
  return json;
}

static lodger_str field(const lodger_event *event, const char *pointer) {
  return lodger_event_field(event, lodger_text(pointer));
}

/* What goes wrong in a call is said by its error. */
static void check(lodger_status status, lodger_error *error) {
  if (status >= 0)
    return;
  fprintf(stderr, "\n%.*s: %.*s\n", LODGER_ARG(lodger_error_code(error)), LODGER_ARG(lodger_error_message(error)));
  lodger_error_free(error);
  exit(1);
}

static void decide(const lodger_agent *agent, const lodger_event *event, bool yes) {
  char line[16] = "";
  lodger_str diff = field(event, "/permission/diff");
  if (diff.len > 0)
    printf("%.*s%s", LODGER_ARG(diff), diff.ptr[diff.len - 1] == '\n' ? "" : "\n");
  printf("%.*s: %.*s? [y/N] ", LODGER_ARG(field(event, "/permission/label")),
         LODGER_ARG(field(event, "/permission/summary")));
  fflush(stdout);
  if (yes)
    puts("yes");
  else
    yes = fgets(line, sizeof line, stdin) && (line[0] == 'y' || line[0] == 'Y');
  const char *answer = yes ? "{\"kind\":\"allow_once\"}" : "{\"kind\":\"deny\",\"feedback\":\"The user said no.\"}";
  /* It may be settled meanwhile, by a timeout for instance; then the answer comes too late. */
  lodger_agent_answer(agent, field(event, "/requestId"), lodger_text(answer), NULL);
}

/* Shows an event. True for a good end. */
static bool show(const lodger_agent *agent, const lodger_event *event, bool yes) {
  switch (lodger_event_kind(event)) {
  case LODGER_EVENT_TEXT_DELTA:
    printf("%.*s", LODGER_ARG(lodger_event_text(event)));
    break;
  case LODGER_EVENT_ASSISTANT_MESSAGE:
    putchar('\n');
    break;
  case LODGER_EVENT_TOOL_CALL:
    printf("> %.*s: %.*s\n", LODGER_ARG(field(event, "/toolName")), LODGER_ARG(field(event, "/target/summary")));
    break;
  case LODGER_EVENT_REQUEST_OPENED:
    decide(agent, event, yes);
    break;
  case LODGER_EVENT_DONE:
    if (field(event, "/error/code").ptr)
      fprintf(stderr, "\n%.*s: %.*s\n", LODGER_ARG(field(event, "/error/code")),
              LODGER_ARG(field(event, "/error/message")));
    printf("\n%.*s: %.*s tokens in, %.*s out\n", LODGER_ARG(field(event, "/reason")),
           LODGER_ARG(field(event, "/usage/inputTokens")), LODGER_ARG(field(event, "/usage/outputTokens")));
    return !field(event, "/error/code").ptr;
  }
  fflush(stdout);
  return false;
}

int main(int count, char **arguments) {
  char folder[PATH_MAX], cwd[2 * PATH_MAX + 3], endpoint[1024] = "", url[512], name[256], options[4 * PATH_MAX];
  bool yes = count == 3 && strcmp(arguments[2], "--yes") == 0, good = false;
  if (count < 2 || (count > 2 && !yes) || !realpath(arguments[1], folder)) {
    fprintf(stderr, "usage: fixer FOLDER [--yes]\n");
    return 2;
  }
  const char *model = getenv("LODGER_MODEL"), *base_url = getenv("LODGER_BASE_URL");
  if ((model && strlen(model) > 100) || (base_url && strlen(base_url) > 250)) {
    fprintf(stderr, "LODGER_MODEL or LODGER_BASE_URL is too long\n");
    return 2;
  }
  if (base_url)
    snprintf(endpoint, sizeof endpoint, ",\"endpoint\":{\"kind\":\"anthropic\",\"baseUrl\":%s}", quoted(base_url, url));
  /* As events, questions come in order: after what led to them. `on_request` gets them at once. */
  snprintf(options, sizeof options, "{\"cwd\":%s,\"model\":%s,\"requests\":\"events\"%s}", quoted(folder, cwd),
           quoted(model ? model : "anthropic/claude-sonnet-5-5", name), endpoint);

  lodger_agent *agent;
  lodger_turn *turn;
  lodger_event *event;
  lodger_error *error = NULL;
  size_t read;
  check(lodger_agent_create(NULL, lodger_text(options), NULL, &agent, &error), error);
  check(lodger_agent_prompt(agent, lodger_text(PROMPT), &turn, &error), error);
  while (lodger_turn_read(turn, &event, 1, &read, -1, NULL) == LODGER_OK) {
    good = show(agent, event, yes);
    lodger_event_free(event);
  }
  lodger_turn_free(turn);
  check(lodger_agent_close(agent, 5000, &error), error);
  lodger_agent_free(agent);
  return good ? 0 : 1;
}
