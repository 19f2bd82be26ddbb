// A worker with an agent in the middle of a turn; what it is to do stands in `workerData`.
import { parentPort, workerData } from 'node:worker_threads';
import { createAgent } from 'lodger';

const { options, read, close, watch, fetches } = workerData;
const onDiagnostic = watch ? (diagnostic) => parentPort.postMessage(diagnostic) : undefined;
const agent = await createAgent({ ...options, onDiagnostic, ...(fetches && { fetch }) });
const turn = agent.prompt('go');
if (read) {
  for await (const event of turn) parentPort.postMessage(event);
} else {
  parentPort.postMessage({ type: 'started' });
}
if (close) await agent.close();
