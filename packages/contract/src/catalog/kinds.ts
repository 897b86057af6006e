import type { Kind } from './kind.ts'
import { backend } from './kinds/backend.ts'
import { ceiling } from './kinds/ceiling.ts'
import { environment } from './kinds/environment.ts'
import { integration } from './kinds/integration.ts'
import { persona } from './kinds/persona.ts'
import { pool } from './kinds/pool.ts'
import { profile } from './kinds/profile.ts'
import { quota } from './kinds/quota.ts'
import { secret } from './kinds/secret.ts'
import { shareLink } from './kinds/share-link.ts'
import { token } from './kinds/token.ts'
import { vmProfile } from './kinds/vm-profile.ts'
import { workspace } from './kinds/workspace.ts'

/** Every kind of the catalog, in the order people meet them. */
export const KINDS: readonly Kind[] = [
  workspace,
  persona,
  environment,
  secret,
  profile,
  pool,
  vmProfile,
  token,
  shareLink,
  integration,
  quota,
  ceiling,
  backend,
]

const byName = new Map(KINDS.map((kind) => [kind.kind, kind]))

export function findKind(name: string): Kind | undefined {
  return byName.get(name)
}
