import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { AgentSaves } from '../../src/blobs/agent-saves.ts'
import { FileBlobStore } from '@skein/host/blobs'
import { identityOf } from '../../src/run/open-workspace.ts'
import { nameAgent } from '../../src/workspace/agent-names.ts'
import { BACKENDS } from './backends-under-test.ts'
import { RunnerWorld } from './runner-world.ts'

let world: RunnerWorld

beforeAll(async () => {
  world = await RunnerWorld.start({ SKEIN_LEASE_MS: '3000' })
  await world.useSandbox('bubblewrap')
})

afterEach(() => world.stopRunners())
afterAll(() => world.close())

describe.each(BACKENDS)('backend $backend', ({ backend, model }) => {
  test('a run whose runner is killed continues elsewhere, with its session and its work', async () => {
    const name = `moved-${backend}`
    const first = await world.startRunner({ SKEIN_RUNNER_CHECKPOINT_MS: '0' })
    const agentId = await world.spawn(
      name,
      [
        { shell: 'echo one > one.txt && git add -A && git commit -qm one && git push -q origin HEAD' },
        { shell: 'echo two > two.txt' },
        { shell: 'true' },
        { hang: true, say: 'Thinking.' },
      ],
      { model },
    )
    await world.waitUntil('a checkpoint', async () => (await world.events(agentId, 'run.saved')).length > 1)
    await world.waitUntil('the last step', async () =>
      world.simulator.requests.some(({ isSide, endedAt }) => !isSide && endedAt === undefined),
    )
    const before = await world.status(agentId)
    await first.kill()
    const saves = new AgentSaves(
      new FileBlobStore(join(world.folder, 'blobs')),
      nameAgent(identityOf(agentId)).hash,
    )
    const stored = await saves.list()
    expect(stored.length).toBeGreaterThan(1)
    const second = await world.startRunner()
    await world.waitUntil(
      'the second attempt',
      async () => (await world.status(agentId)).run.attempt === 2,
      60_000,
    )
    // The conversation is there, so the model is told that it was cut off and says that nothing is left to do.
    const settled = await world.settled(agentId)
    expect(settled.phase).toBe('PHASE_WAITING')
    // The save that the service has is the only one left, also of those the killed runner told nobody about.
    await world.waitUntil('the sweep', async () => (await saves.list()).length === 1)
    expect(stored).not.toContain((await saves.list())[0])
    await world.send(agentId, [
      { shell: 'cat one.txt two.txt && git add -A && git commit -qm two && git push -q origin HEAD' },
      { tool: 'finish', input: { result: 'Both.' } },
      { say: 'Bye.' },
    ])
    await world.waitUntil('the end', async () => (await world.status(agentId)).phase === 'PHASE_COMPLETED')
    expect(await world.git('log', '--format=%s', `skein/${name}`)).toBe('two\none\nBegin')
    const after = await world.status(agentId)
    expect(after.cost).toBeGreaterThan(before.cost)
    const pushes = await world.events(agentId, 'run.pushed')
    expect(pushes.map(({ files }) => files)).toEqual([['one.txt'], ['two.txt']])
    await second.stop()
  })

  test('a runner that is told to stop hands its run back, and another continues immediately', async () => {
    const name = `handed-${backend}`
    const first = await world.startRunner({ SKEIN_RUNNER_DRAIN_MS: '200' })
    const agentId = await world.spawn(name, [{ shell: 'echo kept > kept.txt; sleep 3600' }], { model })
    await world.waitUntil(
      'the command',
      async () => (await world.events(agentId, 'run.tool-started')).length > 0,
    )
    await first.stop()
    expect(await world.events(agentId, 'run.paused')).toMatchObject([
      { message: 'The runner is shutting down.' },
    ])
    const second = await world.startRunner()
    const settled = await world.settled(agentId)
    expect(settled).toMatchObject({ phase: 'PHASE_WAITING', run: { attempt: 2 } })
    await world.send(agentId, [{ shell: 'cat kept.txt' }, { say: 'Yes.' }])
    await world.waitUntil('the file', async () =>
      (await world.events(agentId, 'run.tool-called')).some(({ output }) => output.includes('kept')),
    )
    await second.stop()
  })
})

test('a runner that has no time to hand its run back ends anyway, and leaves no program behind', async () => {
  const runner = await world.startRunner({ SKEIN_RUNNER_DRAIN_MS: '0', SKEIN_RUNNER_HAND_BACK_MS: '0' })
  const agentId = await world.spawn('dropped', [{ shell: 'exec sleep 4242' }])
  await world.waitUntil(
    'the command',
    async () => (await world.events(agentId, 'run.tool-started')).length > 0,
  )
  await runner.stop()
  expect(runner.output()).toContain('stopped')
  await world.waitUntil('its program to end', async () => !(await runningCommands()).includes('sleep 4242'))
})

/** The command lines of all processes of this machine. */
async function runningCommands(): Promise<string> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'args'])
  return stdout
}
