import { formatTimestamp, type QueueFollowUpRequest, type TaskInput, type TaskUpdate } from '@skein/contract'
import type { CompleteRunRequest, SpawnAgentRequest, TaskStatus } from '@skein/contract'
import type { Choices } from './choices.ts'

const TASK_IDS = ['t0', 't1', 't2', 't3', 't4', 't5'] as const
const STATUSES: readonly [TaskStatus, ...TaskStatus[]] = [
  'TASK_STATUS_PENDING',
  'TASK_STATUS_IN_PROGRESS',
  'TASK_STATUS_COMPLETED',
  'TASK_STATUS_DELETED',
]

export function randomTasks(choices: Choices): TaskInput[] {
  return choices.some(TASK_IDS, 20).map((id) => ({
    id,
    subject: `Do ${id}`,
    ...(choices.percent(20) && { activation: { filesModified: { pattern: choices.pick(['**/*.ts', '']) } } }),
    blockedBy: choices.some(TASK_IDS, 3),
  }))
}

export function randomUpdates(choices: Choices): TaskUpdate[] {
  return Array.from({ length: 1 + choices.below(2) }, () => ({
    id: choices.pick(TASK_IDS),
    ...(choices.percent(70) && { status: choices.pick(STATUSES) }),
    ...(choices.percent(20) && { blocks: choices.some(TASK_IDS, 15) }),
    ...(choices.percent(20) && { subject: 'Do it well' }),
  }))
}

export function randomSpawn(choices: Choices, path: string): SpawnAgentRequest {
  return {
    agentId: { agent: path.split('/'), workspace: 'default' },
    description: 'Work',
    agent: choices.pick(['', 'reviewer']),
    model: choices.pick(['', 'gpt-5.5', 'opus']),
    autoComplete: choices.percent(30),
    maxCost: choices.pick([0, 0, 5]),
    labels: choices.percent(20) ? { usage: 'none', sequence: '7' } : {},
    resume: choices.percent(25),
    ...(choices.percent(30) && { tasks: randomTasks(choices) }),
  }
}

export function randomFollowUp(choices: Choices, path: string, followUpId: string): QueueFollowUpRequest {
  return {
    agentId: { agent: path.split('/'), workspace: 'default' },
    description: 'More',
    followUpId,
    ...(choices.percent(25) && { tasks: randomTasks(choices) }),
    ...(choices.percent(15) && { agent: choices.pick(['default', 'reviewer']) }),
    ...(choices.percent(10) && { reasoningEffort: 'high' }),
    ...(choices.percent(10) && { fastMode: choices.percent(50) }),
    ...(choices.percent(12) && { preempt: true }),
    ...(choices.percent(25) && { deliverAt: formatTimestamp(Date.now() + 20 + choices.below(1500)) }),
  }
}

const REASONS = [
  'rested',
  'rested',
  'asked',
  'interrupted',
  'finished',
  'failed',
  'failed',
  'limit',
  'killed',
] as const

export function randomOutcome(choices: Choices): CompleteRunRequest['outcome'] {
  const reason = choices.pick(REASONS)
  return {
    reason,
    message: choices.pick(['', 'Done']),
    needsInput: reason === 'asked' ? 'Which one?' : '',
    output: choices.pick(['', '{}']),
    ...(choices.percent(30) && {
      usage: { cost: 0.01, inputTokens: '10', cachedInputTokens: '5', outputTokens: '3' },
    }),
    ...(reason === 'failed' && {
      error: { code: 'odd', message: 'Something', isRetryable: choices.percent(85) },
    }),
  }
}
