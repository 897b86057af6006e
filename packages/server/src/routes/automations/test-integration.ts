import { testIntegration as operation } from '@skein/contract'
import { testIntegration } from '@skein/engine'
import { tenantOfResource } from '../../http/tenant-of-resource.ts'
import { route } from '../../http/route.ts'

export const testIntegrationRoute = route(operation, async (input) =>
  testIntegration(
    input.engine,
    await tenantOfResource('integration', input, input.body.tenant),
    input.params.name,
    input.signal,
  ),
)
