/** How much room a value takes where it is stored: its JSON, in UTF-8. */
export function byteSize(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length
}
