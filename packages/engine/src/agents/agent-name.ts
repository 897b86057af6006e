/** Names for unnamed agents: easy to say, made unique by the last part. */
const FIRST = [
  'amber',
  'brave',
  'calm',
  'clear',
  'deft',
  'early',
  'fair',
  'glad',
  'keen',
  'light',
  'merry',
  'noble',
  'quick',
  'quiet',
  'ready',
  'swift',
]
const SECOND = [
  'barnacle',
  'brent',
  'crane',
  'curlew',
  'dunlin',
  'eider',
  'gander',
  'gosling',
  'heron',
  'knot',
  'plover',
  'snipe',
  'swan',
  'teal',
  'tern',
  'wigeon',
]
const DIGITS = 'abcdefghjkmnpqrstuvwxyz23456789'

export function mintAgentName(random: { bytes(length: number): Uint8Array }): string {
  const [first = 0, second = 0, ...rest] = random.bytes(8)
  const tail = rest.map((byte) => DIGITS[byte % DIGITS.length]).join('')
  return `${FIRST[first % FIRST.length]}-${SECOND[second % SECOND.length]}-${tail}`
}
