export interface Finding {
  readonly check: string
  readonly isFault: boolean
  readonly message: string
  /** What to do about it; empty where nothing has to be done. */
  readonly mend: string
}

export function healthy(check: string, message: string): Finding {
  return { check, isFault: false, message, mend: '' }
}

export function faulty(check: string, message: string, mend: string): Finding {
  return { check, isFault: true, message, mend }
}
