import { encodeBase64Text, formatInt64, formatTimestamp, type Kind } from '@skein/contract'
import type { Document } from './document.ts'

export interface ResourceFacts {
  readonly name: string
  readonly generation: bigint
  readonly createdAt: number
  readonly updatedAt: number
  readonly updatedBy: string
}

/** The document as callers see it: stored fields, then server-set facts, then a one-time secret if any. */
export function toPayload(
  kind: Kind,
  document: Document,
  facts: ResourceFacts,
  oneTimeSecret?: string,
): string {
  return encodeBase64Text(
    JSON.stringify({
      ...inSchemaOrder(kind, document),
      ...(oneTimeSecret !== undefined && kind.oneTimeSecret && { [kind.oneTimeSecret]: oneTimeSecret }),
      metadata: {
        name: facts.name,
        createTime: formatTimestamp(facts.createdAt),
        updateTime: formatTimestamp(facts.updatedAt),
        updatedBy: facts.updatedBy,
        generation: formatInt64(facts.generation),
      },
    }),
  )
}

/** Patches move fields to the end; restore the order of the reference. */
function inSchemaOrder(kind: Kind, document: Document): Document {
  const order = Object.keys(kind.schema.properties)
  return Object.fromEntries(
    Object.entries(document).sort(([left], [right]) => order.indexOf(left) - order.indexOf(right)),
  )
}

/** Nobody wrote a built-in: its times are the epoch and its author is the platform. */
export function builtInFacts(name: string): ResourceFacts {
  return { name, generation: 0n, createdAt: 0, updatedAt: 0, updatedBy: '' }
}
