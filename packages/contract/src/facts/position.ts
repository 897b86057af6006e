/** Of answers and requests: how much of the database a client has seen. */
export const POSITION_HEADER = 'skein-position'

/** A place in PostgreSQL's write-ahead log, as PostgreSQL writes it, such as `16/B374D848`. */
export type WalPosition = `${string}/${string}`

const FORM = /^[0-9a-f]{1,8}\/[0-9a-f]{1,8}$/i

export function isWalPosition(text: string): text is WalPosition {
  return FORM.test(text)
}

export function laterPosition(one: WalPosition, other: WalPosition): WalPosition {
  return bytesBefore(one) < bytesBefore(other) ? other : one
}

function bytesBefore(position: WalPosition): bigint {
  const [high = '0', low = '0'] = position.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}
