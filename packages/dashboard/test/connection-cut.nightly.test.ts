import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeProfile, DashboardWorld, signIn } from './dashboard-world.ts'
import { readRows, readTimeline } from './agent/read-conversation.ts'
import { scripted } from './fleet/seed-fleet.ts'
import { startSeveredProxy, type SeveredProxy } from './severed-proxy.ts'

const CUT_MS = 30_000
const STEPS = 25

let world: DashboardWorld
let proxy: SeveredProxy

beforeAll(async () => {
  world = await DashboardWorld.start()
  proxy = await startSeveredProxy(world.baseUrl)
})

afterAll(async () => {
  await proxy.close()
  await world.stop()
})

test('after the connection was cut for 30 s during a run the page shows exactly the timeline', async () => {
  const steps = Array.from({ length: STEPS }, (_, index) => ({
    say: `Step ${index + 1}.`,
    shell: `sleep 1.5; echo ${index + 1}`,
  }))
  const agent = await world.skein.spawn({
    name: 'walker',
    workspace: 'sample',
    description: scripted('Take many steps.', [
      ...steps,
      { tool: 'finish', input: { result: 'Arrived.' } },
      { say: 'Arrived.' },
    ]),
  })
  const page = await world.openPage()
  await signIn(page, world.apiKey, proxy.url)
  await page.goto(`${proxy.url}/agents/codehost_oauth/dev/sample/walker`)
  await page.getByText('Step 2.', { exact: true }).first().waitFor({ timeout: 60_000 })

  proxy.sever()
  await page.getByText('Connection lost').waitFor({ timeout: CUT_MS })
  await pause(CUT_MS)
  const missed = await readTimeline(agent)
  proxy.mend()
  const mendedAt = performance.now()
  await page.getByText('Connection lost').waitFor({ state: 'detached', timeout: 60_000 })
  console.log(
    `cut for ${CUT_MS / 1000} s with the agent at event ${missed.at(-1)}; ` +
      `live again ${((performance.now() - mendedAt) / 1000).toFixed(1)} s after the network was back`,
  )

  await agent.wait()
  await page.getByText('The agent is').last().waitFor({ timeout: 30_000 })
  await page.getByLabel('Show all events').check()
  const timeline = await readTimeline(agent)
  expect(timeline.length).toBeGreaterThan(2 * STEPS)
  await expect.poll(() => readRows(page), { timeout: 30_000 }).toEqual(timeline)
  await closeProfile(page)
})
