// The same through the C++ layer.
#include <iostream>
#include <string>

#include <lodger.hpp>

int main(int count, char **arguments) {
  if (count != 2)
    return 2;
  lodger::agent agent("{\"model\":" + lodger::quoted(std::string("scripted/") + arguments[1]) + "}");
  for (const lodger::event &event : agent.prompt("hi"))
    if (event.kind() == LODGER_EVENT_TEXT_DELTA)
      std::cout << event.text();
}
