import type { AgentId } from '@skein/contract'
import type { TestClient, TestTenant } from '@skein/testkit'
import { AgentWorld, must } from '../agents/agent-world.ts'

export const PLACES = ['own team', 'other team', 'no team', 'other tenant'] as const
export type Place = (typeof PLACES)[number]

/** Whatever belongs to the other team has this word in its name, so that it is found wherever it leaks. */
export const MARK = 'zebra'

export const WORKSPACES: Readonly<Record<Place, string>> = {
  'own team': 'alpha-lab',
  'other team': `${MARK}-lab`,
  'no team': 'open-lab',
  'other tenant': 'rival-lab',
}

/** Names of resources of each place: a schedule, a trigger and an integration have the same. */
export const RESOURCES: Readonly<Record<Place, string>> = {
  'own team': 'alpha-thing',
  'other team': `${MARK}-thing`,
  'no team': 'open-thing',
  'other tenant': 'rival-thing',
}

const PEOPLE = {
  viewer: { role: 'viewer', inTeam: 'member' },
  member: { role: 'member', inTeam: 'member' },
  lead: { role: 'member', inTeam: 'lead' },
  onlooker: { role: 'member', inTeam: 'viewer' },
} as const

/** A tenant with two teams, another tenant, and everyone who could ask. */
export class TeamWorld {
  readonly world: AgentWorld
  readonly rival: TestTenant
  readonly clients = new Map<string, TestClient>()

  private constructor(world: AgentWorld, rival: TestTenant) {
    this.world = world
    this.rival = rival
  }

  static async start(): Promise<TeamWorld> {
    const world = await AgentWorld.start()
    const made = new TeamWorld(world, await world.server.createTenant())
    await made.#fill(world.tenant, ['own team', 'other team', 'no team'])
    await made.#fill(made.rival, ['other tenant'])
    for (const [name, { role }] of Object.entries(PEOPLE)) {
      made.clients.set(name, await world.tenant.as(role, name))
    }
    made.clients.set('admin', world.admin)
    made.clients.set('operator', world.tenant.operator)
    made.clients.set('runner', world.runner)
    return made
  }

  get admin(): TestClient {
    return this.world.admin
  }

  client(name: string): TestClient {
    const client = this.clients.get(name)
    if (!client) throw new Error(`Nobody is called ${name}`)
    return client
  }

  /** Spawned by an admin for somebody else: everyone has agents everywhere, also where they may not look any more. */
  async agentOf(account: string, place: Place, name: string | readonly string[]): Promise<AgentId> {
    const by = place === 'other tenant' ? this.rival.admin : this.admin
    return this.world.spawn(name, { agentId: { workspace: WORKSPACES[place], account } }, by)
  }

  async #fill(tenant: TestTenant, places: readonly Place[]): Promise<void> {
    const { admin } = tenant
    const members = Object.entries(PEOPLE).map(([account, { inTeam }]) => ({ account, role: inTeam }))
    must(await admin.write('team', 'alpha', { members }))
    must(await admin.write('team', MARK, { members: [{ account: 'zoe' }] }))
    must(await admin.write('profile', 'night', {}))
    const teams: Partial<Record<Place, string>> = { 'own team': 'alpha', 'other team': MARK }
    for (const place of places) {
      const workspace = WORKSPACES[place]
      const name = RESOURCES[place]
      must(await admin.write('workspace', workspace, { team: teams[place] ?? '' }))
      const work = { profile: 'night', workspace, spawn: { description: 'Work.' } }
      must(await admin.write('schedule', name, { every: '86400s', ...work }))
      must(await admin.write('trigger', name, work))
      const url = 'https://hooks.example.com/skein'
      must(await admin.write('integration', name, { url, workspaces: [workspace], disabled: true }))
      must(await admin.write('share-link', name, { workspace, agent: ['shown'], account: 'ada' }))
    }
  }
}
