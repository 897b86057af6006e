import { parseInt64, writeResource as operation } from '@skein/contract'
import { writeResource } from '@skein/engine'
import { resourceTarget } from './resource-target.ts'
import { route } from './route.ts'

export const writeResourceRoute = route(operation, async (input) => {
  const { engine, body, commandFor } = input
  const { tenantId, kind, name } = await resourceTarget(input, body.ref?.tenant, 'command')
  return writeResource(engine, commandFor(tenantId), {
    kind,
    name,
    payload: body.payload ?? '',
    updateMask: body.updateMask ?? '',
    justification: body.justification ?? '',
    ifGenerationMatch: body.ifGenerationMatch === undefined ? undefined : parseInt64(body.ifGenerationMatch),
  })
})
