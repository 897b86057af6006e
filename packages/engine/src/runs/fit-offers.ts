import { cutText, type RunnerOffers } from '@skein/contract'

type Offers = Readonly<Partial<Omit<RunnerOffers, 'name'>>>

/** There may be a thousand of them in one answer. */
const MAX_BYTES = 16_384
/** Never 0: a problem that is empty would say that there is none. */
const LENGTHS = [512, 128, 32]
/** So few fit in any script, with every character escaped. */
const FITTING_PARTS = 8

/** Cut rather than refused: a runner that has much to complain of can work all the same. */
export function fitOffers(offers: Offers): Offers {
  let fitted = offers
  for (const length of LENGTHS) {
    if (isFitting(fitted)) return fitted
    fitted = shorten(offers, length)
  }
  if (isFitting(fitted)) return fitted
  const { backends = [], sandboxes = [], ...rest } = fitted
  return { ...rest, backends: backends.slice(0, FITTING_PARTS), sandboxes: sandboxes.slice(0, FITTING_PARTS) }
}

function isFitting(offers: Offers): boolean {
  return Buffer.byteLength(JSON.stringify(offers)) <= MAX_BYTES
}

function shorten({ backends = [], sandboxes = [], ...rest }: Offers, length: number): Offers {
  return {
    ...rest,
    backends: backends.map(({ name, version = '', problem = '' }) => ({
      name,
      version: cutText(version, length),
      problem: cutText(problem, length),
    })),
    sandboxes: sandboxes.map(({ name, problem = '', networks = [] }) => ({
      name,
      problem: cutText(problem, length),
      networks: networks.map((network) => ({
        name: network.name,
        problem: cutText(network.problem ?? '', length),
      })),
    })),
  }
}
