import { Scheduler } from '@skein/engine'
import { takeDueSchedules, type ClaimedSchedule } from '@skein/store'
import { startTestServer, type TestServer } from '@skein/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { advanceSchedule, HOLD_MS } from '../../../src/automations/schedules/advance-schedule.ts'
import { carryOutFiring } from '../../../src/automations/schedules/carry-out-firing.ts'
import { MINUTE_MS, NINE, ScheduleWorld, SECOND_MS } from './schedule-world.ts'

let world: ScheduleWorld
let second: TestServer

beforeEach(async () => {
  world = await ScheduleWorld.start()
  second = await startTestServer({ database: world.server.database, clock: world.clock })
})

afterEach(async () => {
  await second.close()
  await world.close()
})

async function claim(): Promise<ClaimedSchedule | undefined> {
  const { engine } = world.server
  const [claimed] = await engine.database.statement((transaction) =>
    takeDueSchedules(transaction, {
      amount: 1,
      perTenant: 1,
      busyTenants: [],
      at: world.clock.now(),
      holdMs: HOLD_MS,
    }),
  )
  return claimed
}

/** A server that is killed after so many steps: claim, decide, carry out, record. */
async function dieAfter(steps: number): Promise<void> {
  const claimed = await claim()
  if (!claimed || steps <= 1) return
  const { engine } = world.server
  const step = await advanceSchedule(engine, claimed)
  if (step.type !== 'carry-out' || steps <= 2) return
  const report = await carryOutFiring(engine, claimed, step.document, step.firing)
  if (steps <= 3) return
  await advanceSchedule(engine, claimed, report)
}

test.each([1, 2, 3, 4])(
  'a server that dies after step %i neither loses nor doubles a firing',
  async (steps) => {
    const policies = ['skip', 'queue', 'replace', 'allow']
    for (const overlap of policies) await world.write(overlap, { overlap, cron: '1,2 9 * * *' })
    world.clock.advance(MINUTE_MS)
    for (const _ of policies) await dieAfter(steps)
    // Until the claims end, nobody else touches them.
    await new Scheduler(second.engine, () => {}).runDue()
    world.clock.advance(HOLD_MS)
    await new Scheduler(second.engine, () => {}).runDue()
    for (const policy of policies) expect(await world.log(policy)).toEqual(['1 started'])
    expect((await world.agents()).toSorted()).toEqual(
      policies.map((policy) => `${policy}-20261117t090100z 1 pending`).toSorted(),
    )
  },
)

test('a server that dies after killing the agent that is replaced kills no newer one', async () => {
  await world.write('tidy', { overlap: 'replace', spawn: { agent: 'tidy', description: 'Tidy up.' } })
  await world.pass(MINUTE_MS)
  world.clock.advance(MINUTE_MS)
  await dieAfter(3)
  expect(await world.agents()).toEqual(['tidy 2 pending'])
  world.clock.advance(HOLD_MS)
  await new Scheduler(second.engine, () => {}).runDue()
  expect(await world.agents()).toEqual(['tidy 2 pending'])
  expect(await world.log('tidy')).toEqual(['1 started', '2 started'])
})

test.each([2, 3])(
  'a message comes with the agent it starts, whatever becomes of that and of the server after step %i',
  async (steps) => {
    const send = { agent: 'keeper', message: 'Look around.' }
    await world.write('look', { cron: '1 9 * * *', send, spawn: { description: 'Keep the house.' } })
    world.clock.advance(MINUTE_MS)
    await dieAfter(steps)
    if (steps === 3) await world.kill('keeper')
    world.clock.advance(HOLD_MS)
    await new Scheduler(second.engine, () => {}).runDue()
    expect(await world.log('look')).toEqual(['1 sent'])
    expect(await world.agents()).toEqual([steps === 3 ? 'keeper 1 canceled' : 'keeper 1 pending'])
    const { rows } = await world.owner.query(
      `select follow_up_id as id from follow_up where tenant_id = $1 and follow_up_id like 'schedule:%'`,
      [world.tenant.id],
    )
    expect(rows).toEqual([{ id: 'schedule:look:20261117t090100z' }])
  },
)

