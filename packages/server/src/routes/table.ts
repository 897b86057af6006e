import { deleteResourceRoute } from './delete-resource.ts'
import { listAuditRoute } from './list-audit.ts'
import { listKindsRoute } from './list-kinds.ts'
import { listResourcesRoute } from './list-resources.ts'
import { readResourceRoute } from './read-resource.ts'
import { resourceHistoryRoute } from './resource-history.ts'
import type { Route } from './route.ts'
import { whoamiRoute } from './whoami.ts'
import { writeResourceRoute } from './write-resource.ts'

/** The operations that this server serves. The rest of the contract answers that it is not served yet. */
export const ROUTES: readonly Route[] = [
  whoamiRoute,
  listKindsRoute,
  listResourcesRoute,
  readResourceRoute,
  writeResourceRoute,
  deleteResourceRoute,
  resourceHistoryRoute,
  listAuditRoute,
]
