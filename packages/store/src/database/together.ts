/**
 * Statements of one transaction that don't wait for each other, so that they leave in one packet. Waits for all of them,
 * even if one fails: what comes after it must not be sent on a connection that others use by then.
 */
export async function together<Results extends readonly unknown[]>(
  statements: readonly [...{ [Index in keyof Results]: Promise<Results[Index]> }],
): Promise<Results> {
  await Promise.allSettled(statements)
  return (await Promise.all(statements)) as unknown as Results
}
