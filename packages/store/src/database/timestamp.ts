/** A time that may be absent, as a parameter of a statement. */
export function toTimestamp(at: number | undefined): Date | null {
  return at === undefined ? null : new Date(at)
}
