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
#include "taps.h"

enum { MAX_REPLIES = 64, MAX_TYPES = 64 };

struct host;

/* Something that the job wants to happen to a request. */
struct reply {
  struct host *host;
  lodger_request *request;
  const char *how; /* one of `answers`, or of `tools` */
  bool has_thread;
  pthread_t thread;
};

/* The host: what it is to do, and how far it is. */
struct host {
  const char *options, *answers, *tools, *reader, *cancel_after;
  lodger_agent *agent;
  FILE *out;
  size_t asked;                      /* requests so far that call no tool */
  struct reply replies[MAX_REPLIES]; /* what is done by other threads, or never */
  size_t replying;

  pthread_mutex_t lock; /* of what follows: how many events of each type were read of the turn */
  pthread_cond_t came;
  struct {
    char type[32];
    long count;
  } seen[MAX_TYPES];
  long read;
};

static lodger_str raw(const char *value) {
  lodger_str text = {value, (size_t)(json_end(value) - value)};
  return text;
}

static void sleep_ms(long ms) {
  struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

/* How many events of that type were read. `host->lock` is held. */
static long *seen(struct host *host, lodger_str type) {
  size_t at = 0;
  while (*host->seen[at].type && (strlen(host->seen[at].type) != type.len ||
                                  memcmp(host->seen[at].type, type.ptr, type.len) != 0))
    at++;
  memcpy(host->seen[at].type, type.ptr, type.len);
  return &host->seen[at].count;
}

/* Whether the text, as JSON, is the value of that string. */
static bool is_text(const char *value, lodger_str text) {
  return value && raw(value).len == text.len + 2 && memcmp(value + 1, text.ptr, text.len) == 0;
}

/* Waits until so many events were read as `{"type", "count"}` says. */
static void until(struct host *host, const char *wanted) {
  char *type = json_text(json_member(wanted, "type"));
  long count = json_number(json_member(wanted, "count"), 0);
  pthread_mutex_lock(&host->lock);
  while (*seen(host, lodger_text(type)) < count)
    pthread_cond_wait(&host->came, &host->lock);
  pthread_mutex_unlock(&host->lock);
  free(type);
}

/* ---- requests ------------------------------------------------------------------------------------------ */

/* The answer to the call of a tool: what it returned, or what C has in place of an exception. */
static void answer_tool(struct reply *reply) {
  const char *thrown = json_member(reply->how, "throw");
  char *error;
  if (!thrown)
    lodger_request_answer(reply->request, raw(json_member(reply->how, "result")), NULL);
  else if (asprintf(&error, "{\"error\":%.*s}", LODGER_ARG(raw(thrown))) > 0) {
    lodger_request_answer(reply->request, lodger_text(error), NULL);
    free(error);
  }
}

static void answer_other(struct reply *reply) {
  const char *thrown = json_member(reply->how, "throw");
  if (!thrown) {
    lodger_request_answer(reply->request, raw(json_member(reply->how, "answer")), NULL);
    return;
  }
  char *why = json_text(thrown), *reason;
  if (asprintf(&reason, "the handler failed: %s", why) > 0)
    lodger_request_fail(reply->request, lodger_text(reason), NULL);
  free(reason);
  free(why);
}

/* A request may be settled meanwhile, so that the answer comes too late: that is part of the game. */
static void *answer(void *ctx) {
  struct reply *reply = ctx;
  sleep_ms(json_number(json_member(reply->how, "delayMs"), 0));
  if (json_member(reply->how, "after"))
    until(reply->host, json_member(reply->how, "after"));
  if (lodger_request_kind(reply->request) == LODGER_REQUEST_TOOL)
    answer_tool(reply);
  else
    answer_other(reply);
  lodger_request_free(reply->request);
  return NULL;
}

static const char *behaviour_of_tool(struct host *host, lodger_request *request) {
  lodger_str name = lodger_request_field(request, lodger_text("/tool/toolName"));
  char *key = strndup(name.ptr, name.len);
  const char *behaviour = json_member(host->tools, key), *item;
  for (size_t i = 0; (item = json_item(json_member(behaviour, "progress"), i)); i++) {
    char *text = json_text(item);
    lodger_request_progress(request, lodger_text(text), NULL);
    free(text);
  }
  free(key);
  return behaviour;
}

static void on_request(void *ctx, lodger_request *request) {
  struct host *host = ctx;
  struct reply reply = {.host = host, .request = request};
  if (lodger_request_kind(request) == LODGER_REQUEST_TOOL)
    reply.how = behaviour_of_tool(host, request);
  else
    reply.how = json_item(host->answers, host->asked++);
  reply.has_thread = json_member(reply.how, "from") || json_member(reply.how, "after");
  if (!reply.how) {
    lodger_request_free(request);
  } else if (reply.has_thread || json_member(reply.how, "never")) {
    struct reply *kept = &host->replies[host->replying++];
    if (host->replying > MAX_REPLIES)
      abort();
    *kept = reply;
    if (kept->has_thread && pthread_create(&kept->thread, NULL, answer, kept) != 0)
      abort();
  } else {
    answer(&reply);
  }
}

/* Whether requests are answered where they are read, not by `on_request`. */
static bool answers_by_id(const struct host *host) {
  return is_text(json_member(host->options, "requests"), lodger_text("events"));
}

/* ---- events -------------------------------------------------------------------------------------------- */

/* One event was read. True: the turn is to be cancelled. */
static bool got(void *ctx, const lodger_event *event) {
  struct host *host = ctx;
  lodger_str type = lodger_event_type(event);
  fprintf(host->out, "%.*s\n", LODGER_ARG(lodger_event_json(event)));
  if (lodger_event_kind(event) == LODGER_EVENT_REQUEST_OPENED && answers_by_id(host)) {
    const char *how = json_member(json_item(host->answers, host->asked++), "answer");
    lodger_error *error = NULL;
    tap_ok(lodger_agent_answer(host->agent, lodger_event_field(event, lodger_text("/requestId")), raw(how), &error),
           error);
  }

  pthread_mutex_lock(&host->lock);
  long count = ++*seen(host, type), read = ++host->read;
  pthread_cond_broadcast(&host->came);
  pthread_mutex_unlock(&host->lock);
  if (host->reader && read % json_number(json_member(host->reader, "max"), 1) == 0)
    sleep_ms(json_number(json_member(host->reader, "delayMs"), 0));
  return is_text(json_member(host->cancel_after, "type"), type) &&
         count == json_number(json_member(host->cancel_after, "count"), 0);
}

/* What the turn came to, as the last line of it. */
static void write_result(struct host *host, const lodger_turn *turn) {
  lodger_blob *blob;
  lodger_error *error = NULL;
  tap_ok(lodger_turn_result(turn, -1, &blob, &error), error);
  lodger_bytes json = lodger_blob_bytes(blob);
  fprintf(host->out, "{\"type\":\"result\",%.*s\n", (int)json.len - 1, (const char *)json.ptr + 1);
  lodger_blob_free(blob);
}

static void play(struct host *host, const char *plan, const char *tap) {
  lodger_turn *turn;
  lodger_error *error = NULL;
  pthread_mutex_lock(&host->lock);
  memset(host->seen, 0, sizeof host->seen);
  pthread_mutex_unlock(&host->lock);
  host->cancel_after = json_member(plan, "cancelAfter");

  tap_ok(lodger_agent_prompt(host->agent, raw(json_member(plan, "prompt")), &turn, &error), error);
  if (json_member(plan, "cancelAtOnce"))
    tap_ok(lodger_turn_cancel(turn, &error), error);
  if (!tap_read(tap, turn, got, host)) {
    fprintf(stderr, "there is no tap %s\n", tap);
    exit(1);
  }
  write_result(host, turn);
  lodger_turn_free(turn);
}

/* ---- the agent ----------------------------------------------------------------------------------------- */

static lodger_host callbacks(struct host *host) {
  bool listens = (host->answers || host->tools) && !answers_by_id(host);
  return (lodger_host){.size = sizeof(lodger_host), .ctx = host, .on_request = listens ? on_request : NULL};
}

static void create(struct host *host) {
  lodger_error *error = NULL;
  lodger_host reach = callbacks(host);
  tap_ok(lodger_agent_create(NULL, raw(host->options), &reach, &host->agent, &error), error);
}

static void close_agent(struct host *host) {
  lodger_error *error = NULL;
  tap_ok(lodger_agent_close(host->agent, 10000, &error), error);
  lodger_agent_free(host->agent);
}

/* A new agent from a checkpoint of the one before. */
static void restore(struct host *host) {
  lodger_blob *checkpoint;
  lodger_error *error = NULL;
  lodger_host reach = callbacks(host);
  tap_ok(lodger_agent_checkpoint(host->agent, &checkpoint, &error), error);
  close_agent(host);
  lodger_bytes bytes = lodger_blob_bytes(checkpoint);
  tap_ok(lodger_agent_restore(NULL, bytes, raw(host->options), &reach, &host->agent, &error), error);
  lodger_blob_free(checkpoint);
}

static void make_file(const char *value) {
  char *path = json_text(value);
  FILE *file = fopen(path, "w");
  if (!file || fclose(file) != 0)
    exit((perror(path), 1));
  free(path);
}

int main(int count, char **arguments) {
  if (count != 3) {
    fprintf(stderr, "usage: trace JOB OUT\n");
    return 2;
  }
  char *job = json_file(arguments[1]), *tap = json_text(json_member(job, "tap"));
  struct host host = {.options = json_member(job, "options"),
                      .answers = json_member(job, "answers"),
                      .tools = json_member(job, "tools"),
                      .reader = json_member(job, "reader"),
                      .out = fopen(arguments[2], "w"),
                      .lock = PTHREAD_MUTEX_INITIALIZER,
                      .came = PTHREAD_COND_INITIALIZER};
  if (!host.out) {
    perror(arguments[2]);
    return 1;
  }

  create(&host);
  const char *plan;
  for (size_t i = 0; (plan = json_item(json_member(job, "turns"), i)); i++) {
    if (json_member(plan, "makes"))
      make_file(json_member(plan, "makes"));
    if (json_member(plan, "restored"))
      restore(&host);
    play(&host, plan, tap);
  }
  close_agent(&host);

  for (size_t i = 0; i < host.replying; i++) {
    if (host.replies[i].has_thread)
      pthread_join(host.replies[i].thread, NULL);
    else
      lodger_request_free(host.replies[i].request);
  }
  free(tap);
  free(job);
  return fclose(host.out) == 0 ? 0 : 1;
}
