// The C++ layer: what it adds to C. What it passes on is tested there.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

#include <poll.h>

#include "lodger.hpp"

namespace {

std::string folder;

#define CHECK(condition)                                                                       \
  do {                                                                                         \
    if (!(condition)) {                                                                        \
      std::cerr << __FILE__ << ':' << __LINE__ << ": " << #condition << std::endl;             \
      return false;                                                                            \
    }                                                                                          \
  } while (false)

std::string options(const std::string &steps) {
  std::ofstream(folder + "/script.json") << "{\"steps\":[" << steps << "]}";
  return R"({"model":"scripted/script.json","cwd":)" + lodger::quoted(folder) + "}";
}

const char *const writes = R"({"reply":[{"type":"tool_call","toolName":"write_file","input":{"path":"a.txt","content":"x"}}]},
  {"reply":[{"type":"text","text":"ok"}]})";

bool a_range_for_sees_every_event_up_to_done() {
  lodger::agent agent(options(R"({"expect":{"lastUserText":"\"quoted\"\n"},"reply":[{"type":"repeat","text":"ab","count":500}]})"));
  lodger::turn turn = agent.prompt("a \"quoted\"\n line");
  std::string text;
  std::string_view last;
  std::uint64_t seq = 0;
  for (const lodger::event &event : turn) {
    CHECK(event.seq() == ++seq);
    if (event.kind() == LODGER_EVENT_TEXT_DELTA)
      text += event.text();
    last = event.kind() == LODGER_EVENT_DONE ? "done" : "more";
  }
  CHECK(last == "done" && text.size() == 1000);
  CHECK(turn.result()->find("\"reason\":\"end_turn\"") != std::string::npos);
  return true;
}

bool a_failed_call_throws_with_code_and_message() {
  try {
    lodger::agent agent(R"({"modle":"a/b"})");
  } catch (const lodger::error &error) {
    CHECK(error.status() == LODGER_E_INVALID_OPTIONS && error.code() == "invalid_options");
    CHECK(std::string(error.what()).find("\"model\"") != std::string::npos);
    return true;
  }
  return false;
}

bool a_handler_answers_requests() {
  lodger::agent agent(options(writes), [](lodger::request request) {
    if (request.field("/permission/toolName") == "write_file")
      request.allow();
  });
  for (const lodger::event &event : agent.prompt("go"))
    if (event.kind() == LODGER_EVENT_REQUEST_RESOLVED)
      CHECK(event.field("/outcome") == "allowed_once");
  CHECK(std::filesystem::exists(folder + "/a.txt"));
  return true;
}

bool a_handler_that_throws_refuses_and_the_model_hears_what() {
  for (bool knows_why : {true, false}) {
    lodger::agent agent(options(writes), [knows_why](lodger::request) {
      if (knows_why)
        throw std::runtime_error("no screen");
      throw 42;
    });
    std::string outcome, told;
    for (const lodger::event &event : agent.prompt("go")) {
      if (event.kind() == LODGER_EVENT_REQUEST_RESOLVED)
        outcome = event.field("/outcome");
      if (event.kind() == LODGER_EVENT_TOOL_RESULT)
        told = event.json();
    }
    CHECK(outcome == "failed" && !std::filesystem::exists(folder + "/a.txt"));
    CHECK(told.find(knows_why ? "the handler failed: no screen" : "the handler failed") != std::string::npos);
  }
  return true;
}

bool a_handler_that_throws_after_its_answer_changes_nothing() {
  lodger::agent agent(options(writes), [](lodger::request request) {
    request.allow();
    throw std::runtime_error("too late");
  });
  for (const lodger::event &event : agent.prompt("go"))
    (void)event;
  CHECK(std::filesystem::exists(folder + "/a.txt"));
  return true;
}

bool a_waitable_goes_into_a_loop_of_ones_own() {
  lodger::agent agent(options(R"({"reply":[{"type":"repeat","text":"ab","count":500}]})"));
  lodger::turn turn = agent.prompt("go");
  std::string text;
  for (bool over = false; !over;) {
    pollfd wait{turn.waitable(), POLLIN, 0};
    CHECK(poll(&wait, 1, 60000) == 1);
    if (auto events = turn.read(64, std::chrono::milliseconds(0)))
      for (const lodger::event &event : *events)
        text += event.text();
    else
      over = true;
  }
  CHECK(text.size() == 1000);
  return true;
}

bool a_listener_gets_what_it_wants_and_cancels_by_throwing() {
  for (bool throws : {false, true}) {
    std::promise<std::string> reason;
    std::string text;
    lodger::agent agent(options(R"({"reply":[{"type":"repeat","text":"ab","count":500}]})"));
    lodger::turn turn = agent.prompt("go");
    turn.set_listener([&](lodger::event event) {
      text += event.text();
      if (event.kind() == LODGER_EVENT_DONE)
        reason.set_value(std::string(event.field("/reason")));
      else if (throws && text.size() >= 10)
        throw std::runtime_error("enough");
      else if (text.size() % 100 == 0)
        turn.resume(); // before the pause is answered
      return text.size() % 100 == 0 ? LODGER_FLOW_PAUSE : LODGER_FLOW_CONTINUE;
    });
    CHECK(reason.get_future().get() == (throws ? "cancelled" : "end_turn"));
    CHECK(throws || text.size() == 1000);
    agent.close(std::chrono::minutes(1));
  }
  return true;
}

