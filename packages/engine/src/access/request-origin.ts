/** Which request it was, and where it came from. */
export interface RequestOrigin {
  readonly address: string
  readonly requestId: string
}
