import { isWalPosition, laterPosition, POSITION_HEADER, type WalPosition } from '@skein/contract/facts'

/**
 * Where in the database this program's newest change is. Sent with each request, so that a service that reads from a
 * replica leaves none of them out.
 */
export class SeenPosition {
  #position: WalPosition | 'latest' | undefined

  /** `latest`: every read includes everything committed before it, by any client. */
  constructor(position?: 'latest') {
    this.#position = position
  }

  note(answered: Headers): void {
    const position = answered.get(POSITION_HEADER) ?? ''
    if (this.#position === 'latest' || !isWalPosition(position)) return
    this.#position = this.#position === undefined ? position : laterPosition(this.#position, position)
  }

  addTo(headers: Headers): void {
    if (this.#position !== undefined) headers.set(POSITION_HEADER, this.#position)
  }
}
