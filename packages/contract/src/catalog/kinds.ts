import type { Static } from 'typebox'
import type { Kind } from './kind.ts'
import { backend } from './kinds/backend.ts'
import { budget } from './kinds/budget.ts'
import { codeHost } from './kinds/code-host.ts'
import { ceiling } from './kinds/ceiling.ts'
import { directory } from './kinds/directory.ts'
import { environment } from './kinds/environment.ts'
import { identityProvider } from './kinds/identity-provider.ts'
import { integration } from './kinds/integration.ts'
import { persona } from './kinds/persona.ts'
import { pool } from './kinds/pool.ts'
import { pullRequest } from './kinds/pull-request.ts'
import { profile } from './kinds/profile.ts'
import { quota } from './kinds/quota.ts'
import { schedule } from './kinds/schedule.ts'
import { secret } from './kinds/secret.ts'
import { shareLink } from './kinds/share-link.ts'
import { team } from './kinds/team.ts'
import { token } from './kinds/token.ts'
import { trigger } from './kinds/trigger.ts'
import { vmProfile } from './kinds/vm-profile.ts'
import { workloadIdentity } from './kinds/workload-identity.ts'
import { workspace } from './kinds/workspace.ts'

/** All kinds of the catalog, in the order people encounter them. */
export const KINDS: readonly Kind[] = [
  workspace,
  persona,
  environment,
  secret,
  codeHost,
  profile,
  team,
  budget,
  pool,
  vmProfile,
  identityProvider,
  directory,
  workloadIdentity,
  token,
  shareLink,
  integration,
  schedule,
  trigger,
  quota,
  ceiling,
  backend,
]

/** What the service records about other systems. Read like resources, written by nobody. */
const RECORD_KINDS: readonly Kind[] = [pullRequest]

/** The type of each kind's documents. */
export interface Documents {
  readonly workspace: Static<typeof workspace.schema>
  readonly persona: Static<typeof persona.schema>
  readonly environment: Static<typeof environment.schema>
  readonly secret: Static<typeof secret.schema>
  readonly 'code-host': Static<typeof codeHost.schema>
  readonly profile: Static<typeof profile.schema>
  readonly team: Static<typeof team.schema>
  readonly budget: Static<typeof budget.schema>
  readonly pool: Static<typeof pool.schema>
  readonly 'vm-profile': Static<typeof vmProfile.schema>
  readonly 'identity-provider': Static<typeof identityProvider.schema>
  readonly directory: Static<typeof directory.schema>
  readonly 'workload-identity': Static<typeof workloadIdentity.schema>
  readonly token: Static<typeof token.schema>
  readonly 'share-link': Static<typeof shareLink.schema>
  readonly integration: Static<typeof integration.schema>
  readonly schedule: Static<typeof schedule.schema>
  readonly trigger: Static<typeof trigger.schema>
  readonly quota: Static<typeof quota.schema>
  readonly ceiling: Static<typeof ceiling.schema>
  readonly backend: Static<typeof backend.schema>
}

const byName = new Map(KINDS.map((kind) => [kind.kind, kind]))

export function findKind(name: string): Kind | undefined {
  return byName.get(name)
}

export function findRecordKind(name: string): Kind | undefined {
  return RECORD_KINDS.find(({ kind }) => kind === name)
}
