/** A part of an address as people read it. Anybody may have written it, so it may be no proper encoding. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
