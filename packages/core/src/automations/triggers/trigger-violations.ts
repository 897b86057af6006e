import type { FieldViolation, TriggerDocument } from '@skein/contract'
import { isCredentialHeader, readingOf } from './verification-scheme.ts'

/** A template or condition that cannot be used. Found beforehand, because checking can take long. */
export interface TextProblem {
  readonly path: readonly string[]
  readonly text: string
  readonly problem: string
}

/** Rules that the schema of a trigger cannot express. */
export function* triggerViolations(trigger: TriggerDocument): Generator<FieldViolation> {
  yield* verificationViolations(trigger.verification)
  yield* actionViolations(trigger)
  const { scheme } = readingOf(trigger)
  for (const [index, name] of trigger.headers.entries()) {
    if (isCredentialHeader(name, scheme)) {
      yield { field: `headers.${index}`, description: 'may contain a key, so it is not stored' }
    }
  }
  if (trigger.deliveryHeader !== '' && isCredentialHeader(trigger.deliveryHeader, scheme)) {
    yield { field: 'deliveryHeader', description: 'may contain a key, so it is not stored' }
  }
}

function* verificationViolations(verification: TriggerDocument['verification']): Generator<FieldViolation> {
  const { type, header, prefix, encoding } = verification
  const hasHeader = type === 'hmac-sha256' || type === 'token'
  if (hasHeader && header === '') yield { field: 'verification.header', description: `required for ${type}` }
  if (!hasHeader && header !== '') {
    yield { field: 'verification.header', description: 'only for hmac-sha256 and token' }
  }
  if (type === 'hmac-sha256') return
  if (prefix !== '') yield { field: 'verification.prefix', description: 'only for hmac-sha256' }
  if (encoding !== 'hex') yield { field: 'verification.encoding', description: 'only for hmac-sha256' }
}

function* actionViolations({ spawn, send }: TriggerDocument): Generator<FieldViolation> {
  if (spawn === undefined && send === undefined) {
    yield { field: 'spawn', description: 'set spawn, send or both' }
  }
  if (send !== undefined && spawn !== undefined && spawn.agent !== '') {
    yield { field: 'spawn.agent', description: 'must be empty with send, which names the agent' }
  }
}

export interface TriggerText {
  /** In a prompt, what comes from outside is quoted. */
  readonly language: 'condition' | 'name' | 'prompt'
  readonly path: readonly string[]
  readonly text: string
}

/** The expressions and templates in a document, to be checked before it is written. */
export function triggerTexts(document: Readonly<Record<string, unknown>>): TriggerText[] {
  const labels = Object.keys(fieldsOf(fieldsOf(document['spawn'])['labels']))
  const places: Pick<TriggerText, 'language' | 'path'>[] = [
    { language: 'condition', path: ['condition'] },
    { language: 'name', path: ['spawn', 'agent'] },
    { language: 'prompt', path: ['spawn', 'description'] },
    ...labels.map((name) => ({ language: 'name' as const, path: ['spawn', 'labels', name] })),
    { language: 'name', path: ['send', 'agent'] },
    { language: 'prompt', path: ['send', 'message'] },
  ]
  return places.flatMap(({ language, path }) => {
    const text = valueAt(document, path)
    return typeof text === 'string' && text !== '' ? [{ language, path, text }] : []
  })
}

/** Those that the document still has: fields outside the update mask aren't written, so they aren't checked. */
export function* textViolations(
  document: Readonly<Record<string, unknown>>,
  problems: readonly TextProblem[],
): Generator<FieldViolation> {
  for (const { path, text, problem } of problems) {
    if (valueAt(document, path) === text) yield { field: path.join('.'), description: problem }
  }
}

function valueAt(document: Readonly<Record<string, unknown>>, path: readonly string[]): unknown {
  return path.reduce<unknown>((part, name) => fieldsOf(part)[name], document)
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}
