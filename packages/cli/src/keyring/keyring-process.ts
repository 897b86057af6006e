/**
 * One request to the system keyring. A process of its own, because a keyring that waits for its owner blocks the
 * thread that asks, and Node cannot exit before it is answered.
 */
import { text } from 'node:stream/consumers'
import { asRecord } from '../profile/profile-file.ts'
import type { KeyringAnswer } from './keyring.ts'

const SERVICE = 'skein'

process.stdout.write(JSON.stringify(await answer(await text(process.stdin))))

/** The request is a `KeyringRequest` as JSON. */
async function answer(request: string): Promise<KeyringAnswer> {
  try {
    const { account, change } = asRecord(JSON.parse(request))
    const { Entry } = await import('@napi-rs/keyring')
    // Otherwise it would use the kernel's keyring where there is no other, which forgets everything at a restart.
    const entry = new Entry(SERVICE, String(account), { linux: { store: 'secret-service' } })
    // As bytes: Windows limits the size, and would count a character as two.
    if (typeof change === 'string') entry.setSecret(Buffer.from(change))
    if (change === null) entry.deleteCredential()
    const found = change === undefined ? entry.getSecret() : null
    return found === null ? { kind: 'done' } : { kind: 'found', secret: Buffer.from(found).toString() }
  } catch (error) {
    return { kind: 'unusable', why: error instanceof Error ? error.message : String(error) }
  }
}
