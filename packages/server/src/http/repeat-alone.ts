/** Never runs concurrently with itself, so that a slow database isn't asked ever more. The work must not throw. */
export function repeatAlone(work: () => Promise<void>, everyMs: number): NodeJS.Timeout {
  let isUnderWay = false
  return setInterval(() => {
    if (isUnderWay) return
    isUnderWay = true
    void work().finally(() => (isUnderWay = false))
  }, everyMs)
}
