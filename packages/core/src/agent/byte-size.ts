/** Size of a value as stored: its JSON in UTF-8. */
export function byteSize(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length
}
