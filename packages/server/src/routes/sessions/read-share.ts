import { readShare as operation } from '@skein/contract'
import { readShare } from '@skein/engine'
import { route } from '../../http/route.ts'

export const readShareRoute = route(operation, ({ engine, caller }) => readShare(engine, caller))
