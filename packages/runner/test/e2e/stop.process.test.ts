import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { AgentId } from '@skein/contract'
import { machineNow } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BACKENDS } from './backends-under-test.ts'
import { findProcesses, processesWith } from './processes.ts'
import { RunnerWorld } from './runner-world.ts'

let world: RunnerWorld

beforeAll(async () => {
  world = await RunnerWorld.start()
  await world.startRunner({ SKEIN_RUNNER_WARM_MS: '0' })
})

afterAll(() => world.close())

const figures: string[] = []
afterAll(() => console.log(figures.join('\n')))

async function requestStop(agentId: AgentId, mode: string): Promise<void> {
  const { runCount } = await world.status(agentId)
  const answer = await world.admin.post('/v1/agent/stop-turn', { agentId, runId: runCount, mode })
  expect(answer).toMatchObject({ status: 200 })
}

async function stop(agentId: AgentId, mode: string): Promise<number> {
  const beganAt = machineNow()
  await requestStop(agentId, mode)
  await world.settled(agentId)
  return machineNow() - beganAt
}

/** Stops the agent programs above a marked process, so that they hear nothing; answers how many there were. */
async function freezeProgramOf(mark: string): Promise<number> {
  const [marked] = await findProcesses(mark)
  let pid = marked?.pid ?? 0
  let frozen = 0
  while (pid > 1) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    if (/^Name:\s+(claude|codex)/m.test(status)) {
      process.kill(pid, 'SIGSTOP')
      frozen += 1
    }
    pid = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1])
  }
  return frozen
}

/** An agent in the middle of a shell command that would last for an hour, marked so that its processes can be found. */
async function inTool(name: string, model: string): Promise<{ agentId: AgentId; mark: string }> {
  const mark = `sleeper-${name}`
  const agentId = await world.spawn(name, [{ shell: `touch started; exec -a ${mark} sleep 3600 & wait` }], {
    model,
  })
  await world.waitUntil('the command', async () => (await processesWith(mark)).length > 0)
  return { agentId, mark }
}

async function inStream(name: string, model: string): Promise<AgentId> {
  const agentId = await world.spawn(name, [{ say: 'I begin to speak and then I hang.', hang: true }], {
    model,
  })
  await world.waitUntil('the stream', async () =>
    world.simulator.requests.some(
      ({ isSide, endedAt, body }) => !isSide && endedAt === undefined && JSON.stringify(body).includes(name),
    ),
  )
  return agentId
}

describe.each(['process', 'bubblewrap'] as const)('in the sandbox %s', (sandbox) => {
  beforeAll(() => world.useSandbox(sandbox))

  describe.each(BACKENDS)('backend $backend', ({ backend, model }) => {
    test('an interrupt in the middle of a tool rests the agent within 2 s and leaves no process', async () => {
      const { agentId, mark } = await inTool(`int-tool-${backend}-${sandbox}`, model)
      const ms = await stop(agentId, 'STOP_TURN_MODE_INTERRUPT')
      figures.push(`interrupt in a tool, backend ${backend}, ${sandbox}: ${Math.round(ms)} ms`)
      expect((await world.status(agentId)).run.endReason).toBe('interrupted')
      expect(await processesWith(mark)).toEqual([])
      expect(ms).toBeLessThan(2_000)
    })

    test('an interrupt in the middle of an answer rests the agent within 2 s, with what was used', async () => {
      const agentId = await inStream(`int-stream-${backend}-${sandbox}`, model)
      const ms = await stop(agentId, 'STOP_TURN_MODE_INTERRUPT')
      figures.push(`interrupt in an answer, backend ${backend}, ${sandbox}: ${Math.round(ms)} ms`)
      const status = await world.status(agentId)
      expect(status).toMatchObject({ phase: 'PHASE_WAITING', run: { endReason: 'interrupted' } })
      expect(Number(status.inputTokens)).toBeGreaterThan(0)
      expect(ms).toBeLessThan(2_000)
    })

    test('a kill ends the turn within 1 s with its whole process tree', async () => {
      const { agentId, mark } = await inTool(`kill-${backend}-${sandbox}`, model)
      const ms = await stop(agentId, 'STOP_TURN_MODE_KILL')
      figures.push(`kill in a tool, backend ${backend}, ${sandbox}: ${Math.round(ms)} ms`)
      expect((await world.status(agentId)).run.endReason).toBe('killed')
      expect(await processesWith(mark)).toEqual([])
      expect(ms).toBeLessThan(1_000)
    })

    test('a program that ignores an interrupt keeps its run, which shows the stop, until a second stop kills it', async () => {
      const { agentId, mark } = await inTool(`deaf-${backend}-${sandbox}`, model)
      const frozen = await freezeProgramOf(mark)
      expect(frozen).toBeGreaterThan(0)
      await requestStop(agentId, 'STOP_TURN_MODE_INTERRUPT')
      await pause(3_000)
      expect(await world.status(agentId)).toMatchObject({
        phase: 'PHASE_RUNNING',
        run: { state: 'RUN_STATE_RUNNING', stopMode: 'STOP_TURN_MODE_INTERRUPT' },
      })
      await stop(agentId, 'STOP_TURN_MODE_KILL')
      expect((await world.status(agentId)).run.endReason).toBe('killed')
      expect(await processesWith(mark)).toEqual([])
    })

    test('an interrupted agent continues with its next message', async () => {
      const agentId = await inStream(`go-on-${backend}-${sandbox}`, model)
      await stop(agentId, 'STOP_TURN_MODE_INTERRUPT')
      await world.send(agentId, [{ tool: 'finish', input: { result: 'All good.' } }, { say: 'Bye.' }])
      await world.waitUntil('the end', async () => (await world.status(agentId)).phase === 'PHASE_COMPLETED')
      expect((await world.status(agentId)).lastMessage).toBe('All good.')
    })
  })

  test('a killed agent’s processes are gone within a second', async () => {
    const { agentId, mark } = await inTool(`dead-${sandbox}`, 'gpt-5.5')
    const beganAt = machineNow()
    await world.admin.post('/v1/agent/kill', { agentId })
    await world.waitUntil('the end of its processes', async () => (await processesWith(mark)).length === 0)
    expect(machineNow() - beganAt).toBeLessThan(1_000)
  })
})
