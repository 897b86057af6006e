import { mkdir, symlink } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import type { RunnerEntry } from '@skein/contract'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { RunnerWorld } from './runner-world.ts'

let world: RunnerWorld
let withoutBubblewrap: string

beforeAll(async () => {
  world = await RunnerWorld.start()
  const programs = join(world.folder, 'programs')
  await mkdir(programs)
  await symlink('/usr/bin/git', join(programs, 'git'))
  withoutBubblewrap = [programs, dirname(process.execPath)].join(delimiter)
  await world.useSandbox('bubblewrap')
})

afterEach(() => world.stopRunners())
afterAll(() => world.close())

async function findRunner(name: string): Promise<RunnerEntry> {
  let found: RunnerEntry | undefined
  await world.waitUntil(`${name} to be listed`, async () => {
    const { body } = await world.admin.get('/v1/runners')
    found = (body['runners'] as RunnerEntry[]).find((runner) => runner.name === name)
    return found !== undefined
  })
  if (!found) throw new Error(`${name} is not listed`)
  return found
}

describe('a runner on a host without bubblewrap', () => {
  test('reports what it offers and what is missing, and a run that needs it fails and says what to do', async () => {
    await world.startRunner({
      PATH: withoutBubblewrap,
      SKEIN_RUNNER_NAME: 'half',
      SKEIN_RUNNER_CAPACITY: '3',
    })
    expect(await findRunner('half')).toMatchObject({
      pools: ['default'],
      capacity: 3,
      backends: [
        { name: 'a', version: expect.stringMatching(/^\d/) as string, problem: '' },
        { name: 'b', version: expect.stringMatching(/^\d/) as string, problem: '' },
      ],
      sandboxes: [
        { name: 'process', problem: '' },
        { name: 'bubblewrap', problem: expect.stringContaining('apt-get install bubblewrap') as string },
      ],
      isOnline: true,
    })
    const { phase, error } = await world.settled(await world.spawn('boxed', [{ say: 'Never.' }]))
    expect(phase).toBe('PHASE_FAILED')
    expect(error.message).toContain('does not offer the sandbox bubblewrap')
    expect(error.message).toContain('apt-get install bubblewrap')
  })

  test('that can execute nothing comes up, says so, and takes no run from others', async () => {
    const runner = await world.startRunner({
      PATH: withoutBubblewrap,
      SKEIN_RUNNER_NAME: 'bare',
      SKEIN_RUNNER_SANDBOXES: 'bubblewrap',
    })
    expect(runner.output()).toContain('"sandboxes":[]')
    expect(await findRunner('bare')).toMatchObject({ isOnline: true })
    const agentId = await world.spawn('patient', [{ say: 'Done.' }])
    await world.startRunner({ SKEIN_RUNNER_NAME: 'whole' })
    expect((await world.settled(agentId)).lastMessage).toContain('Done.')
    expect((await world.events(agentId, 'run.paused')).length).toBe(0)
    await runner.stop()
    expect(runner.output()).toContain('the runner stopped')
  })
})

describe('the network that an environment asks for', () => {
  beforeAll(async () => {
    await world.write('environment', 'reaching', { network: 'open' })
    await world.write('workspace', 'reaching', { environment: 'reaching' })
  })

  test('is waited for until a runner permits it', async () => {
    await world.startRunner({ SKEIN_RUNNER_NAME: 'modest', SKEIN_RUNNER_NETWORKS: 'none,gateway' })
    expect(await findRunner('modest')).toMatchObject({
      sandboxes: [
        { name: 'process' },
        {
          name: 'bubblewrap',
          networks: [
            { name: 'none', problem: '' },
            { name: 'gateway', problem: '' },
            { name: 'open', problem: 'This runner’s SKEIN_RUNNER_NETWORKS does not include open.' },
          ],
        },
      ],
    })
    const reaching = { agentId: { agent: ['reaching'], workspace: 'reaching' } }
    const agentId = await world.spawn('reaching', [{ say: 'Reached.' }], reaching)
    // The runner is at work, and takes what comes later.
    await world.settled(await world.spawn('after', [{ say: 'Done.' }]))
    expect((await world.status(agentId)).run.state).toBe('RUN_STATE_QUEUED')
    await world.startRunner({ SKEIN_RUNNER_NAME: 'generous' })
    expect((await world.settled(agentId)).lastMessage).toContain('Reached.')
    expect(await world.events(agentId, 'run.paused')).toEqual([])
  })

  test('is reported as not enforced if it is not', async () => {
    await world.useSandbox('process')
    await world.startRunner({ SKEIN_RUNNER_NAME: 'lax' })
    const agentId = await world.spawn('loose', [{ say: 'Done.' }])
    await world.settled(agentId)
    const said = (await world.events(agentId, 'run.progressed')).map(({ message }) => message)
    expect(said).toContainEqual(expect.stringContaining('The network policy gateway is not enforced'))
    await world.useSandbox('bubblewrap')
  })
})
