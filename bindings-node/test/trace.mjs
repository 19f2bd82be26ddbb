// The driver of this face for the golden traces: `node trace.mjs JOB OUT`. Jobs are described in tests/golden.
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAgent } from 'lodger';

const [jobFile, out] = process.argv.slice(2);
const { tap, options, turns, answers, tools = {}, reader } = JSON.parse(readFileSync(jobFile, 'utf8'));
const answersById = options.requests === 'events';

/** What is written, one JSON a line. */
const lines = [];
/** How many events of each type were read of the turn, and who waits for more of them. */
let seen = {};
let waiting = [];

let agent = await newAgent();
for (const plan of turns) {
  if (plan.makes) writeFileSync(plan.makes, '');
  if (plan.restored) {
    const checkpoint = await agent.checkpoint();
    await agent.close();
    agent = await newAgent({ checkpoint });
  }
  await play(plan);
}
await agent.close();
writeFileSync(out, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));

function newAgent(more = {}) {
  const answer = answersById ? undefined : answers && (() => answered(answers.shift()));
  return createAgent({
    ...options,
    ...more,
    onPermission: answer,
    onQuestion: answer,
    onPlan: answer,
    tools: (options.tools ?? []).map((tool) => ({
      ...tool,
      execute: (_input, context) => executed(tools[tool.name], context),
    })),
  });
}

/** One prompt, read as the job says. */
async function play({ prompt, cancelAtOnce, cancelAfter }) {
  seen = {};
  let turn;
  const onEvent = (event) => {
    lines.push(event);
    seen[event.type] = (seen[event.type] ?? 0) + 1;
    if (event.type === 'request_opened' && answersById) agent.answer(event.requestId, answers.shift().answer);
    if (event.type === cancelAfter?.type && seen[event.type] === cancelAfter.count) turn.cancel();
    waiting = waiting.filter(({ after, resolve }) => !hasSeen(after) || resolve());
    return reader && lines.length % reader.max === 0 ? sleep(reader.delayMs) : undefined;
  };

  if (tap === 'awaited') turn = agent.prompt(prompt, { onEvent });
  else if (tap === 'stream') turn = agent.stream(prompt);
  else if (tap === 'iterator') turn = agent.prompt(prompt);
  else throw new Error(`there is no tap ${tap}`);
  if (cancelAtOnce) turn.cancel();
  if (tap !== 'awaited') for await (const event of turn) await onEvent(event);

  // Awaiting a turn rejects when it failed, and the error has what it came to all the same.
  const result = await (tap === 'awaited' ? turn : turn.result).catch((error) => error.result);
  lines.push({ type: 'result', ...result });
}

/** One answer of the job. JavaScript has one thread, so `from` says nothing here. */
async function answered({ answer, delayMs = 0, throw: why, never }) {
  if (never) await new Promise(() => {});
  await sleep(delayMs);
  if (why !== undefined) throw new Error(why);
  return answer;
}

/** A host tool that does what the job says. */
async function executed({ progress = [], after, result, throw: why }, context) {
  for (const text of progress) context.progress(text);
  if (after && !hasSeen(after)) await new Promise((resolve) => waiting.push({ after, resolve }));
  if (why !== undefined) throw new Error(why);
  const { content, isError = false } = result;
  const text = content.map((block) => block.text ?? '').join('');
  const of = (type) => content.filter((block) => block.type === type);
  return { type: 'lodger.tool-result', text, images: of('image'), documents: of('document'), isError };
}

function hasSeen({ type, count }) {
  return (seen[type] ?? 0) >= count;
}
