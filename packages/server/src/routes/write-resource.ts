import { parseInt64, writeResource as operation } from '@skein/contract'
import { requireKind, resourceNotFound } from '@skein/core'
import { resolveTenant, writeResource } from '@skein/engine'
import { route } from './route.ts'

export const writeResourceRoute = route(operation, async ({ engine, caller, params, body, commandFor }) => {
  const kind = requireKind(params['ref.kind'])
  const name = params['ref.name']
  const tenantId = await resolveTenant(engine, caller, body.ref?.tenant, () =>
    resourceNotFound(kind.kind, name),
  )
  return writeResource(engine, commandFor(tenantId), {
    kind,
    name,
    payload: body.payload ?? '',
    updateMask: body.updateMask ?? '',
    justification: body.justification ?? '',
    ifGenerationMatch: body.ifGenerationMatch === undefined ? undefined : parseInt64(body.ifGenerationMatch),
  })
})
