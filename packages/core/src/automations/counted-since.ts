/**
 * Since when something has been waiting, as far as age limits are concerned. Nothing is tried while a tenant is
 * suspended, so a limit must not run out in the meantime: it starts again when the tenant is resumed.
 */
export function countedSince(since: number, resumedAt: number | undefined): number {
  return resumedAt === undefined ? since : Math.max(since, resumedAt)
}
