/** The command line makes no sense, or names something that doesn't exist. Nothing was changed. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly next: string
  readonly code: 'INVALID_ARGUMENT' | 'NOT_FOUND'

  constructor(message: string, next: string, code: UsageError['code'] = 'INVALID_ARGUMENT') {
    super(message)
    this.next = next
    this.code = code
  }
}

/** No server is running. */
export class ServerDownError extends Error {
  override readonly name = 'ServerDownError'
  readonly next: string

  constructor(message: string, next: string) {
    super(message)
    this.next = next
  }
}
