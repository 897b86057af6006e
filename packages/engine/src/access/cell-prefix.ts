/** What a vault seals has this many parts, with dots between. */
const SEALED_PARTS = 4

/** So that a load balancer can route a key that is not stored (docs/scaling.md). */
export function withCell(cell: string, sealed: string): string {
  return `${cell}.${sealed}`
}

/** Keys from before cells were in them have none. */
export function withoutCell(text: string): string {
  const parts = text.split('.')
  return parts.length === SEALED_PARTS + 1 ? parts.slice(1).join('.') : text
}
