import type { AgentId, Assignment, TaskInput } from '@skein/contract'
import { machineNow } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentWorld, must } from '../agents/agent-world.ts'
import { copyAgent } from '../agents/many-agents.ts'

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
  // 500 tasks that are all linked with each other hold more bytes than a checklist may have by default.
  const quota = { runsInFlight: 100_000, liveAgents: 100_000, taskBytesPerAgent: 16_777_216 }
  must(await world.admin.write('quota', 'default', quota))
  must(await world.admin.write('pool', 'default', { maxRuns: 100_000 }))
})

afterAll(() => world.close())

/** An agent in a turn, with this many descendants in groups of at most a thousand: half queued, half running. */
async function largeTree(
  name: string,
  descendants: number,
): Promise<{ agentId: AgentId; run: Assignment; leaf: AgentId }> {
  const { agentId, run } = await world.running(name)
  const groups = Math.ceil(descendants / 1_000)
  const parents = Array.from({ length: groups }, (_, group) => [name, ...(groups === 1 ? [] : [`g${group}`])])
  const copies = Math.floor(descendants / groups / 2) - 2
  let leaf = agentId
  for (const path of parents) {
    if (path.length > 1) await world.spawn(path)
    const { agentId: running } = await world.running([...path, 'running'])
    await copyAgent(world, running, copies)
    leaf = { ...running, agent: [...path, `running-${copies}`] }
  }
  // Last, so that no poll takes them.
  for (const path of parents) await copyAgent(world, await world.spawn([...path, 'queued']), copies)
  return { agentId, run, leaf }
}

async function timed(what: string, work: () => Promise<unknown>): Promise<number> {
  const startedAt = machineNow()
  await work()
  const ms = machineNow() - startedAt
  console.log(`${what}: ${ms.toFixed(0)} ms`)
  return ms
}

/** The fastest of three: one hiccup of the machine is not ours, and what is slow by its nature is so each time. */
async function fastest(limitMs: number, attempt: (name: string) => Promise<number>): Promise<number> {
  const times: number[] = []
  while (times.length < 3 && !times.some((ms) => ms < limitMs)) {
    times.push(await attempt(`t${(trees += 1)}`))
  }
  return Math.min(...times)
}

let trees = 0

/** Nothing of the tree is alive, queued or leased. */
async function expectEnded({ agent }: AgentId): Promise<void> {
  const below = `%/${agent[0]}/%`
  const [left] = await world.sql(
    `select (select count(*)::int from agent where key like $1 and not is_terminal) as live,
       (select count(*)::int from agent where key like $1) as total,
       (select count(*)::int from run where root_key like $2) as runs,
       (select count(*)::int from lease l join agent a on a.id = l.agent_id where a.key like $1) as leases`,
    [below, `%/${agent[0]}`],
  )
  expect(left).toMatchObject({ live: 0, runs: 0, leases: 0 })
  expect(left?.['total']).toBeGreaterThan(900)
}

const SIZES = [
  [1_000, 1_000],
  [5_000, 3_000],
] as const

test.each(SIZES)('a kill takes %d descendants in less than %d ms', async (descendants, limitMs) => {
  const ms = await fastest(limitMs, async (name) => {
    const { agentId, leaf } = await largeTree(name, descendants)
    const taken = await timed(`a kill of ${descendants} descendants`, () => world.kill(agentId))
    await expectEnded(agentId)
    expect(await world.status(leaf)).toMatchObject({ phase: 'PHASE_CANCELED', run: { endReason: 'killed' } })
    return taken
  })
  expect(ms).toBeLessThan(limitMs)
})

test.each(SIZES)(
  'an agent that fails takes %d descendants in less than %d ms',
  async (descendants, limitMs) => {
    const ms = await fastest(limitMs, async (name) => {
      const { agentId, run, leaf } = await largeTree(name, descendants)
      const error = { code: 'broken', message: 'For good.', isRetryable: false }
      const taken = await timed(`a failure above ${descendants} descendants`, () =>
        world.complete(run, { reason: 'failed', error }),
      )
      await expectEnded(agentId)
      expect(await world.phase(agentId)).toBe('PHASE_FAILED')
      expect(await world.phase(leaf)).toBe('PHASE_CANCELED')
      return taken
    })
    expect(ms).toBeLessThan(limitMs)
  },
)

test('an agent that is lost for the last time takes 1,000 descendants in less than a second', async () => {
  const ms = await fastest(1_000, async (name) => {
    const { agentId, run } = await largeTree(name, 1_000)
    await world.sql(
      `update agent set state = jsonb_set(state::jsonb, '{run,failures}', '2')::json where id = $1`,
      [run.lease.split('.')[1]],
    )
    await world.expireLease(run)
    const taken = await timed('a loss above 1,000 descendants', () => world.sweep())
    await expectEnded(agentId)
    expect(await world.status(agentId)).toMatchObject({ phase: 'PHASE_FAILED', run: { endReason: 'lost' } })
    return taken
  })
  expect(ms).toBeLessThan(1_000)
})

/** Each blocks all that come after it: as many links as there can be. */
function linkedTasks(amount: number): TaskInput[] {
  const ids = Array.from({ length: amount }, (_, index) => index.toString(36))
  return ids.map((id, index) => ({ id, subject: `Step ${id}`, blocks: ids.slice(index + 1) }))
}

test('500 linked tasks are created, changed and deleted in less than a second each', async () => {
  const ms = await fastest(1_000, async (name) => {
    const agentId = await world.spawn(name)
    const tasks = linkedTasks(500)
    const send = (operation: string, sent: readonly object[]) => async () =>
      must(await world.admin.post(`/v1/agent/tasks/${operation}`, { agentId, tasks: sent }))
    const changed = tasks.map((task) => ({ ...task, subject: 'Changed' }))
    const deleted = tasks.map(({ id }) => ({ id, status: 'TASK_STATUS_DELETED' }))
    return Math.max(
      await timed('making 500 linked tasks', send('create', tasks)),
      await timed('changing 500 linked tasks', send('update', changed)),
      await timed('deleting 500 linked tasks', send('update', deleted)),
    )
  })
  expect(ms).toBeLessThan(1_000)
})
