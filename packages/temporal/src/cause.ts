import { createHash } from 'node:crypto'

/** With an agent's own name in front, within the 63 characters of a name. */
const KEY_LENGTH = 20
const MAX_LABEL_LENGTH = 255

export const NAMESPACE_LABEL = 'temporal/namespace'
export const WORKFLOW_LABEL = 'temporal/workflow'
export const RUN_LABEL = 'temporal/run'

/** Identifies an activity: the same in all its attempts, another in each run of a workflow. */
export interface Cause {
  readonly namespace: string
  readonly workflowId: string
  readonly runId: string
  readonly activityId: string
}

export function keyOf({ namespace, workflowId, runId, activityId }: Cause): string {
  const text = JSON.stringify([namespace, workflowId, runId, activityId])
  return createHash('sha256').update(text).digest('hex').slice(0, KEY_LENGTH)
}

/** Nobody else uses this name, so an agent that has it was spawned by an earlier attempt. */
export function agentPathOf(name: string, cause: Cause): string {
  return `${name}-${keyOf(cause)}`
}

/** For a message's id and for idempotency keys. */
export function requestIdOf(cause: Cause): string {
  return `temporal-${keyOf(cause)}`
}

/** To find a workflow's agents by, and to recognise them. */
export function labelsOf({ namespace, workflowId, runId }: Cause): Readonly<Record<string, string>> {
  return {
    [NAMESPACE_LABEL]: namespace.slice(0, MAX_LABEL_LENGTH),
    [WORKFLOW_LABEL]: workflowId.slice(0, MAX_LABEL_LENGTH),
    [RUN_LABEL]: runId,
  }
}

/** By workflow, not by run: a workflow that continues as new takes its agents along. */
export function belongsTo(labels: Readonly<Record<string, string>>, cause: Cause): boolean {
  const own = labelsOf(cause)
  return [NAMESPACE_LABEL, WORKFLOW_LABEL].every((label) => labels[label] === own[label])
}
