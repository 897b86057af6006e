import type { RunEndReason, TimelineEvent } from '@skein/client'
import { sequenceOf } from '../live/timeline-events.ts'

/** One run, as far as its events are loaded. */
export interface RunSummary {
  readonly runId: string
  /** Sequence of its first event. */
  readonly sequence: number
  /** Start of its first attempt; empty while it waits for a runner. */
  readonly startTime: string
  readonly endTime: string
  readonly attempts: number
  readonly runner: string
  readonly cost: number
  readonly inputTokens: bigint
  readonly cachedInputTokens: bigint
  readonly outputTokens: bigint
  readonly toolCalls: number
  readonly pushes: number
  /** Empty until it has ended. */
  readonly endReason: RunEndReason
}

/** Oldest first. */
export function summarizeRuns(events: readonly TimelineEvent[]): readonly RunSummary[] {
  const runs = new Map<string, RunSummary>()
  for (const event of events) {
    if (!('runId' in event) || !event.type.startsWith('run.')) continue
    const run = runs.get(event.runId) ?? beginRun(event.runId, sequenceOf(event))
    runs.set(event.runId, addEvent(run, event))
  }
  return [...runs.values()]
}

function beginRun(runId: string, sequence: number): RunSummary {
  return {
    runId,
    sequence,
    startTime: '',
    endTime: '',
    attempts: 0,
    runner: '',
    cost: 0,
    inputTokens: 0n,
    cachedInputTokens: 0n,
    outputTokens: 0n,
    toolCalls: 0,
    pushes: 0,
    endReason: '',
  }
}

function addEvent(run: RunSummary, event: TimelineEvent): RunSummary {
  switch (event.type) {
    case 'run.started': {
      const startTime = run.startTime === '' ? event.time : run.startTime
      return { ...run, startTime, attempts: Math.max(run.attempts, event.attempt), runner: event.runner }
    }
    case 'run.metered':
      return {
        ...run,
        cost: run.cost + event.cost,
        inputTokens: run.inputTokens + BigInt(event.inputTokens),
        cachedInputTokens: run.cachedInputTokens + BigInt(event.cachedInputTokens),
        outputTokens: run.outputTokens + BigInt(event.outputTokens),
      }
    case 'run.tool-called':
      return { ...run, toolCalls: run.toolCalls + 1 }
    case 'run.pushed':
      return { ...run, pushes: run.pushes + 1 }
    case 'run.ended':
      return { ...run, endTime: event.time, endReason: event.reason }
    default:
      return run
  }
}
