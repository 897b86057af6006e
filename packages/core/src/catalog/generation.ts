import { SkeinError } from '@skein/contract'

/** A conditional write succeeds only at the generation its author read; 0 means the resource must not exist. */
export function requireGeneration(expected: bigint | undefined, actual: bigint): void {
  if (expected === undefined || expected === actual) return
  throw new SkeinError('GENERATION_MISMATCH', {
    message: `The resource is at generation ${actual}, not ${expected}. Nothing was written.`,
    metadata: { currentGeneration: actual.toString() },
  })
}
