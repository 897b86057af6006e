/**
 * Who is counted together by address. A home or a rented machine has 64 bits of IPv6 addresses to itself, so whoever
 * counts single ones counts nothing.
 */
export function addressBlock(address: string): string {
  const bare = address.split('%', 1)[0] ?? ''
  const mapped = /^::ffff:([\d.]+)$/i.exec(bare)?.[1]
  if (mapped !== undefined) return mapped
  if (!bare.includes(':')) return bare
  const [head = '', tail] = bare.toLowerCase().split('::')
  const front = groupsOf(head)
  const back = groupsOf(tail ?? '')
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - front.length - back.length)).fill('0')
  const groups = [...front, ...zeros, ...back].slice(0, 4)
  return `${groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':')
}
