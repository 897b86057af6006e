/**
 * A named statement is parsed and planned once per connection. Unnamed ones are planned at every call, which
 * halves throughput (measured: docs/adr/0001).
 */
export interface Statement {
  readonly name: string
  readonly text: string
}

const written: Statement[] = []

export function statement(name: string, text: string): Statement {
  const made = { name, text }
  written.push(made)
  return made
}

/** Every statement of the modules that are loaded, for the test that looks at their plans. */
export function allStatements(): readonly Statement[] {
  return written
}
