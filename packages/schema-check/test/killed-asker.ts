import { LimitedProcess } from '../src/index.ts'

/** Prints the pid of its child, which is in an endless loop, and waits to be killed. */
const limited = new LimitedProcess<string, number>(import.meta.url, 'hostile-jobs', {
  cpuMs: 1_000,
  wallMs: 60_000,
  heapMib: 64,
})
const outcome = await limited.run('pid')
if (outcome.kind === 'done') console.log(outcome.result)
setInterval(() => undefined, 1_000)
await limited.run('spin')
