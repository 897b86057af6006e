/** One text that stands exactly once in a file, and what to put in its place. */
export interface Edit {
  readonly file: string
  readonly find: string
  readonly replace: string
}

/** A mistake that somebody could make, and that the crash test must notice. */
export interface Bug {
  readonly name: string
  /** What goes wrong for whoever uses the service. */
  readonly what: string
  readonly edits: readonly Edit[]
}
