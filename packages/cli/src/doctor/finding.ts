export interface Finding {
  readonly check: string
  readonly isFault: boolean
  readonly message: string
  /** What to do about it; empty where nothing has to be done. */
  readonly fix: string
}

export function healthy(check: string, message: string): Finding {
  return { check, isFault: false, message, fix: '' }
}

export function faulty(check: string, message: string, fix: string): Finding {
  return { check, isFault: true, message, fix }
}
