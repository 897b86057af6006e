/** Collects what was checked, and what did not hold. */
export class Report {
  #passed = 0
  #failed = 0

  /** `problems` are sentences; `amount` says how many things were looked at. */
  check(guarantee: string, amount: number, problems: readonly string[]): void {
    if (problems.length === 0) {
      this.#passed++
      console.log(`ok    ${guarantee} (${amount})`)
      return
    }
    this.#failed++
    console.log(`FAIL  ${guarantee}: ${problems.length} of ${amount}`)
    for (const problem of problems.slice(0, 8)) console.log(`        ${problem}`)
  }

  get hasFailed(): boolean {
    return this.#failed > 0
  }

  get summary(): string {
    return `${this.#passed} passed, ${this.#failed} failed`
  }
}
