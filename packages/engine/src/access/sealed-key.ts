import { isDocument } from '@skein/core'
import type { EngineResources } from '../resources.ts'
import { withCell, withoutCell } from './cell-prefix.ts'

/** A kind of key that is not stored: the service seals what it stands for. */
interface SealedKeyKind {
  readonly prefix: string
  readonly place: string
}

export function sealKey(
  { vault, cell }: EngineResources,
  { prefix, place }: SealedKeyKind,
  content: object,
): string {
  return prefix + withCell(cell, vault.seal(JSON.stringify(content), place))
}

/** Empty if it is not ours. */
export function openKey(
  { vault }: EngineResources,
  { prefix, place }: SealedKeyKind,
  key: string,
): Readonly<Record<string, unknown>> {
  if (!key.startsWith(prefix)) return {}
  try {
    const content: unknown = JSON.parse(vault.open(withoutCell(key.slice(prefix.length)), place))
    return isDocument(content) ? content : {}
  } catch {
    return {}
  }
}
