import { SkeinError, type Kind } from '@skein/contract'
import type { Caller } from '../access/caller.ts'
import { findBuiltIn } from './built-ins.ts'
import { requireCeilingWriter } from './ceiling.ts'
import type { Document } from './document.ts'
import { requireGeneration } from './generation.ts'
import { requireGrantable } from './grants.ts'
import { resourceNotFound } from './not-found.ts'
import type { ResourceRef } from './references.ts'
import type { StoredResource } from './write-resource.ts'

export interface DeleteCommand {
  readonly kind: Kind
  readonly name: string
  readonly ifGenerationMatch: bigint | undefined
}

export interface DeleteDecision {
  /** The last document, kept in the history. */
  readonly document: Document
  readonly generation: bigint
}

export function decideDelete(
  { kind, name, ifGenerationMatch }: DeleteCommand,
  stored: StoredResource | undefined,
  referrers: readonly ResourceRef[],
  caller: Caller,
  /** Names of live agents that use it; truncated if there are many. */
  agents: readonly string[] = [],
): DeleteDecision {
  if (kind.kind === 'ceiling') requireCeilingWriter(caller, name)
  const builtIn = findBuiltIn(kind.kind, name)
  if (stored?.document === undefined) {
    if (builtIn === undefined) throw resourceNotFound(kind.kind, name)
    throw new SkeinError('BUILT_IN_NOT_DELETABLE', {
      message: `${kind.kind} ${name} is built in and cannot be deleted.`,
    })
  }
  requireGeneration(ifGenerationMatch, stored.generation)
  if (kind.kind === 'token') requireGrantable(caller, [stored.document])
  // If it shadows a built-in, the built-in takes over, so no reference dangles.
  if (referrers.length > 0 && builtIn === undefined) {
    const names = referrers.map((referrer) => `${referrer.kind}/${referrer.name}`)
    throw new SkeinError('RESOURCE_REFERENCED', {
      message: `${kind.kind} ${name} is still used by ${names.join(', ')}.`,
      metadata: { referrers: names.join(',') },
    })
  }
  if (agents.length > 0 && builtIn === undefined) {
    throw new SkeinError('RESOURCE_IN_USE', {
      message: `${kind.kind} ${name} is used by live agents, such as ${agents.join(', ')}.`,
      metadata: { agents: agents.join(',') },
    })
  }
  return { document: stored.document, generation: stored.generation + 1n }
}