bool a_request_may_be_moved_to_another_thread() {
  std::promise<std::thread> late;
  lodger::agent agent(options(writes), [&](lodger::request request) {
    late.set_value(std::thread([kept = std::move(request)] { kept.answer(R"({"kind":"allow_once"})"); }));
  });
  for (const lodger::event &event : agent.prompt("go"))
    (void)event;
  late.get_future().get().join(); // the turn may be over before the handler has said which thread it is
  CHECK(std::filesystem::exists(folder + "/a.txt"));
  return true;
}

bool a_waker_may_capture_what_it_needs() {
  auto rings = std::make_shared<std::atomic<int>>(0);
  {
    lodger::runtime runtime(1);
    lodger::agent agent(options(R"({"reply":[{"type":"text","text":"x"}]})"), nullptr, &runtime);
    lodger::turn turn = agent.prompt("go");
    turn.set_waker([rings] { ++*rings; });
    while (auto events = turn.read(8, std::chrono::milliseconds(1000)))
      (void)events;
    CHECK(*rings > 0);
    agent.close(std::chrono::minutes(1));
  }
  CHECK(rings.use_count() == 1);
  return true;
}

bool a_watcher_hears_the_whole_life_of_an_agent_and_may_throw() {
  std::string heard;
  lodger::host host;
  host.on_request = [](lodger::request request) { request.allow(); };
  host.on_diagnostic = [&](std::string_view json) {
    const auto at = json.find("\"type\":\"") + 8;
    heard += std::string(json.substr(at, json.find('"', at) - at)) + " ";
    throw std::runtime_error("not the agent's affair");
  };
  {
    lodger::agent agent(options(writes), host);
    for (const lodger::event &event : agent.prompt("go"))
      (void)event;
    CHECK(std::filesystem::exists(folder + "/a.txt"));
  }
  CHECK(heard == "runtime.start runtime.ready permission.request permission.decision runtime.exit ");
  return true;
}

const char *const far_away = R"({"model":"anthropic/mock","limits":{"maxRetries":0},
  "endpoint":{"kind":"anthropic","baseUrl":"https://model.test"}})";

const char *const says_ok =
    R"(data: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"mock","content":[],)"
    R"("stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}})" "\n\n"
    R"(data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})" "\n\n"
    R"(data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"ok"}})" "\n\n"
    R"(data: {"type":"content_block_stop","index":0})" "\n\n"
    R"(data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}})" "\n\n"
    R"(data: {"type":"message_stop"})" "\n\n";

bool a_host_makes_the_token_and_carries_the_request_on_another_thread() {
  std::string audience, headers, body, text;
  std::promise<std::thread> client;
  lodger::host host;
  host.on_token = [&](lodger::token_request wanted) {
    audience = wanted.audience();
    wanted.issue("made-here");
  };
  host.on_fetch = [&](lodger::fetch fetch) {
    headers = fetch.headers();
    body = fetch.body();
    client.set_value(std::thread([fetch] {
      if (!fetch.respond(200, "content-type: text/event-stream\r\n"))
        return;
      for (std::string_view left = says_ok; !left.empty(); left.remove_prefix(std::min<std::size_t>(left.size(), 7)))
        if (fetch.push(left.substr(0, 7)) != LODGER_OK)
          return;
      fetch.end();
    }));
  };
  lodger::agent agent(far_away, host);
  for (const lodger::event &event : agent.prompt("hi"))
    if (event.kind() == LODGER_EVENT_TEXT_DELTA)
      text += event.text();
  client.get_future().get().join();
  CHECK(text == "ok" && audience == "https://model.test");
  CHECK(headers.find("authorization: Bearer made-here\r\n") != std::string::npos);
  CHECK(body.find("\"hi\"") != std::string::npos);
  return true;
}

bool what_a_vault_or_a_client_throws_stands_in_the_error() {
  for (bool has_token : {false, true}) {
    lodger::host host;
    host.on_token = [&](lodger::token_request wanted) {
      if (!has_token)
        throw std::runtime_error("the vault is locked");
      wanted.issue("made-here");
    };
    host.on_fetch = [](lodger::fetch) { throw std::runtime_error("no way out"); };
    lodger::agent agent(far_away, host);
    const std::string result = *agent.prompt("hi").result();
    CHECK(result.find(has_token ? "provider_unavailable" : "provider_auth") != std::string::npos);
    CHECK(result.find(has_token ? "no way out" : "the vault is locked") != std::string::npos);
  }
  return true;
}

