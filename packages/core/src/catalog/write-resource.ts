import {
  isKnownPath,
  MAX_OUTPUT_SCHEMA_BYTES,
  parseFieldMask,
  shareLink,
  SkeinError,
  summarizeViolations,
  validatorFor,
  type FieldMask,
  type FieldPath,
  type FieldViolation,
  type Kind,
} from '@skein/contract'
import type { Caller } from '../access/caller.ts'
import { requireGrantable } from './grants.ts'
import { applyFieldMask } from './apply-field-mask.ts'
import { findBuiltIn } from './built-ins.ts'
import { ceilingViolations } from './ceiling-violations.ts'
import { requireCeilingWriter, type Ceiling } from './ceiling.ts'
import {
  isDocument,
  neverReadFields,
  omitFields,
  serverSetFields,
  withDefaults,
  withoutNullFields,
  withTimesInUtc,
  type Document,
} from './document.ts'
import { requireGeneration } from './generation.ts'
import { textViolations, type TextProblem } from '../automations/triggers/trigger-violations.ts'
import { kindViolations } from './kind-rules.ts'
import { findReferences, missingReferences, type Reference, type ResourceRef } from './references.ts'
import { resourceNotFound } from './not-found.ts'
import { chooseIncarnation } from './shared-agent.ts'
import { withMemberProviders } from './team-members.ts'
import { decideSecretEffect, type SecretEffect } from './secret-effect.ts'

/** Bounds the error message for hostile payloads. */
const MAX_MISSPELT = 100

export interface WriteCommand {
  readonly kind: Kind
  readonly name: string
  /** Absent if none was sent. */
  readonly payload: Document | undefined
  readonly updateMask: string
  readonly ifGenerationMatch: bigint | undefined
  /**
   * Result of checking the schema that `writtenOutputSchema` returns. Checked beforehand, because it can take long.
   */
  readonly outputSchemaProblem?: string | undefined
  /** Likewise for the texts that `triggerTexts` returns. */
  readonly textProblems?: readonly TextProblem[]
}

/** The currently stored resource. Generations keep counting after a delete. */
export interface StoredResource {
  readonly generation: bigint
  /** Absent if deleted. */
  readonly document: Document | undefined
}

/** A document ready to write, except for its references, which only the store can look up. */
export interface Draft {
  readonly kind: Kind
  readonly document: Document
  readonly current: Document | undefined
  readonly references: readonly Reference[]
  readonly violations: readonly FieldViolation[]
  readonly generation: bigint
}

export interface WriteDecision {
  /** Without server-set and write-only fields. */
  readonly document: Document
  readonly generation: bigint
  readonly action: 'created' | 'updated'
  readonly references: readonly ResourceRef[]
  readonly secret: SecretEffect
}

/** Facts the rules cannot determine themselves. */
export interface WriteFacts {
  readonly now: number
  readonly newKeyId: string
  /** The newest incarnation of a share link's agent; absent if it never existed. */
  readonly incarnation?: number | undefined
}

/** The output schema a write may contain, to be checked beforehand; empty if none. */
export function writtenOutputSchema({ kind, payload }: WriteCommand): string {
  const schema = kind.kind === 'persona' ? payload?.['outputSchema'] : undefined
  // One that is too large is rejected anyway.
  return typeof schema === 'string' && schema.length <= MAX_OUTPUT_SCHEMA_BYTES ? schema : ''
}

export function draftWrite(
  command: WriteCommand,
  stored: StoredResource | undefined,
  caller: Caller,
  ceiling: Ceiling,
): Draft {
  const { kind } = command
  if (kind.kind === 'ceiling') requireCeilingWriter(caller, command.name)
  const current = stored?.document
  requireGeneration(command.ifGenerationMatch, current === undefined ? 0n : (stored?.generation ?? 0n))
  const mask = readMask(command)
  const payload = omitFields(withoutNullFields(kind, readPayload(command, mask)), serverSetFields(kind))
  const kept = current && omitFields(current, serverSetFields(kind))
  const base = kept ?? findBuiltIn(kind.kind, command.name)
  const merged = mask === '*' ? payload : patch(command, base, payload, mask)
  const document = withTimesInUtc(kind, withOwner(withDefaults(kind, merged), caller))
  const schemaViolations = validatorFor(kind.schema).violations(document)
  const isSound = schemaViolations.length === 0
  if (kind.kind === 'token') requireGrantable(caller, [document, current])
  return {
    kind,
    document,
    current,
    violations: isSound
      ? [
          ...kindViolations(kind, document, current, command.outputSchemaProblem),
          ...textViolations(document, command.textProblems ?? []),
          ...ceilingViolations(kind, document, current, ceiling),
        ]
      : schemaViolations,
    // The schema bounds their number: each one is locked, and a hostile list could exhaust the lock table.
    references: isSound ? [...findReferences(kind, document), ...namedLike(command)] : [],
    generation: (stored?.generation ?? 0n) + 1n,
  }
}

