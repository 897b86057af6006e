import { Agent, request } from 'node:http'

/** What an attacker has: the service's URL and an admin key of its own tenant. */
export interface Foothold {
  readonly url: string
  readonly key: string
}

/** One kind of abuse: `prepare` once, then `strike` from this many concurrent loops until told to stop. */
export interface Attack {
  readonly loops: number
  readonly prepare?: (caller: Caller) => Promise<void>
  readonly strike: (caller: Caller, turn: number) => Promise<unknown>
}

/** Sends requests and counts what was answered, so that an attack that did nothing does not pass for a harmless one. */
export class Caller {
  readonly #foothold: Foothold
  readonly #agent = new Agent({ keepAlive: true })
  readonly statuses: Record<number, number> = {}

  constructor(foothold: Foothold) {
    this.#foothold = foothold
  }

  post(path: string, body: unknown): Promise<number> {
    return this.#send(path, JSON.stringify(body), { authorization: `Bearer ${this.#foothold.key}` })
  }

  write(kind: string, name: string, document: unknown): Promise<number> {
    const payload = Buffer.from(JSON.stringify(document)).toString('base64')
    return this.post(`/v1/catalog/${kind}/${name}`, { payload })
  }

  /** With an unknown key. */
  guess(turn: number): Promise<number> {
    return this.#send('/v1/agents', '{}', { authorization: `Bearer skein_c1_guess${turn}_0123456789` })
  }

  #send(path: string, body: string, headers: Readonly<Record<string, string>>): Promise<number> {
    return new Promise((resolve) => {
      const done = (status: number): void => {
        this.statuses[status] = (this.statuses[status] ?? 0) + 1
        resolve(status)
      }
      const options = {
        method: 'POST',
        agent: this.#agent,
        headers: { 'content-type': 'application/json', ...headers },
      }
      const outgoing = request(`${this.#foothold.url}${path}`, options, (incoming) => {
        incoming.on('error', () => done(0)).on('end', () => done(incoming.statusCode ?? 0))
        incoming.resume()
      })
      outgoing.on('error', () => done(0)).end(body)
    })
  }
}

const agentNamed = (...agent: readonly string[]) => ({ workspace: 'default', agent })

function spawn(caller: Caller, agent: readonly string[], fields: object = {}): Promise<number> {
  return caller.post('/v1/agent/spawn', { agentId: agentNamed(...agent), description: 'Work.', ...fields })
}

async function spawnMany(caller: Caller, name: string, amount: number): Promise<void> {
  for (let index = 0; index < amount; index += 1) await spawn(caller, [`${name}-${index}`])
}

/** Near the bounds of what a schema may be, and different each time so that no cache helps. */
function costlySchema(turn: number): object {
  const names = Array.from({ length: 100 }, (_, index) => `^(a|b)*${turn}-${index}[a-z]+$`)
  return {
    type: 'object',
    patternProperties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  }
}

function linkedTasks(amount: number): object[] {
  const ids = Array.from({ length: amount }, (_, index) => index.toString(36))
  return ids.map((id, index) => ({ id, subject: `Step ${id}`, blocks: ids.slice(index + 1, index + 40) }))
}

const LARGE_TEXT = 'x'.repeat(200_000)

export const ATTACKS = {
  'reads everything at once': {
    loops: 40,
    prepare: (caller) => spawnMany(caller, 'read', 100),
    strike: (caller, turn) =>
      turn % 2 === 0
        ? caller.post('/v1/agents', { account: '*', pageSize: 1000 })
        : caller.post('/v1/fleet', { pageSize: 1000 }),
  },
  'commands to one agent': {
    loops: 60,
    prepare: async (caller) => void (await spawn(caller, ['one'])),
    strike: (caller) => caller.post('/v1/agent/queue', { agentId: agentNamed('one'), description: 'More.' }),
  },
  'spawns and kills trees': {
    loops: 12,
    strike: async (caller, turn) => {
      const root = `tree-${turn % 12}`
      await spawn(caller, [root])
      for (let index = 0; index < 10; index += 1) await spawn(caller, [root, `child-${index}`])
      await caller.post('/v1/agent/kill', { agentId: agentNamed(root) })
    },
  },
  'costly schemas': {
    loops: 20,
    strike: (caller, turn) =>
      caller.write('persona', `s-${turn % 20}`, { outputSchema: JSON.stringify(costlySchema(turn)) }),
  },
  'long checklists': {
    loops: 10,
    prepare: (caller) => spawnMany(caller, 'list', 10),
    strike: async (caller, turn) => {
      const agentId = agentNamed(`list-${turn % 10}`)
      await caller.post('/v1/agent/tasks/create', { agentId, tasks: linkedTasks(200) })
      await caller.post('/v1/agent/tasks', { agentId })
    },
  },
  'large messages': {
    loops: 10,
    prepare: (caller) => spawnMany(caller, 'large', 10),
    strike: async (caller, turn) => {
      const agentId = agentNamed(`large-${turn % 10}`)
      await caller.post('/v1/agent/queue', { agentId, description: LARGE_TEXT })
      await caller.post('/v1/agent/status', { agentId })
      if (turn % 5 === 0) await caller.post('/v1/agent/clear-follow-ups', { agentId })
    },
  },
  'rewrites the catalog': {
    loops: 20,
    strike: (caller, turn) =>
      caller.write('persona', `p-${turn % 20}`, { prompt: `${turn} ${LARGE_TEXT.slice(0, 50_000)}` }),
  },
  'guesses keys': { loops: 40, strike: (caller, turn) => caller.guess(turn) },
} satisfies Record<string, Attack>

export type AttackName = keyof typeof ATTACKS
