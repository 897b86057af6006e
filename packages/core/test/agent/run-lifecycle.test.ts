import type { Phase, Task } from '@skein/contract'
import { describe, expect, test } from 'vitest'
import { MAX_ATTEMPTS, startRun } from '../../src/index.ts'
import { outcomeOf, pushOf, refusalOf, retryableFailure, taskOf } from './builders.ts'
import { TERMINAL, worldIn } from './phases.ts'
import { World } from './world.ts'

describe('starting a run', () => {
  test('takes a pending agent to running and delivers its messages', () => {
    const world = worldIn('PHASE_PENDING', { followUpId: 'm' })
    expect(world.start('root')).toBe(true)
    expect(world.agent('root')).toMatchObject({ phase: 'PHASE_RUNNING', queue: [] })
    expect(world.agent('root').run).toMatchObject({ state: 'running', startedAt: world.now })
    expect(world.rows.followUps('root').get('m')?.state).toBe('DELIVERED')
  })

  test.each([
    ['a run before it', { runId: 0n, attempt: 1 }],
    ['a run to come', { runId: 2n, attempt: 1 }],
    ['another attempt', { runId: 1n, attempt: 2 }],
  ])('of %s starts nothing', (_which, attempt) => {
    const world = worldIn('PHASE_PENDING')
    const before = world.agent('root')
    expect(world.start('root', attempt)).toBe(false)
    expect(world.agent('root')).toBe(before)
  })

  test('a second time starts nothing', () => {
    const world = worldIn('PHASE_RUNNING')
    expect(world.start('root')).toBe(false)
  })

  test('delivers the batch and nothing else, whatever it is handed', () => {
    const world = worldIn('PHASE_RUNNING')
    world.queue('root', { followUpId: 'next' })
    world.lose('root')
    const body = world.rows.followUps('root').get('next')?.body
    const retry = { runId: 1n, attempt: 2, runner: 'runner-1', batch: body ? [body] : [] }
    const { changes } = startRun(retry, { agent: world.agent('root'), parent: undefined, now: world.now })
    expect(changes[0]?.agent.queue).toMatchObject([{ followUpId: 'next' }])
    const first = worldIn('PHASE_PENDING').agent('root')
    expect(() =>
      startRun(
        { runId: 1n, attempt: 1, runner: 'r', batch: [] },
        { agent: first, parent: undefined, now: 0 },
      ),
    ).toThrow('first-of-agent-1')
  })
})

