import { isAsking, type AgentEntry, type SpawnFields } from '@skein/client'

/** Identifies the demo's agents. It touches no others. */
export const DEMO_LABELS = { 'made-by': 'skein-demo' } as const

export interface DemoAgent {
  readonly name: string
  /** Selects the agent's script in `demo/scripts`. */
  readonly description: string
  readonly tasks: NonNullable<SpawnFields['tasks']>
  /** A short description for people. */
  readonly shows: string
  /** Whether it has reached the state it demonstrates. */
  isShown(entry: Pick<AgentEntry, 'phase' | 'needsInput'>): boolean
  readonly deferred?: { readonly id: string; readonly text: string; readonly inMs: number }
}

const HOUR_MS = 3_600_000

export const DEMO_AGENTS: readonly DemoAgent[] = [
  {
    name: 'fix-split',
    description: 'The test "splits without losing a cent" fails. Find out why, fix it and push the fix.',
    tasks: [
      { id: 'reproduce', subject: 'See the test fail' },
      { id: 'fix', subject: 'Fix it' },
      { id: 'push', subject: 'Push the fix' },
    ],
    shows: 'fixed a failing test and pushed it',
    isShown: ({ phase }) => phase === 'PHASE_COMPLETED',
  },
  {
    name: 'release',
    description: 'Prepare version 0.4.0: changelog, documentation and type declarations.',
    tasks: [
      { id: 'parts', subject: 'Delegate the parts' },
      { id: 'merge', subject: 'Merge them', blockedBy: ['parts'] },
    ],
    shows: 'split its work among three children',
    isShown: ({ phase }) => phase === 'PHASE_COMPLETED',
  },
  {
    name: 'currencies',
    description: 'Let `format` show the currency of an amount.',
    tasks: [
      { id: 'decide', subject: 'Find out where the currency goes' },
      { id: 'build', subject: 'Build it, with a test', blockedBy: ['decide'] },
    ],
    shows: 'asks you a question',
    isShown: isAsking,
  },
  {
    name: 'parse-commas',
    description: 'Let `parse` accept amounts with a comma, such as "12,34".',
    tasks: [{ id: 'build', subject: 'Accept a comma' }],
    shows: 'failed, and can be continued',
    isShown: ({ phase }) => phase === 'PHASE_FAILED',
  },
  {
    name: 'flaky-tests',
    description: 'Find out whether any test of purse is flaky: run all of them 30 times.',
    tasks: [{ id: 'run', subject: 'Run the tests 30 times' }],
    shows: 'works for half an hour',
    isShown: ({ phase }) => phase === 'PHASE_RUNNING',
  },
  {
    name: 'weekly-report',
    description: 'Report every Monday what has changed in purse. Start today.',
    tasks: [],
    shows: 'is idle until a message arrives in an hour',
    isShown: ({ phase }) => phase === 'PHASE_WAITING',
    deferred: { id: 'monday', text: 'It is Monday. What is new?', inMs: HOUR_MS },
  },
]
