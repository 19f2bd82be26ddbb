// Mends the failing test in a folder, and asks before it changes or runs anything.
//
//   c++ -std=c++17 fixer.cpp -llodger -o fixer && ./fixer FOLDER [--yes]
//
// LODGER_MODEL       provider/model; default anthropic/claude-sonnet-5-5
// LODGER_BASE_URL    a server that speaks Anthropic Messages; default: the provider's own
// ANTHROPIC_API_KEY  the key, under the name of the model's provider
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

#include "lodger.hpp"

namespace {

const char *const PROMPT = "The test in this folder fails. Find out why, mend the code, and run the test again.";

std::string options(const char *folder) {
  const char *model = std::getenv("LODGER_MODEL"), *base_url = std::getenv("LODGER_BASE_URL");
  std::string json = "{\"cwd\":" + lodger::quoted(std::filesystem::absolute(folder).string());
  json += ",\"model\":" + lodger::quoted(model ? model : "anthropic/claude-sonnet-5-5");
  if (base_url)
    json += ",\"endpoint\":{\"kind\":\"anthropic\",\"baseUrl\":" + lodger::quoted(base_url) + "}";
  // As events, questions come in order: after what led to them. A handler gets them at once.
  return json + ",\"requests\":\"events\"}";
}

const char *decide(const lodger::event &request, bool yes) {
  std::string_view diff = request.field("/permission/diff");
  if (!diff.empty())
    std::cout << diff << (diff.back() == '\n' ? "" : "\n");
  std::cout << request.field("/permission/label") << ": " << request.field("/permission/summary") << "? [y/N] "
            << std::flush;
  std::string line;
  if (yes)
    std::cout << "yes\n";
  else if (std::getline(std::cin, line))
    yes = line.substr(0, 1) == "y" || line.substr(0, 1) == "Y";
  return yes ? R"({"kind":"allow_once"})" : R"({"kind":"deny","feedback":"The user said no."})";
}

// Runs one prompt. True for a good end.
bool mend(const lodger::agent &agent, bool yes) {
  bool good = false;
  for (const lodger::event &event : agent.prompt(PROMPT)) {
    switch (event.kind()) {
    case LODGER_EVENT_TEXT_DELTA:
      std::cout << event.text() << std::flush;
      break;
    case LODGER_EVENT_ASSISTANT_MESSAGE:
      std::cout << std::endl;
      break;
    case LODGER_EVENT_TOOL_CALL:
      std::cout << "> " << event.field("/toolName") << ": " << event.field("/target/summary") << std::endl;
      break;
    case LODGER_EVENT_REQUEST_OPENED:
      agent.answer(event.field("/requestId"), decide(event, yes));
      break;
    case LODGER_EVENT_DONE:
      good = event.field("/error/code").empty();
      if (!good)
        std::cerr << '\n' << event.field("/error/code") << ": " << event.field("/error/message") << std::endl;
      std::cout << '\n' << event.field("/reason") << ": " << event.field("/usage/inputTokens") << " tokens in, "
                << event.field("/usage/outputTokens") << " out" << std::endl;
      break;
    }
  }
  return good;
}

} // namespace

int main(int count, char **arguments) {
  bool yes = count == 3 && std::string_view(arguments[2]) == "--yes";
  if (count < 2 || (count > 2 && !yes)) {
    std::cerr << "usage: fixer FOLDER [--yes]\n";
    return 2;
  }
  try {
    return mend(lodger::agent(options(arguments[1])), yes) ? 0 : 1;
  } catch (const lodger::error &error) {
    std::cerr << '\n' << error.code() << ": " << error.what() << '\n';
    return 1;
  }
}
