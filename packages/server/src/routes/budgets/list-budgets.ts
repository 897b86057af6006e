import { listBudgets as operation } from '@skein/contract'
import { listBudgets, resolveTenant } from '@skein/engine'
import { route } from '../../http/route.ts'
import { tenantOfQuery } from '../../http/tenant-of-query.ts'

export const listBudgetsRoute = route(operation, async ({ engine, caller, query }) => {
  const tenantId = await resolveTenant(engine, caller, tenantOfQuery(query))
  return listBudgets(engine, caller, tenantId)
})
