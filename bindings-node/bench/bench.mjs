// What Lodger costs in Node: `node bench.mjs JOB BASE_URL` prints one JSON object. See tests/bench/run.
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

const [job, baseUrl] = process.argv.slice(2);
const loading = performance.now();
const { createAgent, defineTool } = await import('../dist/index.js');
const loaded = performance.now() - loading;

const TIMES = 60;
const LARGE_TURNS = 10;
const echo = defineTool({
  name: 'echo',
  description: 'Says it again',
  inputSchema: { type: 'object' },
  execute: async (input) => input.text,
});
const agent = () =>
  createAgent({
    model: 'anthropic/bench',
    endpoint: { kind: 'anthropic', baseUrl },
    auth: { apiKey: 'bench' },
    // Enough for the results of `large`.
    limits: { maxToolOutputBytes: 1024 * 1024 },
    tools: [echo],
  });

/** One turn to its end; returns how many replies it had. */
async function turn(agent, onText = () => {}) {
  let replies = 0;
  for await (const event of agent.prompt('Go')) {
    if (event.type === 'text_delta') onText();
    else if (event.type === 'assistant_message') replies++;
    else if (event.type === 'done' && event.error) throw new Error(event.error.message);
  }
  return replies;
}

const pssKib = () => Number(/^Pss:\s+(\d+)/m.exec(readFileSync('/proc/self/smaps_rollup', 'utf8'))[1]);

async function times(count, one) {
  const us = [];
  for (let i = 0; i < count; i++) us.push((await one()) * 1000);
  return { us };
}

/** Wall and processor time of each of the `times` that `work` does the same. */
async function cost(times, work) {
  const cpu = process.cpuUsage();
  const began = performance.now();
  await work();
  const used = process.cpuUsage(cpu);
  return { wallMs: (performance.now() - began) / times, cpuMs: (used.user + used.system) / 1000 / times };
}

/** From `cancel` in mid-stream to the end of the turn; or from `close` to its return. */
async function ended(byCancel) {
  const one = await agent();
  let began = 0;
  for await (const event of one.prompt('Go')) {
    if (event.type !== 'text_delta') continue;
    began = performance.now();
    if (!byCancel) break;
    one.interrupt();
  }
  if (!byCancel) {
    began = performance.now();
    await one.close();
  }
  return performance.now() - began;
}

const jobs = {
  load_library: () => ({ us: [loaded * 1000] }),
  async 'first-text'() {
    await turn(await agent(), () => console.log('first'));
    return {};
  },
  async create() {
    return times(TIMES, async () => {
      const began = performance.now();
      await agent();
      return performance.now() - began;
    });
  },
  async warm() {
    return times(TIMES, async () => {
      const one = await agent();
      const began = performance.now();
      let first;
      await turn(one, () => (first ??= performance.now() - began));
      return first;
    });
  },
  async rounds() {
    return times(TIMES, async () => {
      const one = await agent();
      const began = performance.now();
      const rounds = await turn(one);
      return (performance.now() - began) / rounds;
    });
  },
  async stream() {
    return times(TIMES / 6, async () => {
      const one = await agent();
      const began = performance.now();
      let deltas = 0;
      await turn(one, () => deltas++);
      if (deltas !== 20000) throw new Error(`${deltas} deltas`);
      return performance.now() - began;
    });
  },
  load: () =>
    cost(1, async () => {
      const agents = await Promise.all(Array.from({ length: 100 }, agent));
      await Promise.all(agents.map((one) => turn(one)));
    }),
  large: () =>
    cost(LARGE_TURNS, async () => {
      for (let i = 0; i < LARGE_TURNS; i++) await turn(await agent());
    }),
  cancel: () => times(TIMES, () => ended(true)),
  close: () => times(TIMES, () => ended(false)),
  async idle() {
    const before = pssKib();
    const agents = [];
    for (let i = 0; i < 1000; i++) {
      agents.push(await agent());
      await turn(agents[i]);
    }
    return { kibPerAgent: (pssKib() - before) / agents.length };
  },
};

// One agent stays, so that the shared runtime and its connections do. The first text is measured without it.
const kept = job === 'first-text' ? undefined : await agent();
if (['warm', 'load', 'large', 'idle'].includes(job)) await turn(kept);
console.log(JSON.stringify(await jobs[job]()));
process.exit(0);
