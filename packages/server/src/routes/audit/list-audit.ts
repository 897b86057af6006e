import { listAudit as operation, parseTimestamp } from '@skein/contract'
import { listAudit, resolveTenant } from '@skein/engine'
import { route } from '../../http/route.ts'
import { tenantOfQuery } from '../../http/tenant-of-query.ts'

export const listAuditRoute = route(operation, async ({ engine, caller, query }) => {
  const tenantId = await resolveTenant(engine, caller, tenantOfQuery(query))
  const { operation: wanted, kind, name, account, startTime, endTime } = query
  return listAudit(
    engine,
    tenantId,
    {
      operation: wanted,
      kind,
      name,
      account,
      from: startTime === undefined ? undefined : parseTimestamp(startTime),
      until: endTime === undefined ? undefined : parseTimestamp(endTime),
    },
    query,
  )
})