describe('a run that ends', () => {
  test('takes the agent to its next run when more is queued, whatever the reason', () => {
    for (const reason of ['finished', 'asked', 'rested', 'interrupted', 'killed', 'limit'] as const) {
      const world = worldIn('PHASE_RUNNING', { autoComplete: true })
      world.queue('root')
      world.end('root', outcomeOf(reason))
      expect(world.agent('root')).toMatchObject({ phase: 'PHASE_PENDING', runCount: 2n })
      expect(world.agent('root').run).toMatchObject({ runId: 2n, attempt: 1, state: 'queued' })
    }
  })

  test('completes an agent that called finish', () => {
    const world = worldIn('PHASE_RUNNING')
    world.end('root', outcomeOf('finished', { message: 'Done', output: '{"ok":true}' }))
    expect(world.agent('root')).toMatchObject({
      phase: 'PHASE_COMPLETED',
      endedAt: world.now,
      lastMessage: 'Done',
      output: '{"ok":true}',
      run: { state: 'ended', endReason: 'finished', endedAt: world.now },
    })
  })

  test('completes an agent that rests and was spawned to complete by itself', () => {
    const world = worldIn('PHASE_RUNNING', { autoComplete: true })
    world.end('root', outcomeOf('rested'))
    expect(world.phase('root')).toBe('PHASE_COMPLETED')
  })

  test.each(['asked', 'rested', 'interrupted', 'killed', 'limit'] as const)(
    'because it %s leaves the agent waiting, and says why',
    (reason) => {
      const world = worldIn('PHASE_RUNNING')
      world.end('root', outcomeOf(reason))
      expect(world.agent('root')).toMatchObject({ phase: 'PHASE_WAITING', run: { endReason: reason } })
    },
  )

  test.each(['asked', 'interrupted', 'killed', 'limit'] as const)(
    'because it %s does not complete an agent by itself',
    (reason) => {
      const world = worldIn('PHASE_RUNNING', { autoComplete: true })
      world.end('root', outcomeOf(reason))
      expect(world.phase('root')).toBe('PHASE_WAITING')
    },
  )

  test('with a question keeps the question readable until the agent continues', () => {
    const world = worldIn('PHASE_RUNNING')
    world.end('root', outcomeOf('asked', { needsInput: 'Which branch?' }))
    expect(world.agent('root').needsInput).toBe('Which branch?')
    world.queue('root')
    expect(world.agent('root').needsInput).toBe('')
  })

  test.each([
    ['finished', false],
    ['rested', true],
  ] as const)('%s with an open task leaves the agent waiting and names the task', (reason, autoComplete) => {
    const world = worldIn('PHASE_RUNNING', { autoComplete, tasks: [taskOf('a'), taskOf('b')] })
    world.updateTasks('root', [{ id: 'a', status: 'TASK_STATUS_COMPLETED' }])
    world.end('root', outcomeOf(reason))
    expect(world.agent('root')).toMatchObject({ phase: 'PHASE_WAITING', needsInput: 'Still open: Do b' })
  })

  test('completes when every task is completed or deleted', () => {
    const world = worldIn('PHASE_RUNNING', { tasks: [taskOf('a'), taskOf('b')] })
    world.updateTasks('root', [
      { id: 'a', status: 'TASK_STATUS_COMPLETED' },
      { id: 'b', status: 'TASK_STATUS_DELETED' },
    ])
    world.end('root', outcomeOf('finished'))
    expect(world.phase('root')).toBe('PHASE_COMPLETED')
  })

  test('completes although a message waits for its time', () => {
    const world = worldIn('PHASE_RUNNING')
    world.queue('root', { deliverAt: world.now + 1 })
    world.end('root', outcomeOf('finished'))
    expect(world.phase('root')).toBe('PHASE_COMPLETED')
  })

  test('takes its ephemeral tasks with it', () => {
    const world = worldIn('PHASE_WAITING')
    world.queue('root', { tasks: [taskOf('thread', { ephemeral: true }), taskOf('kept')] })
    world.start('root')
    world.lose('root')
    expect(world.agent('root').tasks).toHaveLength(2)
    world.start('root')
    world.end('root', outcomeOf('rested'))
    expect(world.agent('root').tasks.map(({ id }) => id)).toEqual(['kept'])
  })

  test('counts what was spent, across attempts, runs and incarnations', () => {
    const usage = { costMicros: 5n, inputTokens: 3n, cachedInputTokens: 2n, outputTokens: 1n }
    const world = worldIn('PHASE_RUNNING')
    world.progress('root', [], world.attempt('root'), usage)
    world.end('root', retryableFailure({ usage }))
    world.start('root')
    world.end('root', outcomeOf('finished', { usage }))
    expect(world.agent('root').run?.usage).toMatchObject({ costMicros: 15n, outputTokens: 3n })
    world.spawn('root')
    world.start('root')
    world.end('root', outcomeOf('rested', { usage }))
    expect(world.agent('root').run?.usage.costMicros).toBe(5n)
    expect(world.agent('root').usage).toEqual({
      costMicros: 20n,
      inputTokens: 12n,
      cachedInputTokens: 8n,
      outputTokens: 4n,
    })
  })
})

