import type { KindDescription } from '@skein/client'
import type { MarkdownKind } from '@skein/resource-files'

export function readMarkdownKinds(kinds: readonly KindDescription[]): MarkdownKind[] {
  return kinds.filter(({ bodyField }) => bodyField !== '').map(({ kind, bodyField }) => ({ kind, bodyField }))
}
