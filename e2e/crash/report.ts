/** What a broken guarantee means for users. */
export type Fault = 'lost' | 'doubled' | 'stuck' | 'wrong'

interface Guarantee {
  readonly fault: Fault
  amount: number
  readonly problems: string[]
}

/** Collects what was checked over all rounds, and what failed. */
export class Report {
  readonly #guarantees = new Map<string, Guarantee>()

  /** `problems` are sentences; `amount` is the number of things checked. */
  check(fault: Fault, guarantee: string, amount: number, problems: readonly string[]): void {
    const found = this.#guarantees.get(guarantee) ?? { fault, amount: 0, problems: [] }
    found.amount += amount
    found.problems.push(...problems)
    this.#guarantees.set(guarantee, found)
  }

  get hasFailed(): boolean {
    return this.broken.length > 0
  }

  /** Guarantees that were violated. */
  get broken(): string[] {
    return this.#broken.map(([name]) => name)
  }

  /** The first problem found. */
  get firstProblem(): string | undefined {
    return this.#broken[0]?.[1].problems[0]
  }

  get #broken(): [string, Guarantee][] {
    return [...this.#guarantees].filter(([, { problems }]) => problems.length > 0)
  }

  /** Number of problems of each kind. */
  get faults(): Record<Fault, number> {
    const sums = { lost: 0, doubled: 0, stuck: 0, wrong: 0 }
    for (const { fault, problems } of this.#guarantees.values()) sums[fault] += problems.length
    return sums
  }

  get lines(): string[] {
    return [...this.#guarantees].flatMap(([name, { amount, problems }]) =>
      problems.length === 0
        ? [`ok    ${name} (${amount})`]
        : [
            `FAIL  ${name}: ${problems.length} of ${amount}`,
            ...problems.slice(0, 8).map((problem) => `        ${problem}`),
          ],
    )
  }
}