/** A directory is about the identity provider that has its name. */
function namedLike({ kind, name }: WriteCommand): Reference[] {
  return kind.kind === 'directory' ? [{ kind: 'identity-provider', name, field: 'metadata.name' }] : []
}

/** After looking up the references: returns what to store, or throws with everything that is wrong. */
export function decideWrite(
  draft: Draft,
  exists: (reference: ResourceRef) => boolean,
  { now, newKeyId, incarnation }: WriteFacts,
): WriteDecision {
  const violations = [...draft.violations, ...missingReferences(draft.references, exists)]
  if (violations.length > 0) {
    throw new SkeinError('DOCUMENT_INVALID', {
      message: `The document is not a valid ${draft.kind.kind}: ${summarizeViolations(violations)}.`,
      violations,
    })
  }
  const secret = decideSecretEffect(draft.kind, draft.document, draft.current, now)
  const keyId = secret.type === 'mint-key' ? newKeyId : draft.current?.['keyId']
  return {
    document: {
      ...omitFields(draft.document, neverReadFields(draft.kind)),
      ...(draft.kind.kind === shareLink.kind && {
        incarnation: chooseIncarnation(draft.document, draft.current, incarnation),
      }),
      ...(keyId !== undefined && { keyId }),
    },
    generation: draft.generation,
    action: draft.current === undefined ? 'created' : 'updated',
    references: draft.references,
    secret,
  }
}

function readMask({ kind, updateMask }: WriteCommand): FieldMask {
  const mask = parseFieldMask(updateMask)
  if (mask === undefined) throw badMask('must be comma-separated paths such as model,tasks')
  // No mask and `*` both mean the payload replaces the whole document.
  if (mask === '*' || mask.length === 0) return '*'
  const unknown = mask.filter((path) => !isKnownPath(kind.schema, path))
  if (unknown.length > 0) {
    throw badMask(`the kind ${kind.kind} has no ${unknown.map((path) => path.join('.')).join(', ')}`)
  }
  return mask
}

function badMask(description: string): SkeinError {
  return new SkeinError('UPDATE_MASK_INVALID', {
    message: `The update mask is not valid: ${description}.`,
    violations: [{ field: 'updateMask', description }],
  })
}

function readPayload(command: WriteCommand, mask: FieldMask): Document {
  if (command.payload) return command.payload
  // A patch without a payload resets every masked field. A replacement without a payload is a mistake.
  if (mask !== '*') return {}
  throw new SkeinError('DOCUMENT_INVALID', {
    message: 'A write without an update mask replaces the document, so it needs a payload.',
    violations: [{ field: 'payload', description: 'required' }],
  })
}

function patch(
  { kind, name }: WriteCommand,
  base: Document | undefined,
  payload: Document,
  mask: Exclude<FieldMask, '*'>,
): Document {
  if (base === undefined) throw resourceNotFound(kind.kind, name)
  // A misspelt field would count as absent and reset the field that was meant.
  const misspelt: string[] = []
  for (const field of unknownFields(kind, payload)) {
    if (misspelt.push(field) === MAX_MISSPELT) break
  }
  if (misspelt.length > 0) {
    throw new SkeinError('DOCUMENT_INVALID', {
      violations: misspelt.map((field) => ({ field, description: 'unknown field: check its spelling' })),
    })
  }
  const serverSet = serverSetFields(kind)
  return applyFieldMask(
    base,
    payload,
    mask.filter(([field]) => field !== undefined && !serverSet.includes(field)),
  )
}

/** Descends no deeper than the schema, however deep the payload is. */
function* unknownFields(kind: Kind, part: Document, at: FieldPath = []): Generator<string> {
  for (const [name, value] of Object.entries(part)) {
    const path = [...at, name]
    if (!isKnownPath(kind.schema, path)) yield path.join('.')
    else if (isDocument(value)) yield* unknownFields(kind, value, path)
  }
}

/** An unspecified owner provider means the caller's own. */
function withOwner(document: Document, { ownerProvider }: Caller): Document {
  const owned =
    document['ownerProvider'] === 'PROVIDER_UNSPECIFIED' ? { ...document, ownerProvider } : document
  return withMemberProviders(owned, ownerProvider)
}
