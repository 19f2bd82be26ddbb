/*
 * Plays a golden trace through the C interface: `trace JOB OUT`. The job is described in tests/golden/README.md. It
 * writes each event that it reads to OUT, one JSON a line, and judges nothing.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "json.h"
#include "lodger.h"

enum { MAX_ANSWERS = 256 };

/* Something that the job wants to happen to a request. */
struct reply {
  lodger_request *request;
  const char *how; /* one of `answers`, or a tool's `result` */
  pthread_t thread;
};

struct host {
  const char *answers, *tools;
  size_t asked;                       /* permission requests so far */
  struct reply replies[MAX_ANSWERS];  /* what is done by other threads, or never */
  size_t replying;
};

static lodger_str raw(const char *value) {
  lodger_str text = {value, (size_t)(json_end(value) - value)};
  return text;
}

static void sleep_ms(long ms) {
  struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

static void ok(lodger_status status, lodger_error *error) {
  if (status < 0) {
    fprintf(stderr, "%s: %.*s\n", lodger_status_name(status), LODGER_ARG(lodger_error_message(error)));
    exit(1);
  }
}

/* A request may be settled meanwhile, so that the answer comes too late: that is part of the game. */
static void *answer(void *ctx) {
  struct reply *reply = ctx;
  sleep_ms(json_number(json_member(reply->how, "delayMs"), 0));
  const char *thrown = json_member(reply->how, "throw");
  if (thrown) {
    char *why = json_text(thrown), *reason;
    if (asprintf(&reason, "the handler failed: %s", why) > 0)
      lodger_request_fail(reply->request, lodger_text(reason), NULL);
    free(reason);
    free(why);
  } else {
    lodger_request_answer(reply->request, raw(json_member(reply->how, "answer")), NULL);
  }
  lodger_request_free(reply->request);
  return NULL;
}

static void permission(struct host *host, lodger_request *request) {
  struct reply reply = {request, json_item(host->answers, host->asked++), 0};
  if (!reply.how) {
    lodger_request_free(request);
    return;
  }
  if (json_member(reply.how, "never") || json_member(reply.how, "from")) {
    struct reply *kept = &host->replies[host->replying++ % MAX_ANSWERS];
    *kept = reply;
    if (json_member(reply.how, "from") && pthread_create(&kept->thread, NULL, answer, kept) != 0)
      abort();
    return;
  }
  answer(&reply);
}

static void tool(struct host *host, lodger_request *request) {
  lodger_str name = lodger_request_field(request, lodger_text("/tool/toolName"));
  char *key = strndup(name.ptr, name.len);
  const char *behaviour = json_member(host->tools, key);
  const char *item;
  for (size_t i = 0; (item = json_item(json_member(behaviour, "progress"), i)); i++) {
    char *text = json_text(item);
    lodger_request_progress(request, lodger_text(text), NULL);
    free(text);
  }
  const char *result = json_member(behaviour, "result");
  if (result)
    lodger_request_answer(request, raw(result), NULL);
  lodger_request_free(request);
  free(key);
}

static void on_request(void *ctx, lodger_request *request) {
  if (lodger_request_kind(request) == LODGER_REQUEST_TOOL)
    tool(ctx, request);
  else
    permission(ctx, request);
}

int main(int count, char **arguments) {
  if (count != 3) {
    fprintf(stderr, "usage: trace JOB OUT\n");
    return 2;
  }
  char *job = json_file(arguments[1]);
  FILE *out = fopen(arguments[2], "w");
  if (!out) {
    perror(arguments[2]);
    return 1;
  }

  struct host host = {.answers = json_member(job, "answers"), .tools = json_member(job, "tools")};
  lodger_host callbacks = {sizeof callbacks, &host, NULL, host.answers || host.tools ? on_request : NULL};
  lodger_agent *agent;
  lodger_turn *turn;
  lodger_error *error = NULL;
  ok(lodger_agent_create(NULL, raw(json_member(job, "options")), &callbacks, &agent, &error), error);
  ok(lodger_agent_prompt(agent, raw(json_member(job, "prompt")), &turn, &error), error);

  const char *cancel = json_member(job, "cancelAfter"), *reader = json_member(job, "reader");
  char *cancel_type = json_text(json_member(cancel, "type"));
  long cancel_in = json_number(json_member(cancel, "count"), 0);
  size_t max = (size_t)json_number(json_member(reader, "max"), 64), got;
  long delay = json_number(json_member(reader, "delayMs"), 0);
  lodger_event **events = calloc(max, sizeof *events);
  lodger_status status;
  while ((status = lodger_turn_read(turn, events, max, &got, -1, &error)) == LODGER_OK) {
    for (size_t i = 0; i < got; i++) {
      lodger_str type = lodger_event_type(events[i]), text = lodger_event_json(events[i]);
      fprintf(out, "%.*s\n", LODGER_ARG(text));
      if (strlen(cancel_type) == type.len && memcmp(cancel_type, type.ptr, type.len) == 0 && --cancel_in == 0)
        ok(lodger_turn_cancel(turn, &error), error);
      lodger_event_free(events[i]);
    }
    if (delay)
      sleep_ms(delay);
  }
  ok(status, error);

  lodger_turn_free(turn);
  ok(lodger_agent_close(agent, 10000, &error), error);
  lodger_agent_free(agent);
  for (size_t i = 0; i < host.replying; i++) {
    if (json_member(host.replies[i].how, "from"))
      pthread_join(host.replies[i].thread, NULL);
    else
      lodger_request_free(host.replies[i].request);
  }
  free(events);
  free(cancel_type);
  free(job);
  return fclose(out) == 0 ? 0 : 1;
}
