/** The text does not match its format. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError'
  /** How to fix it. */
  readonly remedy: string

  constructor(message: string, remedy: string) {
    super(message)
    this.remedy = remedy
  }
}
