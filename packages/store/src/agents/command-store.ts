import { SkeinError, type FieldViolation, type Reason } from '@skein/contract'
import type { Query } from '../database/database.ts'
import { statement } from '../database/statement.ts'

/** The recorded outcome of a command's first try: an answer or a rejection. */
export interface CommandRecord {
  readonly requestSha256: Uint8Array
  readonly outcome: { readonly answer: unknown } | { readonly refusal: SkeinError }
}

const bind = statement('command_tenant', `select set_config('skein.tenant', $1, true)`, {
  set_config: 'text',
})
const lock = statement('command_lock', `select pg_advisory_xact_lock(hashtextextended(encode($1, 'hex'), 1))`)
const find = statement(
  'command_find',
  `select json_build_object('requestSha256', encode(request_sha256, 'hex'), 'answer', answer) as command from command
   where tenant_id = skein_current_tenant() and id = $1 and created_at > $2
   order by created_at desc limit 1`,
  { command: 'json' },
)
const insert = statement(
  'command_insert',
  `insert into command (tenant_id, id, request_sha256, answer, created_at)
   values (skein_current_tenant(), $1, $2, $3, $4)`,
)

/**
 * Binds the transaction to its tenant, waits for other tries of the command and reads their record. Three
 * statements, because a statement that waits for a lock doesn't see what was committed while it waited.
 */
export function findCommandQueries(tenantId: string, id: Uint8Array, notBefore: number): Query[] {
  return [
    { statement: bind, values: [tenantId] },
    { statement: lock, values: [id] },
    { statement: find, values: [id, new Date(notBefore)] },
  ]
}

export function recordCommandQuery(
  id: Uint8Array,
  { requestSha256, outcome }: CommandRecord,
  at: number,
): Query {
  const stored = 'refusal' in outcome ? { [REFUSAL]: toStoredRefusal(outcome.refusal) } : outcome.answer
  return { statement: insert, values: [id, requestSha256, JSON.stringify(stored), new Date(at)] }
}

export function toCommandRecord(row: unknown): CommandRecord | undefined {
  if (!isCommandRow(row)) return undefined
  const { answer } = row
  return {
    requestSha256: Buffer.from(row.requestSha256, 'hex'),
    outcome: isStoredRefusal(answer) ? { refusal: toRefusal(answer[REFUSAL]) } : { answer },
  }
}

function isCommandRow(row: unknown): row is { requestSha256: string; answer: unknown } {
  return typeof row === 'object' && row !== null && 'requestSha256' in row
}

/** Marks a rejection in the stored JSON. Answers never have this field: theirs are identifiers. */
const REFUSAL = '$refusal'

interface StoredRefusal {
  readonly reason: Reason
  readonly message: string
  readonly violations: readonly FieldViolation[]
  readonly metadata: Readonly<Record<string, string>>
}

function isStoredRefusal(stored: unknown): stored is { [REFUSAL]: StoredRefusal } {
  return typeof stored === 'object' && stored !== null && REFUSAL in stored
}

function toStoredRefusal({ reason, message, violations, metadata }: SkeinError): StoredRefusal {
  return { reason, message, violations, metadata }
}

function toRefusal({ reason, ...facts }: StoredRefusal): SkeinError {
  return new SkeinError(reason, { ...facts, isReplay: true })
}
