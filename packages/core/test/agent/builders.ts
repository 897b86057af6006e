import type { Reason, Task } from '@skein/contract'
import { SkeinError } from '@skein/contract'
import type {
  AgentIdentity,
  AgentSettings,
  ProgressEvent,
  QueueFollowUp,
  Quota,
  ResumeAgent,
  RunOutcome,
  SpawnAgent,
} from '../../src/index.ts'

export const QUOTA: Quota = {
  liveAgents: 40,
  childrenPerAgent: 5,
  queuedFollowUpsPerAgent: 12,
  queuedBytesPerAgent: 100_000,
  queuedBytes: 1_000_000,
  tasksPerAgent: 16,
  taskBytesPerAgent: 100_000,
  schedules: 10,
  triggers: 10,
}

export const SETTINGS: AgentSettings = {
  persona: 'default',
  personaGeneration: '0',
  backend: 'a',
  model: 'a-small',
  reasoningEffort: '',
  serviceTier: '',
  fastMode: false,
  outputSchema: '',
  chosen: [],
}

export function identityOf(path: string): AgentIdentity {
  return { workspace: 'web', ownerProvider: 'PROVIDER_CODEHOST_OAUTH', account: 'ada', path: path.split('/') }
}

export function taskOf(id: string, facts: Partial<Task> = {}): Task {
  return {
    id,
    subject: `Do ${id}`,
    description: '',
    status: 'TASK_STATUS_PENDING',
    blocks: [],
    blockedBy: [],
    activation: {},
    persona: '',
    dedupKey: '',
    ephemeral: false,
    ...facts,
  }
}

export function spawnOf(path: string, id: string, facts: Partial<SpawnAgent> = {}): SpawnAgent {
  return {
    id,
    identity: identityOf(path),
    description: 'Mend the build',
    expectedOutput: '',
    settings: SETTINGS,
    tasks: [],
    personaTasks: [],
    autoComplete: false,
    maxCostMicros: 0n,
    labels: {},
    pool: 'default',
    repos: [],
    followUpId: `first-of-${id}`,
    ...facts,
  }
}

export function resumeOf(path: string, followUpId: string, facts: Partial<ResumeAgent> = {}): ResumeAgent {
  return {
    identity: identityOf(path),
    message: 'Go on',
    expectedOutput: undefined,
    override: {},
    tasks: [],
    personaTasks: undefined,
    autoComplete: undefined,
    maxCostMicros: undefined,
    labels: undefined,
    pool: 'default',
    repos: [],
    followUpId,
    ...facts,
  }
}

export function followUpOf(followUpId: string, facts: Partial<QueueFollowUp> = {}): QueueFollowUp {
  return {
    followUpId,
    description: `Please ${followUpId}`,
    tasks: [],
    override: {},
    preempt: false,
    steers: false,
    deliverAt: undefined,
    ...facts,
  }
}

export function outcomeOf(reason: RunOutcome['reason'], facts: Partial<RunOutcome> = {}): RunOutcome {
  const nothing = { message: '', needsInput: '', output: '', usage: undefined, session: undefined }
  return { reason, ...nothing, limit: '', awaits: [], ...facts }
}

export function retryableFailure(facts: Partial<RunOutcome> = {}): RunOutcome {
  const error = { code: 'overloaded', message: 'Try later', isRetryable: true }
  return outcomeOf('failed', { error, ...facts })
}

export function pushOf(...files: string[]): ProgressEvent {
  return { type: 'run.pushed', runId: 1n, repo: 'web', ref: 'main', commit: 'c0ffee', files }
}

/** The reason why a command is refused, or undefined when it is not. Any other error is one of the test. */
export function refusalOf(command: () => unknown): Reason | undefined {
  try {
    command()
    return undefined
  } catch (error) {
    if (error instanceof SkeinError) return error.reason
    throw error
  }
}
