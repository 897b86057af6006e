/**
 * Statements of one transaction that don't wait for each other, so that they leave in one packet. Waits for all of them,
 * even if one fails: what comes after it must not be sent on a connection that others use by then.
 */
export async function together<const Statements extends readonly Promise<unknown>[]>(
  statements: Statements,
): Promise<{ -readonly [Index in keyof Statements]: Awaited<Statements[Index]> }> {
  await Promise.allSettled(statements)
  return Promise.all(statements)
}
