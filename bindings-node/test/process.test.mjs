// How long agents keep a process alive, and what they do to it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { call, delay, folder, repeat, scripted, text } from './kit.mjs';
import { mockModel } from './mock.mjs';

const linux = { skip: process.platform !== 'linux' && 'reads /proc' };

/** Runs a program in a process of its own; it has `createAgent`, `model` and `say`. */
function program(source, model, more = {}, flags = []) {
  const prelude = `
    import { readFileSync } from 'node:fs';
    const { MODEL: model, FOLDER: cwd } = process.env;
    const createAgent = async (options) => (await import('lodger')).createAgent(options);
    const say = (...words) => console.log(...words);
  `;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...flags, '--input-type=module', '-e', prelude + source],
      {
        cwd: fileURLToPath(new URL('.', import.meta.url)),
        env: { ...process.env, MODEL: model, ...more },
        timeout: 60_000,
      },
      (error, stdout, stderr) => resolve({ code: error ? (error.code ?? error.signal) : 0, stdout, stderr }),
    );
  });
}
const ended = (expected, result) => {
  assert.equal(result.code, 0, result.stderr);
  assert.equal(result.stdout.trim(), expected);
};

test('an idle agent lets the process end', async (t) => {
  const model = scripted(folder(t), [[text('hi')]]);
  ended('made', await program(`await createAgent({ model }); say('made');`, model));
  ended(
    'hi',
    await program(`const agent = await createAgent({ model }); say((await agent.prompt('go')).text);`, model),
  );
});

test('a running turn holds the process until it has ended', async (t) => {
  const model = scripted(folder(t), [[delay(300), text('hi')]]);
  ended(
    'hi',
    await program(
      `const agent = await createAgent({ model }); agent.prompt('go').result.then((r) => say(r.text));`,
      model,
    ),
  );
});

test('a turn that nobody reads does not hold the process once it stands still', async (t) => {
  const model = scripted(folder(t), [[repeat(100_000)]]);
  ended('started', await program(`(await createAgent({ model })).prompt('go'); say('started');`, model));
});

test('a turn that stood still holds the process again when somebody reads', async (t) => {
  const model = scripted(folder(t), [[repeat(2000), delay(200), repeat(2000)]]);
  const source = `
    const turn = (await createAgent({ model })).prompt('go');
    await new Promise((resolve) => setTimeout(resolve, 200));
    let length = 0;
    for await (const event of turn) if (event.type === 'text_delta') length += event.text.length;
    say(length);
  `;
  ended('4000', await program(source, model));
});

test('an open request holds the process', async (t) => {
  const model = scripted(folder(t), [[call('write_file', { path: 'a', content: 'b' })], [text('ok')]]);
  const source = `
    const agent = await createAgent({ model, cwd, onPermission: () => new Promise((resolve) => {
      setTimeout(() => resolve({ kind: 'allow_once' }), 200).unref();
    }) });
    agent.prompt('go').result.then((result) => say(result.text));
  `;
  ended('ok', await program(source, model, { FOLDER: folder(t) }));
});

test('a fetch under way, and a list of models, hold the process', async (t) => {
  const { baseUrl } = await mockModel(t, [[text('hi')]]);
  const source = `
    const late = (...asked) => new Promise((resolve) => {
      setTimeout(() => resolve(fetch(...asked)), 200).unref();
    });
    const server = { endpoint: { kind: 'anthropic', baseUrl: process.env.URL }, auth: { apiKey: 'sk' }, fetch: late };
    const { listModels } = await import('lodger');
    const agent = await createAgent({ model, ...server });
    agent.prompt('go').result.then((result) => {
      say(result.text);
      listModels({ provider: 'acme', ...server }).then((ids) => say(ids.length > 0));
    });
  `;
  ended('hi\ntrue', await program(source, 'anthropic/mock', { URL: baseUrl }));
});

test('closing holds the process until it is through', async (t) => {
  const model = scripted(folder(t), [[delay(60_000)]]);
  const source = `
    const agent = await createAgent({ model });
    agent.prompt('go');
    await agent.close();
    say('closed');
  `;
  ended('closed', await program(source, model));
});

