/** Not randomUUID: browsers only have it on HTTPS, and Skein also runs on plain home networks. */
export function makeRandomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}
