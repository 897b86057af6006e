import { toAddress, type AgentFilter, type AgentReference } from './agent-filter.ts'
import type { AgentListOptions } from './agent-options.ts'
import { watchAudit, type AuditWatchFilter, type AuditWatchOptions } from './stream/watch-audit.ts'
import { Agent, listAgents, spawnAgent, type SpawnedAgent } from './agent.ts'
import { Catalog, tenantQuery, type CatalogListOptions, type CatalogOptions } from './catalog.ts'
import { Connection, type RequestOptions } from './call/connection.ts'
import {
  listFleet,
  listFleetPullRequests,
  readFleet,
  summarizeFleet,
  watchFleet,
  type FleetFilter,
  type FleetListOptions,
  type FleetSummaryOptions,
  type FleetWatchOptions,
} from './fleet.ts'
import { readOptions, type SkeinOptions } from './environment-options.ts'
import { Integrations } from './integrations.ts'
import { Triggers } from './triggers.ts'
import type { UsageOptions } from './usage.ts'
import type { WatchOptions } from './stream/follow-stream.ts'
import type { OperationTypes } from './generated/operations.ts'
import type {
  AcceptInvitationResponse,
  AgentEntry,
  AuditEntry,
  AuditEvent,
  CreateInvitationResponse,
  ExportAuditResponse,
  FinishSignInResponse,
  FleetChange,
  FleetEntry,
  FleetPullRequest,
  Identity,
  Invitation,
  InvitationEntry,
  ListAuditResponse,
  ListBudgetsResponse,
  LinkedAccount,
  ListFleetResponse,
  ListLinkedAccountsResponse,
  Login,
  Permissions,
  ReadUsageResponse,
  RunnerEntry,
  ListRunnersResponse,
  SessionEntry,
  SessionKeys,
  Share,
  SignInLink,
  SignInProvider,
  SignInResponse,
  StartLoginResponse,
  StartingRepository,
  SummarizeFleetResponse,
  TenantInput,
} from './generated/types.ts'
import { readPages } from './read-pages.ts'
import { Schedules } from './schedules.ts'
import { Tenants } from './tenants.ts'
import type { SpawnFields } from './spawn-fields.ts'
import { watchAgents } from './watch-agents.ts'

type AuditQuery = OperationTypes['listAudit']['query']

/**
 * Selects entries of the audit log.
 *
 * @example
 * for await (const entry of skein.audit({ account: 'ada', startTime: '2026-11-01T00:00:00Z' })) console.log(entry)
 */
export interface AuditFilter extends Pick<
  AuditQuery,
  'operation' | 'kind' | 'name' | 'account' | 'startTime' | 'endTime' | 'pageSize'
