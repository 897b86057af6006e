import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inlineScript } from '@skein/simulator'
import { bareEnvironment } from '@skein/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeDataDir, removeDataDir, startDevProcess, untilNothingRuns } from './dev-process.ts'
import { runProcess } from '../run-process.ts'

const run = promisify(execFile)

/** An empty folder, as a newcomer has it. */
let folder: string

beforeEach(async () => {
  folder = await makeDataDir()
})

afterEach(async () => {
  await endBackgroundDev()
  await removeDataDir(folder)
})

/** After a test that failed. */
async function endBackgroundDev(): Promise<void> {
  const profile = await readFile(join(folder, '.skein', 'profile.json'), 'utf8').catch(() => '{}')
  const { pid } = JSON.parse(profile) as { readonly pid?: number }
  try {
    if (pid !== undefined) process.kill(pid, 'SIGTERM')
  } catch {
    // It has ended already.
  }
}

interface Demo {
  readonly isNew: boolean
  readonly repository: string
  readonly agents: readonly {
    readonly agentId: { readonly agent: readonly string[] }
    readonly phase: string
    readonly createTime: string
  }[]
}

async function skein(...args: string[]): Promise<string> {
  const env = { ...bareEnvironment(), HOME: folder, ANTHROPIC_API_KEY: 'sk-of-the-shell' }
  const { stdout, stderr, exitCode } = await runProcess(args, { env, cwd: folder })
  if (exitCode !== 0) throw new Error(`skein ${args.join(' ')} ended with ${exitCode}: ${stderr}`)
  return stdout
}

const demo = async (): Promise<Demo> => JSON.parse(await skein('demo', '--json')) as Demo

const phasesOf = ({ agents }: Demo) =>
  Object.fromEntries(agents.map(({ agentId, phase }) => [agentId.agent.join('/'), phase]))

/** Whether the tests of the demo's library pass on a branch. */
async function passesTests(repository: string, branch: string): Promise<boolean> {
  const clone = join(folder, branch.replaceAll('/', '-'))
  await run('git', ['clone', '--quiet', '--branch', branch, repository, clone])
  return run(process.execPath, ['--test'], { cwd: clone, env: bareEnvironment() }).then(
    () => true,
    () => false,
  )
}

describe.skipIf(process.platform !== 'linux')('skein demo', () => {
  test(
    'shows six agents in an empty folder, and removes only what it created',
    { timeout: 900_000 },
    async () => {
      const first = await demo()
      const { 'flaky-tests': long, ...others } = phasesOf(first)
      // On a busy machine its runner may just have been lost.
      expect(long).toMatch(/^PHASE_(RUNNING|PENDING)$/)
      expect(others).toEqual({
        'fix-split': 'PHASE_COMPLETED',
        release: 'PHASE_COMPLETED',
        currencies: 'PHASE_WAITING',
        'parse-commas': 'PHASE_FAILED',
        'weekly-report': 'PHASE_WAITING',
      })
      expect(await passesTests(first.repository, 'main')).toBe(false)
      expect(await passesTests(first.repository, 'skein/fix-split')).toBe(true)
      expect(await skein('diff', 'demo/fix-split')).toContain('+  const rest = cents - share * people')
      const parts = await skein('diff', '--stat', 'demo/release')
      for (const part of ['CHANGELOG.md', 'README.md', 'src/index.d.ts']) expect(parts).toContain(part)
      expect(await skein('queue', 'ls', 'demo/weekly-report')).toContain('It is Monday')

      // A key from the shell was not used: only the simulator knows these agents' work.
      const profile = await readFile(join(folder, '.skein', 'profile.json'), 'utf8')
      expect(JSON.parse(profile)).toMatchObject({ model: 'simulator' })

      const again = await demo()
      expect(again.isNew).toBe(false)
      expect(again.agents.map(({ createTime }) => createTime)).toEqual(
        first.agents.map(({ createTime }) => createTime),
      )

      const question = inlineScript([
        { tool: 'ask_for_input', input: { question: 'Mine?' } },
        { say: 'Waiting.' },
      ])
      await skein('send', 'demo/currencies', 'After the amount.')
      await skein('send', '--continue', 'demo/parse-commas', 'Try again.')
      await skein('spawn', '--name', 'mine', '--wait', `Ask me.\n\n${question}`)
      await skein('wait', 'demo/currencies')
      await skein('wait', 'demo/parse-commas')
      expect(phasesOf(await demo())).toMatchObject({
        currencies: 'PHASE_COMPLETED',
        'parse-commas': 'PHASE_COMPLETED',
      })

      expect(await skein('demo', '--clean')).toContain('skein dev starts it again')
      await untilNothingRuns(join(folder, '.skein'))
      expect(existsSync(first.repository)).toBe(false)

      const dev = await startDevProcess(join(folder, '.skein'))
      expect(await skein('status', 'sample/mine')).toContain('Mine?')
      expect(await skein('demo', '--clean')).toContain('No demo found here.')
      expect((await fetch(`${dev.baseUrl}/readyz`)).ok).toBe(true)
    },
  )
})
