import { SkeinError, type SpawnAgentRequest } from '@skein/contract'
import { isName, MAX_LABEL_VALUE_LENGTH } from '@skein/contract/facts'
import { triggerTexts, type Document, type TextProblem } from '@skein/core'
import { LimitedProcess, type JobOutcome } from '@skein/schema-check'
import { FairTurns } from '../../schemas/fair-turns.ts'
import type { EvaluateJob, Evaluation } from './evaluate-rules.ts'
import type { NoPlan, TriggerPlan } from './plan.ts'
import type { RuleJob } from './rule-jobs.ts'

/** Real ones take a millisecond. */
const LIMITS = { cpuMs: 250, wallMs: 30_000, heapMib: 128 }
const MAX_TEXT_BYTES = 256 * 1024

/**
 * Evaluates conditions and templates that tenants write, over bodies that anybody writes. Either can be made to take
 * years or all memory, so it happens in a process that is ended if it takes too much.
 */
export class TriggerRules {
  readonly #process = new LimitedProcess<RuleJob, TextProblem[] | Evaluation | NoPlan>(
    import.meta.url,
    'rule-jobs',
    LIMITS,
  )
  readonly #turns = new FairTurns('triggers')

  /** Why texts of a document cannot be used. */
  async problemsOf(tenantId: string, document: Document): Promise<TextProblem[]> {
    const texts = triggerTexts(document)
    if (texts.length === 0) return []
    const outcome = await this.#turns.take(tenantId, () => this.#process.run({ type: 'check', texts }))
    if (outcome.kind === 'exceeded') {
      return texts.map(({ path, text }) => ({ path, text, problem: 'takes too long to read: simplify it' }))
    }
    const result = doneOrThrow(outcome)
    return Array.isArray(result) ? result : []
  }

  /** What to do for a delivery. */
  async plan(tenantId: string, job: EvaluateJob): Promise<TriggerPlan | NoPlan> {
    const outcome = await this.#turns.take(tenantId, () => this.#process.run({ type: 'evaluate', ...job }))
    if (outcome.kind === 'exceeded') {
      return refused(`The condition and the templates take more than ${LIMITS.cpuMs} ms or too much memory.`)
    }
    const result = doneOrThrow(outcome)
    if (Array.isArray(result)) throw new TypeError('An evaluation is not a list')
    return 'outcome' in result ? result : planOf(job, result)
  }

  close(): Promise<void> {
    this.#turns.close()
    return this.#process.close()
  }
}

function doneOrThrow<Result>(outcome: JobOutcome<Result>): Result {
  if (outcome.kind === 'done') return outcome.result
  throw new SkeinError('SERVER_OVERLOADED', {
    message: 'The server is too busy to evaluate the trigger.',
    retryDelayMs: 1_000,
  })
}

function planOf({ trigger }: EvaluateJob, evaluation: Evaluation): TriggerPlan | NoPlan {
  const { agent, message, description, labels } = evaluation
  if (!isName(agent)) {
    return refused(`${JSON.stringify(agent.slice(0, 100))} is not a name for an agent: use the filter slug.`)
  }
  const tooLarge = [message, description].some((text) => Buffer.byteLength(text ?? '') > MAX_TEXT_BYTES)
  if (tooLarge) return refused('The text is larger than 256 KiB: use the filter truncate.')
  const isEmpty = [message, description].some((text) => text !== undefined && text.trim() === '')
  if (isEmpty) return refused('The text is empty.')
  const badLabel = Object.entries(labels).find(([, value]) => !isLabelValue(value))
  if (badLabel) return refused(`The value of the label ${badLabel[0]} is too long or has control characters.`)
  const { profile, workspace, spawn, send, limits } = trigger
  return {
    profile,
    workspace,
    agent,
    isOwnName: !send && spawn?.agent === '',
    ...(message !== undefined && { message }),
    ...(spawn && description !== undefined && { spawn: spawnOf(spawn, description, labels) }),
    maxAgents: limits.agents,
  }
}

function spawnOf(
  spawn: NonNullable<EvaluateJob['trigger']['spawn']>,
  description: string,
  labels: Readonly<Record<string, string>>,
): Omit<SpawnAgentRequest, 'agentId'> {
  const { persona, agent: _template, ...rest } = spawn
  return { ...rest, agent: persona, description, labels: { ...labels } }
}

function isLabelValue(value: string): boolean {
  // eslint-disable-next-line no-control-regex -- they are what it looks for
  return value.length <= MAX_LABEL_VALUE_LENGTH && !/[\u0000-\u001f\u007f]/.test(value)
}

function refused(reason: string): NoPlan {
  return { outcome: 'REFUSED', reason }
}