test('a server that has lost its claim writes nothing', async () => {
  await world.write('tidy', { cron: '1 9 * * *' })
  world.clock.advance(MINUTE_MS)
  const stalled = await claim()
  if (!stalled) throw new Error('nothing was due')
  world.clock.advance(HOLD_MS)
  await new Scheduler(second.engine, () => {}).runDue()
  const before = await world.firings('tidy')
  expect(await advanceSchedule(world.server.engine, stalled)).toEqual({ type: 'rest' })
  const [firing] = before
  if (!firing) throw new Error('nothing was fired')
  await advanceSchedule(world.server.engine, stalled, { ...firing, outcome: 'failed' })
  expect(await world.firings('tidy')).toEqual(before)
})

test('a firing that was decided is finished as decided, even if the schedule has changed', async () => {
  await world.tenant.admin.write('profile', 'day', {})
  await world.write('tidy', { cron: '1 9 * * *' })
  world.clock.advance(MINUTE_MS)
  await dieAfter(3)
  await world.write('tidy', {
    cron: '1 9 * * *',
    profile: 'day',
    spawn: { agent: 'other', description: 'No.' },
  })
  world.clock.advance(HOLD_MS)
  await world.scheduler.runDue()
  expect(await world.log('tidy')).toEqual(['1 started'])
  const { rows } = await world.owner.query('select account from agent where tenant_id = $1', [
    world.tenant.id,
  ])
  expect(rows).toEqual([{ account: 'night' }])
})

test('two servers at once carry out each firing once', async () => {
  const schedules = Array.from({ length: 10 }, (_, index) => `tidy-${index}`)
  for (const name of schedules) await world.write(name, { every: '1s', overlap: 'allow' })
  const one = world.scheduler
  const other = new Scheduler(second.engine, (error) => world.errors.push(error))
  for (let passed = 0; passed < 10; passed++) {
    world.clock.advance(SECOND_MS)
    await Promise.all([one.runDue(), other.runDue()])
  }
  // What one leaves alone because the other is just claiming is found by the next look.
  await one.runDue()
  const due = Array.from({ length: 10 }, (_, index) => NINE + (index + 1) * SECOND_MS)
  for (const name of schedules) {
    const firings = await world.firings(name)
    expect(firings.map(({ dueAt }) => dueAt)).toEqual(due)
    expect(new Set(firings.map(({ outcome }) => outcome))).toEqual(new Set(['started']))
  }
  expect(await world.agents()).toHaveLength(100)
})

test('a write that changes nothing loses no firing that is just due', async () => {
  await world.write('tidy', { overlap: 'allow' })
  world.clock.advance(MINUTE_MS)
  await world.write('tidy', { overlap: 'allow' })
  await world.write('tidy', { overlap: 'allow', description: 'Tidies up.' })
  expect(await world.log('tidy')).toEqual(['1 started'])
})

/** No server can do anything. */
function outage(): void {
  world.clock.advance(2 * MINUTE_MS + 30 * SECOND_MS)
}

describe('after two minutes without PostgreSQL', () => {
  test.each([
    ['none', { policy: 'none' }, ['1 started', '2 missed', '4 started']],
    ['latest', { policy: 'latest' }, ['1 started', '2 missed', '3 started', '4 started']],
    ['all', { policy: 'all' }, ['1 started', '2 started', '3 started', '4 started']],
    ['all up to a limit', { policy: 'all', max: 1 }, ['1 started', '2 missed', '3 started', '4 started']],
    [
      'all within a window',
      { policy: 'all', window: '60s' },
      ['1 started', '2 missed', '3 started', '4 started'],
    ],
  ])('the policy %s decides what is caught up on', async (_, catchUp, wanted) => {
    await world.write('tidy', { overlap: 'allow', catchUp })
    await world.pass(MINUTE_MS)
    outage()
    await world.scheduler.runDue()
    await world.pass(MINUTE_MS)
    expect(await world.log('tidy')).toEqual(wanted)
  })

  test('an agent that is caught up on has the time that was missed in its name', async () => {
    await world.write('tidy', { cron: '2 9 * * *' })
    outage()
    await world.scheduler.runDue()
    expect(await world.agents()).toEqual(['tidy-20261117t090200z 1 pending'])
  })
})
