/** Not randomUUID: browsers have that on HTTPS only, and Skein runs on plain home networks too. */
export function makeRandomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}
