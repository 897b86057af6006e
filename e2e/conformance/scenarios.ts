import type { Api } from './api.ts'
import type { Book } from './book.ts'
import type { Bootstrap } from './installation.ts'
import { activation, completion } from './scenarios/activation.ts'
import { asked } from './scenarios/asked.ts'
import { audit } from './scenarios/access/audit.ts'
import { batches } from './scenarios/follow-ups/batches.ts'
import { bodySizes } from './scenarios/requests/body-sizes.ts'
import { budgets } from './scenarios/budget.ts'
import { builtins, kinds } from './scenarios/catalog/catalog-builtins.ts'
import { catalogConditions, conditionNumbers } from './scenarios/catalog/catalog-conditions.ts'
import { catalogDocuments } from './scenarios/catalog/catalog-documents.ts'
import { catalogPatches } from './scenarios/catalog/catalog-patches.ts'
import { catalogReferences } from './scenarios/catalog/catalog-references.ts'
import { oneTimeSecrets } from './scenarios/catalog/catalog-secrets.ts'
import { catalogTenants } from './scenarios/catalog/catalog-tenants.ts'
import { catalogWrites } from './scenarios/catalog/catalog-writes.ts'
import { ceilings } from './scenarios/catalog/ceilings.ts'
import { children } from './scenarios/children.ts'
import { clearing } from './scenarios/follow-ups/clear.ts'
import { completed } from './scenarios/completed.ts'
import { continued, continuedWork, usedByAgents } from './scenarios/continued.ts'
import { credentials } from './scenarios/access/credentials.ts'
import { dashboardLinks } from './scenarios/access/dashboard-links.ts'
import {
  buildsWithoutDeferral,
  deferralLimits,
  droppedAtTheEnd,
} from './scenarios/follow-ups/deferral-limits.ts'
import { deferred } from './scenarios/follow-ups/deferred.ts'
import { completedOtherwise, ended } from './scenarios/ended.ts'
import { fleet } from './scenarios/lists/fleet.ts'
import { idempotency } from './scenarios/requests/idempotency.ts'
import { identity } from './scenarios/access/identity.ts'
import { keyLifetime } from './scenarios/access/key-lifetime.ts'
import { killBranch, killRace, killTree } from './scenarios/kill.ts'
import { emptyBodies, nulls, references, servedDocument } from './scenarios/requests/leniency.ts'
import { listAccounts } from './scenarios/lists/list-accounts.ts'
import { listEntries } from './scenarios/lists/list-entries.ts'
import { listFilters } from './scenarios/lists/list-filters.ts'
import { newLife } from './scenarios/new-life.ts'
import { noEscalation } from './scenarios/access/no-escalation.ts'
import { operators } from './scenarios/access/operators.ts'
import { paths } from './scenarios/requests/paths.ts'
import { personas } from './scenarios/catalog/personas.ts'
import { preemptAtRest, preemptBeforeStart, tasksAlone } from './scenarios/follow-ups/preempt-at-rest.ts'
import { preempting } from './scenarios/follow-ups/preempt.ts'
import { queueList } from './scenarios/follow-ups/queue-list.ts'
import { queueing } from './scenarios/follow-ups/queue.ts'
import { quotas } from './scenarios/catalog/quotas.ts'
import { requests } from './scenarios/requests/requests.ts'
import { roles } from './scenarios/access/roles.ts'
import { sessions } from './scenarios/access/sessions.ts'
import { settingsA, settingsAtSpawn } from './scenarios/settings-a.ts'
import { settingsB } from './scenarios/settings-b.ts'
import { shareLinks } from './scenarios/access/share-links.ts'
import { stickyA } from './scenarios/sticky-a.ts'
import { stickyB } from './scenarios/sticky-b.ts'
import { stopRefusals } from './scenarios/stop-refusals.ts'
import { stopTurn } from './scenarios/stop-turn.ts'
import { stopTwice } from './scenarios/stop-twice.ts'
import { taskFields, taskTransitions } from './scenarios/tasks.ts'
import { tenants } from './scenarios/access/tenants.ts'
import { timelines } from './scenarios/lists/timeline.ts'
import { requestIds, violationsOfRequests } from './scenarios/requests/violations.ts'
import { wait } from './scenarios/lists/wait.ts'

type Step = (book: Book, api: Api, bootstrap: Bootstrap) => Promise<void>

/** The steps of a scenario run one after the other. Scenarios run concurrently, those with long runs first. */
export const SCENARIOS: Record<string, readonly Step[]> = {
  'follow-ups': [queueing, clearing, preempting, batches, preemptAtRest],
  personas: [personas],
  'stop-turn': [stopRefusals, stopTurn],
  'settings on backend A': [settingsA, settingsAtSpawn, stickyA],
  'settings on backend B': [settingsB, stickyB],
  activation: [activation, completion],
  wait: [wait],
  deferral: [deferred],
  'no escalation': [noEscalation],
  kill: [killTree, killBranch, killRace],
  asked: [asked],
  completed: [completed],
  ended: [ended, completedOtherwise],
  'stop twice': [stopTwice],
  'other tenants': [tenants],
  operators: [operators, ceilings],
  authentication: [credentials, keyLifetime],
  roles: [roles],
  'deferral limits': [deferralLimits, buildsWithoutDeferral, droppedAtTheEnd],
  'short follow-ups': [preemptBeforeStart, tasksAlone],
  requests: [requests, paths, violationsOfRequests, requestIds, servedDocument],
  leniency: [nulls, emptyBodies, references],
  'body sizes': [bodySizes],
  catalog: [catalogWrites, catalogPatches, catalogConditions, conditionNumbers, catalogTenants],
  documents: [catalogDocuments, catalogReferences, builtins, kinds],
  'one-time secrets': [oneTimeSecrets],
  identity: [identity, children, newLife],
  list: [listEntries, listFilters],
  accounts: [listAccounts],
  continued: [continued, continuedWork, usedByAgents],
  dashboard: [dashboardLinks],
  tasks: [taskFields, taskTransitions],
  idempotency: [idempotency],
  timeline: [timelines],
  'list of the queue': [queueList],
  sessions: [sessions],
  budgets: [budgets],
  fleet: [fleet],
  audit: [audit],
  'share links': [shareLinks],
}

/** Quotas apply to the whole tenant, so nothing else may run at the same time. */
export const ALONE: Record<string, readonly Step[]> = { quotas: [quotas] }
