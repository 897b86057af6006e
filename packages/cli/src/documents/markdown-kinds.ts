import type { KindDescription } from '@skein/client'
import type { MarkdownKind } from './document-file.ts'

export function readMarkdownKinds(kinds: readonly KindDescription[]): MarkdownKind[] {
  return kinds.filter(({ bodyField }) => bodyField !== '').map(({ kind, bodyField }) => ({ kind, bodyField }))
}
