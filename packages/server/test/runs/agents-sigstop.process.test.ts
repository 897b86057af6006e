import { ScriptedRunner, scriptOf, waitFor } from '@skein/testkit'
import { afterEach, expect, test } from 'vitest'
import {
  createRunnerKey,
  Fleet,
  prepareTenant,
  serverSettings,
  startRunnerProcess,
  untilPhase,
  type RunnerProcess,
} from '../follow-ups/agents-fleet.ts'
import { endProcesses, startServer } from '../process/skein-process.ts'

const script = new URL('agents-sleeper.ts', import.meta.url)

const LEASE_MS = 1_500
let sleeper: RunnerProcess | undefined
let helper: ScriptedRunner | undefined

afterEach(async () => {
  sleeper?.signal('SIGKILL')
  await sleeper?.ended
  await helper?.stop()
  await endProcesses()
})

test('a runner stopped past its lease and resumed is refused, and its run was retried once elsewhere', async () => {
  const { database, key } = await prepareTenant()
  const { url } = await startServer(serverSettings(database, LEASE_MS))
  const fleet = new Fleet(url, key)
  const [sleeperKey, helperKey] = [
    await createRunnerKey(url, key, 'sleeper'),
    await createRunnerKey(url, key, 'helper'),
  ]
  sleeper = startRunnerProcess(script, {
    SKEIN_URL: url,
    SKEIN_API_KEY: sleeperKey,
    SLEPT_MS: String(LEASE_MS),
  })
  const description = scriptOf({ do: 'work', ms: 3_000 }, { do: 'finish', output: '"by the helper"' })
  await fleet.command('spawn', 'one', { description })
  const taken = await waitFor(() => sleeper?.lines[0], { what: 'the run to be taken', timeoutMs: 30_000 })

  sleeper.signal('SIGSTOP')
  helper = new ScriptedRunner({ baseUrl: url, apiKey: helperKey, heartbeatMs: 300 }).start()
  const startedAgain = async () =>
    (await fleet.timeline('one')).some(({ type, attempt }) => type === 'run.started' && attempt === 2)
  await waitFor(startedAgain, { what: 'the second attempt', timeoutMs: 30_000 })
  sleeper.signal('SIGCONT')

  const late = await waitFor(() => sleeper?.lines[1] ?? Promise.reject(new Error(sleeper?.output)), {
    what: 'the late report',
    timeoutMs: 30_000,
  })
  expect(late).toEqual({
    beat: {
      runs: [
        { lease: taken['lease'], isCurrent: false, commands: [{ type: 'KILL', text: '', followUpId: '' }] },
      ],
    },
    end: { accepted: false },
  })
  expect(await fleet.phase('one')).toBe('PHASE_RUNNING')
  await untilPhase(fleet, 'one', 'PHASE_COMPLETED')

  const events = await fleet.timeline('one')
  expect(
    events
      .filter(({ type }) => /^run\.(started|attempt-lost|ended|message)$/.test(type))
      .map(({ type, attempt, runner, reason }) => ({ type, attempt, runner, reason })),
  ).toEqual([
    { type: 'run.started', attempt: 1, runner: 'sleeper' },
    { type: 'run.attempt-lost', attempt: 1 },
    { type: 'run.started', attempt: 2, runner: 'helper' },
    { type: 'run.ended', reason: 'finished' },
  ])
  expect((await fleet.command('status', 'one')).body['output']).toBe('"by the helper"')
  await helper.stop()
  await endProcesses()
  await database.drop()
})
