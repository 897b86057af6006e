/** For options that may be given several times. A list behind one option would swallow the arguments after it. */
export function collect(value: string, values: readonly string[] = []): string[] {
  return [...values, value]
}
