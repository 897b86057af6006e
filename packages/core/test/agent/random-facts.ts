import type { Task, TaskStatus } from '@skein/contract'
import { SETTINGS, outcomeOf, taskOf } from './builders.ts'
import type { Choices } from './choices.ts'
import type {
  AgentState,
  QueueFollowUp,
  ResumeAgent,
  RunOutcome,
  SpawnAgent,
  Usage,
} from '../../src/index.ts'
import type { World } from './world.ts'

const TASK_IDS = ['t0', 't1', 't2', 't3', 't4', 't5', 't6', 't7'] as const
const PERSONAS = ['default', 'reviewer', 'writer'] as const
const STATUSES: readonly [TaskStatus, ...TaskStatus[]] = [
  'TASK_STATUS_UNSPECIFIED',
  'TASK_STATUS_PENDING',
  'TASK_STATUS_IN_PROGRESS',
  'TASK_STATUS_COMPLETED',
  'TASK_STATUS_DELETED',
]
const OUTCOMES = [
  'finished',
  'asked',
  'rested',
  'interrupted',
  'killed',
  'failed',
  'limit',
  'paused',
] as const
const DAY_MS = 86_400_000

/** Ids come from a small set, so that they collide, and links close circles, often enough. */
export function randomTasks(choices: Choices, agent?: AgentState): Task[] {
  const existing = agent?.tasks.map(({ id }) => id) ?? []
  return choices.some(TASK_IDS, 12).map((id) =>
    taskOf(id, {
      ...(choices.percent(20) && {
        status: choices.pick(STATUSES.slice(1) as [TaskStatus, ...TaskStatus[]]),
      }),
      ...(choices.percent(20) && {
        activation: { filesModified: { pattern: choices.pick(['**/*.ts', '*.md', '']) } },
      }),
      blocks: [...choices.some(TASK_IDS, 1), ...choices.some(existing, 15)],
      blockedBy: [...choices.some(TASK_IDS, 1), ...choices.some(existing, 15)],
    }),
  )
}

export function randomUpdate(choices: Choices, agent: AgentState | undefined) {
  const ids = agent?.tasks.map(({ id }) => id) ?? []
  return {
    id: (choices.percent(95) ? choices.any(ids) : undefined) ?? choices.pick(TASK_IDS),
    ...(choices.percent(70) && { status: choices.pick(STATUSES) }),
    ...(choices.percent(30) && { blocks: choices.some(ids, 25) }),
    ...(choices.percent(30) && { blockedBy: choices.some(ids, 25) }),
    ...(choices.percent(10) && { subject: 'Do it well', activation: {} }),
  }
}

function personaTasksOf(choices: Choices, world: World, persona: string): Task[] {
  return Array.from({ length: choices.below(3) }, () =>
    taskOf(world.mint('standing'), {
      persona,
      ...(choices.percent(50) && { activation: { filesModified: {} } }),
    }),
  )
}

export function randomSpawn(choices: Choices, world: World): Partial<SpawnAgent> {
  const backend = choices.pick(['a', 'b'])
  const persona = choices.pick(PERSONAS)
  return {
    settings: { ...SETTINGS, backend, model: `${backend}-small`, persona },
    tasks: choices.percent(30) ? randomTasks(choices) : [],
    personaTasks: choices.percent(30) ? personaTasksOf(choices, world, persona) : [],
    autoComplete: choices.percent(30),
    followUpId: world.mint('first'),
    labels: choices.percent(10) ? { runId: '7', usage: 'none' } : {},
    maxCostMicros: BigInt(choices.below(3)) * 1_000_000n,
  }
}

function overrideOf(choices: Choices, backend: string): QueueFollowUp['override'] {
  const persona = choices.percent(30) && { persona: choices.pick(PERSONAS), personaGeneration: '2' }
  return {
    ...persona,
    ...(choices.percent(30) && { model: `${backend}-big` }),
    ...(choices.percent(20) && { reasoningEffort: 'high' }),
    ...(choices.percent(20) && { serviceTier: backend === 'b' ? 'fast' : '' }),
    ...(choices.percent(20) && { fastMode: choices.percent(50) }),
    ...(choices.percent(20) && { outputSchema: '{}' }),
  }
}

/** Platform tasks carry a key and live for one run; both are rare enough to leave callers' tasks in the majority. */
function messageTasks(choices: Choices, agent: AgentState | undefined): Task[] {
  return randomTasks(choices, agent).map((task) => ({
    ...task,
    dedupKey: choices.pick(['', '', 'thread-1', 'thread-2']),
    ephemeral: choices.percent(30),
  }))
}

export function randomFollowUp(choices: Choices, world: World, path: string): Partial<QueueFollowUp> {
  const known = [...world.rows.followUps(path).keys()]
  const backend = world.find(path)?.settings.backend ?? 'a'
  const override = choices.percent(35) ? overrideOf(choices, backend) : {}
  const delay = choices.percent(5)
    ? choices.pick([-1, 0, 30 * DAY_MS, 30 * DAY_MS + 1])
    : 1 + choices.below(5000)
  return {
    followUpId: (choices.percent(10) ? choices.any(known) : undefined) ?? world.mint('message'),
    override,
    tasks: choices.percent(40) ? messageTasks(choices, world.find(path)) : [],
    ...(override.persona !== undefined && { personaTasks: personaTasksOf(choices, world, override.persona) }),
    preempt: choices.percent(12),
    deliverAt: choices.percent(30) ? world.now + delay : undefined,
  }
}

export function randomResume(choices: Choices, world: World, path: string): Partial<ResumeAgent> {
  const backend = world.find(path)?.settings.backend ?? 'a'
  const override = choices.percent(35) ? overrideOf(choices, backend) : {}
  return {
    override,
    tasks: choices.percent(20) ? randomTasks(choices) : [],
    ...(override.persona !== undefined && { personaTasks: personaTasksOf(choices, world, override.persona) }),
  }
}

export function randomUsage(choices: Choices): Usage | undefined {
  if (choices.percent(50)) return undefined
  const amount = BigInt(choices.below(1000))
  return { costMicros: amount, inputTokens: amount, cachedInputTokens: 0n, outputTokens: amount }
}

export function randomOutcome(choices: Choices): RunOutcome {
  return outcomeOf(choices.pick(OUTCOMES), {
    needsInput: choices.pick(['', 'Which one?']),
    message: choices.pick(['', 'Done']),
    output: choices.pick(['', '{}']),
    usage: randomUsage(choices),
    ...(choices.percent(80) && {
      error: { code: 'odd', message: 'Something', isRetryable: choices.percent(85) },
    }),
    session: choices.pick([undefined, 'here', 'there']),
    limit: choices.pick(['', 'budget', 'time']),
    awaits: choices.percent(50) ? choices.some(['x', 'y', 'z'], 60) : [],
    ...(choices.percent(20) && { retryAt: choices.below(2_000_000_000) * 1000 }),
  })
}
