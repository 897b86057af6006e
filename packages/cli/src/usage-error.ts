/** What the person asked for cannot be meant. Nothing was sent. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly next: string

  constructor(message: string, next: string) {
    super(message)
    this.next = next
  }
}

/** There is nobody to send it to. */
export class ServerDownError extends Error {
  override readonly name = 'ServerDownError'
  readonly next: string

  constructor(message: string, next: string) {
    super(message)
    this.next = next
  }
}