> {
  /** For operators. Default: your own tenant. */
  readonly tenant?: TenantInput | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Selects a page of the audit log.
 *
 * @example
 * const { nextPageToken } = await skein.listAudit({ account: 'ada', pageSize: 50 })
 * const older = await skein.listAudit({ account: 'ada', pageSize: 50, pageToken: nextPageToken })
 */
export interface AuditPageOptions extends AuditFilter {
  /** The `nextPageToken` of the previous page, with the same filter. Default: the first page. */
  readonly pageToken?: string | undefined
}

/**
 * Where the export of the audit log starts.
 *
 * @example
 * for await (const { entries } of skein.exportAudit({ startTime: '2026-11-01T00:00:00Z' })) console.log(entries)
 */
export interface AuditExportOptions extends Pick<
  OperationTypes['exportAudit']['query'],
  'after' | 'startTime' | 'pageSize'
> {
  /** For operators. Default: your own tenant. */
  readonly tenant?: TenantInput | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Which sessions to end.
 *
 * @example
 * await skein.signOut({ everywhere: true })
 */
export interface SignOutOptions extends RequestOptions {
  /** All browsers that signed in with the same token. */
  readonly everywhere?: boolean | undefined
}

/**
 * Whose account to unlink.
 *
 * @example
 * await skein.unlinkAccount('github', { ownerProvider: 'PROVIDER_IDP_OIDC', account: 'ada@acme.example.com' })
 */
export interface UnlinkOptions
  extends RequestOptions, Pick<OperationTypes['unlinkAccount']['query'], 'ownerProvider' | 'account'> {}

type NewInvitation = OperationTypes['createInvitation']['body']
type LoginFields = OperationTypes['startLogin']['body']
type LoginProof = OperationTypes['finishLogin']['body']
type WantedLogin = OperationTypes['findLogin']['body']

/**
 * A Skein service, used with one key. Makes no request by itself. By default it uses `SKEIN_URL` and
 * `SKEIN_API_KEY`.
 *
 * @example
 * import { Skein } from '@skein/client'
 *
 * const skein = new Skein()
 * const agent = await skein.spawn({ description: 'Fix the failing test.', workspace: 'shop' })
 * const { outcome, message } = await agent.result()
 * console.log(outcome, message)
 */
export class Skein {
  readonly #connection: Connection
  /**
   * The documents that configure the tenant.
   *
   * @example
   * const kinds = await skein.catalog.kinds()
   */
  readonly catalog: Catalog
  /**
   * What starts agents at certain times.
   *
   * @example
   * const { nextTime } = await skein.schedules.get('nightly-deps')
   */
  readonly schedules: Schedules
  /**
   * Webhooks: their state, what was sent, and replays.
   *
   * @example
   * const { isDelivered } = await skein.integrations.test('chat')
   */
  readonly integrations: Integrations
  /**
   * Requests that triggers got, and what became of them.
   *
   * @example
   * await skein.triggers.pause('tickets')
   */
  readonly triggers: Triggers
  /**
   * The tenants of the installation, for operators.
   *
   * @example
   * const [acme] = await skein.tenants.find('acme')
   */
  readonly tenants: Tenants

  constructor(options: SkeinOptions = {}) {
    this.#connection = new Connection(readOptions(options))
    this.catalog = new Catalog(this.#connection)
    this.schedules = new Schedules(this.#connection, this.catalog, 'schedule')
    this.integrations = new Integrations(this.#connection, this.catalog, 'integration')
    this.triggers = new Triggers(this.#connection, this.catalog, 'trigger')
    this.tenants = new Tenants(this.#connection)
  }

  /**
   * Returns your identity, as the service sees it.
   *
   * @example
   * const { account, role } = await skein.whoami()
   */
  whoami(options: RequestOptions = {}): Promise<Identity> {
    return this.#connection.call('whoami', {}, options)
  }

  /**
   * Returns what the service allows you to do, so that a client can show or hide it. The service still checks each
   * request.
   *
   * @example
   * const { permissions } = await skein.permissions()
   */
  permissions(options: RequestOptions = {}): Promise<Permissions> {
    return this.#connection.call('getPermissions', {}, options)
  }

  /**
   * For pages served by the service itself: exchanges an API key for a session. The browser keeps it in a cookie
   * that scripts cannot read. From then on it is used by every client without an `apiKey` and with the same
   * `pageSecret`.
   *
   * @example
   * import { Skein } from '@skein/client'
   *
   * const page = new Skein({ baseUrl: location.origin })
   * const { identity } = await page.signIn('skn_…')
   */
  signIn(apiKey: string, options: RequestOptions = {}): Promise<SignInResponse> {
    const { pageSecret } = this.#connection
    return this.#connection.call('signIn', { body: { apiKey, pageSecret } }, options)
  }

  /**
   * For pages served by the service itself: how people of an organization can sign in. Needs no key.
   *
   * @example
   * const providers = await skein.signInProviders('acme')
   */
  async signInProviders(org = '', options: RequestOptions = {}): Promise<readonly SignInProvider[]> {
    const query = org === '' ? {} : { org }
    return (await this.#connection.call('listSignInProviders', { query }, options)).providers
  }

  /**
   * For pages served by the service itself: returns the URL where a person signs in with an identity provider. It leads
   * back to the dashboard.
   *
   * @example
   * const [provider] = await skein.signInProviders('acme')
   * if (provider) location.assign(await skein.startSignIn(provider))
   */
  async startSignIn(
    { tenant, name }: Pick<SignInProvider, 'tenant' | 'name'>,
    options: RequestOptions = {},
  ): Promise<string> {
    const { pageSecret } = this.#connection
    return (await this.#connection.call('startSignIn', { body: { tenant, name, pageSecret } }, options)).url
  }

  /**
   * For the page that an identity provider leads back to: opens the session. Works once.
   *
   * @example
   * const { identity } = await skein.finishSignIn(location.pathname + location.search)
   */
  finishSignIn(returnedTo: string, options: RequestOptions = {}): Promise<FinishSignInResponse> {
    const { pageSecret } = this.#connection
    return this.#connection.call('finishSignIn', { body: { returnedTo, pageSecret } }, options)
  }

  /**
   * For command lines: asks for a person to confirm it in the dashboard. Needs no key.
   *
   * @example
   * const { url, userCode } = await skein.startLogin({ codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' })
   * console.log('Open', url, 'and type', userCode)
   */
  startLogin(fields: LoginFields, options: RequestOptions = {}): Promise<StartLoginResponse> {
    return this.#connection.call('startLogin', { body: fields }, options)
  }

  /**
   * For command lines: the keys, once a person has confirmed. Works once; fails with the reason `LOGIN_PENDING` until
   * then.
   *
   * @example
   * const codeVerifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
   * const { apiKey } = await skein.finishLogin({ loginId: '7f1e6c1c-8f5e-4d5c-9a51-3c1f0c3fd0aa', codeVerifier })
   */
  finishLogin(proof: LoginProof, options: RequestOptions = {}): Promise<SessionKeys> {
    return this.#connection.call('finishLogin', { body: proof }, options)
  }

  /**
   * For command lines: the next keys. Each renewal key works once.
   *
   * @example
   * const { apiKey, renewalKey } = await skein.renewSession('sku_…')
   */
  renewSession(renewalKey: string, options: RequestOptions = {}): Promise<SessionKeys> {
    return this.#connection.call('renewSession', { body: { renewalKey } }, options)
  }

  /**
   * For pages served by the service itself: what a command line asks for, by its id or by the code that it shows.
   *
   * @example
   * const { hostName, address } = await skein.findLogin({ userCode: 'WDJB-MJHT' })
   */
  findLogin(wanted: WantedLogin, options: RequestOptions = {}): Promise<Login> {
    return this.#connection.call('findLogin', { body: wanted }, options)
  }

  /**
   * For pages served by the service itself: lets the command line act for the person, or refuses. Returns where to send
   * the browser; empty if nowhere.
   *
   * @example
   * const redirectUrl = await skein.decideLogin({ userCode: 'WDJB-MJHT' }, true)
   */
  async decideLogin(wanted: WantedLogin, isAllowed: boolean, options: RequestOptions = {}): Promise<string> {
    return (await this.#connection.call('decideLogin', { body: { ...wanted, isAllowed } }, options))
      .redirectUrl
  }

  /**
   * A link that signs a browser in as you. Works once, within 5 minutes.
   *
   * @example
   * const { url } = await skein.createSignInLink()
   * console.log('Open', url)
   */
  createSignInLink(options: RequestOptions = {}): Promise<SignInLink> {
    return this.#connection.call('createSignInLink', { body: {} }, options)
  }

  /**
   * Ends the browser's session, or all sessions of the same token or person.
   *
   * @example
   * await skein.signOut({ everywhere: true })
   */
  async signOut({ everywhere, ...options }: SignOutOptions = {}): Promise<void> {
    await this.#connection.call('signOut', { query: { everywhere } }, options)
  }

  /**
   * The browsers signed in to your account, newest first.
   *
   * @example
   * for (const { id, userAgent, createTime } of await skein.sessions()) console.log(id, userAgent, createTime)
   */
  async sessions(options: RequestOptions = {}): Promise<readonly SessionEntry[]> {
    return (await this.#connection.call('listSessions', {}, options)).sessions
  }

  /**
   * Signs out one of these browsers immediately.
   *
   * @example
   * const [newest] = await skein.sessions()
   * if (newest) await skein.endSession(newest.id)
   */
  async endSession(sessionId: string, options: RequestOptions = {}): Promise<void> {
    await this.#connection.call('endSession', { params: { sessionId } }, options)
  }

  /**
   * For admins: a link for one person, who chooses the name of their account. It is shown once and works once.
   *
   * @example
   * const { url } = await skein.invite({ role: 'member', description: 'Grace' })
   * console.log('Send this to Grace:', url)
   */
  invite(invitation: NewInvitation, options: RequestOptions = {}): Promise<CreateInvitationResponse> {
    return this.#connection.call('createInvitation', { body: invitation }, options)
  }

  /**
   * For admins: invitations, newest first, also those that have ended.
   *
   * @example
   * for await (const { id, state, account } of skein.invitations()) console.log(id, state, account)
   */
  invitations({ signal }: Pick<RequestOptions, 'signal'> = {}): AsyncGenerator<InvitationEntry, void> {
    return readPages(
      (pageToken) => this.#connection.call('listInvitations', { query: { pageToken } }, { signal }),
      ({ invitations }) => invitations,
    )
  }

  /**
   * For admins: its link stops working.
   *
   * @example
   * await skein.revokeInvitation('0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10')
   */
  async revokeInvitation(invitationId: string, options: RequestOptions = {}): Promise<void> {
    await this.#connection.call('revokeInvitation', { params: { invitationId } }, options)
  }

  /**
   * For the page that the link of an invitation leads to: what the person is invited to. Needs no key.
   *
   * @example
   * const { tenant, role } = await skein.readInvitation(location.hash.slice(1))
   */
  readInvitation(code: string, options: RequestOptions = {}): Promise<Invitation> {
    return this.#connection.call('readInvitation', { body: { code } }, options)
  }

  /**
   * For the page that the link of an invitation leads to: creates the account and signs the browser in. Works once.
   *
   * @example
   * const { apiKey } = await skein.acceptInvitation(location.hash.slice(1), 'grace')
   */
  acceptInvitation(
    code: string,
    account: string,
    options: RequestOptions = {},
  ): Promise<AcceptInvitationResponse> {
    const { pageSecret } = this.#connection
    return this.#connection.call('acceptInvitation', { body: { code, account, pageSecret } }, options)
  }

  /**
   * Other accounts that you linked to yours, and what else you can link in this browser.
   *
   * @example
   * const { links } = await skein.linkedAccounts()
   * for (const { title, account } of links) console.log(title, account)
   */
  linkedAccounts(options: RequestOptions = {}): Promise<ListLinkedAccountsResponse> {
    return this.#connection.call('listLinkedAccounts', {}, options)
  }

  /**
   * For pages served by the service itself: returns the URL where you prove that an account of another identity provider
   * is yours too. It leads back to the dashboard.
   *
   * @example
   * const { providers } = await skein.linkedAccounts()
   * const [provider] = providers
   * if (provider) location.assign(await skein.startAccountLink(provider.name))
   */
  async startAccountLink(name: string, options: RequestOptions = {}): Promise<string> {
    return (await this.#connection.call('startAccountLink', { body: { name } }, options)).url
  }

  /**
   * For the page that an identity provider leads back to: links the account. Works once.
   *
   * @example
   * const { account } = await skein.finishAccountLink(location.pathname + location.search)
   */
  async finishAccountLink(returnedTo: string, options: RequestOptions = {}): Promise<LinkedAccount> {
    return (await this.#connection.call('finishAccountLink', { body: { returnedTo } }, options)).link
  }

  /**
   * Unlinks your account of an identity provider from your others. Admins can name whose.
   *
   * @example
   * await skein.unlinkAccount('github')
   */
  async unlinkAccount(
    name: string,
    { ownerProvider, account, ...options }: UnlinkOptions = {},
  ): Promise<void> {
    await this.#connection.call(
      'unlinkAccount',
      { params: { name }, query: { ownerProvider, account } },
      options,
    )
  }

  /**
   * For the holder of a share link: the agent it shows.
   *
   * @example
   * import { Skein } from '@skein/client'
   *
   * const guest = new Skein({ baseUrl: location.origin, apiKey: location.hash.slice(1) })
   * const { agentId, description } = await guest.share()
   * const { phase } = await guest.agent(agentId).status()
   */
  share(options: RequestOptions = {}): Promise<Share> {
    return this.#connection.call('readShare', {}, options)
  }

  /**
   * Starts an agent. If the response is lost, the call is retried, and the agent is still spawned only once.
   *
   * @example
   * const agent = await skein.spawn({ name: 'fix-checkout', workspace: 'shop', description: 'Fix the checkout.' })
   *
   * const verdict = await skein.spawn<{ readonly isGood: boolean }>({
   *   description: 'Is the checkout good?',
   *   outputSchema: { type: 'object', properties: { isGood: { type: 'boolean' } }, required: ['isGood'] },
   *   autoComplete: true,
   * })
   * const { output } = await verdict.result()
   * console.log(output?.isGood)
   */
  spawn<Output = unknown>(fields: SpawnFields, options: RequestOptions = {}): Promise<SpawnedAgent<Output>> {
    return spawnAgent(this.#connection, fields, options)
  }

  /**
   * A handle for an agent. Makes no request.
   *
   * @example
   * const docs = skein.agent('shop/release/docs')
   */
  agent<Output = unknown>(reference: AgentReference): Agent<Output> {
    return new Agent(this.#connection, toAddress(reference))
  }

  /**
   * Agents without a parent, or the children of one, newest first.
   *
   * @example
   * for await (const entry of skein.agents({ phases: ['PHASE_WAITING'] })) {
   *   console.log(skein.agent(entry.agentId).name, entry.needsInput)
   * }
   */
  agents(options: AgentListOptions = {}): AsyncGenerator<AgentEntry, void> {
    return listAgents(this.#connection, options)
  }

  /**
   * Every entry of such a list, and again whenever it changes. An entry that leaves the list is reported once more.
   * Reconnects automatically. Ends when the signal is aborted.
   *
   * @example
   * const stop = new AbortController()
   * for await (const { agentId, phase } of skein.watchAgents({ account: '*' }, { signal: stop.signal })) {
   *   console.log(skein.agent(agentId).name, phase)
   * }
   */
  watchAgents(filter: AgentFilter = {}, options: WatchOptions = {}): AsyncGenerator<AgentEntry, void> {
    return watchAgents(this.#connection, filter, options)
  }

  /**
   * The runners that serve your tenant, with what each offers and lacks.
   *
   * @example
   * for (const { name, isOnline, sandboxes } of await skein.runners()) {
   *   const problems = sandboxes.filter(({ problem }) => problem !== '')
   *   console.log(name, isOnline, problems)
   * }
   */
  async runners(options: CatalogOptions = {}): Promise<readonly RunnerEntry[]> {
    return (await this.listRunners(options)).runners
  }

  /**
   * The same runners, plus the pools with a runner or work, and what is waiting in each.
   *
   * @example
   * const { pools } = await skein.listRunners()
   * for (const { name, queued, running } of pools) {
   *   console.log(`${name}: ${running} running, ${queued} queued`)
   * }
   */
  listRunners({ tenant, ...options }: CatalogOptions = {}): Promise<ListRunnersResponse> {
    return this.#connection.call('listRunners', { query: tenantQuery(tenant) }, options)
  }

  /**
   * Agents of all levels, newest first.
   *
   * @example
   * for await (const { agentId, phase, cost } of skein.fleet({ account: '*' })) {
   *   console.log(skein.agent(agentId).name, phase, cost)
   * }
   */
  fleet(options: FleetListOptions = {}): AsyncGenerator<FleetEntry, void> {
    return readFleet(this.#connection, options)
  }

  /**
   * One page of the fleet, with the cursor for `watchFleet` to continue from without missing anything. Keep the
   * first page's cursor.
   *
   * @example
   * const { entries, nextPageToken, cursor } = await skein.listFleet({ account: '*' })
   */
  listFleet(options: FleetListOptions = {}): Promise<ListFleetResponse> {
    return listFleet(this.#connection, options)
  }

  /**
   * The newest state of each agent that changes; `isListed` says whether it still matches. Reconnects automatically:
   * no change is missed, but some may be repeated. A cursor that is too old ends the watch with the reason
   * `PAGE_TOKEN_INVALID`: list again.
   *
   * @example
   * const { cursor } = await skein.listFleet({ account: '*' })
   * for await (const { entry, isListed } of skein.watchFleet({ account: '*' }, { after: cursor })) {
   *   console.log(skein.agent(entry.agentId).name, isListed ? entry.phase : 'gone')
   * }
   */
  watchFleet(filter: FleetFilter = {}, options: FleetWatchOptions = {}): AsyncGenerator<FleetChange, void> {
    return watchFleet(this.#connection, filter, options)
  }

  /**
   * Number of agents in each phase and of those asking something, and the cost per hour.
   *
   * @example
   * const { needsInput, spend, costTotal } = await skein.fleetSummary({ account: '*', hours: 24 })
   */
  fleetSummary(options: FleetSummaryOptions = {}): Promise<SummarizeFleetResponse> {
    return summarizeFleet(this.#connection, options)
  }

  /**
   * The pull requests of up to 100 agents, one each: the newest open one, or the newest if none is open. Agents without
   * any are left out.
   *
   * @example
   * const { entries } = await skein.listFleet({ pageSize: 100 })
   * for (const { agentId, pullRequest } of await skein.fleetPullRequests(entries.map(({ agentId }) => agentId))) {
   *   console.log(skein.agent(agentId).name, pullRequest.number, pullRequest.checks)
   * }
   */
  fleetPullRequests(
    agents: readonly AgentReference[],
    options: RequestOptions = {},
  ): Promise<readonly FleetPullRequest[]> {
    return listFleetPullRequests(this.#connection, agents, options)
  }

  /**
   * Repositories whose issues start agents, with what keeps the service from reading them.
   *
   * @example
   * for await (const { repository, problem } of skein.startingRepositories()) console.log(repository, problem)
   */
  startingRepositories({ tenant, pageSize, ...options }: CatalogListOptions = {}): AsyncGenerator<
    StartingRepository,
    void
  > {
    return readPages(
      (pageToken) => {
        const query = { ...tenantQuery(tenant), pageSize, pageToken }
        return this.#connection.call('listStartingRepositories', { query }, options)
      },
      ({ repositories }) => repositories,
    )
  }

  /**
   * Cost and tokens, hour by hour or day by day, added up by workspace, team, persona, model, account or label.
   *
   * @example
   * const { groups, total } = await skein.usage({ period: '7d', groupBy: 'model' })
   * for (const { name, cost } of groups) console.log(name, cost, total.cost)
   */
  usage({ signal, timeoutMs, retries, ...body }: UsageOptions = {}): Promise<ReadUsageResponse> {
    return this.#connection.call('readUsage', { body }, { signal, timeoutMs, retries })
  }

  /**
   * The monthly budgets, with how much of each is spent.
   *
   * @example
   * const { budgets } = await skein.listBudgets()
   * for (const { name, spent, amount } of budgets) console.log(`${name}: $${spent} of $${amount}`)
   */
  listBudgets({ tenant, ...options }: CatalogOptions = {}): Promise<ListBudgetsResponse> {
    return this.#connection.call('listBudgets', { query: tenantQuery(tenant) }, options)
  }

  /**
   * Who changed what, newest first.
   *
   * @example
   * for await (const { time, account, operation } of skein.audit({ kind: 'persona' })) {
   *   console.log(time, account, operation)
   * }
   */
  audit(filter: AuditFilter = {}): AsyncGenerator<AuditEntry, void> {
    return readPages(
      (pageToken) => this.listAudit({ ...filter, pageToken }),
      ({ entries }) => entries,
    )
  }

  /**
   * One page of the audit log; `nextPageToken` is empty on the last.
   *
   * @example
   * const { entries, nextPageToken } = await skein.listAudit({ kind: 'persona', pageSize: 100 })
   */
  listAudit({ tenant, signal, ...query }: AuditPageOptions = {}): Promise<ListAuditResponse> {
    return this.#connection.call('listAudit', { query: { ...tenantQuery(tenant), ...query } }, { signal })
  }

  /**
   * Each entry of the audit log once it is committed. Reconnects automatically, and then neither misses nor repeats one. Save
   * an entry's `cursor` once it is stored, and a later watch continues `after` it.
   *
   * @example
   * const { cursor } = await skein.listAudit({ pageSize: 1 })
   * for await (const { entry, cursor: reached } of skein.watchAudit({ kind: 'token' }, { after: cursor })) {
   *   console.log(entry.account, entry.operation, entry.name, reached)
   * }
   */
  watchAudit(
    filter: AuditWatchFilter = {},
    options: AuditWatchOptions = {},
  ): AsyncGenerator<AuditEvent, void> {
    return watchAudit(this.#connection, filter, options)
  }

  /**
   * The audit log page by page, oldest first, up to a minute ago. Save a page's `cursor` once its entries are
   * stored: an export `after` it neither misses nor repeats anything.
   *
   * @example
   * for await (const { entries, cursor } of skein.exportAudit({ startTime: '2026-11-01T00:00:00Z' })) {
   *   for (const entry of entries) console.log(JSON.stringify(entry))
   *   console.error('go on after', cursor)
   * }
   */
  async *exportAudit({ tenant, signal, after, ...options }: AuditExportOptions = {}): AsyncGenerator<
    ExportAuditResponse,
    void
  > {
    let page: ExportAuditResponse | undefined
    do {
      const query = { ...tenantQuery(tenant), ...options, after: page?.cursor ?? after }
      page = await this.#connection.call('exportAudit', { query }, { signal })
      yield page
    } while (page.hasMore)
  }
}
