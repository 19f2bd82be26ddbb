// The driver of this face for the golden traces: `node trace.mjs JOB OUT`. Jobs are described in tests/golden.
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAgent } from 'lodger';

const [jobFile, out] = process.argv.slice(2);
const { options, prompt, answers, tools = {}, cancelAfter, reader } = JSON.parse(readFileSync(jobFile, 'utf8'));

const agent = await createAgent({
  ...options,
  ...(answers && { onPermission: () => play(answers.shift()) }),
  tools: (options.tools ?? []).map((tool) => ({
    ...tool,
    execute: (_input, context) => run(tools[tool.name], context),
  })),
});
const turn = agent.prompt(prompt);

const got = [];
let counted = 0;
for await (const event of turn) {
  got.push(event);
  if (event.type === cancelAfter?.type && ++counted === cancelAfter.count) turn.cancel();
  if (reader && got.length % reader.max === 0) await sleep(reader.delayMs);
}
await agent.close();
writeFileSync(out, got.map((event) => `${JSON.stringify(event)}\n`).join(''));

/** One answer of the job. JavaScript has one thread, so `from` says nothing here. */
async function play({ answer, delayMs = 0, throw: why, never }) {
  if (never) await new Promise(() => {});
  await sleep(delayMs);
  if (why !== undefined) throw new Error(why);
  return answer;
}

/** A host tool that does what the job says. */
function run({ progress = [], result }, context) {
  for (const text of progress) context.progress(text);
  if (result.error !== undefined) throw new Error(result.error);
  const { content, isError = false } = result;
  const text = content.map((block) => block.text ?? '').join('');
  return { type: 'lodger.tool-result', text, images: content.filter((block) => block.type === 'image'), isError };
}
