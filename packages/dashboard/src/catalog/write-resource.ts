import { SkeinApiError, type Resource } from '@skein/client'
import type { Document } from '@skein/resource-files'
import { queries } from '../session/queries.ts'
import { skein } from '../session/skein.ts'
import { readBack, resourceQuery, resourcesQuery } from './catalog-queries.ts'
import { findOneTime, presumeHeld } from './find-one-time.ts'
import type { EditedKind } from './resource-text.ts'

export interface WriteIntent {
  readonly kind: EditedKind
  readonly name: string
  readonly document: Document
  /** The generation the author read; 0 if there was none. */
  readonly ifGeneration: string
  readonly justification: string
}

export interface Written {
  readonly resource: Resource
  /** Fields only this response contains, such as a token's key. */
  readonly oneTime: Readonly<Record<string, string>>
}

export async function writeResource(intent: WriteIntent): Promise<Written> {
  const { name, document, ifGeneration, justification } = intent
  const { kind, schema } = intent.kind
  const before = queries.getQueryData(resourceQuery(kind, name).queryKey)
  const answer = await skein.catalog.put(kind, name, document, {
    ifGeneration,
    ...(justification.trim() !== '' && { justification: justification.trim() }),
  })
  const held = await readBack(kind, name)
  const resource = held ?? {
    ...answer,
    document: presumeHeld(schema, answer.document, before?.document ?? {}),
  }
  noticeWrite(kind, name, held === undefined ? resource : held)
  return { resource, oneTime: findOneTime(answer.document, resource.document) }
}

/** Updates the cached resource after a write, or invalidates it if the new state is unknown. */
export function noticeWrite(kind: string, name: string, held: Resource | null | undefined): void {
  const { queryKey } = resourceQuery(kind, name)
  if (held === undefined) void queries.invalidateQueries({ queryKey })
  else queries.setQueryData(queryKey, held)
  void queries.invalidateQueries({ queryKey: resourcesQuery(kind).queryKey })
  void queries.invalidateQueries({ queryKey: ['history', kind, name] })
  void queries.invalidateQueries({ queryKey: ['audit'] })
}

export function isConflict(error: unknown): boolean {
  return error instanceof SkeinApiError && error.reason === 'GENERATION_MISMATCH'
}
