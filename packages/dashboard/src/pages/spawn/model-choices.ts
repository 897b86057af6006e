import type { Resource } from '@skein/client'
import { matchesModel } from '@skein/contract/facts'

/** A backend of the catalog. */
export interface Backend {
  readonly name: string
  /** Names, and patterns with * for any characters. */
  readonly models: readonly string[]
  readonly defaultModel: string
  readonly efforts: readonly string[]
  readonly tiers: readonly string[]
}

export function readBackend({ name, document }: Resource): Backend {
  const { defaultModel } = document
  return {
    name,
    models: readTexts(document['models']),
    defaultModel: typeof defaultModel === 'string' ? defaultModel : '',
    efforts: readTexts(document['efforts']),
    tiers: readTexts(document['tiers']),
  }
}

function readTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

/** Models with a name, without patterns. */
export function listModels(backends: readonly Backend[]): readonly string[] {
  const names = backends.flatMap(({ defaultModel, models }) => [
    defaultModel,
    ...models.filter((model) => !model.includes('*')),
  ])
  return [...new Set(names)].filter((name) => name !== '')
}

export interface ModelChoice {
  readonly model: string
  /** Undefined if no backend has the model. */
  readonly backend: Backend | undefined
}

/** Same rule as the service: the requested model, else the persona's, the workspace's, the first backend's. */
export function chooseModel(
  candidates: readonly (string | undefined)[],
  backends: readonly Backend[],
): ModelChoice {
  const model = candidates.find((candidate) => candidate !== undefined && candidate !== '')
  if (model === undefined) return { model: backends[0]?.defaultModel ?? '', backend: backends[0] }
  const backend = backends.find(({ models }) => models.some((pattern) => matchesModel(pattern, model)))
  return { model, backend }
}
