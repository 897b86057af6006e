import { mintRepoCredential as operation } from '@skein/contract'
import { mintRepoCredential } from '@skein/engine'
import { route } from '../../http/route.ts'

export const mintRepoCredentialRoute = route(operation, ({ engine, caller, body, signal }) =>
  mintRepoCredential(engine, caller, body, signal),
)
