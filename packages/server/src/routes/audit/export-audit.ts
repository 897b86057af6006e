import { exportAudit as operation, parseTimestamp } from '@skein/contract'
import { exportAudit, resolveTenant } from '@skein/engine'
import { route } from '../../http/route.ts'
import { tenantOfQuery } from '../../http/tenant-of-query.ts'

export const exportAuditRoute = route(operation, async ({ engine, caller, query }) => {
  const tenantId = await resolveTenant(engine, caller, tenantOfQuery(query))
  const { after, pageSize, startTime } = query
  const from = startTime === undefined ? undefined : parseTimestamp(startTime)
  return exportAudit(engine, tenantId, { from, after, pageSize })
})