describe('a run that fails', () => {
  const refusal = outcomeOf('failed', { error: { code: 'denied', message: 'No', isRetryable: false } })

  test('permanently fails the agent, says why, and drops what is queued', () => {
    const world = worldIn('PHASE_RUNNING')
    world.queue('root', { followUpId: 'm' })
    world.end('root', refusal)
    expect(world.agent('root')).toMatchObject({
      phase: 'PHASE_FAILED',
      queue: [],
      error: { code: 'denied', message: 'No' },
      run: { endReason: 'failed' },
    })
    expect(world.rows.followUps('root').get('m')?.state).toBe('DROPPED')
  })

  test('permanently kills every descendant, whose parents see it before they end', () => {
    const world = worldIn('PHASE_RUNNING')
    world.spawn('root/kid')
    world.spawn('root/kid/grandkid')
    world.end('root', refusal)
    expect(world.phase('root/kid')).toBe('PHASE_CANCELED')
    expect(world.phase('root/kid/grandkid')).toBe('PHASE_CANCELED')
    for (const path of ['root', 'root/kid']) {
      const told = world.events(path).filter(({ type }) => type === 'child.phase-changed')
      expect(told.at(-1)).toMatchObject({ phase: 'PHASE_CANCELED' })
      expect(world.events(path).at(-1)).toMatchObject({ type: 'agent.phase-changed' })
    }
  })

  test('is retried after a delay, as the same run', () => {
    const world = worldIn('PHASE_RUNNING')
    world.end('root', retryableFailure())
    expect(world.agent('root')).toMatchObject({
      phase: 'PHASE_PENDING',
      runCount: 1n,
      run: { runId: 1n, attempt: 2, state: 'queued' },
    })
    expect(world.events('root')).toContainEqual({
      type: 'run.queued',
      runId: 1n,
      attempt: 2,
      availableAt: world.now + 1000,
    })
    expect(world.agent('root').error).toBeUndefined()
  })

  test('is not retried before the time that the backend gave', () => {
    const world = worldIn('PHASE_RUNNING')
    world.end('root', retryableFailure({ retryAt: world.now + 60_000 }))
    expect(world.events('root')).toContainEqual(
      expect.objectContaining({ type: 'run.queued', attempt: 2, availableAt: world.now + 60_000 }),
    )
  })

  test('fails the agent once its attempts are spent', () => {
    const world = worldIn('PHASE_RUNNING')
    for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt += 1) {
      world.end('root', retryableFailure())
      world.start('root')
    }
    expect(world.phase('root')).toBe('PHASE_RUNNING')
    world.end('root', retryableFailure())
    expect(world.agent('root')).toMatchObject({ phase: 'PHASE_FAILED', error: { code: 'overloaded' } })
  })

  test.each([
    ['STOP_TURN_MODE_INTERRUPT', 'interrupted'],
    ['STOP_TURN_MODE_KILL', 'killed'],
  ] as const)('under a stop with %s has stopped, and the agent stays alive', (mode, endReason) => {
    const world = worldIn('PHASE_RUNNING')
    world.stop('root', 1n, mode)
    world.end('root', retryableFailure())
    expect(world.agent('root')).toMatchObject({ phase: 'PHASE_WAITING', run: { endReason } })
    expect(world.agent('root').error).toBeUndefined()
  })

  test('under a preempting message makes way for it', () => {
    const world = worldIn('PHASE_RUNNING')
    world.queue('root', { followUpId: 'm', preempt: true })
    world.end('root', retryableFailure())
    world.start('root')
    expect(world.rows.followUps('root').get('m')?.state).toBe('DELIVERED')
  })

  test('permanently fails the agent even under a stop', () => {
    const world = worldIn('PHASE_RUNNING')
    world.stop('root', 1n)
    world.end('root', refusal)
    expect(world.phase('root')).toBe('PHASE_FAILED')
  })
})

