/** The text the service stores. */
export interface HeldText {
  /** 0 if nothing is stored: it doesn't exist, or is a built-in. */
  readonly generation: string
  readonly text: string
}

/** A document being edited. */
export interface Draft {
  /** What it is compared with, and what a save may replace. */
  readonly base: HeldText
  /** The initial text: a template for a new document, otherwise the stored text. */
  readonly start: string
  readonly text: string
}

export function startDraft(base: HeldText, start: string = base.text): Draft {
  return { base, start, text: start }
}

export function isTouched({ text, start }: Draft): boolean {
  return text !== start
}

/** Keeps my text, but compares it with theirs from now on: a save replaces exactly what was shown. */
export function rebaseDraft(draft: Draft, theirs: HeldText): Draft {
  return { base: theirs, start: theirs.text, text: draft.text }
}

/** Someone else has saved since the editor was opened. */
export function isOutdated({ base }: Draft, held: HeldText): boolean {
  return base.generation !== held.generation
}
