import { listSignInProviders as operation } from '@skein/contract'
import { listSignInProviders } from '@skein/engine'
import { route } from '../../http/route.ts'

export const listSignInProvidersRoute = route(operation, ({ engine, query }) =>
  listSignInProviders(engine, query.org ?? ''),
)
