import { randomBytes, randomUUID } from 'node:crypto'
import type { AgentId, Assignment } from '@skein/contract'
import { waitFor, type TestAnswer, type TestServer, type TestTenant } from '@skein/testkit'
import type { Client } from 'pg'
import {
  agentsChangedSince,
  closeTenant,
  createTenant,
  delayDeletion,
  deleteTenantAgents,
  deleteTenantEvents,
  deleteTenantRow,
  deleteTenantRows,
  describeTenant,
  listTenants,
  noteEmptiedTenant,
  setSuspended,
  findLeavingTenants,
  wasOwnTenantHeld,
  takeClosedTenant,
  AuditSealStore,
  chargeSignIn,
  expireReservations,
  DirectoryGroupStore,
  DirectoryUserStore,
  LeaverStore,
  takeDueLeavers,
  findBrowserSession,
  findTenantId,
  listActiveBudgets,
  listOnlinePools,
  listPoolWork,
  listRunners,
  LoginStore,
  maintainPartitions,
  removeExpired,
  type Expiry,
  readAutomationTotals,
  readPoolTotals,
  takeDueEndpoints,
  CodeHostCallStore,
  takeDueCodeHostCalls,
  takeDueHostIssues,
  takeDueHostWatches,
  findInvitation,
  takeDueInvitationMails,
  takeDuePersonGrants,
  takeDuePullRequests,
  takeDueTriggers,
  TriggerDeliveryStore,
  TriggerStore,
  takeDueSchedules,
  takeUnreadOutboxes,
  EndpointStore,
  takeSignInLink,
  SegmentStore,
  SegmentWork,
} from '../src/index.ts'
import { loadAsBeforeQuery, writeAsBeforeQuery } from './previous-release.ts'

type Fields = Readonly<Record<string, unknown>>

/** Makes every function of the database run every statement in it. */
export class FunctionTour {
  readonly #server: TestServer
  readonly #tenant: TestTenant
  readonly #owner: Client
  #round = 0

  constructor(server: TestServer, tenant: TestTenant, owner: Client) {
    this.#server = server
    this.#tenant = tenant
    this.#owner = owner
  }

  async run(): Promise<void> {
    this.#round += 1
    const runner = await this.#runner()
    const lost = await this.#spawn('lost')
    await this.#spawn(['lost', 'child'])
    const worked = await this.#spawn('worked', { labels: { team: 'a' } })
    await this.#spawnForProfile()
    await this.#spawnAsBefore()
    await this.#spawn(['worked', 'child'])
    await this.#messages(worked)
    const runs = await this.#poll(runner)
    for (const { lease } of runs) await runner.post('/v1/runner/heartbeat', { runs: [{ lease }] })
    await this.#complete(runner, runs, worked)
    await this.#lose(lost)
    await this.#deliverDeferred(worked)
    await this.#queue(worked, {})
    await must(this.#tenant.admin.post('/v1/agent/status', { agentId: worked }))
    await must(this.#tenant.admin.post('/v1/agent/kill', { agentId: worked }))
    await must(runner.post('/v1/runner/leftovers', { removed: [randomUUID()] }))
    await this.#share(worked)
    await this.#leave()
    await this.#removeExpired(worked)
    await this.#sealAudit()
    await this.#outsideOfTrees()
    await this.#writeAsBefore()
    await this.#callCodeHosts()
    await this.#spendBudgets(runner)
    await this.#schedule()
    await this.#sendWebhooks()
    await this.#receiveDeliveries()
    await this.#moveEvents()
    await this.#manageTenants()
  }

  async #spawn(name: string | readonly string[], fields: Fields = {}): Promise<AgentId> {
    const [root = '', ...below] = typeof name === 'string' ? [name] : name
    const agentId = { agent: [`${root}-${this.#round}`, ...below] }
    const body = { agentId, description: 'Work.', ...fields }
    return (await must(this.#tenant.admin.post('/v1/agent/spawn', body))).body['agentId'] as AgentId
  }

  async #spawnForProfile(): Promise<void> {
    await must(this.#tenant.admin.write('profile', 'tour', {}))
    const agentId = {
      ownerProvider: 'PROVIDER_SERVICE_PROFILE',
      account: 'tour',
      agent: [`profile-${this.#round}`],
    }
    await must(this.#tenant.admin.post('/v1/agent/spawn', { agentId, description: 'Work.' }))
  }

  /** What servers of the release before ask for. */
  async #spawnAsBefore(): Promise<void> {
    await this.#server.engine.database.forTenant(this.#tenant.id, async (transaction) => {
      await transaction.query(`select * from read_spawn_catalog('${this.#tenant.id}', 'default', '', '')`)
      await transaction.query(`select * from hold_resources('{workspace,pool}', '{default,default}')`)
    })
  }

  #queue(agentId: AgentId, fields: Fields): Promise<TestAnswer> {
    return must(this.#tenant.admin.post('/v1/agent/queue', { agentId, description: 'More.', ...fields }))
  }

  /** A message that is removed, one that waits for its time, and one that is delivered. */
  async #messages(agentId: AgentId): Promise<void> {
    await this.#queue(agentId, { followUpId: 'back' })
    await must(this.#tenant.admin.post('/v1/agent/queue/remove', { agentId, followUpId: 'back' }))
    const deliverAt = new Date(Date.now() + 3_600_000).toISOString()
    await this.#queue(agentId, { followUpId: 'later', deliverAt })
    await this.#queue(agentId, {})
  }

  async #runner() {
    const document = { account: 'robot', role: 'runner', pools: ['default'] }
    const answer = await must(
      this.#tenant.operator.write('token', `runner-${this.#round}`, document, { justification: 'a test' }),
    )
    return this.#tenant.client(String(answer.document['key']))
  }

