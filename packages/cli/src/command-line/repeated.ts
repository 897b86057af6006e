/** For repeatable options. An option that takes a list would swallow the arguments after it. */
export function collect(value: string, values: readonly string[] = []): string[] {
  return [...values, value]
}
