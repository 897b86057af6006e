import {
  parseInt64,
  SkeinError,
  writeResource as operation,
  type ParamsOf,
  type BodyOf,
} from '@skein/contract'
import { writeResource } from '@skein/engine'
import { resourceTarget } from '../../http/resource-target.ts'
import { route } from '../../http/route.ts'

export const writeResourceRoute = route(operation, async (input) => {
  const { engine, body, commandFor } = input
  requireSameRef(input.params, body.ref)
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

/** A reference that differs from the path is a mistake in one of them. */
function requireSameRef(
  params: ParamsOf<typeof operation>,
  { kind = '', name = '' }: BodyOf<typeof operation>['ref'] = {},
): void {
  const violations = [
    { field: 'ref.kind', sent: kind, wanted: params['ref.kind'] },
    { field: 'ref.name', sent: name, wanted: params['ref.name'] },
  ]
    .filter(({ sent, wanted }) => sent !== '' && sent !== wanted)
    .map(({ field, wanted }) => ({ field, description: `must be ${wanted}, as in the path` }))
  if (violations.length === 0) return
  throw new SkeinError('REQUEST_INVALID', {
    message: 'The path and ref name different resources.',
    violations,
  })
}