test('an agent that nobody closes is no reason to stay', async (t) => {
  const model = scripted(folder(t), [[call('run_shell', { command: 'true' })], [text('ok')]]);
  const source = `
    const agent = await createAgent({ model, cwd, mode: 'full-auto' });
    say((await agent.prompt('go')).text);
  `;
  ended('ok', await program(source, model, { FOLDER: folder(t) }));
});

test('agents that nobody closes are let go when they are collected', linux, async (t) => {
  const model = scripted(folder(t), [[text('hi')]]);
  const source = `
    const threads = () => Number(/^Threads:\\s+(\\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
    await import('lodger');
    const before = threads();
    // In a function of its own: the variables of the loop below would keep the last one.
    const makeOne = async () => void (await (await createAgent({ model })).prompt('go'));
    for (let index = 0; index < 100; index++) await makeOne();
    const during = threads();
    while (threads() > before) {
      gc();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    say(during > before);
  `;
  ended('true', await program(source, model, {}, ['--expose-gc']));
});

test('an agent whose watcher knows it is let go all the same', linux, async (t) => {
  const model = scripted(folder(t), [[text('hi')]]);
  const source = `
    // In a function of its own: the variables of the loop below would keep the last one.
    const makeOne = async () => {
      const known = {};
      known.agent = await createAgent({ model, onDiagnostic: () => known.agent });
      await known.agent.prompt('go');
      return new WeakRef(known.agent);
    };
    const made = [];
    for (let index = 0; index < 20; index++) made.push(await makeOne());
    while (made.some((agent) => agent.deref())) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      gc();
    }
    say('gone');
  `;
  ended('gone', await program(source, model, {}, ['--expose-gc']));
});

test('an agent whose fetch knows it is let go all the same', linux, async (t) => {
  const model = scripted(folder(t), [[text('hi')]]);
  const source = `
    const make = async () => {
      const known = {};
      known.agent = await createAgent({ model, fetch: () => known.agent });
      await known.agent.prompt('go');
      return new WeakRef(known.agent);
    };
    const made = [];
    for (let index = 0; index < 20; index++) made.push(await make());
    while (made.some((agent) => agent.deref())) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      gc();
    }
    say('gone');
  `;
  ended('gone', await program(source, model, {}, ['--expose-gc']));
});

test('a process lives on when the workers that alone had agents are terminated', async (t) => {
  const model = scripted(folder(t), [[repeat(1_000_000)]]);
  const source = `
    const { Worker } = await import('node:worker_threads');
    for (let round = 0; round < 3; round++) {
      const worker = new Worker(process.env.WORKER, { execArgv: [], workerData: { options: { model }, read: true } });
      await new Promise((resolve) => worker.on('message', (event) => event.type === 'text_delta' && resolve()));
      await worker.terminate();
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
    say('alive');
  `;
  ended('alive', await program(source, model, { WORKER: fileURLToPath(new URL('./worker.mjs', import.meta.url)) }));
});

test('no handler for SIGCHLD is installed', linux, async (t) => {
  const model = scripted(folder(t), [[call('run_shell', { command: 'true' })], [text('ok')]]);
  const source = `
    const caught = () => BigInt('0x' + /^SigCgt:\\s+(\\w+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
    const SIGCHLD = 1n << 16n;
    const agent = await createAgent({ model, cwd, mode: 'full-auto' });
    await agent.prompt('go');
    say((caught() & SIGCHLD) === 0n);
  `;
  ended('true', await program(source, model, { FOLDER: folder(t) }));
});

test('folder and environment of the process stay as they are', async (t) => {
  const model = scripted(folder(t), [[call('run_shell', { command: 'cd /; export CHANGED=1' })], [text('ok')]]);
  const source = `
    const before = JSON.stringify([process.cwd(), process.env]);
    const agent = await createAgent({ model, cwd, mode: 'full-auto', env: { set: { CHANGED: '1' } } });
    await agent.prompt('go');
    await agent.close();
    say(JSON.stringify([process.cwd(), process.env]) === before);
  `;
  ended('true', await program(source, model, { FOLDER: folder(t) }));
});
