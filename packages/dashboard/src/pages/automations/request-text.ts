/** One header per line, as in a request. */
export function formatHeaders(headers: Readonly<Record<string, string>>, ifEmpty = ''): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value === '' ? ifEmpty : value}`)
    .join('\n')
}

/** A recorded body, which may be anything: bytes that are not UTF-8 become replacement characters. */
export function decodeBody(base64: string): string {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  return new TextDecoder().decode(bytes)
}