describe('a lost attempt', () => {
  test('is taken over by the next one', () => {
    const world = worldIn('PHASE_RUNNING')
    expect(world.lose('root')).toBe(true)
    expect(world.agent('root')).toMatchObject({ phase: 'PHASE_PENDING', run: { runId: 1n, attempt: 2 } })
    expect(world.start('root')).toBe(true)
  })

  test('of a suspended tenant is paused, which counts against nobody, unless it was to stop anyway', () => {
    const world = worldIn('PHASE_RUNNING')
    for (const attempt of [1, 2, 3, 4]) {
      expect(world.lose('root', world.attempt('root'), true)).toBe(true)
      expect(world.agent('root')).toMatchObject({
        phase: 'PHASE_PENDING',
        run: { attempt: attempt + 1, failures: 0 },
      })
      world.start('root')
    }
    world.stop('root', 1n)
    world.lose('root', world.attempt('root'), true)
    expect(world.agent('root').phase).toBe('PHASE_WAITING')
  })

  test('is recorded by run and attempt alone, whatever else its lease holds', () => {
    const world = worldIn('PHASE_RUNNING')
    const lease = { ...world.attempt('root'), tenantId: 'acme' }
    world.lose('root', lease)
    expect(world.events('root')).toContainEqual({ type: 'run.attempt-lost', runId: 1n, attempt: 1 })
  })

  test('fails the agent once its attempts are spent, and everyone below is killed', () => {
    const world = worldIn('PHASE_RUNNING')
    world.spawn('root/kid')
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      world.start('root')
      world.lose('root')
    }
    expect(world.agent('root')).toMatchObject({
      phase: 'PHASE_FAILED',
      error: { code: 'lost' },
      run: { endReason: 'lost' },
    })
    expect(world.phase('root/kid')).toBe('PHASE_CANCELED')
  })

  test.each([
    ['STOP_TURN_MODE_INTERRUPT', 'interrupted'],
    ['STOP_TURN_MODE_KILL', 'killed'],
  ] as const)('under a stop with %s has stopped', (mode, endReason) => {
    const world = worldIn('PHASE_RUNNING')
    world.stop('root', 1n, mode)
    world.lose('root')
    expect(world.agent('root')).toMatchObject({ phase: 'PHASE_WAITING', run: { endReason } })
  })
})

describe('a report from an attempt that is not the current one', () => {
  const reports: [string, (world: World, attempt: { runId: bigint; attempt: number }) => boolean][] = [
    ['progress', (world, attempt) => world.progress('root', [pushOf('a.ts')], attempt)],
    ['its end', (world, attempt) => world.end('root', outcomeOf('finished'), attempt)],
    ['its failure', (world, attempt) => world.end('root', outcomeOf('failed'), attempt)],
    ['its loss', (world, attempt) => world.lose('root', attempt)],
  ]
  test.each(reports)('changes nothing: %s', (_what, report) => {
    const world = worldIn('PHASE_RUNNING')
    const lost = world.attempt('root')
    world.lose('root')
    const stale = [lost, world.attempt('root'), { runId: 0n, attempt: 1 }]
    const pending = world.agent('root')
    for (const attempt of stale) expect(report(world, attempt)).toBe(false)
    expect(world.agent('root')).toBe(pending)
    world.start('root')
    const running = world.agent('root')
    for (const attempt of [lost, { runId: 0n, attempt: 2 }, { runId: 2n, attempt: 2 }]) {
      expect(report(world, attempt)).toBe(false)
    }
    expect(world.agent('root')).toBe(running)
  })

  test.each(TERMINAL)('changes nothing once the agent is %s', (phase) => {
    const world = worldIn(phase)
    const before = world.agent('root')
    for (const [, report] of reports) expect(report(world, { runId: 1n, attempt: 1 })).toBe(false)
    expect(world.agent('root')).toBe(before)
  })

  test('changes nothing if the agent does not exist', () => {
    const world = new World()
    for (const [, report] of reports) expect(report(world, { runId: 1n, attempt: 1 })).toBe(false)
  })
})

/** A task that counts once a file of the pattern is pushed. */
function watched(id: string, pattern?: string): Task {
  return taskOf(id, { activation: { filesModified: pattern === undefined ? {} : { pattern } } })
}

function finish(world: World): Phase {
  world.end('root', outcomeOf('finished'))
  return world.phase('root')
}

