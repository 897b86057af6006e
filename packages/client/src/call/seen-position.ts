const HEADER = 'skein-position'

/**
 * Until where in the database this program's changes are. Sent along with each request, so that a service that reads from
 * a replica answers with no less.
 */
export class SeenPosition {
  #position: string | undefined

  /** `latest`: every read sees everything that is committed by then, by whomever. */
  constructor(position?: 'latest') {
    this.#position = position
  }

  note(answered: Headers): void {
    const position = answered.get(HEADER)
    if (position === null || this.#position === 'latest') return
    if (this.#position === undefined || sortable(this.#position) < sortable(position))
      this.#position = position
  }

  addTo(headers: Headers): void {
    if (this.#position !== undefined) headers.set(HEADER, this.#position)
  }
}

/** Two numbers in hexadecimal digits, without leading zeros. */
function sortable(position: string): string {
  return position
    .toUpperCase()
    .split('/')
    .map((half) => half.padStart(8, '0'))
    .join('/')
}
