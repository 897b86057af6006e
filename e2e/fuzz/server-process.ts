/** The server under test, in a separate process, with a probe the fuzzer queries over IPC. */
import { subscribe } from 'node:diagnostics_channel'
import { readConfig, startServer } from '@skein/server'
import { TickProbe, type Ticks } from './tick-probe.ts'

export interface Measured extends Ticks {
  readonly routes: readonly string[]
  readonly reached: readonly string[]
  /** The worst of what the server logged. */
  readonly faults: readonly string[]
  readonly isPrototypeClean: boolean
}

/** The part of Fastify used here. */
interface HookedApp {
  addHook(name: 'onRoute', hook: (route: { method: string | string[]; url: string }) => void): void
  addHook(
    name: 'onRequest' | 'preHandler',
    hook: (request: { method: string; routeOptions: { url?: string } }) => Promise<void>,
  ): void
}

const PLANTED_TICK_MS = 300
const PLANTED_AT = 400
const inherited = Object.getOwnPropertyNames(Object.prototype).join()
const planted = process.env['FUZZ_PLANTED']
const routes = new Set<string>()
const reached = new Set<string>()
const faults: string[] = []
let requests = 0

subscribe('fastify.initialization', (message) => watch((message as { fastify: HookedApp }).fastify))
const server = await startServer(readConfig(process.env), {
  logStream: { write: (line) => void faults.push(line) },
})
const probe = new TickProbe()
process.on('message', (asked) => {
  if (asked === 'stop') void server.stop().then(() => process.disconnect())
  else process.send?.(measure())
})
process.on('disconnect', () => process.exit())
process.send?.(server.url)

function watch(app: HookedApp): void {
  app.addHook('onRoute', ({ method, url }) => {
    for (const name of [method].flat())
      if (name !== 'HEAD' && name !== 'OPTIONS') routes.add(`${name} ${url}`)
  })
  app.addHook('preHandler', async ({ method, routeOptions: { url } }) => {
    if (url !== undefined) reached.add(`${method} ${url}`)
  })
  app.addHook('onRequest', async () => {
    if (++requests === PLANTED_AT && planted !== undefined) goWrong()
  })
}

/** The planted bug, which the fuzzer must notice. */
function goWrong(): void {
  if (planted === 'error') throw new Error('a planted error')
  if (planted !== 'tick') return
  // By CPU time: by the clock, a busy machine would make this thread wait instead of work.
  const before = process.threadCpuUsage()
  let usedMs = 0
  while (usedMs < PLANTED_TICK_MS) {
    const { user, system } = process.threadCpuUsage(before)
    usedMs = (user + system) / 1000
  }
}

function measure(): Measured {
  const isPrototypeClean = Object.getOwnPropertyNames(Object.prototype).join() === inherited
  return {
    ...probe.take(),
    routes: [...routes],
    reached: [...reached],
    faults: faults.splice(0),
    isPrototypeClean,
  }
}
