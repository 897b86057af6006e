import type { EngineResources } from '../resources.ts'
import { openKey, sealKey } from './sealed-key.ts'

const KEY = { prefix: 'skw_', place: 'workload-key' } as const

interface WorkloadKey {
  /** The key of the workload identity, whose rights it has. */
  readonly keyId: string
  readonly expiresAt: number
}

export function mintWorkloadKey(engine: EngineResources, { keyId, expiresAt }: WorkloadKey): string {
  return sealKey(engine, KEY, { keyId, expiresAt })
}

export function isWorkloadKey(key: string): boolean {
  return key.startsWith(KEY.prefix)
}

/** Undefined if it is not ours, or has expired. */
export function openWorkloadKey(engine: EngineResources, key: string): WorkloadKey | undefined {
  const { keyId, expiresAt } = openKey(engine, KEY, key)
  if (typeof keyId !== 'string' || typeof expiresAt !== 'number') return undefined
  return expiresAt > engine.clock.now() ? { keyId, expiresAt } : undefined
}
