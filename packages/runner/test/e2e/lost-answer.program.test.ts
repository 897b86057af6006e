import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { completeRun, heartbeatRuns, pollRuns } from '@skein/contract'
import { waitFor } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BACKENDS } from './backends-under-test.ts'
import { RunnerWorld, type RunnerProcess } from './runner-world.ts'

let world: RunnerWorld
let proxy: Server

/** Leases that a heartbeat was told are not current. */
const ended = new Set<string>()
/** Leases whose end was reported. */
const reported = new Set<string>()
let assigned = 0

beforeAll(async () => {
  world = await RunnerWorld.start()
  await world.useSandbox('process')
  proxy = createServer((request, response) => {
    void pass(request).then(
      ({ status, text }) => response.writeHead(status, { 'content-type': 'application/json' }).end(text),
      () => response.destroy(),
    )
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
})

afterAll(async () => {
  await world.close()
  proxy.closeAllConnections()
  proxy.close()
})

/**
 * Passes on everything, but loses the first answer to each end, once a heartbeat was told that the run has ended, and
 * the next has begun.
 */
async function pass(request: IncomingMessage): Promise<{ status: number; text: string }> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  const answer = await fetch(`${world.baseUrl}${request.url}`, {
    method: request.method ?? '',
    headers: {
      authorization: request.headers.authorization ?? '',
      'content-type': request.headers['content-type'] ?? 'application/json',
      ...idempotencyOf(request),
    },
    ...(body.length > 0 && { body }),
  })
  const text = await answer.text()
  if (request.url === heartbeatRuns.path && answer.status === 200) {
    const { runs } = JSON.parse(text) as { runs: { lease: string; isCurrent: boolean }[] }
    for (const { lease, isCurrent } of runs) if (!isCurrent) ended.add(lease)
  }
  if (request.url === pollRuns.path && answer.status === 200)
    assigned += (JSON.parse(text) as { runs: unknown[] }).runs.length
  if (request.url === completeRun.path && answer.status === 200) {
    const { lease } = JSON.parse(body.toString()) as { lease: string }
    if (!reported.has(lease)) {
      reported.add(lease)
      await waitFor(() => ended.has(lease) && assigned === 2, {
        what: 'a heartbeat that is told of the end, and the next run',
      })
      throw new Error('The answer is lost')
    }
  }
  return { status: answer.status, text }
}

function idempotencyOf({ headers }: IncomingMessage): Record<string, string> {
  const key = headers['idempotency-key']
  return typeof key === 'string' ? { 'idempotency-key': key } : {}
}

/** How the runner's runs ended, as its log says. */
function endings(runner: RunnerProcess): string[] {
  return runner
    .output()
    .split('\n')
    .filter((line) => line.includes('"a run ended"'))
    .map((line) => /"reason":"([a-z-]+)"/.exec(line)?.[1] ?? '')
}

test('a run whose end is not answered has ended, and the next one works in the same program', async () => {
  const [{ model }] = BACKENDS
  const { port } = proxy.address() as AddressInfo
  const runner = await world.startRunner({ SKEIN_URL: `http://127.0.0.1:${port}` })
  const agentId = await world.spawn('unanswered', [{ say: 'Hello.' }], { model })
  await world.settled(agentId)
  await world.send(agentId, [{ shell: 'sleep 2' }, { say: 'Again.' }])
  await world.waitUntil('two ends', async () => endings(runner).length === 2, 90_000)
  expect(endings(runner)).toEqual(['rested', 'rested'])
  expect(reported.size).toBe(2)
  expect(await world.events(agentId, 'run.attempt-failed')).toEqual([])
  expect(await world.events(agentId, 'run.attempt-lost')).toEqual([])
})
