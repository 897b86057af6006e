import { answerThread as operation } from '@skein/contract'
import { answerThread } from '@skein/engine'
import { route } from '../../http/route.ts'

export const answerThreadRoute = route(operation, ({ engine, caller, body }) =>
  answerThread(engine, caller, body),
)
