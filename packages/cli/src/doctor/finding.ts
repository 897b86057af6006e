export interface Finding {
  readonly check: string
  readonly isFault: boolean
  readonly message: string
  /** How to fix it; empty if there is nothing to do. */
  readonly fix: string
}

export function healthy(check: string, message: string): Finding {
  return { check, isFault: false, message, fix: '' }
}

export function faulty(check: string, message: string, fix: string): Finding {
  return { check, isFault: true, message, fix }
}
