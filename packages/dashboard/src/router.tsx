import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import type { QueryClient } from '@tanstack/react-query'
import { Shell } from './layout/shell.tsx'
import { BrokenPage, LoadingPage, MissingPage } from './layout/page-states.tsx'
import { readAgentSearch } from './pages/agent/agent-search.ts'
import { readFleetSearch } from './pages/fleet/fleet-search.ts'
import { readAuditSearch } from './pages/audit/audit-search.ts'
import { readSpawnSearch } from './agent/spawn-search.ts'
import { SignInPage } from './pages/sign-in/sign-in-page.tsx'
import { identityQuery } from './session/identity.ts'
import { queries } from './session/queries.ts'

const root = createRootRouteWithContext<{ readonly queries: QueryClient }>()({
  notFoundComponent: MissingPage,
  errorComponent: BrokenPage,
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { next?: unknown } => ({ next: search['next'] }),
  component: SignInPage,
})

const share = createRoute({
  getParentRoute: () => root,
  path: '/share',
  component: lazyRouteComponent(() => import('./pages/share/share-page.tsx'), 'SharePage'),
})

/** Everything that requires sign-in. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    const identity = await context.queries.ensureQueryData(identityQuery)
    if (identity === null) redirect({ to: '/sign-in', search: { next: location.href }, throw: true })
  },
})

const fleet = createRoute({
  getParentRoute: () => shell,
  path: '/',
  validateSearch: readFleetSearch,
  component: lazyRouteComponent(() => import('./pages/fleet/fleet-page.tsx'), 'FleetPage'),
})

const inbox = createRoute({
  getParentRoute: () => shell,
  path: '/inbox',
  component: lazyRouteComponent(() => import('./pages/inbox/inbox-page.tsx'), 'InboxPage'),
})

const agent = createRoute({
  getParentRoute: () => shell,
  path: '/agents/$provider/$account/$workspace/$',
  validateSearch: readAgentSearch,
  component: lazyRouteComponent(() => import('./pages/agent/agent-page.tsx'), 'AgentPage'),
})

const spawn = createRoute({
  getParentRoute: () => shell,
  path: '/spawn',
  validateSearch: readSpawnSearch,
  component: lazyRouteComponent(() => import('./pages/spawn/spawn-page.tsx'), 'SpawnPage'),
})

const catalog = createRoute({
  getParentRoute: () => shell,
  path: '/catalog',
  component: lazyRouteComponent(() => import('./pages/catalog/kinds-page.tsx'), 'KindsPage'),
})

const kind = createRoute({
  getParentRoute: () => shell,
  path: '/catalog/$kind',
  component: lazyRouteComponent(() => import('./pages/catalog/kind-page.tsx'), 'KindPage'),
})

const resource = createRoute({
  getParentRoute: () => shell,
  path: '/catalog/$kind/$name',
  component: lazyRouteComponent(() => import('./pages/catalog/resource-page.tsx'), 'ResourcePage'),
})

const tokens = createRoute({
  getParentRoute: () => shell,
  path: '/tokens',
  component: lazyRouteComponent(() => import('./pages/tokens/tokens-page.tsx'), 'TokensPage'),
})

const runners = createRoute({
  getParentRoute: () => shell,
  path: '/runners',
  component: lazyRouteComponent(() => import('./pages/runners/runners-page.tsx'), 'RunnersPage'),
})

const sessions = createRoute({
  getParentRoute: () => shell,
  path: '/sessions',
  component: lazyRouteComponent(() => import('./pages/sessions/sessions-page.tsx'), 'SessionsPage'),
})

const audit = createRoute({
  getParentRoute: () => shell,
  path: '/audit',
  validateSearch: readAuditSearch,
  component: lazyRouteComponent(() => import('./pages/audit/audit-page.tsx'), 'AuditPage'),
})

/** Inside the frame, so that a wrong URL still shows the navigation. */
const missing = createRoute({ getParentRoute: () => shell, path: '$', component: MissingPage })

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    share,
    shell.addChildren([
      fleet,
      inbox,
      agent,
      spawn,
      catalog,
      kind,
      resource,
      runners,
      tokens,
      sessions,
      audit,
      missing,
    ]),
  ]),
  context: { queries },
  defaultPendingComponent: LoadingPage,
  defaultErrorComponent: BrokenPage,
  defaultPreload: 'intent',
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
