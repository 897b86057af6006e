import type { Scene, Step } from './script/script.ts'

/** The simulator's only memory: how often a point in a conversation has failed. The oldest points are forgotten. */
export class FailureCounter {
  readonly #counts = new Map<string, number>()
  readonly #limit: number

  constructor(limit = 10_000) {
    this.#limit = limit
  }

  /** The next step to play at this point; undefined after the end of the script. */
  next(point: string, scene: Scene): Step | undefined {
    if (scene.failures.length === 0) return scene.answer
    const failed = this.#counts.get(point) ?? 0
    const step = stepAfter(scene, failed)
    if (step?.failure) this.#remember(point, failed + 1)
    return step
  }

  #remember(point: string, count: number): void {
    this.#counts.delete(point)
    this.#counts.set(point, count)
    const [oldest] = this.#counts.keys()
    if (this.#counts.size > this.#limit && oldest !== undefined) this.#counts.delete(oldest)
  }
}

function stepAfter({ failures, answer }: Scene, failed: number): Step | undefined {
  let before = 0
  for (const step of failures) {
    before += step.failure?.times ?? 0
    if (failed < before) return step
  }
  return answer
}
