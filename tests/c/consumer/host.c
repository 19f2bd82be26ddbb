/* Prints what the model says: `host SCRIPT`, an absolute path. */
#include <stdio.h>

#include <lodger.h>

int main(int count, char **arguments) {
  char options[512];
  lodger_agent *agent;
  lodger_turn *turn;
  lodger_event *event;
  lodger_error *error = NULL;
  size_t read;
  if (count != 2)
    return 2;
  snprintf(options, sizeof options, "{\"model\":\"scripted/%s\"}", arguments[1]);
  if (lodger_agent_create(NULL, lodger_text(options), NULL, &agent, &error) != LODGER_OK ||
      lodger_agent_prompt(agent, lodger_text("\"hi\""), &turn, &error) != LODGER_OK) {
    fprintf(stderr, "%.*s\n", LODGER_ARG(lodger_error_message(error)));
    return 1;
  }
  while (lodger_turn_read(turn, &event, 1, &read, -1, NULL) == LODGER_OK) {
    if (lodger_event_kind(event) == LODGER_EVENT_TEXT_DELTA)
      printf("%.*s", LODGER_ARG(lodger_event_text(event)));
    lodger_event_free(event);
  }
  lodger_turn_free(turn);
  lodger_status status = lodger_agent_close(agent, 10000, NULL);
  lodger_agent_free(agent);
  return status == LODGER_OK ? 0 : 1;
}
