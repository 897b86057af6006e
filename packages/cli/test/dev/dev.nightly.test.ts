import { inlineScript } from '@skein/simulator'
import { waitFor } from '@skein/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { agentId, git, pathWithoutBubblewrap, post, seconds, settle } from './dev-calls.ts'
import { makeDataDir, removeDataDir, startDevProcess } from './dev-process.ts'

let dataDir: string

beforeEach(async () => {
  dataDir = await makeDataDir()
})

afterEach(() => removeDataDir(dataDir))

describe.skipIf(process.platform !== 'linux')('skein dev', () => {
  test('killed during a turn and restarted immediately, lets the agent finish', async () => {
    const first = await startDevProcess(dataDir)
    const description = `Count to two.\n\n${inlineScript([
      { say: 'One.', shell: 'echo one >> count.txt && git add . && git commit -qm one' },
      { delayMs: 5_000, shell: 'echo two >> count.txt && git commit -qam two && git push -q origin HEAD' },
      { tool: 'finish', input: { result: 'Counted.' } },
      { say: 'Done.' },
    ])}`
    await post(first, '/v1/agent/spawn', { agentId: agentId('counter'), description })
    await waitFor(
      async () => {
        const { events } = await post(first, '/v1/agent/timeline', { agentId: agentId('counter') })
        return JSON.stringify(events).includes('"One."')
      },
      { what: 'the agent to be in the middle of a turn', timeoutMs: 60_000, intervalMs: 100 },
    )
    first.signal('SIGKILL')
    await first.exitCode

    const second = await startDevProcess(dataDir)
    expect(second.apiKey).toBe(first.apiKey)
    const resumedAt = performance.now()
    const status = await settle(second, 'counter')
    expect(status).toMatchObject({ phase: 'PHASE_COMPLETED', run: { attempt: 2 } })
    expect(await git(dataDir, 'show', 'skein/counter:count.txt')).toContain('two')
    process.stdout.write(
      `skein dev after SIGKILL: ready in ${seconds(second.readyMs)}, ` +
        `the agent finished ${seconds(performance.now() - resumedAt)} later\n`,
    )
  })

  test('where bubblewrap does not work, says why and that agents run without a sandbox', async () => {
    const dev = await startDevProcess(dataDir, { PATH: await pathWithoutBubblewrap(dataDir) })
    expect(dev.stderr()).toContain('agents run without a sandbox')
    expect(dev.stderr()).toContain('Output: out of order')
    await post(dev, '/v1/agent/spawn', { agentId: agentId('bare'), description: 'Write a haiku' })
    expect(await settle(dev, 'bare')).toMatchObject({ phase: 'PHASE_COMPLETED' })
  })
})
