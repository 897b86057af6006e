import { listDeadLetters as operation } from '@skein/contract'
import { listDeadLetters } from '@skein/engine'
import { tenantOfQuery } from '../../http/tenant-of-query.ts'
import { tenantOfResource } from '../../http/tenant-of-resource.ts'
import { route } from '../../http/route.ts'

export const listDeadLettersRoute = route(operation, async (input) =>
  listDeadLetters(
    input.engine,
    await tenantOfResource('integration', input, tenantOfQuery(input.query)),
    input.params.name,
    input.query,
  ),
)
