import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { MINUTE_MS, must, NINE, ScheduleWorld, SECOND_MS } from './schedule-world.ts'

let world: ScheduleWorld

beforeEach(async () => {
  world = await ScheduleWorld.start()
})

afterEach(() => world.close())

describe('a schedule that spawns', () => {
  test('starts an agent of its profile at each of its times', async () => {
    await world.write('tidy', { overlap: 'allow' })
    await world.pass(2 * MINUTE_MS + 5 * SECOND_MS)
    expect(await world.log('tidy')).toEqual(['1 started', '2 started'])
    expect(await world.agents()).toEqual([
      'tidy-20261117t090100z 1 pending',
      'tidy-20261117t090200z 1 pending',
    ])
    const [first] = await world.firings('tidy')
    expect(first).toMatchObject({ agent: 'shop/tidy-20261117t090100z', isManual: false, attempts: 0 })
    expect((first?.startedAt ?? 0) - NINE - MINUTE_MS).toBeLessThan(2 * SECOND_MS)
  })

  test('gives the agent what the document says', async () => {
    await world.tenant.admin.write('persona', 'keeper', { prompt: 'Keep.' })
    await world.write('tidy', {
      spawn: {
        agent: 'deps',
        description: 'Update.',
        expectedOutput: 'A branch.',
        persona: 'keeper',
        maxCost: 5,
        labels: { team: 'shop' },
      },
    })
    await world.pass(MINUTE_MS)
    const { body } = await must(
      world.tenant.admin.post('/v1/agent/status', { agentId: world.agentId('deps') }),
    )
    expect(body).toMatchObject({
      description: 'Update.',
      expectedOutput: 'A branch.',
      persona: 'keeper',
      maxCost: 5,
      labels: { team: 'shop' },
    })
  })

  test('does not fire before its start, after its end, or while it is paused', async () => {
    const startTime = new Date(NINE + 3 * MINUTE_MS).toISOString()
    const endTime = new Date(NINE + 5 * MINUTE_MS).toISOString()
    await world.write('tidy', { startTime, endTime, overlap: 'allow' })
    await world.write('paused', { paused: true })
    await world.pass(8 * MINUTE_MS)
    expect(await world.log('tidy')).toEqual(['3 started', '4 started', '5 started'])
    expect(await world.log('paused')).toEqual([])
    await world.write('paused', { paused: false })
    await world.pass(MINUTE_MS)
    // Nothing of the pause is caught up on.
    expect(await world.log('paused')).toEqual(['9 started'])
  })

  test('fails visibly if its workspace is gone, and goes on', async () => {
    await world.write('tidy')
    await world.owner.query(`update resource set document = null where kind = 'workspace' and name = 'shop'`)
    await world.pass(MINUTE_MS)
    const [firing] = await world.firings('tidy')
    expect(firing).toMatchObject({ outcome: 'failed', agent: '' })
    expect(firing?.detail).toContain('shop')
    await world.owner.query(`update resource set document = '{}' where kind = 'workspace' and name = 'shop'`)
    await world.pass(MINUTE_MS)
    expect(await world.log('tidy')).toEqual(['1 failed', '2 started'])
  })

  test('tries again while the tenant has too many agents', async () => {
    await must(world.tenant.admin.write('quota', 'default', { liveAgents: 0 }))
    await world.write('tidy', { cron: '1 9 * * *' })
    await world.pass(MINUTE_MS + 10 * SECOND_MS, SECOND_MS)
    expect(await world.firings('tidy')).toMatchObject([{ outcome: 'starting', attempts: 4 }])
    await must(world.tenant.admin.write('quota', 'default', {}))
    await world.pass(10 * SECOND_MS)
    expect(await world.log('tidy')).toEqual(['1 started'])
    expect(await world.agents()).toHaveLength(1)
  })

  test('the hour starts again when the tenant is resumed', async () => {
    await must(world.tenant.admin.write('quota', 'default', { liveAgents: 0 }))
    await world.write('tidy', { cron: '1 9 17 11 *' })
    await world.pass(MINUTE_MS + 10 * SECOND_MS, SECOND_MS)
    world.clock.advance(100 * 60 * MINUTE_MS)
    const resume = 'update tenant set resumed_at = $2 where id = $1'
    await world.owner.query(resume, [world.tenant.id, new Date(world.clock.now())])
    await world.pass(10 * SECOND_MS)
    expect(await world.log('tidy')).toEqual(['1 starting'])
    await must(world.tenant.admin.write('quota', 'default', {}))
    await world.pass(2 * MINUTE_MS)
    expect(await world.log('tidy')).toEqual(['1 started'])
  })

  test('gives up after an hour, and the next firing starts', async () => {
    await must(world.tenant.admin.write('quota', 'default', { liveAgents: 0 }))
    await world.write('tidy', { cron: '1 9-11 * * *', overlap: 'queue' })
    await world.pass(62 * MINUTE_MS + MINUTE_MS, 10 * SECOND_MS)
    await must(world.tenant.admin.write('quota', 'default', {}))
    await world.pass(MINUTE_MS)
    expect(await world.log('tidy')).toEqual(['1 failed', '61 started'])
  })
})