describe('progress', () => {
  test('shows on the timeline as of the run that reports it, whatever run it names', () => {
    const world = worldIn('PHASE_RUNNING')
    world.now += 5
    world.progress('root', [{ type: 'run.message', runId: 99n, text: 'Hello' }])
    expect(world.events('root').at(-1)).toEqual({ type: 'run.message', runId: 1n, text: 'Hello' })
    expect(world.agent('root')).toMatchObject({ lastMessage: 'Hello', progressAt: world.now })
  })

  test('that pushes no file of a task’s pattern leaves it inactive, and completion free', () => {
    const world = worldIn('PHASE_RUNNING', { tasks: [watched('a', '*.ts')] })
    world.progress('root', [pushOf('a.md')])
    expect(world.agent('root').run?.activeTaskIds).toEqual([])
    expect(finish(world)).toBe('PHASE_COMPLETED')
  })

  test('that pushes a file matching a task’s pattern activates the task, once', () => {
    const world = worldIn('PHASE_RUNNING', { tasks: [watched('a', '*.ts'), watched('any')] })
    world.progress('root', [pushOf('a.ts'), pushOf('b.ts')])
    expect(world.agent('root').run?.activeTaskIds).toEqual(['a', 'any'])
    expect(finish(world)).toBe('PHASE_WAITING')
  })

  test('activates tasks for its own run only, retries included', () => {
    const world = worldIn('PHASE_RUNNING', { tasks: [watched('a', '*.ts')] })
    world.progress('root', [pushOf('a.ts')])
    world.lose('root')
    world.start('root')
    expect(finish(world)).toBe('PHASE_WAITING')
    world.queue('root')
    world.start('root')
    expect(finish(world)).toBe('PHASE_COMPLETED')
  })

  test('does not activate a deleted task', () => {
    const world = worldIn('PHASE_RUNNING', { tasks: [watched('a')] })
    world.updateTasks('root', [{ id: 'a', status: 'TASK_STATUS_DELETED' }])
    world.progress('root', [pushOf('a.ts')])
    expect(world.agent('root').run?.activeTaskIds).toEqual([])
  })
})

describe('stopping a turn', () => {
  test('interrupts the current run when its number is given', () => {
    const world = worldIn('PHASE_RUNNING')
    world.stop('root', 1n, 'STOP_TURN_MODE_UNSPECIFIED')
    expect(world.agent('root')).toMatchObject({
      phase: 'PHASE_RUNNING',
      run: { state: 'running', stopMode: 'STOP_TURN_MODE_INTERRUPT' },
    })
    world.end('root', outcomeOf('interrupted'))
    expect(world.phase('root')).toBe('PHASE_WAITING')
  })

  test('a second time changes nothing; with kill it escalates, and never back', () => {
    const world = worldIn('PHASE_RUNNING')
    world.stop('root', 1n)
    const before = world.agent('root')
    world.stop('root', 1n)
    expect(world.agent('root')).toBe(before)
    world.stop('root', 1n, 'STOP_TURN_MODE_KILL')
    world.stop('root', 1n)
    expect(world.agent('root').run?.stopMode).toBe('STOP_TURN_MODE_KILL')
  })

  test.each([undefined, 0n, 2n])('needs the number of the current run, not %s', (runId) => {
    const world = worldIn('PHASE_RUNNING')
    expect(refusalOf(() => world.stop('root', runId))).toBe('RUN_NOT_CURRENT')
  })

  test.each(['PHASE_PENDING', 'PHASE_WAITING', ...TERMINAL] as const)(
    'is refused when no turn is running: %s',
    (phase) => {
      const world = worldIn(phase)
      expect(refusalOf(() => world.stop('root', world.agent('root').runCount))).toBe('RUN_NOT_CURRENT')
    },
  )

  test('of an agent that never existed is not found', () => {
    expect(refusalOf(() => new World().stop('root', 1n))).toBe('AGENT_NOT_FOUND')
  })
})
