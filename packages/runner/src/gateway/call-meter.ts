import { BodyReader, StreamReader, type EventReader } from './event-readers.ts'
import type { TokenCounts } from './grant.ts'
import type { JsonObject } from './json.ts'
import { CHARACTERS_PER_TOKEN } from './prices.ts'
import type { Provider, RawCounts, UsageReading } from './provider.ts'

/** Follows a response and always knows what the call has used so far. */
export class CallMeter {
  readonly #readUsage: Provider['readUsage']
  readonly #reader: EventReader
  readonly #promptTokens: number
  #counts: Partial<RawCounts> = {}
  #characters = 0
  #isComplete = false
  #error: UsageReading['error']

  constructor(readUsage: Provider['readUsage'], answer: { isStream: boolean; promptTokens: number }) {
    this.#readUsage = readUsage
    this.#reader = answer.isStream ? new StreamReader() : new BodyReader()
    this.#promptTokens = answer.promptTokens
  }

  write(chunk: Uint8Array): void {
    this.#take(this.#reader.write(chunk))
  }

  end(): void {
    this.#take(this.#reader.end())
  }

  /** Whether the provider has reported everything. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** How the call failed after it had started. */
  get error(): UsageReading['error'] {
    return this.#error
  }

  /** What the provider reported, with estimates for the rest. */
  get counts(): TokenCounts {
    const known = this.#counts
    const written = Math.ceil(this.#characters / CHARACTERS_PER_TOKEN)
    const output = this.#isComplete ? known.output : Math.max(known.output ?? 0, written)
    const [cachedInputTokens, cacheWriteTokens] = [known.cacheRead ?? 0, known.cacheWrite ?? 0]
    return {
      inputTokens: (known.uncached ?? this.#promptTokens) + cachedInputTokens + cacheWriteTokens,
      cachedInputTokens,
      cacheWriteTokens,
      outputTokens: output ?? 0,
      ...(known.toolUses && { toolUses: known.toolUses }),
    }
  }

  #take(events: Iterable<JsonObject>): void {
    for (const event of events) {
      const reading = this.#readUsage(event)
      this.#counts = { ...this.#counts, ...reading.counts }
      this.#characters += reading.characters ?? 0
      this.#isComplete ||= reading.isFinal ?? false
      this.#error ??= reading.error
    }
  }
}
