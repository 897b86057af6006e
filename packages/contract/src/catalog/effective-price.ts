import type { BackendDocument } from './kinds/backend.ts'
import { matchesModel } from '../facts/matches-model.ts'

/** US dollars per million tokens. Of several that fit a model, the first counts. */
export type ModelPrice = BackendDocument['prices'][number]

/** The tenant's price of a model, but never less than the ceiling's. Undefined when neither knows the model. */
export function effectivePrice(
  prices: readonly ModelPrice[],
  leastPrices: readonly ModelPrice[],
  model: string,
): ModelPrice | undefined {
  const fits = ({ model: pattern }: ModelPrice): boolean => matchesModel(pattern, model)
  const [own, least] = [prices.find(fits), leastPrices.find(fits)]
  if (!own || !least) return own ?? least
  return {
    model: own.model,
    input: Math.max(own.input, least.input),
    cachedInput: Math.max(own.cachedInput, least.cachedInput),
    cacheWrite: Math.max(cacheWriteOf(own), cacheWriteOf(least)),
    output: Math.max(own.output, least.output),
  }
}

/** Providers that do not charge for writing to a cache charge for the input. */
export function cacheWriteOf({ cacheWrite, input }: ModelPrice): number {
  return cacheWrite > 0 ? cacheWrite : input
}
