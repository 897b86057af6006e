/** A runner that waits for its claim. */
interface Asker<Run> {
  readonly amount: number
  readonly isGone: () => boolean
  readonly answer: PromiseWithResolvers<readonly Run[] | undefined>
}

/** More would keep the other claims of the tenant waiting. */
const MAX_AMOUNT = 64

/**
 * Polls of the same kind that wait for their tenant's turn claim together: a tenant's claims are serialized, and
 * claiming ten runs costs little more than claiming one. They are answered in the order in which they asked.
 */
export class SharedClaims<Run> {
  readonly #open = new Map<string, Asker<Run>[]>()

  /**
   * `inTurn` waits for the turn of the first one, then calls back to claim for all that have come by then. Undefined
   * means that others were claiming.
   */
  claim(
    kind: string,
    { amount, isGone }: Pick<Asker<Run>, 'amount' | 'isGone'>,
    inTurn: (claim: (send: Send<Run>) => Promise<void>) => Promise<void>,
  ): Promise<readonly Run[] | undefined> {
    const asker = { amount, isGone, answer: Promise.withResolvers<readonly Run[] | undefined>() }
    const open = this.#open.get(kind)
    if (open && sumOf(open) + amount <= MAX_AMOUNT) open.push(asker)
    else this.#begin(kind, asker, inTurn)
    return asker.answer.promise
  }

  #begin(
    kind: string,
    first: Asker<Run>,
    inTurn: (claim: (send: Send<Run>) => Promise<void>) => Promise<void>,
  ): void {
    const askers = [first]
    this.#open.set(kind, askers)
    const close = (): void => {
      if (this.#open.get(kind) === askers) this.#open.delete(kind)
    }
    inTurn(async (send) => {
      close()
      await answerAll(askers, send)
    }).catch((error: unknown) => {
      close()
      for (const { answer } of askers) answer.reject(error)
    })
  }
}

type Send<Run> = (amount: number) => Promise<readonly Run[] | undefined>

async function answerAll<Run>(askers: readonly Asker<Run>[], send: Send<Run>): Promise<void> {
  // What is claimed for a runner that has gone would wait until its lease expires.
  const { gone = [], present = [] } = Object.groupBy(askers, ({ isGone }) => (isGone() ? 'gone' : 'present'))
  for (const { answer } of gone) answer.resolve([])
  if (present.length === 0) return
  const runs = await send(sumOf(present))
  let given = 0
  for (const { amount, answer } of present) {
    answer.resolve(runs?.slice(given, given + amount))
    given += amount
  }
}

function sumOf(askers: readonly { readonly amount: number }[]): number {
  return askers.reduce((sum, { amount }) => sum + amount, 0)
}
