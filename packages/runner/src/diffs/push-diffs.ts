import { setTimeout as pause } from 'node:timers/promises'
import type { Transport } from '@skein/client'
import { recordDiff, type RecordDiffRequest } from '@skein/contract'
import { aborted } from '../aborted.ts'
import type { Push } from '../git-front/git-front.ts'

/** Between two rounds. Each costs git seconds of work and the service megabytes, however fast an agent pushes. */
const SPACING_MS = 5_000

export type PushDiff = Omit<RecordDiffRequest, 'lease'>

/** Computes what a push changed, compared with the base of its branch and with what was pushed before. */
export type ReadDiffs = (push: Push) => Promise<readonly PushDiff[]>

/**
 * Sends the diffs of one run's pushes to the service, in the background: a push doesn't wait for it. An agent may push
 * faster than this; then several pushes of a branch become one. People can do without a diff, so a failure is only
 * reported to the operator, and a run that must end at once does not wait for it.
 */
export class PushDiffs {
  readonly #transport: Transport
  readonly #lease: string
  readonly #signal: AbortSignal
  readonly #onProblem: (error: unknown) => void
  readonly #waiting = new Map<string, { readonly push: Push; readonly read: ReadDiffs }>()
  readonly #spacingMs: number
  readonly #settling = new AbortController()
  #working: Promise<void> | undefined

  constructor(
    transport: Transport,
    options: {
      lease: string
      signal: AbortSignal
      onProblem: (error: unknown) => void
      spacingMs?: number
    },
  ) {
    this.#transport = transport
    this.#lease = options.lease
    this.#signal = options.signal
    this.#onProblem = options.onProblem
    this.#spacingMs = options.spacingMs ?? SPACING_MS
  }

  add(push: Push, read: ReadDiffs): void {
    // A deleted branch changes nothing.
    if (push.commit === '') return
    const key = `${push.repo} ${push.ref}`
    const before = this.#waiting.get(key)?.push.before ?? push.before
    this.#waiting.set(key, { push: { ...push, before }, read })
    this.#working ??= this.#work()
  }

  /** At the end of the run. Resolves when everything was sent or has failed, or when the run must end at once. */
  async settle(): Promise<void> {
    this.#settling.abort()
    await Promise.race([this.#working, aborted(this.#signal)])
  }

  async #work(): Promise<void> {
    for (let next = this.#take(); next && !this.#signal.aborted; next = this.#take()) {
      try {
        for (const diff of await next.read(next.push)) await this.#send(diff)
      } catch (error) {
        if (!this.#signal.aborted) this.#onProblem(error)
      }
      await this.#rest()
    }
    // Here and not when it is awaited, so that a push in between starts the work again.
    this.#working = undefined
  }

  async #rest(): Promise<void> {
    const signal = AbortSignal.any([this.#settling.signal, this.#signal])
    await pause(this.#spacingMs, undefined, { signal, ref: false }).catch(() => undefined)
  }

  #take(): { readonly push: Push; readonly read: ReadDiffs } | undefined {
    const [entry] = this.#waiting
    if (!entry) return undefined
    this.#waiting.delete(entry[0])
    return entry[1]
  }

  async #send(diff: PushDiff): Promise<void> {
    await this.#transport.call(recordDiff, {
      body: { lease: this.#lease, ...diff },
      signal: this.#signal,
    })
  }
}
