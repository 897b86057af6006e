import { afterAll, beforeAll, expect, test } from 'vitest'
import { BACKENDS } from './backends-under-test.ts'
import { RunnerWorld } from './runner-world.ts'

let world: RunnerWorld

beforeAll(async () => {
  world = await RunnerWorld.start()
  await world.useSandbox('process')
  await world.startRunner()
})

afterAll(() => world.close())

test.each(BACKENDS)(
  'an agent of backend $backend gets a steering message during its turn, once',
  async ({ backend, model }) => {
    const agentId = await world.spawn(
      `steered-${backend}`,
      [{ shell: 'touch started; sleep 3' }, { shell: 'sleep 1' }, { say: 'Done.' }],
      { model },
    )
    await world.waitUntil('the turn', async () =>
      world.simulator.requests.some(({ body: sent }) => JSON.stringify(sent).includes(`steered-${backend}`)),
    )
    const body = { agentId, description: 'Mind the gap.', steer: true, followUpId: 'gap' }
    expect((await world.admin.post('/v1/agent/queue', body)).status).toBe(200)
    const status = await world.settled(agentId)
    expect(status).toMatchObject({ runCount: '1', phase: 'PHASE_WAITING', followUps: [] })
    expect(await world.events(agentId, 'follow-up.delivered')).toMatchObject([
      { runId: '1', steered: false },
      { followUpId: 'gap', runId: '1', steered: true },
    ])
    const told = world.simulator.requests.filter(({ body: sent }) =>
      JSON.stringify(sent).includes('Mind the gap.'),
    )
    expect(told.length).toBeGreaterThan(0)
  },
)
