import { recordDiff as operation } from '@skein/contract'
import { recordDiff } from '@skein/engine'
import { route } from '../../http/route.ts'

export const recordDiffRoute = route(operation, ({ engine, caller, body }) =>
  recordDiff(engine, caller, body),
)
