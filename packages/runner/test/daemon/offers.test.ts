import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { readRunnerConfig } from '../../src/config.ts'
import { Offers } from '../../src/offers/offers.ts'
import type { RunnerEvent } from '../../src/runner-event.ts'
import { DiskWatch } from '../../src/sandbox/limits/disk-watch.ts'

let folder: string
let events: RunnerEvent[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skein-offers-'))
  events = []
})
afterEach(() => rm(folder, { recursive: true }))

function offersOf(settings: Readonly<Record<string, string>> = {}, keyProblem = ''): Offers {
  const config = readRunnerConfig({
    SKEIN_API_KEY: 'k',
    SKEIN_RUNNER_NAME: 'host-1',
    SKEIN_RUNNER_SANDBOXES: 'process',
    SKEIN_RUNNER_HOST_NETWORK: 'true',
    SKEIN_RUNNER_ACP: `other=${join(folder, 'agent')} --fast`,
    ANTHROPIC_API_KEY: 'p',
    ...settings,
  })
  const front = { port: 1, serve: () => undefined }
  return new Offers({
    config,
    front,
    disk: new DiskWatch(),
    onEvent: (event) => void events.push(event),
    findKeyProblem: async (provider) => (provider === 'anthropic' ? keyProblem : ''),
  })
}

