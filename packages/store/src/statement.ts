/**
 * A named statement is parsed and planned once per connection. Unnamed ones are planned at every call, which
 * halves throughput (measured: docs/adr/0001).
 */
export interface Statement {
  readonly name: string
  readonly text: string
}

export function statement(name: string, text: string): Statement {
  return { name, text }
}
