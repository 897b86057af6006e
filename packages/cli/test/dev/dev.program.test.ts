import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { machineNow, waitFor } from '@skein/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { agentId, git, pathWithoutBubblewrap, post, seconds, settle } from './dev-calls.ts'
import {
  makeDataDir,
  processesOf,
  type ReadyDev,
  removeDataDir,
  runDevProcess,
  startDevProcess,
  untilNothingRuns,
} from './dev-process.ts'

let dataDir: string

beforeEach(async () => {
  dataDir = await makeDataDir()
})

afterEach(() => removeDataDir(dataDir))

async function stopDev(dev: ReadyDev): Promise<number | null> {
  dev.signal('SIGINT')
  return dev.exitCode
}

describe.skipIf(process.platform !== 'linux')('skein dev', () => {
  test('is ready with one line of JSON, runs an agent that pushes its branch, and keeps all of it', async () => {
    const first = await startDevProcess(dataDir, { ANTHROPIC_API_KEY: 'sk-of-the-shell' })
    expect(first.stderr()).toContain('Model: the simulator')
    expect(first.stderr()).toContain('ANTHROPIC_API_KEY is not used. To use it, add --real.')
    expect(first.stdout().trimEnd().split('\n')).toHaveLength(1)
    expect(Object.keys(JSON.parse(first.stdout()) as object)).toEqual([
      'baseUrl',
      'apiKey',
      'dashboardUrl',
      'signInUrl',
    ])
    expect(first.dashboardUrl.startsWith(first.baseUrl)).toBe(true)

    const spawnedAt = machineNow()
    await post(first, '/v1/agent/spawn', {
      agentId: agentId('first'),
      description: 'Write a haiku about geese',
    })
    const status = await settle(first, 'first')
    const agentMs = machineNow() - spawnedAt
    expect(status).toMatchObject({ phase: 'PHASE_COMPLETED' })
    expect(await git(dataDir, 'log', '-1', '--format=%s', 'skein/first')).toBe('Write a haiku about geese')
    expect(await git(dataDir, 'show', 'skein/first:NOTES.md')).toContain('Write a haiku about geese')

    const stoppedAt = machineNow()
    expect(await stopDev(first)).toBe(0)
    const stopMs = machineNow() - stoppedAt
    expect(processesOf(dataDir)).toEqual([])

    const second = await startDevProcess(dataDir)
    expect(second.apiKey).toBe(first.apiKey)
    expect(await settle(second, 'first')).toMatchObject({ phase: 'PHASE_COMPLETED' })
    process.stdout.write(
      `skein dev: ready in ${seconds(first.readyMs)} the first time, in ${seconds(second.readyMs)} warm; ` +
        `the first agent took ${seconds(agentMs)}, the stop ${seconds(stopMs)}\n`,
    )
    // The goal is 10 s on a machine that does nothing else; this only finds what is badly wrong.
    expect(second.readyMs).toBeLessThan(30_000)
    expect(agentMs).toBeLessThan(60_000)
  })

  test('refuses a folder that another one uses, and says which process that is', async () => {
    const first = await startDevProcess(dataDir, {}, '--no-runner')
    const second = runDevProcess(dataDir, {}, '--port', '0')
    expect(await second.exitCode).toBe(1)
    expect(second.stderr()).toContain(`already running on ${dataDir} (process ${first.child.pid})`)
    expect((await fetch(`${first.baseUrl}/readyz`)).ok).toBe(true)
  })

  test('starts over with --fresh, and keeps its secrets in files that nobody else can read', async () => {
    const first = await startDevProcess(dataDir, {}, '--no-runner')
    for (const file of ['dev.json', 'profile.json', 'postgres/password']) {
      expect((await stat(join(dataDir, file))).mode & 0o077).toBe(0)
    }
    const profile = await readFile(join(dataDir, 'profile.json'), 'utf8')
    expect(JSON.parse(profile)).toEqual({
      url: first.baseUrl,
      apiKey: first.apiKey,
      workspace: 'sample',
      model: 'none',
      pid: first.child.pid,
    })
    // What `skein login` keeps for the person is none of its business.
    expect(existsSync(join(dataDir, 'config.json'))).toBe(false)
    await stopDev(first)
    const second = await startDevProcess(dataDir, {}, '--no-runner', '--fresh')
    expect(second.apiKey).not.toBe(first.apiKey)
  })

  test('whose port is taken says how to choose another, and leaves nothing running', async () => {
    const squatter = createServer().listen(0, '127.0.0.1')
    await once(squatter, 'listening')
    const address = squatter.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const dev = runDevProcess(dataDir, {}, '--port', String(port))
    expect(await dev.exitCode).toBe(1)
    expect(dev.stderr()).toContain(`Port ${port} is in use`)
    expect(dev.stderr()).toContain('skein dev --port')
    squatter.close()
    expect(processesOf(dataDir)).toEqual([])
  })

  test('names the program that died and the end of its log, stops the others and fails', async () => {
    const dev = await startDevProcess(dataDir, {}, '--sandbox', 'process')
    const runner = processesOf(dataDir).find(({ command }) => /^\S+ \S*runner\/src\/main\.ts$/.test(command))
    process.kill(runner?.pid ?? 0, 'SIGKILL')
    expect(await dev.exitCode).toBe(1)
    expect(dev.stderr()).toContain('The runner was killed by SIGKILL')
    expect(dev.stderr()).toMatch(/\d info {2}the runner is ready \(backends: .*; sandboxes: process;/)
    await untilNothingRuns(dataDir)
  })

  test('told to use a sandbox that does not work here, fails with the reason', async () => {
    const env = { PATH: await pathWithoutBubblewrap(dataDir) }
    const dev = runDevProcess(dataDir, env, '--port', '0', '--sandbox', 'bubblewrap')
    expect(await dev.exitCode).toBe(1)
    expect(dev.stderr()).toContain('The runner cannot offer the sandbox bubblewrap')
    expect(dev.stderr()).toContain('Output: out of order')
    expect(processesOf(dataDir)).toEqual([])
  })

  test('stopped while it starts, leaves nothing running and starts again', async () => {
    const first = runDevProcess(dataDir, {}, '--port', '0')
    await waitFor(() => first.stderr().includes('PostgreSQL'), { what: 'the database', timeoutMs: 30_000 })
    first.signal('SIGTERM')
    expect(await first.exitCode).toBe(0)
    expect(processesOf(dataDir)).toEqual([])
    const second = await startDevProcess(dataDir, {}, '--no-runner')
    expect((await fetch(`${second.baseUrl}/readyz`)).ok).toBe(true)
  })
})
