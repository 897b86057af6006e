import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { TracedWorld, toLines } from './traced-world.ts'

let traced: TracedWorld
let hole: Server | undefined

afterEach(async () => {
  await traced.close()
  hole?.close()
})

/** Accepts connections and never says anything. */
async function openHole(): Promise<string> {
  hole = createServer((socket) => void socket.on('error', () => {}).resume()).listen(0, '127.0.0.1')
  await once(hole, 'listening')
  const address = hole.address()
  if (address === null || typeof address === 'string') throw new Error('The system gave no TCP port.')
  return `http://127.0.0.1:${address.port}`
}

test.each([
  ['is not there', async () => 'http://127.0.0.1:1'],
  ['never answers', openHole],
])('with a collector that %s agents work, and both programs stop in time and say why', async (_how, open) => {
  traced = await TracedWorld.start({ endpoint: await open() })
  const runner = await traced.startRunner()
  for (const name of ['first', 'second']) {
    const agentId = await traced.spawn(name, [
      { shell: 'true' },
      { tool: 'finish', input: { result: 'Done.' } },
      { say: 'Bye.' },
    ])
    expect(await traced.world.settled(agentId)).toMatchObject({ phase: 'PHASE_COMPLETED' })
  }
  const startedAt = performance.now()
  await runner.stop()
  expect(await traced.stopServer()).toBe(0)
  expect(performance.now() - startedAt).toBeLessThan(15_000)
  expect(runner.child.exitCode).toBe(0)
  for (const lines of [toLines(runner.output()), traced.serverLines]) {
    const complaints = lines.filter(({ msg }) => msg === 'traces cannot be sent: they are dropped')
    // Once a minute at most.
    expect([1, 2]).toContain(complaints.length)
    expect(lines.filter(({ level }) => Number(level) >= 50)).toEqual([])
  }
})
