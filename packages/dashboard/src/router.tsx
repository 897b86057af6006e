import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import type { QueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Shell } from './layout/shell.tsx'
import { BrokenPage, LoadingPage, MissingPage } from './layout/page-states.tsx'
import { readAgentSearch } from './pages/agent/agent-search.ts'
import { readFleetSearch } from './pages/fleet/fleet-search.ts'
import { readAutomationsSearch } from './pages/automations/automations-search.ts'
import { readAuditSearch } from './pages/audit/audit-search.ts'
import { readUsageSearch } from './pages/usage/usage-search.ts'
import { readSpawnSearch } from './agent/spawn-search.ts'
import { SignInPage } from './pages/sign-in/sign-in-page.tsx'
import { identityQuery } from './session/identity.ts'
import { queries } from './session/queries.ts'

interface Context {
  readonly queries: QueryClient
}

const root = createRootRouteWithContext<Context>()({
  notFoundComponent: MissingPage,
  errorComponent: BrokenPage,
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { next?: unknown; org?: unknown } => ({
    next: search['next'],
    org: search['org'],
  }),
  component: SignInPage,
})

/** Where an identity provider sends people, with its own path behind it. */
const signInCallback = createRoute({
  getParentRoute: () => root,
  path: '/sign-in/callback/$',
  component: lazyRouteComponent(() => import('./pages/sign-in/callback-page.tsx'), 'CallbackPage'),
})

/** Where the link of an invitation leads. */
const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: lazyRouteComponent(() => import('./pages/invitation/invitation-page.tsx'), 'InvitationPage'),
})

const share = createRoute({
  getParentRoute: () => root,
  path: '/share',
  component: lazyRouteComponent(() => import('./pages/share/share-page.tsx'), 'SharePage'),
})

async function requireSignIn({ context, location }: { context: Context; location: { href: string } }) {
  const identity = await context.queries.ensureQueryData(identityQuery)
  if (identity === null) redirect({ to: '/sign-in', search: { next: location.href }, throw: true })
}

/** Where a person confirms a command line. Without the frame: there is one thing to decide. */
const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: (search: Record<string, unknown>): { id?: unknown } => ({ id: search['id'] }),
  beforeLoad: requireSignIn,
  component: lazyRouteComponent(() => import('./pages/login/login-page.tsx'), 'LoginPage'),
})

/** Everything else that requires sign-in. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  beforeLoad: requireSignIn,
})

/** A page inside the frame, loaded when it is visited. */
function page<const Path extends string, Name extends string>(
  path: Path,
  load: () => Promise<Record<Name, () => ReactNode>>,
  name: Name,
) {
  return { getParentRoute: () => shell, path, component: lazyRouteComponent(load, name) }
}

const fleet = createRoute({
  ...page('/', () => import('./pages/fleet/fleet-page.tsx'), 'FleetPage'),
  validateSearch: readFleetSearch,
})

const inbox = createRoute(page('/inbox', () => import('./pages/inbox/inbox-page.tsx'), 'InboxPage'))

const agent = createRoute({
  ...page(
    '/agents/$provider/$account/$workspace/$',
    () => import('./pages/agent/agent-page.tsx'),
    'AgentPage',
  ),
  validateSearch: readAgentSearch,
})

const spawn = createRoute({
  ...page('/spawn', () => import('./pages/spawn/spawn-page.tsx'), 'SpawnPage'),
  validateSearch: readSpawnSearch,
})

const catalog = createRoute(page('/catalog', () => import('./pages/catalog/kinds-page.tsx'), 'KindsPage'))

const kind = createRoute(page('/catalog/$kind', () => import('./pages/catalog/kind-page.tsx'), 'KindPage'))

const resource = createRoute(
  page('/catalog/$kind/$name', () => import('./pages/catalog/resource-page.tsx'), 'ResourcePage'),
)

const automations = createRoute({
  ...page('/automations', () => import('./pages/automations/automations-page.tsx'), 'AutomationsPage'),
  validateSearch: readAutomationsSearch,
})

const integration = createRoute(
  page(
    '/automations/integrations/$name',
    () => import('./pages/automations/integrations/integration-page.tsx'),
    'IntegrationPage',
  ),
)

const trigger = createRoute(
  page(
    '/automations/triggers/$name',
    () => import('./pages/automations/triggers/trigger-page.tsx'),
    'TriggerPage',
  ),
)

const schedule = createRoute(
  page(
    '/automations/schedules/$name',
    () => import('./pages/automations/schedules/schedule-page.tsx'),
    'SchedulePage',
  ),
)

const tokens = createRoute(page('/tokens', () => import('./pages/tokens/tokens-page.tsx'), 'TokensPage'))

const runners = createRoute(page('/runners', () => import('./pages/runners/runners-page.tsx'), 'RunnersPage'))

const sessions = createRoute(
  page('/sessions', () => import('./pages/account/sessions-page.tsx'), 'SessionsPage'),
)

const account = createRoute(page('/account', () => import('./pages/account/account-page.tsx'), 'AccountPage'))

const usage = createRoute({
  ...page('/usage', () => import('./pages/usage/usage-page.tsx'), 'UsagePage'),
  validateSearch: readUsageSearch,
})

const audit = createRoute({
  ...page('/audit', () => import('./pages/audit/audit-page.tsx'), 'AuditPage'),
  validateSearch: readAuditSearch,
})

/** Inside the frame, so that a wrong URL still shows the navigation. */
const missing = createRoute({ getParentRoute: () => shell, path: '$', component: MissingPage })

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    signInCallback,
    invitation,
    share,
    login,
    shell.addChildren([
      fleet,
      inbox,
      agent,
      spawn,
      catalog,
      kind,
      resource,
      automations,
      integration,
      trigger,
      schedule,
      usage,
      runners,
      tokens,
      account,
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
