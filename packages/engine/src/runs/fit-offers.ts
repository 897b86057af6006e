import { cutText, type RunnerOffers } from '@skein/contract'

type Offers = Readonly<Partial<Omit<RunnerOffers, 'name'>>>

/** One response may contain a thousand of them. */
const MAX_BYTES = 16_384
/** Never 0: an empty problem would mean there is none. */
const LENGTHS = [512, 128, 32]
/** This many always fit, in any script, with every character escaped. */
const FITTING_BACKENDS = 8
const FITTING_SANDBOXES = 4

/** Truncates instead of rejecting: a runner with many problems can still work. */
export function fitOffers(offers: Offers): Offers {
  let fitted = offers
  for (const length of LENGTHS) {
    if (isFitting(fitted)) return fitted
    fitted = shorten(offers, length)
  }
  if (isFitting(fitted)) return fitted
  const { backends = [], sandboxes = [], ...rest } = fitted
  return {
    ...rest,
    backends: backends.slice(0, FITTING_BACKENDS),
    sandboxes: sandboxes.slice(0, FITTING_SANDBOXES).map((sandbox) => ({ ...sandbox, notes: [] })),
  }
}

function isFitting(offers: Offers): boolean {
  return Buffer.byteLength(JSON.stringify(offers)) <= MAX_BYTES
}

function shorten({ backends = [], sandboxes = [], ...rest }: Offers, length: number): Offers {
  return {
    ...rest,
    backends: backends.map(({ name, version = '', problem = '', keyProblem = '' }) => ({
      name,
      version: cutText(version, length),
      problem: cutText(problem, length),
      keyProblem: cutText(keyProblem, length),
    })),
    sandboxes: sandboxes.map((sandbox) => ({
      ...sandbox,
      problem: cutText(sandbox.problem ?? '', length),
      notes: sandbox.notes?.map((note) => cutText(note, length)) ?? [],
      ...(sandbox.networks && { networks: shortenProblems(sandbox.networks, length) }),
      ...(sandbox.limits && { limits: shortenProblems(sandbox.limits, length) }),
    })),
  }
}

function shortenProblems<T extends { readonly problem?: string }>(parts: readonly T[], length: number): T[] {
  return parts.map((part) => ({ ...part, problem: cutText(part.problem ?? '', length) }))
}
