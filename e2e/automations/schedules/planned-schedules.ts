import { scriptOf } from '@skein/testkit/scripted-runner'
import { PROFILE, WORKSPACE } from '../installation.ts'

/** The agent that one of the schedules sends messages to. */
const MAILBOX = 'mailbox'

/** The label of the agents that people are told about. Each of them ends once. */
export const TOLD = { told: 'yes' }

/** The most that a schedule allows. */
export const MOST_CAUGHT_UP = 100

export interface PlannedSchedule {
  readonly name: string
  readonly everyMs: number
  readonly overlap: 'skip' | 'queue' | 'replace' | 'allow'
  readonly catchUp: 'none' | 'latest' | 'all'
  readonly does: 'spawn' | 'send'
  readonly description: string
}

const spawn = { does: 'spawn', description: 'Tidy up.' } as const

/** Every overlap policy and every policy for what was missed. */
export const SCHEDULES: readonly PlannedSchedule[] = [
  {
    ...spawn,
    name: 'skip',
    everyMs: 1_000,
    overlap: 'skip',
    catchUp: 'all',
    description: scriptOf({ do: 'work', ms: 1_500 }, { do: 'finish' }),
  },
  { ...spawn, name: 'queue', everyMs: 2_000, overlap: 'queue', catchUp: 'all' },
  {
    ...spawn,
    name: 'replace',
    everyMs: 2_000,
    overlap: 'replace',
    catchUp: 'latest',
    // So that only the next firing can end it.
    description: scriptOf({ do: 'hang' }),
  },
  { ...spawn, name: 'allow', everyMs: 1_000, overlap: 'allow', catchUp: 'all' },
  { ...spawn, name: 'none', everyMs: 1_000, overlap: 'allow', catchUp: 'none' },
  { ...spawn, name: 'send', everyMs: 2_000, overlap: 'queue', catchUp: 'latest', does: 'send' },
]

export function documentOf(
  { everyMs, overlap, catchUp, does, description }: PlannedSchedule,
  { startAt, paused }: { readonly startAt: number; readonly paused: boolean },
): object {
  return {
    every: `${everyMs / 1000}s`,
    startTime: new Date(startAt).toISOString(),
    overlap,
    catchUp: { policy: catchUp, max: MOST_CAUGHT_UP },
    profile: PROFILE,
    workspace: WORKSPACE,
    paused,
    spawn: { description, ...(does === 'spawn' && { labels: TOLD }) },
    ...(does === 'send' && { send: { agent: MAILBOX, message: 'Look again.' } }),
  }
}

/** All times that it names after an instant, up to and including another. */
export function timesOf(
  { everyMs }: PlannedSchedule,
  startAt: number,
  { after, until }: { readonly after: number; readonly until: number },
): number[] {
  const times: number[] = []
  for (let time = startAt; time <= until; time += everyMs) if (time > after) times.push(time)
  return times
}

/** What identifies a firing: part of the agent's name, or of the message's id. */
export function stampOf(dueAt: number): string {
  return `${new Date(dueAt).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').toLowerCase()}z`
}
