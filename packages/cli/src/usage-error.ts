/** What the person asked for cannot be meant. Nothing was sent. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly next: string

  constructor(message: string, next: string) {
    super(message)
    this.next = next
  }
}