bool a_client_is_woken_when_nobody_wants_the_answer_any_more() {
  std::promise<lodger::fetch> carried;
  auto woken = std::make_shared<std::promise<void>>();
  lodger::host host;
  host.on_token = [](lodger::token_request wanted) { wanted.issue("made-here"); };
  host.on_fetch = [&](lodger::fetch fetch) {
    auto once = std::make_shared<std::once_flag>();
    fetch.set_waker([woken, once] { std::call_once(*once, [&] { woken->set_value(); }); });
    carried.set_value(fetch);
  };
  lodger::agent agent(far_away, host);
  lodger::turn turn = agent.prompt("hi");
  lodger::fetch fetch = carried.get_future().get();
  CHECK(!fetch.settled() && fetch.respond(200, ""));
  turn.cancel();
  woken->get_future().get();
  CHECK(fetch.settled() && fetch.push("late") == LODGER_END);
  fetch.end();
  return true;
}

bool a_list_of_models_goes_through_the_hosts_client() {
  lodger::host host;
  host.on_token = [](lodger::token_request wanted) { wanted.issue("made-here"); };
  host.on_fetch = [](lodger::fetch fetch) {
    fetch.respond(200, "");
    fetch.push(R"({"data":[{"id":"a"}],"has_more":false})", std::chrono::milliseconds(0));
    fetch.end();
  };
  const char *options = R"({"provider":"anthropic","endpoint":{"kind":"anthropic","baseUrl":"https://model.test"}})";
  CHECK(lodger::list_models(options, host, std::chrono::minutes(1)) == R"(["a"])");
  return true;
}

bool a_checkpoint_goes_on_elsewhere() {
  std::vector<std::uint8_t> kept;
  const std::string script = options(R"({"reply":[{"type":"text","text":"one"}]},{"reply":[{"type":"text","text":"two"}]})");
  {
    lodger::agent agent(script);
    for (const lodger::event &event : agent.prompt("first"))
      (void)event;
    kept = agent.checkpoint();
  }
  lodger::agent agent(kept, script);
  std::string text;
  for (const lodger::event &event : agent.prompt("second"))
    text += event.text();
  CHECK(text == "two"); // the script counts the replies that are there
  kept[kept.size() / 2] ^= 1;
  try {
    lodger::agent damaged(kept, script);
  } catch (const lodger::error &error) {
    CHECK(error.code() == "checkpoint_corrupt");
    return true;
  }
  return false;
}

bool destroying_an_agent_ends_what_it_does() {
  lodger::agent agent(options(R"({"reply":[{"type":"wait","file":"never"}]})"));
  lodger::turn turn = agent.prompt("go");
  { lodger::agent gone(std::move(agent)); }
  std::string reason;
  for (const lodger::event &event : turn)
    if (event.kind() == LODGER_EVENT_DONE)
      reason = event.field("/reason");
  CHECK(reason == "cancelled");
  return true;
}

} // namespace

int main() {
  const std::pair<const char *, bool (*)()> tests[] = {
      {"a_range_for_sees_every_event_up_to_done", a_range_for_sees_every_event_up_to_done},
      {"a_failed_call_throws_with_code_and_message", a_failed_call_throws_with_code_and_message},
      {"a_handler_answers_requests", a_handler_answers_requests},
      {"a_handler_that_throws_refuses_and_the_model_hears_what", a_handler_that_throws_refuses_and_the_model_hears_what},
      {"a_handler_that_throws_after_its_answer_changes_nothing", a_handler_that_throws_after_its_answer_changes_nothing},
      {"a_waitable_goes_into_a_loop_of_ones_own", a_waitable_goes_into_a_loop_of_ones_own},
      {"a_listener_gets_what_it_wants_and_cancels_by_throwing", a_listener_gets_what_it_wants_and_cancels_by_throwing},
      {"a_request_may_be_moved_to_another_thread", a_request_may_be_moved_to_another_thread},
      {"a_waker_may_capture_what_it_needs", a_waker_may_capture_what_it_needs},
      {"a_watcher_hears_the_whole_life_of_an_agent_and_may_throw", a_watcher_hears_the_whole_life_of_an_agent_and_may_throw},
      {"a_host_makes_the_token_and_carries_the_request_on_another_thread", a_host_makes_the_token_and_carries_the_request_on_another_thread},
      {"what_a_vault_or_a_client_throws_stands_in_the_error", what_a_vault_or_a_client_throws_stands_in_the_error},
      {"a_client_is_woken_when_nobody_wants_the_answer_any_more", a_client_is_woken_when_nobody_wants_the_answer_any_more},
      {"a_list_of_models_goes_through_the_hosts_client", a_list_of_models_goes_through_the_hosts_client},
      {"a_checkpoint_goes_on_elsewhere", a_checkpoint_goes_on_elsewhere},
      {"destroying_an_agent_ends_what_it_does", destroying_an_agent_ends_what_it_does},
  };
  int passed = 0, failed = 0;
  for (const auto &[name, run] : tests) {
    char made[] = "/tmp/lodger-cpp-XXXXXX";
    folder = mkdtemp(made);
    bool good = run();
    std::filesystem::remove_all(folder);
    std::cout << (good ? "ok   " : "FAIL ") << name << std::endl;
    good ? passed++ : failed++;
  }
  std::cout << passed << " passed, " << failed << " failed" << std::endl;
  return failed > 0;
}
