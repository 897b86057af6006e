/** Whether a type of event is one of these: `run.*` matches all types that start with `run.`, and `*` matches all. */
export function isEventType(patterns: readonly string[], type: string): boolean {
  return patterns.some(
    (pattern) =>
      pattern === '*' ||
      pattern === type ||
      (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1))),
  )
}