  async #poll(runner: TestTenant['admin']): Promise<Assignment[]> {
    const runs: Assignment[] = []
    await waitFor(
      async () => {
        const answer = await must(runner.post('/v1/runner/poll', { capacity: 10 }))
        runs.push(...(answer.body['runs'] as Assignment[]))
        return runs.length >= 4
      },
      { what: 'four runs' },
    )
    return runs
  }

  async #take(runner: TestTenant['admin'], agent: readonly string[]): Promise<Assignment> {
    return waitFor(
      async () => {
        const { body } = await must(runner.post('/v1/runner/poll', { capacity: 10 }))
        return (body['runs'] as Assignment[]).find(({ agentId }) => agentId.agent.join() === agent.join())
      },
      { what: `a run of ${agent.join('/')}` },
    )
  }

  /** With costs, which are summed up by the hour. */
  async #complete(
    runner: TestTenant['admin'],
    runs: readonly Assignment[],
    { agent }: AgentId,
  ): Promise<void> {
    const usage = { cost: 1, inputTokens: '1', cachedInputTokens: '0', outputTokens: '1' }
    for (const { lease, agentId } of runs) {
      if (agentId.agent[0] !== agent[0]) continue
      await must(runner.post('/v1/runner/complete', { lease, outcome: { reason: 'rested', usage } }))
    }
  }

  /** Its child too: a parent is told of that, so it is more than one change. */
  async #lose({ agent }: AgentId): Promise<void> {
    await this.#owner.query(
      `update lease l set expires_at = '-infinity' from agent a
       where a.id = l.agent_id and (a.key like '%/' || $1 or a.key like '%/' || $1 || '/child')`,
      [agent[0]],
    )
    await this.#owner.query(`update service_contact set seen_at = now() - interval '1 hour'`)
    await this.#server.sweep()
  }

  async #deliverDeferred({ agent }: AgentId): Promise<void> {
    await this.#owner.query(
      `update timer set due_at = now() - interval '1 second' where agent_key like '%/' || $1`,
      [agent[0]],
    )
    await this.#server.sweep()
  }

  /** A tree that has expired, one of which a runner still holds something, and a version that was replaced long ago. */
  async #removeExpired({ agent: [expired] }: AgentId): Promise<void> {
    const kept = await this.#spawn('kept')
    await this.#spawn(['kept', 'child'])
    await must(this.#tenant.admin.post('/v1/agent/kill', { agentId: kept }))
    await this.#owner.query(
      `update leftover l set ended_at = '-infinity', is_removed = a.key not like '%/child' or a.key like $1
       from agent a where a.id = l.agent_id and a.tenant_id = $2`,
      [`%/${expired ?? ''}/%`, this.#tenant.id],
    )
    for (const prompt of ['Old.', 'New.'])
      await must(this.#tenant.admin.write('persona', `replaced-${this.#round}`, { prompt }))
    await this.#owner.query(
      `update resource_version set updated_at = '-infinity' where tenant_id = $1 and kind = 'persona' and name = $2`,
      [this.#tenant.id, `replaced-${this.#round}`],
    )
    const expiry: Expiry = {
      agents: 0,
      versions: 0,
      spend: 0,
      firings: 0,
      triggerDeliveries: 0,
      replacedKeys: 0,
      codeHostCalls: 0,
      pullRequests: 0,
      hostDeliveries: 0,
      hostIssues: 0,
      hostStarts: 0,
      auditSeals: 0,
      leavers: 0,
      invitations: 0,
      segments: 0,
    }
    await removeExpired(this.#server.engine.database, expiry, {
      isStopped: () => false,
      onError: (error) => {
        throw error
      },
    })
  }

  /** Somebody whom a server is to look at, and a directory that was deleted with its users and groups. */
  async #leave(): Promise<void> {
    const { database } = this.#server.engine
    const provider = {
      title: 'A',
      issuer: 'https://sso.example.com',
      clientId: 'skein',
      clientSecret: 'client',
    }
    const name = `sso-${this.#round}`
    await must(this.#tenant.admin.write('secret', 'client', { value: 's3cret' }))
    await must(this.#tenant.admin.write('identity-provider', name, provider))
    await must(this.#tenant.admin.write('directory', name, {}))
    await database.forTenant(this.#tenant.id, async (transaction) => {
      const at = Date.now()
      const [userId, groupId] = [randomUUID(), randomUUID()]
      const texts = { displayName: '', givenName: '', familyName: '', email: '' }
      const user = { userName: 'ada', externalId: '', active: true, ...texts }
      await new DirectoryUserStore(transaction, name).add(userId, user, at)
      const groups = new DirectoryGroupStore(transaction, name)
      await groups.add(groupId, { displayName: 'staff', externalId: '' }, at)
      await groups.addMembers(groupId, [userId])
      const owner = { ownerProvider: 'PROVIDER_IDP_OIDC', account: 'ada' }
      const left = { id: randomUUID(), directory: name, ...owner, agents: 'stop' as const, leftAt: at - 1000 }
      await new LeaverStore(transaction).add(left)
    })
    await must(this.#tenant.admin.delete(`/v1/catalog/directory/${name}`))
    const wanted = { amount: 1, holdMs: 1000, busyTenants: [], at: Date.now() }
    await database.statement((transaction) => takeDueLeavers(transaction, wanted))
    await this.#owner.query(
      `update leaver set ended_at = '-infinity', due_at = 'infinity' where tenant_id = $1`,
      [this.#tenant.id],
    )
  }

  async #sealAudit(): Promise<void> {
    const span = { from: Date.now() - 3_600_000, until: Date.now() }
    await this.#server.engine.database.withoutTenant(async (transaction) => {
      const store = new AuditSealStore(transaction)
      await store.holdPosition()
      const sums = await store.sums(span)
      const seals = sums.map(({ lastNumber, lastMac, ...sum }) => ({
        ...sum,
        number: lastNumber + 1n,
        previousMac: lastMac,
        mac: '',
      }))
      await store.add(span, Date.now(), seals)
    })
  }

  /** One that is due, of a tenant that has turns, and one of a tenant that is closed. */
  async #schedule(): Promise<void> {
    const { database } = this.#server.engine
    await must(this.#tenant.admin.write('profile', 'night', {}))
    await must(this.#tenant.admin.write('workspace', 'shop', {}))
    const document = { every: '1s', profile: 'night', workspace: 'shop', spawn: { description: 'Tidy up.' } }
    await must(this.#tenant.admin.write('schedule', `tidy-${this.#round}`, document))
    const take = () =>
      database.statement((transaction) =>
        takeDueSchedules(transaction, {
          amount: 4,
          perTenant: 2,
          busyTenants: [],
          at: Date.now() + 60_000,
          holdMs: 1,
        }),
      )
    if ((await take()).length === 0) throw new Error('No schedule was due')
    await this.#owner.query('update tenant set closed_at = now() where id = $1', [this.#tenant.id])
    await this.#owner.query(`update schedule_turn set due_at = '-infinity' where tenant_id = $1`, [
      this.#tenant.id,
    ])
    await take()
    await this.#owner.query('update tenant set closed_at = null where id = $1', [this.#tenant.id])
  }

  /** A request, a copy of it, and one too many; then the trigger is held and released. */
  async #receiveDeliveries(): Promise<void> {
    const { database } = this.#server.engine
    const trigger = 'tour'
    const body = new Uint8Array([this.#round])
    const delivery = { trigger, body, bodyKey: body, headers: {}, perMinute: 1 }
    await database.forTenant(this.#tenant.id, async (transaction) => {
      await new TriggerStore(transaction).put(trigger)
      const deliveries = new TriggerDeliveryStore(transaction)
      for (const key of ['a', 'a', 'b']) {
        await deliveries.accept({ ...delivery, id: randomUUID(), senderKey: `${key}-${this.#round}` })
      }
      await deliveries.accept({
        ...delivery,
        id: randomUUID(),
        bodyKey: undefined,
        senderKey: `c-${this.#round}`,
      })
    })
    await this.#owner.query(
      `update trigger_state set due_at = '-infinity', held_until = '-infinity', free_at = '-infinity' where tenant_id = $1`,
      [this.#tenant.id],
    )
    const [held] = await database.statement((transaction) =>
      takeDueTriggers(transaction, { amount: 1, holdMs: 1_000, busyTenants: [] }),
    )
    if (!held) throw new Error('No trigger was due')
    await database.forTenant(this.#tenant.id, (transaction) =>
      new TriggerStore(transaction).release(held, Date.now()),
    )
  }

  /** A call that fits, one that is refused, and one that is never settled; then the budget is about something else. */
  async #spendBudgets(runner: TestTenant['admin']): Promise<void> {
    const { database } = this.#server.engine
    const budget = { amount: 100 + this.#round }
    await must(this.#tenant.admin.write('budget', 'tour', { ...budget, label: 'team=a' }))
    const { agent } = await this.#spawn('spender', { labels: { team: 'a' } })
    const run = await this.#take(runner, agent)
    const beat = (report: Fields) =>
      must(runner.post('/v1/runner/heartbeat', { runs: [{ lease: run.lease, ...report }] }))
    const usage = { cost: 1, inputTokens: '1', cachedInputTokens: '0', outputTokens: '1' }
    for (const estimate of [1, 90, 1000, 2]) await beat({ wantsBudget: true, estimate })
    await beat({ usage })
    await beat({ wantsBudget: true, estimate: 3 })
    await this.#owner.query(`update budget_reservation set expires_at = '-infinity'`)
    await database.statement((transaction) => expireReservations(transaction, 10))
    await database.statement((transaction) => listActiveBudgets(transaction))
    await must(this.#tenant.admin.write('budget', 'tour', budget))
    await must(this.#tenant.admin.delete('/v1/catalog/budget/tour'))
    await must(runner.post('/v1/runner/complete', { lease: run.lease, outcome: { reason: 'rested' } }))
  }

  /** Two agents that nobody else sees. One of them ends. */
  async #writeAsBefore(): Promise<void> {
    const base = {
      ...({
        rootKey: 'b',
        parentKey: '',
        ownerProvider: 'P',
        account: 'a',
        workspace: 'w',
        pool: 'p',
      } as const),
      ...({ phase: 'PHASE_PENDING', isTerminal: false, leaves: false, isKnown: false, labels: {} } as const),
      ...({ costMicros: '0', state: {}, listed: {}, firstSequence: '1', lastSequence: '1' } as const),
      createdAt: new Date().toISOString(),
    }
    const agent = { ...base, id: randomUUID(), key: 'b' }
    const ended = { ...base, id: randomUUID(), key: 'b/c', isTerminal: true }
    const message = { agentId: agent.id, followUpId: 'm' }
    const place = { agentKey: agent.key, rootKey: agent.rootKey }
    const at = agent.createdAt
    const body = { followUpId: 'm', description: '', tasks: [], override: {}, createdAt: 0 }
    const { statement, values } = writeAsBeforeQuery(
      this.#tenant.id,
      Date.now(),
      { actor: 'tour', command: { id: randomBytes(32), requestSha256: randomBytes(32), answer: {} } },
      {
        agents: [agent, ended],
        events: [{ agentId: agent.id, sequence: '1', event: {} }],
        fleet: {},
        newFollowUps: [{ ...message, state: 'QUEUED', body, position: '1' }],
        followUps: [{ ...message, state: 'DROPPED' }],
        queuedRuns: [
          { agentId: agent.id, ...place, pool: 'p', runId: '1', attempt: 1, availableAt: at, isNew: false },
        ],
        endedRuns: [ended.id],
        newTimers: [{ ...message, ...place, dueAt: at }],
        endedTimers: [message],
        liveDelta: 0,
      },
    )
    const load = loadAsBeforeQuery(this.#tenant.id, 'b', randomBytes(32))
    await this.#server.engine.database.forTenant(this.#tenant.id, async (transaction) => {
      await transaction.query('savepoint before')
      await transaction.execute(load.statement, load.values)
      await transaction.execute(statement, values)
      await transaction.query('rollback to before')
    })
  }

  async #callCodeHosts(): Promise<void> {
    const { database } = this.#server.engine
    const call = { id: randomUUID(), key: `tour-${this.#round}`, codeHost: 'github', request: {} }
    await database.forTenant(this.#tenant.id, (transaction) => new CodeHostCallStore(transaction).ask(call))
    const held = await database.statement((transaction) =>
      takeDueCodeHostCalls(transaction, { amount: 8, holdMs: 1_000, busyTenants: [] }),
    )
    if (held.length === 0) throw new Error('No call to a code host was due')
    await database.statement((transaction) =>
      takeDuePullRequests(transaction, { amount: 8, holdMs: 1_000, busyTenants: [] }),
    )
    for (const take of [takeDueHostIssues, takeDueHostWatches]) {
      await database.statement((transaction) =>
        take(transaction, { amount: 8, holdMs: 1_000, busyTenants: [] }),
      )
    }
  }

  /** An endpoint whose test somebody waits for, then one with nothing to send. */
  async #sendWebhooks(): Promise<void> {
    const { database } = this.#server.engine
    await must(this.#tenant.admin.write('integration', 'hook', { url: 'https://hooks.example.com/' }))
    await database.statement((transaction) => takeUnreadOutboxes(transaction, { amount: 1, unseenMs: 0 }))
    for (const testId of ['0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10', null]) {
      await this.#owner.query(
        `update endpoint set due_at = '-infinity', held_until = '-infinity', test_id = $2 where tenant_id = $1`,
        [this.#tenant.id, testId],
      )
      const [held] = await database.statement((transaction) =>
        takeDueEndpoints(transaction, { amount: 1, holdMs: 1_000, busyTenants: [] }),
      )
      if (!held) throw new Error('No endpoint was due')
      await database.forTenant(held.tenantId, (transaction) =>
        new EndpointStore(transaction).release(held, Date.now()),
      )
    }
  }

  async #share({ workspace, account, agent }: AgentId): Promise<void> {
    await must(this.#tenant.admin.write('workspace', workspace, {}))
    const link = { workspace, account, agent }
    const answer = await must(this.#tenant.admin.write('share-link', `link-${this.#round}`, link))
    await must(this.#tenant.client(String(answer.document['key'])).get('/v1/share'))
  }

  /** An agent whose events are old, and an object that nobody needs. */
  async #moveEvents(): Promise<void> {
    const { database } = this.#server.engine
    const { agent } = await this.#spawn('old')
    await this.#owner.query(
      `update timeline t set created_at = t.created_at - interval '100 days' from agent a
       where a.id = t.agent_id and a.tenant_id = $1 and a.key like '%/' || $2`,
      [this.#tenant.id, agent[0]],
    )
    const before = Date.now() - 90 * 86_400_000
    const holder = randomUUID()
    const [found] = await database.statement(async (transaction) => {
      const work = new SegmentWork(transaction)
      await work.takeTurn(holder, 1000)
      await work.keepTurn(holder, holder, 1000)
      return work.findOld(before, '00000000-0000-0000-0000-000000000000', 10)
    })
    if (!found) throw new Error('No events are old')
    const { agentId } = found
    await database.forTenant(this.#tenant.id, async (transaction) => {
      const store = new SegmentStore(transaction)
      await store.heldFrom([agentId])
      await store.keepUnmoved(agentId)
      const events = await store.oldestEvents(agentId, { events: 10, bytes: 1_000_000 })
      const segment = {
        agentId,
        firstSequence: events[0]?.sequence ?? 0n,
        lastSequence: events.at(-1)?.sequence ?? 0n,
        events: events.length,
        lastAtMicros: events.at(-1)?.atMicros ?? 0n,
        storedBytes: 1,
        plainBytes: 1,
        checksum: Buffer.from(agentId).toString('hex'),
      }
      const object = await store.draft(segment)
      if (object === undefined || !(await store.move(segment, object))) throw new Error('Nothing was moved')
      await store.after(agentId, 0n, 10)
      await store.forgetReturned(agentId)
    })
    await database.statement(async (transaction) => {
      const work = new SegmentWork(transaction)
      await work.takeUnused({ unusedBefore: Date.now(), draftsBefore: Date.now() }, 10)
      await work.forgetUnused([Buffer.from('none').toString('hex')])
      await work.dropMoved(before)
      await work.oldestMonth()
      await work.endTurn(holder)
    })
  }

  /** One that comes and goes. */
  async #manageTenants(): Promise<void> {
    const tenant = { provider: 'PROVIDER_CODEHOST_APP', org: randomUUID() } as const
    await this.#server.engine.database.withoutTenant(async (transaction) => {
      const { id } = await createTenant(transaction, randomUUID(), tenant)
      await describeTenant(transaction, id)
      for (const org of [tenant.org, undefined]) await listTenants(transaction, { org, after: id, amount: 1 })
      for (const isSuspended of [true, false]) await setSuspended(transaction, id, isSuspended)
      await wasOwnTenantHeld(transaction, 1000)
      await findLeavingTenants(transaction)
      await closeTenant(transaction, id, { abandonsLeftovers: false, byServers: true })
      await transaction.query(`select close_tenant('${id}', false, true)`)
      await takeClosedTenant(transaction, 1000)
      await delayDeletion(transaction, id, 1000)
      await deleteTenantRows(transaction, { name: 'api_key', parent: 'api_key' }, id)
      await deleteTenantAgents(transaction, id)
      await deleteTenantEvents(transaction, id)
      await noteEmptiedTenant(transaction, id, true)
      await deleteTenantRow(transaction, id)
    })
  }

  /** What finds its tenant itself, or serves all. */
  async #outsideOfTrees(): Promise<void> {
    const { database } = this.#server.engine
    const { provider, org } = this.#tenant.tenant
    await database.withoutTenant(async (transaction) => {
      await maintainPartitions(transaction, {})
      await chargeSignIn(transaction, { slots: [1, 2], cost: 1, perMinute: 60, at: Date.now() })
      await findTenantId(transaction, { provider, org })
      const secrets = { secretSha256: Buffer.alloc(32), pageSecretSha256: Buffer.alloc(32) }
      await findBrowserSession(transaction, secrets, Date.now())
      await findInvitation(transaction, Buffer.alloc(32), Date.now())
      await takeSignInLink(transaction, Buffer.alloc(32), Date.now())
      await waitForLogin(new LoginStore(transaction))
      await takeDuePersonGrants(transaction, { amount: 1, holdMs: 1000, busyTenants: [] })
      await takeDueInvitationMails(transaction, { amount: 1, holdMs: 1000, busyTenants: [] })
      await agentsChangedSince(transaction, [this.#tenant.id], Date.now())
      await listRunners(transaction, this.#tenant.id, { withinMs: 1000, onlineMs: 1000 })
      await listOnlinePools(transaction, this.#tenant.id, 1000)
      await listPoolWork(transaction, this.#tenant.id)
      await readPoolTotals(transaction, { named: ['default'], freshMs: 0, onlineMs: 1000, most: 100 })
      await readAutomationTotals(transaction, { freshMs: 0, most: 100 })
    })
  }
}

async function must(sent: Promise<TestAnswer>): Promise<TestAnswer> {
  const answer = await sent
  if (answer.status !== 200) throw new Error(`Refused with ${answer.status}: ${answer.text}`)
  return answer
}

/** A command line that asks too often, is refused, and goes. */
async function waitForLogin(logins: LoginStore): Promise<void> {
  const [id, at] = [randomUUID(), Date.now()]
  await logins.start({
    id,
    userCode: undefined,
    port: 5000,
    codeChallenge: '',
    hostName: '',
    address: id,
    network: id,
    createdAt: at,
    expiresAt: at + 60_000,
    intervalSeconds: 5,
    mostOfAddress: 20,
    mostOfNetwork: 200,
    most: 10_000,
  })
  await logins.poll(id, at)
  await logins.poll(id, at)
  await logins.decide(id, { at, allowed: undefined })
  await logins.take(id)
}
