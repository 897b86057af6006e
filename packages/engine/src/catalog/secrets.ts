import { encodeBase64 } from '@skein/contract'
import type { ResourceRef, SecretEffect } from '@skein/core'
import { KeyStore, SealedValueStore, type Transaction } from '@skein/store'
import { mintKey } from '../access/keys.ts'
import type { EngineResources } from '../resources.ts'

/** Applies what a write does to secrets. Returns the one-time secret, if there is one. */
export async function applySecretEffect(
  engine: EngineResources,
  transaction: Transaction,
  {
    tenantId,
    ref,
    effect,
    keyId,
  }: { tenantId: string; ref: ResourceRef; effect: SecretEffect; keyId: string },
): Promise<string | undefined> {
  const now = engine.clock.now()
  const keys = new KeyStore(transaction)
  const values = new SealedValueStore(transaction)
  switch (effect.type) {
    case 'none':
      return undefined
    case 'mint-key': {
      const { key, secretSha256 } = mintKey(engine, effect.prefix, keyId)
      await keys.updateGrants(ref, effect.grant, now)
      await keys.expireAll(ref, effect.previousExpireAt)
      await keys.add(ref, { keyId, prefix: effect.prefix, secretSha256 }, effect.grant, now)
      return key
    }
    case 'update-keys':
      await keys.updateGrants(ref, effect.grant, now)
      return undefined
    case 'seal-value':
      await values.replace(ref, engine.vault.seal(effect.value, placeOf(tenantId, ref)), now)
      return undefined
    case 'mint-signing-key': {
      // The format Standard Webhooks receivers expect.
      const signingKey = `whsec_${encodeBase64(engine.random.bytes(32))}`
      await values.rotate(ref, engine.vault.seal(signingKey, placeOf(tenantId, ref)), now)
      return signingKey
    }
  }
}

export async function dropSecrets(
  { clock }: EngineResources,
  transaction: Transaction,
  ref: ResourceRef,
): Promise<void> {
  await new KeyStore(transaction).revokeAll(ref, clock.now())
  await new SealedValueStore(transaction).drop(ref)
}

/** Bound to the sealed value, so that it cannot be opened anywhere else. */
export function placeOf(tenantId: string, { kind, name }: ResourceRef): string {
  return `${tenantId}/${kind}/${name}`
}
