/** The upper limits of a histogram, as an array that prom-client accepts: the tables are read-only. */
export function buckets(...limits: number[]): number[] {
  return limits
}
