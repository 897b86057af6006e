import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { machineNow } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { attackSteps, carryOut } from './attacks.ts'
import { RunnerWorld, type RunnerProcess } from './runner-world.ts'

const MIB = 1024 * 1024
/** On a machine of two cores that does other things as well. */
const PATIENCE_MS = 60_000

let world: RunnerWorld
let runner: RunnerProcess

beforeAll(async () => {
  world = await RunnerWorld.start()
  await world.useSandbox('bubblewrap')
  runner = await world.startRunner({ SKEIN_RUNNER_WARM_MS: '0' })
})
afterAll(() => world.close())

function residentMib(): number {
  const [, kib = '0'] =
    /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${runner.child.pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1024
}

/** The runner's peak memory during this. */
async function peakMib(work: Promise<unknown>): Promise<number> {
  const done = new AbortController()
  const watching = (async () => {
    let peak = residentMib()
    while (!done.signal.aborted) {
      await pause(50, undefined, { signal: done.signal }).catch(() => {})
      peak = Math.max(peak, residentMib())
    }
    return peak
  })()
  await work.finally(() => done.abort())
  return watching
}

/** Model calls, a tool of ours and a push: whatever an agent needs the front for. */
async function workBeside(name: string): Promise<number> {
  const startedAt = machineNow()
  const agentId = await world.spawn(
    name,
    [
      { shell: 'echo one > one.txt; git add -A; git commit -qm one; git push -q origin HEAD' },
      { tool: 'create_task', input: { subject: 'one' } },
      { tool: 'list_tasks', input: {} },
      { say: 'Worked.' },
    ],
    { model: 'gpt-5.5' },
  )
  const { run, error } = await world.settled(agentId, 90_000)
  expect({ reason: run.endReason, error: error.message }).toEqual({ reason: 'rested', error: '' })
  expect(await world.git('branch', '--list', `skein/${name}`)).toContain(name)
  return machineNow() - startedAt
}

/** How long another agent takes for its work during this attack. */
async function workDuring(name: string, program: string): Promise<number> {
  const attack = `${program}\nwriteFileSync('${name}', ''); await pause(600_000)`
  const agentId = await world.spawn(name, attackSteps(attack), { model: 'claude-sonnet-5' })
  const begun = async () => {
    const found = await Array.fromAsync(glob(`${runner.dataDir}/agents/*/work/*/${name}`))
    return found.length > 0
  }
  await world.waitUntil('the attack', begun, 60_000)
  const tookMs = await workBeside(`beside-${name}`)
  expect((await world.status(agentId)).phase).toBe('PHASE_RUNNING')
  await world.admin.post('/v1/agent/kill', { agentId })
  await world.settled(agentId)
  tell(`${name}: another agent took ${tookMs.toFixed(0)} ms`)
  return tookMs
}

describe('an agent that attacks the front', () => {
  test('does not fill the runner’s memory with large bodies', async () => {
    await workBeside('warm-up')
    const before = residentMib()
    const attack = carryOut(
      world,
      'bodies',
      `
      const filler = Buffer.alloc(${MIB}, 'x')
      const one = () => new Promise((resolve) => {
        const sent = request({ host: '127.0.0.1', port, method: 'POST', agent: false,
          path: '/model/anthropic/v1/messages/count_tokens',
          headers: { 'x-api-key': token, 'content-type': 'application/json', 'content-length': 32 * filler.length },
        })
        sent.once('response', (answer) => { answer.resume(); answer.once('close', () => resolve(answer.statusCode)) })
        sent.once('error', (error) => resolve(error.code))
        let left = 31
        const more = () => { if (left-- > 0) sent.write(filler, more) }
        sent.write(filler, more)
        setTimeout(() => { sent.destroy(); resolve('held') }, 20_000).unref()
      })
      report(tally(await Promise.all(Array.from({ length: 60 }, one))))
      process.exit()
      `,
      { model: 'claude-sonnet-5' },
    )
    const peak = await peakMib(attack)
    const { found } = await attack
    tell(`60 × 32 MiB: ${JSON.stringify(found)}, ${before.toFixed(0)} → ${peak.toFixed(0)} MiB`)
    expect(peak - before).toBeLessThan(256)
  })

  test.each([
    ['silent connections', ''],
    [
      'headers that never end',
      `socket.write('POST ' + call + ' HTTP/1.1\\r\\nHost: x\\r\\n'); drip(socket, 'X-A: b\\r\\n')`,
    ],
    [
      'bodies that never end',
      `socket.write('POST ' + call + ' HTTP/1.1\\r\\nHost: x\\r\\nx-api-key: ' + token + '\\r\\nContent-Length: 30000000\\r\\n\\r\\n{'); drip(socket, ' ')`,
    ],
    [
      'pipelined requests',
      `const one = 'GET /model/x HTTP/1.1\\r\\nHost: x\\r\\nx-api-key: ' + token + '\\r\\n\\r\\n'; drip(socket, one.repeat(50))`,
    ],
  ])('does not keep others from their work with %s', async (name, use) => {
    const program = `
      const drip = (socket, text) => setInterval(() => socket.write(text), 500).unref()
      let held = 0
      const hold = () => {
        const socket = connect(port, '127.0.0.1', () => { held += 1; ${use} })
        socket.on('error', () => {})
        socket.on('close', () => setTimeout(hold, 50))
        socket.resume()
      }
      for (let i = 0; i < 2048; i += 1) hold()
      while (held < 2000) await pause(20)
    `
    expect(await workDuring(name.replaceAll(' ', '-'), program)).toBeLessThan(PATIENCE_MS)
  })

  test('does not keep others from their work with requests as fast as it can', async () => {
    const program = `
      const agent = new Agent({ keepAlive: true, maxSockets: 32 })
      for (let i = 0; i < 32; i += 1) (async () => {
        while (true) await ask('/tools', { agent, body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_tasks","arguments":{}}}', headers: { accept: 'application/json, text/event-stream' } })
      })()
      await pause(2000)
    `
    expect(await workDuring('requests', program)).toBeLessThan(PATIENCE_MS)
  })

  test('does not keep others from their work with connections that come and go', async () => {
    const program = `
      const churn = () => connect(port, '127.0.0.1', function () { this.destroy() }).on('error', () => {}).on('close', churn)
      for (let i = 0; i < 64; i += 1) churn()
      await pause(2000)
    `
    expect(await workDuring('churn', program)).toBeLessThan(PATIENCE_MS)
  })
})

function tell(text: string): void {
  process.stdout.write(`${text}\n`)
}
