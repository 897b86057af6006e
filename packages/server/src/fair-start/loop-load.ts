const MEASURED_MS = 20

/** Tells whether the event loop was busy for more than this share of the last few milliseconds. */
export function loopLoad(limit: number): () => boolean {
  let mark = performance.eventLoopUtilization()
  let markedAt = performance.now()
  let isAbove = false
  return () => {
    const now = performance.now()
    if (now - markedAt < MEASURED_MS) return isAbove
    const current = performance.eventLoopUtilization()
    isAbove = performance.eventLoopUtilization(current, mark).utilization > limit
    mark = current
    markedAt = now
    return isAbove
  }
}