async function messages(): Promise<string[]> {
  const { rows } = await world.owner.query<{ id: string }>(
    `select follow_up_id as id from follow_up where tenant_id = $1 and follow_up_id like 'schedule:%' order by position`,
    [world.tenant.id],
  )
  return rows.map(({ id }) => id)
}

async function spawnKeeper(): Promise<void> {
  const body = { agentId: world.agentId('keeper'), description: 'Keep the house.' }
  await must(world.tenant.admin.post('/v1/agent/spawn', body))
}

describe('a schedule that sends', () => {
  const send = { agent: 'keeper', message: 'Look around.' }

  test('sends each message once', async () => {
    await spawnKeeper()
    await world.write('look', { send, overlap: 'queue' })
    await world.pass(2 * MINUTE_MS)
    expect(await world.log('look')).toEqual(['1 sent', '2 sent'])
    expect(await messages()).toEqual(['schedule:look:20261117t090100z', 'schedule:look:20261117t090200z'])
  })

  test('skips a message while the agent is at work', async () => {
    await spawnKeeper()
    await world.write('look', { send })
    await world.pass(MINUTE_MS)
    expect(await world.firings('look')).toMatchObject([
      { outcome: 'skipped', detail: 'The agent of the firing before was still at work.' },
    ])
  })

  test('replaces the messages that wait', async () => {
    await spawnKeeper()
    await world.write('look', { send, overlap: 'replace' })
    await world.pass(2 * MINUTE_MS)
    const { body } = await must(
      world.tenant.admin.post('/v1/agent/status', { agentId: world.agentId('keeper') }),
    )
    expect(body['followUps']).toMatchObject([{ followUpId: 'schedule:look:20261117t090200z' }])
  })

  test('fails without the agent, or starts it if it says how', async () => {
    await world.write('look', { send })
    await world.write('start', {
      send: { agent: 'starter', message: 'Look around.' },
      spawn: { description: 'You keep the house.' },
    })
    await world.pass(MINUTE_MS)
    expect(await world.firings('look')).toMatchObject([{ outcome: 'failed' }])
    expect(await world.log('start')).toEqual(['1 sent'])
    expect(await world.agents()).toEqual(['starter 1 pending'])
    expect(await messages()).toEqual(['schedule:start:20261117t090100z'])
  })
})

describe('while the agent of the firing before has not ended', () => {
  test('skip leaves the firing out', async () => {
    await world.write('tidy')
    await world.pass(2 * MINUTE_MS)
    await world.kill('tidy-20261117t090100z')
    await world.pass(MINUTE_MS)
    expect(await world.log('tidy')).toEqual(['1 started', '2 skipped', '3 started'])
  })

  test('queue waits for it, and firings start in order', async () => {
    await world.write('tidy', { overlap: 'queue' })
    await world.pass(3 * MINUTE_MS)
    expect(await world.log('tidy')).toEqual(['1 started', '2 waiting', '3 waiting'])
    await world.kill('tidy-20261117t090100z')
    await world.pass(3 * SECOND_MS, SECOND_MS)
    expect(await world.log('tidy')).toEqual(['1 started', '2 started', '3 waiting'])
    await world.kill('tidy-20261117t090200z')
    await world.pass(3 * SECOND_MS, SECOND_MS)
    expect(await world.log('tidy')).toEqual(['1 started', '2 started', '3 started'])
  })

  test('replace kills it', async () => {
    await world.write('tidy', { overlap: 'replace' })
    await world.pass(2 * MINUTE_MS)
    expect(await world.log('tidy')).toEqual(['1 started', '2 started'])
    expect(await world.agents()).toEqual([
      'tidy-20261117t090100z 1 canceled',
      'tidy-20261117t090200z 1 pending',
    ])
  })

  test('replace starts an agent with a fixed name again', async () => {
    await world.write('tidy', { overlap: 'replace', spawn: { agent: 'tidy', description: 'Tidy up.' } })
    await world.pass(3 * MINUTE_MS)
    expect(await world.agents()).toEqual(['tidy 3 pending'])
  })

  test('at most a hundred wait', async () => {
    await world.write('tidy', { every: '1s', overlap: 'queue' })
    await world.pass(110 * SECOND_MS, SECOND_MS)
    const outcomes = (await world.firings('tidy')).map(({ outcome }) => outcome)
    expect(outcomes.filter((outcome) => outcome === 'waiting')).toHaveLength(100)
    expect(outcomes.at(-1)).toBe('skipped')
  })
})
