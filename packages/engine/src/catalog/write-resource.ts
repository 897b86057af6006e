import { setImmediate } from 'node:timers/promises'
import { formatInt64, type Documents, type WriteResourceResponse } from '@skein/contract'
import {
  agentKey,
  ceilingOf,
  decodePayload,
  decideWrite,
  draftWrite,
  findBuiltIn,
  parseDocument,
  requireJustification,
  sharedIdentity,
  toPayload,
  writtenOutputSchema,
  type WriteCommand,
} from '@skein/core'
import { AgentReader, CatalogStore, type Transaction } from '@skein/store'
import { newKeyId } from '../access/keys.ts'
import type { CommandContext, CommandOutcome } from '../commands/command.ts'
import { carryOutTenantCommand } from '../commands/tenant-command.ts'
import type { EngineResources } from '../resources.ts'
import { putBudget } from '../budgets/follow-budget.ts'
import { followWrite } from './follow-integration.ts'
import { armSchedule } from './follow-schedule.ts'
import { endSessionsOf, refuseSignIn } from './follow-provider.ts'
import { divideBy, forgetDivision } from './follow-team.ts'
import { watchHosts } from './follow-workspace.ts'
import { recordChange } from './record-change.ts'
import { applySecretEffect } from './secrets.ts'

export interface WriteResource extends Omit<WriteCommand, 'payload' | 'outputSchemaProblem'> {
  /** The document in base64. */
  readonly payload: string
  readonly justification: string
}

const CEILING = { kind: 'ceiling', name: 'default' }

export async function writeResource(
  engine: EngineResources,
  context: CommandContext,
  { payload, justification, ...rest }: WriteResource,
): Promise<CommandOutcome<WriteResourceResponse>> {
  requireJustification(context.caller, justification)
  // Decoding a large document takes as long as parsing its body did. Yield to other requests in between.
  await setImmediate()
  const command = { ...rest, payload: decodePayload(payload) }
  const { kind, name } = command
  const ref = { kind: kind.kind, name }
  const textProblems =
    kind.kind === 'trigger'
      ? await engine.triggerRules.problemsOf(context.tenantId, command.payload ?? {})
      : []
  const outputSchemaProblem = await engine.schemas.problemOf(context.tenantId, writtenOutputSchema(command))
  const checked = { ...command, outputSchemaProblem, textProblems }
  const outcome = await carryOutTenantCommand(engine, context, (transaction) =>
    writeIn(engine, transaction, context, { command: checked, justification }),
  )
  forgetDivision(engine, context.tenantId, ref)
  return outcome
}

/** The write itself, as part of a transaction. Call forgetDivision after the commit. */
export async function writeIn(
  engine: EngineResources,
  transaction: Transaction,
  context: CommandContext,
  { command, justification }: { readonly command: WriteCommand; readonly justification: string },
) {
  const { kind, name } = command
  const ref = { kind: kind.kind, name }
  const catalog = new CatalogStore(transaction)
  await catalog.lock(ref)
  // A ceiling isn't checked against itself, so that one that can't be read can be replaced.
  const own = ref.kind === CEILING.kind ? undefined : await findCeiling(catalog)
  const ceiling = ceilingOf(engine.ceiling, own)
  const draft = draftWrite(command, await catalog.find(ref), context.caller, ceiling)
  await catalog.lockReferences(draft.references)
  const existing = await catalog.existing(draft.references)
  const shared = draft.violations.length === 0 ? sharedIdentity(kind.kind, draft.document) : undefined
  const agent = shared && (await new AgentReader(transaction).find(agentKey(shared)))
  const now = engine.clock.now()
  const keyId = newKeyId(engine)
  const decision = decideWrite(
    draft,
    (wanted) =>
      existing.some((found) => found.kind === wanted.kind && found.name === wanted.name) ||
      findBuiltIn(wanted.kind, wanted.name) !== undefined,
    { now, newKeyId: keyId, incarnation: agent?.incarnation },
  )
  await refuseSignIn(transaction, ref, decision.document)
  const record = await recordChange(transaction, context, {
    ...ref,
    ...decision,
    operation: 'writeResource',
    justification,
    at: now,
  })
  const { document } = decision
  await divideBy(transaction, ref, document)
  await watchHosts(transaction, ref, document)
  await followWrite(transaction, ref, { document, isNew: !draft.current, ceiling })
  if (ref.kind === 'budget') await putBudget(transaction, name, { document, isNew: !draft.current, now })
  if (ref.kind === 'schedule') {
    const { createdAt } = record
    await armSchedule(transaction, { name, document, before: draft.current, createdAt, now, ceiling })
  }
  await endSessionsOf(transaction, ref, { before: draft.current, document, at: now })
  const secret = await applySecretEffect(engine, transaction, {
    tenantId: context.tenantId,
    ref,
    effect: decision.secret,
    keyId,
  })
  const answer = (oneTimeSecret?: string): WriteResourceResponse => ({
    payload: toPayload(kind, decision.document, record, oneTimeSecret),
    generation: formatInt64(record.generation),
  })
  return { answer: answer(secret), recorded: answer(), secret }
}

async function findCeiling(catalog: CatalogStore): Promise<Documents['ceiling'] | undefined> {
  const own = (await catalog.find(CEILING))?.document
  return own && parseDocument('ceiling', CEILING.name, own)
}
