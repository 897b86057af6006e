import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCliWorld, type CliWorld } from './cli-world.ts'

let world: CliWorld

beforeAll(async () => {
  world = await startCliWorld({ withoutRunner: true })
  await world.tenant.admin.write('profile', 'night', {})
  await world.tenant.admin.write('schedule', 'nightly-deps', {
    description: 'Updates dependencies.',
    cron: '30 2 * * *',
    timeZone: 'Europe/Berlin',
    profile: 'night',
    workspace: 'shop',
    spawn: { description: 'Update.' },
  })
  await world.server.fireSchedules()
})

afterAll(() => world.close())

test('schedules are listed with when they fire next', async () => {
  const { stdout } = await world.skein(['schedules', 'list'])
  expect(stdout).toMatch(
    /^nightly-deps +30 2 \* \* \* Europe\/Berlin +\d{4}-\d\d-\d\dT\d\d:30:00\.000Z +- +-$/m,
  )
})

test('one is shown with its next ten firings', async () => {
  const { stdout } = await world.skein(['schedules', 'show', 'nightly-deps'])
  expect(stdout).toContain('Updates dependencies.')
  expect(stdout.match(/^ {2}\d{4}-\d\d-\d\dT\d\d:30:00\.000Z$/gm)).toHaveLength(10)
  expect((await world.json(['schedules', 'show', 'nightly-deps']))['nextFirings']).toHaveLength(10)
})

test('a run by hand is in the log', async () => {
  expect((await world.skein(['schedules', 'log', 'nightly-deps'])).stdout).toContain('It has not fired')
  await world.skein(['schedules', 'run', 'nightly-deps'])
  await world.server.fireSchedules()
  const { stdout } = await world.skein(['schedules', 'log', 'nightly-deps', '--limit', '5'])
  expect(stdout).toMatch(/ by hand +started .* shop\/nightly-deps-\d{8}t\d+z$/m)
})

test('it is paused and resumed', async () => {
  await world.skein(['schedules', 'pause', 'nightly-deps'])
  expect((await world.skein(['schedules', 'list'])).stdout).toContain('paused')
  const { stdout } = await world.skein(['schedules', 'resume', 'nightly-deps'])
  expect(stdout).toMatch(/^Resumed nightly-deps\. Next: \d{4}-/)
})

test('what does not exist is an error', async () => {
  expect((await world.skein(['schedules', 'show', 'none'])).exitCode).not.toBe(0)
})

test.each(['webhooks', 'triggers', 'schedules'])('%s log says which limits are allowed', async (kind) => {
  for (const limit of ['0', '-1', '1.5', '10001', 'many', '']) {
    const { exitCode, stderr } = await world.skein([kind, 'log', 'nightly-deps', `--limit=${limit}`])
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('is not a number from 1 to 10000.')])
  }
})
