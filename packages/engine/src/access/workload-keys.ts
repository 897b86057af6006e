import { isDocument } from '@skein/core'
import type { EngineResources } from '../resources.ts'

const PREFIX = 'skw_'
const PLACE = 'workload-key'

interface WorkloadKey {
  /** The key of the workload identity, whose rights it has. */
  readonly keyId: string
  readonly expiresAt: number
}

/** Not stored: the service seals what it stands for, as with the keys of runs. */
export function mintWorkloadKey({ vault }: EngineResources, { keyId, expiresAt }: WorkloadKey): string {
  return PREFIX + vault.seal(JSON.stringify({ keyId, expiresAt }), PLACE)
}

export function isWorkloadKey(key: string): boolean {
  return key.startsWith(PREFIX)
}

/** Undefined if it is not ours, or has expired. */
export function openWorkloadKey({ vault, clock }: EngineResources, key: string): WorkloadKey | undefined {
  try {
    const content: unknown = JSON.parse(vault.open(key.slice(PREFIX.length), PLACE))
    const { keyId, expiresAt } = isDocument(content) ? content : {}
    if (typeof keyId !== 'string' || typeof expiresAt !== 'number') return undefined
    return expiresAt > clock.now() ? { keyId, expiresAt } : undefined
  } catch {
    return undefined
  }
}
