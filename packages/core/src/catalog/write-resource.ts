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
import { kindViolations } from './kind-rules.ts'
import { findReferences, missingReferences, type Reference, type ResourceRef } from './references.ts'
import { resourceNotFound } from './not-found.ts'
import { chooseIncarnation } from './shared-agent.ts'
import { decideSecretEffect, type SecretEffect } from './secret-effect.ts'

/** A hostile payload must not make us list a million. */
const MAX_MISSPELT = 100

export interface WriteCommand {
  readonly kind: Kind
  readonly name: string
  /** Absent when none was sent. */
  readonly payload: Document | undefined
  readonly updateMask: string
  readonly ifGenerationMatch: bigint | undefined
  /** Of the schema that `writtenOutputSchema` finds in the payload. It is found out beforehand: it can take long. */
  readonly outputSchemaProblem?: string | undefined
}

/** The resource as it is stored now. A deleted one still counts its generations. */
export interface StoredResource {
  readonly generation: bigint
  /** Absent once deleted. */
  readonly document: Document | undefined
}

/** A document that is ready but for its references, which only the store can look up. */
export interface Draft {
  readonly kind: Kind
  readonly document: Document
  readonly current: Document | undefined
  readonly references: readonly Reference[]
  readonly violations: readonly FieldViolation[]
  readonly generation: bigint
}

export interface WriteDecision {
  /** Without what the service adds to an answer and without what is never read back. */
  readonly document: Document
  readonly generation: bigint
  readonly action: 'created' | 'updated'
  readonly references: readonly ResourceRef[]
  readonly secret: SecretEffect
}

/** What the rules cannot know by themselves. */
export interface WriteFacts {
  readonly now: number
  readonly newKeyId: string
  /** The newest life of the agent that a share link leads to; absent while there was none. */
  readonly incarnation?: number | undefined
}

/** The output schema that a write may put into its document, to be checked beforehand; empty without one. */
export function writtenOutputSchema({ kind, payload }: WriteCommand): string {
  const schema = kind.kind === 'persona' ? payload?.['outputSchema'] : undefined
  // One that is too large is refused whatever it says.
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
          ...ceilingViolations(kind, document, current, ceiling),
        ]
      : schemaViolations,
    // The schema bounds how many there are: each is locked, and a hostile list would use up the lock table.
    references: isSound ? findReferences(kind, document) : [],
    generation: (stored?.generation ?? 0n) + 1n,
  }
}

/** With the references looked up, either everything that is wrong with the document, or what to store. */
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
  // No mask and `*` both say that the payload is the whole document.
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
  // A patch without a payload resets every masked field; a replacement by nothing is a mistake.
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
  // A misspelt field would read as absent, and so reset the field that was meant.
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

/** Goes no deeper than the schema does, however deep the payload is. */
function* unknownFields(kind: Kind, part: Document, at: FieldPath = []): Generator<string> {
  for (const [name, value] of Object.entries(part)) {
    const path = [...at, name]
    if (!isKnownPath(kind.schema, path)) yield path.join('.')
    else if (isDocument(value)) yield* unknownFields(kind, value, path)
  }
}

/** Whoever leaves the owner's provider open means their own. */
function withOwner(document: Document, caller: Caller): Document {
  return document['ownerProvider'] === 'PROVIDER_UNSPECIFIED'
    ? { ...document, ownerProvider: caller.ownerProvider }
    : document
}
