import { SkeinApiError, type Resource } from '@skein/client'
import type { Document } from '@skein/documents'
import { queries } from '../../session/queries.ts'
import { skein } from '../../session/skein.ts'
import { findResource, resourceQuery, resourcesQuery } from './catalog-queries.ts'
import { findOneTime } from './find-one-time.ts'

export interface WriteIntent {
  readonly kind: string
  readonly name: string
  readonly document: Document
  /** What the author read; 0: there was none. */
  readonly ifGeneration: string
  readonly justification: string
}

export interface Written {
  readonly resource: Resource
  /** Fields that only this answer carries, such as the key of a token. */
  readonly oneTime: Readonly<Record<string, string>>
}

export async function writeResource(intent: WriteIntent): Promise<Written> {
  const { kind, name, document, ifGeneration, justification } = intent
  const answer = await skein.catalog.put(kind, name, document, {
    ifGeneration,
    ...(justification.trim() !== '' && { justification: justification.trim() }),
  })
  const held = await findResource(kind, name)
  noticeWrite(kind, name, held)
  return { resource: held ?? answer, oneTime: findOneTime(answer.document, held?.document ?? {}) }
}

/** What the page knows of the resource is old now. */
export function noticeWrite(kind: string, name: string, held: Resource | null): void {
  queries.setQueryData(resourceQuery(kind, name).queryKey, held)
  void queries.invalidateQueries({ queryKey: resourcesQuery(kind).queryKey })
  void queries.invalidateQueries({ queryKey: ['history', kind, name] })
  void queries.invalidateQueries({ queryKey: ['audit'] })
}

export function isConflict(error: unknown): boolean {
  return error instanceof SkeinApiError && error.reason === 'GENERATION_MISMATCH'
}
