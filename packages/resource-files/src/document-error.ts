/** The text is not what its format asks for. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError'
  /** What to do about it. */
  readonly remedy: string

  constructor(message: string, remedy: string) {
    super(message)
    this.remedy = remedy
  }
}
