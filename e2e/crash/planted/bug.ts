/** A text that occurs exactly once in a file, and its replacement. */
export interface Edit {
  readonly file: string
  readonly find: string
  readonly replace: string
}

/** A plausible bug that the crash test must notice. */
export interface Bug {
  readonly name: string
  /** What goes wrong for users of the service. */
  readonly what: string
  readonly edits: readonly Edit[]
}
