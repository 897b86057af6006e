import { OPERATIONS, SkeinError } from '@skein/contract'
import { route, type Route } from '../http/route.ts'
import { ROUTES } from './table.ts'

/** Operations planned for a later version: an honest 501 rather than an unknown path. */
export const NOT_SERVED: readonly Route[] = OPERATIONS.filter(
  (operation) => !ROUTES.some((served) => served.operation.id === operation.id),
).map((operation) =>
  route(operation, () => {
    throw new SkeinError('OPERATION_NOT_SERVED', {
      message: `This version of the server does not support ${operation.id} yet.`,
    })
  }),
)
