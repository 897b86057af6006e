/** Of an operation, what is needed to send it. The contract's own operations have more. */
export interface OperationFacts {
  readonly id: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** With parameters in braces, such as `/v1/catalog/{ref.kind}`. */
  readonly path: string
  /** A mutation takes an Idempotency-Key. */
  readonly isMutation: boolean
  /** The schema of the body in the contract; `hasBody` says the same without it. */
  readonly body?: object
  readonly hasBody?: boolean
}

export function takesBody({ body, hasBody }: OperationFacts): boolean {
  return hasBody ?? body !== undefined
}