describe('what a runner offers', () => {
  test('is named with its version, or with what it lacks and how to mend that', async () => {
    const offers = offersOf({ SKEIN_RUNNER_BUILD: '2026.11', SKEIN_RUNNER_CAPACITY: '3' })
    await offers.look()
    expect(offers.describe()).toEqual({
      name: 'host-1',
      build: '2026.11',
      startTime: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      capacity: 3,
      backends: [
        {
          name: 'a',
          version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
          problem: '',
          keyProblem: '',
        },
        {
          name: 'b',
          version: '',
          problem: 'OPENAI_API_KEY is not set: set it and restart the runner.',
          keyProblem: '',
        },
        {
          name: 'other',
          version: '',
          problem: `Program not found: ${join(folder, 'agent')}. Install it there`,
          keyProblem: '',
        },
      ],
      sandboxes: [
        {
          name: 'process',
          problem: '',
          networks: [
            { name: 'none', problem: '' },
            { name: 'gateway', problem: '' },
            { name: 'open', problem: '' },
          ],
          limits: ['cpus', 'memoryMib', 'diskMib', 'processes'].map((limit) => ({
            name: limit,
            problem: expect.any(String) as string,
          })),
          notes: [expect.stringContaining('does not isolate agents')],
        },
      ],
    })
    expect(offers.problemOf('backend', 'b')).toBe('OPENAI_API_KEY is not set: set it and restart the runner.')
    expect([...offers.backends.keys(), ...offers.sandboxes.keys()]).toEqual(['a', 'process'])
  })

  test('is checked again: what was installed in the meantime is offered, what was removed is reported', async () => {
    const offers = offersOf()
    await offers.look()
    await offers.look()
    const missing = events.filter((event) => event.type === 'missing' && event.what.includes('backend'))
    expect(missing).toHaveLength(2)
    const program = join(folder, 'agent')
    await writeFile(program, '#!/bin/sh\n')
    await chmod(program, 0o755)
    await offers.look()
    expect(events.at(-1)).toEqual({ type: 'fixed', what: 'the backend other' })
    expect(offers.backends.has('other')).toBe(true)
    await rm(program)
    await offers.look()
    expect(events.at(-1)).toMatchObject({ type: 'missing', what: 'the backend other' })
    expect(offers.problemOf('backend', 'other')).toContain('Program not found: ')
  })

  test('leaves out the networks that a sandbox cannot hold, and says so in its log', async () => {
    const offers = offersOf({ SKEIN_RUNNER_HOST_NETWORK: 'false' })
    await offers.look()
    expect(offers.networkOf('process', 'open')).toEqual({ name: 'open', problem: '', gap: '' })
    expect(offers.networkOf('process', 'gateway')).toMatchObject({
      problem: expect.stringContaining('cannot restrict network access') as string,
    })
    expect(offers.networkOf('bubblewrap', 'open').problem).not.toBe('')
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'missing', what: 'the network gateway in process' }),
    )
  })

  test('leaves out the networks that its owner does not permit, and does not complain of them', async () => {
    const offers = offersOf({ SKEIN_RUNNER_NETWORKS: 'none,gateway' })
    await offers.look()
    expect(offers.networkOf('process', 'open').problem).toContain('SKEIN_RUNNER_NETWORKS')
    expect(offers.networkOf('process', 'none')).toMatchObject({
      problem: '',
      gap: expect.stringContaining('cannot restrict network access') as string,
    })
    expect(events).not.toContainEqual(expect.objectContaining({ what: 'the network open in process' }))
  })

  test.each(['', 'x'])(
    'is described in what the service takes, however long the problem is%s',
    async (odd) => {
      const offers = offersOf({ SKEIN_RUNNER_ACP: `other=/nowhere/${odd}${'😀'.repeat(400)}` })
      await offers.look()
      const { problem = '' } = offers.describe().backends.find(({ name }) => name === 'other') ?? {}
      expect(problem.length).toBeGreaterThan(510)
      expect(problem.length).toBeLessThan(513)
      expect(problem.isWellFormed()).toBe(true)
    },
  )

  test('is nothing to execute with when a backend or a sandbox is all that there is', async () => {
    const path = process.env['PATH']
    onTestFinished(() => void (process.env['PATH'] = path))
    for (const [settings, searched] of [
      [{ ANTHROPIC_API_KEY: '' }, path],
      [{ SKEIN_RUNNER_SANDBOXES: 'bubblewrap' }, '/nowhere'],
    ] as const) {
      process.env['PATH'] = searched
      const offers = offersOf(settings)
      await offers.look()
      expect(offers.canExecute).toBe(false)
      expect(offers.isComplete).toBe(false)
    }
  })

  test('is reported with a key that does not work, and still offered: a tenant may bring its own', async () => {
    const offers = offersOf({ SKEIN_RUNNER_ACP: '' }, 'It is refused.')
    await offers.look()
    expect(offers.describe().backends).toMatchObject([
      { name: 'a', problem: '', keyProblem: 'It is refused.' },
      { name: 'b', keyProblem: '' },
    ])
    expect(offers.canExecute).toBe(true)
    expect(offers.isComplete).toBe(false)
    expect(events).toContainEqual({ type: 'missing', what: 'the key of a', reason: 'It is refused.' })
  })

  test('needs no key of its own where only tenants pay', async () => {
    const offers = offersOf({ ANTHROPIC_API_KEY: '', SKEIN_RUNNER_TENANT_KEYS_ONLY: 'true' })
    await offers.look()
    expect(offers.canExecute).toBe(true)
    expect(offers.describe().backends[0]).toMatchObject({ name: 'a', problem: '' })
  })

  test('is no sandbox while the disk is short, and it says so once', async () => {
    const offers = offersOf()
    await offers.look()
    events = []
    offers.tellShortage('One MiB is left.')
    offers.tellShortage('Half a MiB is left.')
    expect(offers.describe().sandboxes).toMatchObject([{ name: 'process', problem: 'Half a MiB is left.' }])
    offers.tellShortage('')
    expect(offers.describe().sandboxes).toMatchObject([{ name: 'process', problem: '' }])
    expect(events.map(({ type }) => type)).toEqual(['missing', 'fixed'])
  })
})

test.each(['SKEIN_RUNNER_REPO_RANGES', 'SKEIN_RUNNER_ALLOWED_RANGES'])(
  '%s must have ranges in it',
  (setting) => {
    const read = (value: string) => () => readRunnerConfig({ SKEIN_API_KEY: 'k', [setting]: value })
    expect(read('10.0.0.0/8, 192.168.1.7')).not.toThrow()
    expect(read('10.0.0.0/8,git.example.com')).toThrow(`${setting} contains "git.example.com"`)
  },
)
