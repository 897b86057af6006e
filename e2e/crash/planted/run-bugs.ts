import type { Bug } from './bug.ts'

/** Runs that are reported by the wrong runner, counted twice, stopped by mistake or never end. */
export const RUN_BUGS: readonly Bug[] = [
  {
    name: 'unfenced-completion',
    what: 'A runner whose lease has gone to another can still end the run.',
    edits: [
      {
        file: 'packages/engine/src/runs/end-run.ts',
        find: 'holder !== runnerName(caller)',
        replace: 'holder === undefined && !view.agent',
      },
      {
        file: 'packages/core/src/runs/attempt.ts',
        find: '    agent.run.attempt === attempt &&\n',
        replace: '    agent.run.attempt >= attempt &&\n',
      },
    ],
  },
  {
    name: 'usage-counted-twice',
    what: 'A report that is sent again because its answer was lost counts again.',
    edits: [
      {
        file: 'packages/engine/src/runs/report-progress.ts',
        find: "report.reportId ?? Buffer.from(engine.random.bytes(16)).toString('hex')",
        replace: "Buffer.from(engine.random.bytes(16)).toString('hex')",
      },
    ],
  },
  {
    name: 'report-lost',
    what: 'Of a report with both, only what was said is taken in, not what was spent.',
    edits: [
      {
        file: 'packages/core/src/runs/report-progress.ts',
        find: "if (usage) change.emit({ type: 'run.metered', runId: attempt.runId, ...usage })",
        replace:
          "if (usage && agent.run.attempt === 1 && usage.inputTokens % 2n === 0n) change.emit({ type: 'run.metered', runId: attempt.runId, ...usage })",
      },
    ],
  },
  {
    name: 'stop-hits-newer-run',
    what: 'A stop that names an older run stops the one in progress.',
    edits: [
      {
        file: 'packages/core/src/runs/stop-turn.ts',
        find: "run?.state !== 'running' || run.runId !== runId) {",
        replace: "run?.state !== 'running' || runId === undefined) {",
      },
    ],
  },
  {
    name: 'claim-never-released',
    what: 'A run that was claimed by a server that died before it began is never given out again.',
    edits: [
      {
        file: 'packages/engine/src/runs/lose-attempt.ts',
        find: 'if (!decision.answer.isCurrent) await releaseRun(view.transaction, run)',
        replace: 'if (!decision.answer.isCurrent && run.attempt > 9) await releaseRun(view.transaction, run)',
      },
    ],
  },
  {
    name: 'retry-never-queued',
    what: 'A run whose last runner was lost is not given to another.',
    edits: [
      {
        file: 'packages/store/src/agents/project.ts',
        find: "if (event?.type !== 'run.queued') return []",
        replace: "if (event?.type !== 'run.queued' || event.attempt > 2) return []",
      },
    ],
  },
]
