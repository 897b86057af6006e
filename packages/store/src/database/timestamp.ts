/** An optional time as a statement parameter. */
export function toTimestamp(at: number | undefined): Date | null {
  return at === undefined ? null : new Date(at)
}
