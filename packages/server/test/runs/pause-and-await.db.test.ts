import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentWorld, must } from '../agents/agent-world.ts'

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
})

afterAll(() => world.close())

describe('a run that pauses', () => {
  test('continues as another attempt with its session and its messages', async () => {
    const { agentId, run } = await world.running('paused')
    await world.complete(run, { reason: 'paused', session: 'where-it-is', message: 'The limit resets soon.' })
    expect(await world.phase(agentId)).toBe('PHASE_PENDING')
    const next = await world.take(agentId)
    expect(next).toMatchObject({
      runId: run.runId,
      attempt: 2,
      session: 'where-it-is',
      messages: run.messages,
    })
    expect(await world.events(agentId, 'run.paused')).toMatchObject([{ message: 'The limit resets soon.' }])
  })

  test('waits for its time', async () => {
    const { agentId, run } = await world.running('later')
    await world.complete(run, { reason: 'paused', retryAfterMs: 60_000 })
    expect(await world.hasRun(agentId)).toBe(false)
    await world.skipBackOff()
    expect(await world.hasRun(agentId)).toBe(true)
  })
})

describe('what a runner saves', () => {
  test('reaches the runner of the next turn and of the next attempt, and no caller', async () => {
    const { agentId, run } = await world.running('saved')
    must(await world.beat(run, { session: 'first', reportId: 'r1' }))
    await world.expireLease(run)
    await world.sweep()
    await world.skipBackOff()
    const second = await world.take(agentId)
    expect(second.session).toBe('first')
    await world.complete(second, { reason: 'rested', session: 'second' })
    await world.queue(agentId)
    expect((await world.take(agentId)).session).toBe('second')
    const seen = JSON.stringify([await world.status(agentId), await world.timeline(agentId)])
    expect(seen).not.toContain('second')
  })
})

describe('an agent that awaits its children', () => {
  test('does not end anyone’s wait, and continues with their results', async () => {
    const { agentId, run } = await world.running('parent')
    const child = await world.running(['parent', 'child'])
    await world.complete(run, { reason: 'rested', awaits: ['child'] })
    expect(await world.phase(agentId)).toBe('PHASE_PENDING')
    const wait = await world.admin.post('/v1/agent/wait', { agentId }, { headers: { prefer: 'wait=0' } })
    expect(wait.body['reason']).toBe('WAIT_REASON_UNSPECIFIED')
    expect(await world.hasRun(agentId)).toBe(false)
    await world.complete(child.run, { reason: 'finished', message: 'It is blue.' })
    const next = await world.take(agentId)
    expect(next.messages.map(({ description }) => description)).toEqual([
      'Your child child has finished.\n\nIt is blue.',
    ])
    expect(await world.events(agentId, 'children.awaited')).toMatchObject([{ children: ['child'] }])
  })
})

describe('an assignment', () => {
  test('carries what the workspace, its environment and its pool say', async () => {
    const { admin } = world
    must(await admin.write('secret', 'git', { value: 'bot:hunter2' }))
    must(await admin.write('secret', 'mirror', { value: 's3cr3t' }))
    const environment = {
      setupScript: 'npm ci',
      variables: { CI: 'true' },
      secrets: { MIRROR_TOKEN: 'mirror' },
      network: 'open',
    }
    must(await admin.write('environment', 'node', environment))
    must(
      await admin.write('vm-profile', 'big', {
        memoryMib: 8192,
        diskMib: 64,
        processes: 0,
        runTimeLimit: '60s',
        idleTimeLimit: '0s',
      }),
    )
    must(await admin.write('pool', 'default', { sandbox: 'process', vmProfile: 'big' }))
    const repos = [{ url: 'https://git.example.com/shop.git', baseBranch: 'main', credential: 'git' }]
    must(await admin.write('workspace', 'shop', { repos, environment: 'node' }))
    const { agentId, run } = await world.running('assigned', { agentId: { workspace: 'shop' } })
    expect(run).toMatchObject({
      repos: [{ url: 'https://git.example.com/shop.git', baseBranch: 'main', credential: 'bot:hunter2' }],
      environment: { ...environment, secrets: { MIRROR_TOKEN: 's3cr3t' } },
      sandbox: 'process',
      limits: { runTimeMs: 60_000, idleTimeMs: 0, cpus: 2, memoryMib: 8192, diskMib: 64, processes: 0 },
      session: '',
    })
    expect(run.prices.length).toBeGreaterThan(0)
    const seen = JSON.stringify([
      await world.status(agentId),
      await world.timeline(agentId),
      world.server.logLines,
    ])
    expect(seen).not.toMatch(/hunter2|s3cr3t/)
  })

  test('has the limits of the default machine where its pool names none', async () => {
    must(await world.admin.write('pool', 'default', { sandbox: 'process' }))
    const { run } = await world.running('unnamed')
    expect(run.limits).toEqual({
      runTimeMs: 0,
      idleTimeMs: 1_800_000,
      cpus: 2,
      memoryMib: 4096,
      diskMib: 20_480,
      processes: 1024,
    })
  })
})
