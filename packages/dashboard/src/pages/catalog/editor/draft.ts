/** What the service holds, as text. */
export interface HeldText {
  /** 0 where nothing is stored: there is none, or a built-in. */
  readonly generation: string
  readonly text: string
}

/** A document while it is edited. */
export interface Draft {
  /** What it is compared with, and what a save may replace. */
  readonly base: HeldText
  /** What the editor began with: the template of a new document, the held text of another. */
  readonly start: string
  readonly text: string
}

export function startDraft(base: HeldText, start: string = base.text): Draft {
  return { base, start, text: start }
}

export function isTouched({ text, start }: Draft): boolean {
  return text !== start
}

/** Mine stays as it is, and is compared with theirs from now on: a save replaces exactly what was seen. */
export function rebaseDraft(draft: Draft, theirs: HeldText): Draft {
  return { base: theirs, start: theirs.text, text: draft.text }
}

/** Somebody else wrote since the editor was opened. */
export function isOutdated({ base }: Draft, held: HeldText): boolean {
  return base.generation !== held.generation
}
