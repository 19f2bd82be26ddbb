// So many prompts in one process, in every way to read them; says what the process holds half-way and at the end.
// Started by soak.test.mjs with `--expose-gc`.
import { readdirSync, readFileSync } from 'node:fs';
import { createAgent } from 'lodger';
import { all, call, delay, repeat, scripted, sleep, text, tool } from './kit.mjs';

const PROMPTS_EACH = 10;
const AT_ONCE = 4;
const [count, folder] = [Number(process.argv[2]), process.argv[3]];
const write = call('write_file', { path: 'note.txt', content: 'noted\n' });
const steps = [[repeat(20), call('add', { a: 1 })], [text('added')], [write], [text('written'), delay(1)]];
const model = scripted(folder, steps, 'loop');
const options = {
  model,
  cwd: folder,
  instructions: [],
  tools: [tool('add', async ({ a }) => a + 1)],
  onPermission: async () => ({ kind: 'deny' }),
};

/** Ways to go through a turn; each takes one prompt of a fresh agent. */
const ways = [
  async (agent) => all(agent.prompt('go')),
  async (agent) => agent.prompt('go', { onEvent() {} }),
  async (agent) => {
    for await (const event of agent.stream('go')) if (event.type === 'text_delta') break;
  },
  async (agent) => agent.prompt('go', { signal: AbortSignal.abort() }),
  async (agent) => {
    const controller = new AbortController();
    const turn = agent.prompt('go', { signal: controller.signal });
    setImmediate(() => controller.abort());
    await turn;
  },
];

let prompts = 0;
async function lane(enough) {
  while (prompts < enough) {
    const agent = await createAgent(options);
    for (let index = 0; index < PROMPTS_EACH; index++, prompts++) {
      await ways[index % ways.length](agent);
    }
    await agent.checkpoint();
    await agent.close();
  }
}

/** What is held when all that is on its way out has gone: threads do so in the background, when they get to it. */
async function held(before) {
  const isMore = () => before && (threads() > before.threads || descriptors() > before.descriptors);
  for (let round = 0; round < 3 || (round < 300 && isMore()); round++) {
    globalThis.gc();
    await sleep(100);
  }
  return {
    mebibytes: Math.round(process.memoryUsage.rss() / 2 ** 20),
    heap: Math.round(process.memoryUsage().heapUsed / 2 ** 20),
    descriptors: descriptors(),
    threads: threads(),
    resources: process.getActiveResourcesInfo().length,
  };
}

const half = await until(count / 2);
const late = await until(count, half);
console.log(JSON.stringify({ prompts, half, late }));

/** Runs up to so many prompts; what is held then. */
async function until(some, before) {
  await Promise.all(Array.from({ length: AT_ONCE }, () => lane(some)));
  return held(before);
}

function descriptors() {
  return readdirSync('/proc/self/fd').length;
}

function threads() {
  return Number(/^Threads:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
}
