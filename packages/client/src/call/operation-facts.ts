/** What is needed to send an operation. The contract's operations have more. */
export interface OperationFacts {
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With parameters in braces, such as `/v1/catalog/{ref.kind}`. */
  readonly path: string
  /** Mutations take an Idempotency-Key. */
  readonly isMutation: boolean
  /** The body's schema in the contract. `hasBody` is equivalent, without the schema. */
  readonly body?: object
  readonly hasBody?: boolean
}

export function takesBody({ body, hasBody }: OperationFacts): boolean {
  return hasBody ?? body !== undefined
}
