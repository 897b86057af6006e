import type { BackendDocument } from './kinds/backend.ts'
import { matchesModel } from '../facts/matches-model.ts'

/** US dollars per million tokens. The first price that matches a model applies. */
export type ModelPrice = BackendDocument['prices'][number]

/** The tenant's price of a model, but never less than the ceiling's. Undefined if neither has one. */
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

/** Providers that don't charge for cache writes charge for the input. */
export function cacheWriteOf({ cacheWrite, input }: ModelPrice): number {
  return cacheWrite > 0 ? cacheWrite : input
}
