import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeDataDir, processesOf, type ReadyDev, removeDataDir, runNpxDev } from './dev-process.ts'
import { cloneRepository, followFirstAgent, installPackages } from './fresh-clone.ts'

const run = promisify(execFile)

let folder: string

beforeEach(async () => {
  folder = await makeDataDir()
})

afterEach(() => removeDataDir(folder))

async function stopDev(dev: ReadyDev): Promise<void> {
  dev.signal('SIGINT')
  await dev.exitCode
  expect(processesOf(folder)).toEqual([])
}

class Stopwatch {
  readonly #steps: [name: string, ms: number][] = []

  async time<Value>(name: string, step: () => Promise<Value>): Promise<Value> {
    const startedAt = performance.now()
    const value = await step()
    this.#steps.push([name, performance.now() - startedAt])
    return value
  }

  of(name: string): number {
    return this.#steps.find(([step]) => step === name)?.[1] ?? Number.POSITIVE_INFINITY
  }

  table(): string {
    return this.#steps.map(([name, ms]) => `${name.padEnd(32)} ${(ms / 1000).toFixed(1)} s\n`).join('')
  }
}

describe.skipIf(process.platform !== 'linux')('a fresh clone of the last commit', () => {
  test('runs an agent to the end after npm ci and npx skein dev', { timeout: 400_000 }, async () => {
    const watch = new Stopwatch()
    const clone = await watch.time('git clone', () => cloneRepository(folder))
    await watch.time('npm ci', () => installPackages(clone))

    const first = await watch.time('skein dev ready, first start', () => runNpxDev(clone))
    const stdout = await watch.time('first agent completed', () =>
      followFirstAgent(clone, 'Write a haiku about geese'),
    )
    expect(stdout).toMatch(/✔ sample\/first completed .* skein\/first$/m)
    const branch = await run('git', ['-C', join(clone, '.skein/sample.git'), 'show', 'skein/first:NOTES.md'])
    expect(branch.stdout).toContain('Write a haiku about geese')
    await watch.time('Ctrl-C', () => stopDev(first))

    const second = await watch.time('skein dev ready, warm', () => runNpxDev(clone))
    expect(second.apiKey).toBe(first.apiKey)
    await stopDev(second)
    process.stdout.write(`From a fresh clone:\n${watch.table()}`)
    expect(watch.of('skein dev ready, warm')).toBeLessThan(10_000)
    expect(watch.of('first agent completed')).toBeLessThan(60_000)
  })
})
