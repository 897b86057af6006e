import { deleteResource as operation, parseInt64 } from '@skein/contract'
import { deleteResource } from '@skein/engine'
import { resourceTarget } from '../../http/resource-target.ts'
import { route } from '../../http/route.ts'
import { tenantOfQuery } from '../../http/tenant-of-query.ts'

export const deleteResourceRoute = route(operation, async (input) => {
  const { engine, query, commandFor } = input
  const { tenantId, kind, name } = await resourceTarget(input, tenantOfQuery(query), 'command')
  return deleteResource(engine, commandFor(tenantId), {
    kind,
    name,
    justification: query.justification ?? '',
    ifGenerationMatch:
      query.ifGenerationMatch === undefined ? undefined : parseInt64(query.ifGenerationMatch),
  })
})
