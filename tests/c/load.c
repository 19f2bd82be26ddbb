/* A host that loads the library by hand: `load LIBRARY`. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lodger.h"

static const char *path;

#define CHECK(condition)                                                    \
  do                                                                        \
    if (!(condition)) {                                                     \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);       \
      _exit(1);                                                             \
    }                                                                       \
  while (0)

/* The library, function by function. */
struct library {
  void *handle;
  __typeof__(lodger_agent_create) *agent_create;
  __typeof__(lodger_agent_prompt) *agent_prompt;
  __typeof__(lodger_agent_close) *agent_close;
  __typeof__(lodger_agent_free) *agent_free;
  __typeof__(lodger_turn_read) *turn_read;
  __typeof__(lodger_turn_set_listener) *turn_set_listener;
  __typeof__(lodger_turn_free) *turn_free;
  __typeof__(lodger_event_kind) *event_kind;
  __typeof__(lodger_event_free) *event_free;
};

static struct library load(const char *from) {
  struct library library = {.handle = dlopen(from, RTLD_NOW | RTLD_LOCAL)};
  if (!library.handle)
    fprintf(stderr, "%s\n", dlerror());
  CHECK(library.handle);
#define FIND(name) CHECK((*(void **)&library.name = dlsym(library.handle, "lodger_" #name)) != NULL)
  FIND(agent_create);
  FIND(agent_prompt);
  FIND(agent_close);
  FIND(agent_free);
  FIND(turn_read);
  FIND(turn_set_listener);
  FIND(turn_free);
  FIND(event_kind);
  FIND(event_free);
  return library;
}

static bool is_loaded(const char *from) {
  void *handle = dlopen(from, RTLD_NOW | RTLD_NOLOAD);
  if (handle)
    dlclose(handle);
  return handle != NULL;
}

/* An agent whose model says `words` words. */
static lodger_agent *new_agent(const struct library *library, int words) {
  char name[] = "/tmp/lodger-load-XXXXXX", options[256], script[256];
  lodger_agent *agent;
  int file = mkstemp(name);
  CHECK(file >= 0);
  int length = snprintf(script, sizeof script,
                        "{\"steps\":[{\"reply\":[{\"type\":\"repeat\",\"text\":\"word \",\"count\":%d}]}]}", words);
  CHECK(write(file, script, (size_t)length) == length && close(file) == 0);
  snprintf(options, sizeof options, "{\"model\":\"scripted/%s\"}", name);
  CHECK(library->agent_create(NULL, lodger_text(options), NULL, &agent, NULL) == LODGER_OK);
  unlink(name);
  return agent;
}

static lodger_turn *prompt(const struct library *library, const lodger_agent *agent) {
  lodger_turn *turn;
  CHECK(library->agent_prompt(agent, lodger_text("\"talk\""), &turn, NULL) == LODGER_OK);
  return turn;
}

/* A whole turn; how many words it had. */
static int talk(const struct library *library, int words) {
  lodger_agent *agent = new_agent(library, words);
  lodger_turn *turn = prompt(library, agent);
  lodger_event *event;
  size_t count;
  int heard = 0;
  while (library->turn_read(turn, &event, 1, &count, 60000, NULL) == LODGER_OK) {
    heard += library->event_kind(event) == LODGER_EVENT_TEXT_DELTA;
    library->event_free(event);
  }
  library->turn_free(turn);
  CHECK(library->agent_close(agent, 60000, NULL) == LODGER_OK);
  library->agent_free(agent);
  return heard;
}

/* ---- tests --------------------------------------------------------------------------------------------------- */

static void the_library_stays_when_it_is_unloaded(void) {
  struct library library = load(path);
  CHECK(talk(&library, 10) == 10);
  CHECK(dlclose(library.handle) == 0);
  CHECK(is_loaded(path));
  CHECK(talk(&library, 10) == 10);
}

static void it_may_be_loaded_and_unloaded_again_and_again(void) {
  for (int round = 0; round < 50; round++) {
    struct library library = load(path);
    CHECK(talk(&library, 10) == 10);
    CHECK(dlclose(library.handle) == 0);
  }
}

static int heard;
static __typeof__(lodger_event_free) *free_event;

static lodger_flow hear(void *ctx, lodger_event *event) {
  (void)ctx;
  free_event(event);
  __atomic_add_fetch(&heard, 1, __ATOMIC_SEQ_CST);
  return LODGER_FLOW_CONTINUE;
}

static void unloading_in_mid_turn_pulls_the_rug_from_under_no_thread(void) {
  struct library library = load(path);
  free_event = library.event_free;
  lodger_agent *agent = new_agent(&library, 1000000000);
  lodger_turn *turn = prompt(&library, agent);
  CHECK(library.turn_set_listener(turn, hear, NULL, NULL, NULL) == LODGER_OK);
  while (__atomic_load_n(&heard, __ATOMIC_SEQ_CST) < 100)
    usleep(100);
  CHECK(dlclose(library.handle) == 0);
  int before = __atomic_load_n(&heard, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&heard, __ATOMIC_SEQ_CST) < before + 1000)
    usleep(100);
  exit(0); /* in mid-turn */
}

static void *load_and_talk(void *ctx) {
  struct library library = load(path);
  CHECK(talk(&library, 10) == 10);
  CHECK(dlclose(library.handle) == 0);
  return ctx;
}

static void threads_that_load_it_may_end(void) {
  for (int round = 0; round < 10; round++) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
      CHECK(pthread_create(&threads[i], NULL, load_and_talk, NULL) == 0);
    for (int i = 0; i < 4; i++)
      CHECK(pthread_join(threads[i], NULL) == 0);
  }
}

static void two_copies_in_one_process_do_not_meet(void) {
  char copy[] = "/tmp/lodger-copy-XXXXXX", command[1024];
  int file = mkstemp(copy);
  CHECK(file >= 0 && close(file) == 0);
  snprintf(command, sizeof command, "cp -L '%s' %s", path, copy);
  CHECK(system(command) == 0);
  struct library one = load(path), other = load(copy);
  unlink(copy);
  CHECK(one.agent_create != other.agent_create);
  lodger_agent *agent = new_agent(&one, 1000000000), *beside = new_agent(&other, 1000000000);
  lodger_turn *turn = prompt(&one, agent), *another = prompt(&other, beside);
  CHECK(talk(&one, 10) == 10 && talk(&other, 10) == 10);
  one.turn_free(turn);
  other.turn_free(another);
  CHECK(one.agent_close(agent, 60000, NULL) == LODGER_OK);
  CHECK(other.agent_close(beside, 60000, NULL) == LODGER_OK);
  one.agent_free(agent);
  other.agent_free(beside);
}

int main(int count, char **arguments) {
  static const struct {
    const char *name;
    void (*run)(void);
  } tests[] = {
#define TEST(name) {#name, name}
      TEST(the_library_stays_when_it_is_unloaded),
      TEST(it_may_be_loaded_and_unloaded_again_and_again),
      TEST(unloading_in_mid_turn_pulls_the_rug_from_under_no_thread),
      TEST(threads_that_load_it_may_end),
      TEST(two_copies_in_one_process_do_not_meet),
  };
  int failed = 0;
  if (count != 2)
    return 2;
  path = arguments[1];
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
    int status = 1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      alarm(300);
      tests[i].run();
      exit(0);
    }
    waitpid(child, &status, 0);
    printf("%s %s\n", status ? "FAIL" : "ok  ", tests[i].name);
    failed += status != 0;
  }
  return failed > 0;
}
