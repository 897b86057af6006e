import { statement } from '../database/statement.ts'
import type { Transaction } from '../database/transaction.ts'

const start = statement(
  'start_login',
  'select start_login($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) as is_started',
  { is_started: 'boolean' },
)

const find = statement('find_login', 'select * from find_login($1, $2, $3)', {
  id: 'uuid',
  port: 'int?',
  host_name: 'text',
  address: 'text',
  created_at: 'timestamptz',
  expires_at: 'timestamptz',
})

const decide = statement('decide_login', 'select decide_login($1, $2, $3, $4, $5, $6, $7) as is_first', {
  is_first: 'boolean',
})

const read = statement('read_login', 'select * from read_login($1, $2)', {
  port: 'int?',
  code_challenge: 'text',
  host_name: 'text',
  decided_at: 'timestamptz?',
  key_id: 'text?',
  session_id: 'uuid?',
  session_ends_at: 'timestamptz?',
  provider_session: 'text?',
  code_sha256: 'bytea?',
})

const poll = statement('poll_login', 'select poll_login($1, $2) as seconds', { seconds: 'int' })
const take = statement('take_login', 'select take_login($1) as is_first', { is_first: 'boolean' })

interface NewLogin {
  readonly id: string
  /** Keyed digest of what a person types. Undefined if the browser is sent to a port instead. */
  readonly userCode: Uint8Array | undefined
  readonly port: number | undefined
  readonly codeChallenge: string
  readonly hostName: string
  readonly address: string
  /** The larger network that the address belongs to. */
  readonly network: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly intervalSeconds: number
  readonly mostOfAddress: number
  readonly mostOfNetwork: number
  readonly most: number
}

/** As the person sees it who decides. */
export interface LoginRecord {
  readonly id: string
  readonly port: number | undefined
  readonly hostName: string
  readonly address: string
  readonly createdAt: number
  readonly expiresAt: number
}

interface AllowedLogin {
  readonly keyId: string
  /** Where the person confirmed. */
  readonly sessionId: string
  readonly sessionEndsAt: number
  readonly providerSession: string | undefined
}

interface LoginDecision {
  readonly at: number
  /** Undefined to refuse. */
  readonly allowed: (AllowedLogin & { readonly codeSha256: Uint8Array | undefined }) | undefined
}

/** As the command line finds it that waits. */
export interface WaitingLogin {
  readonly port: number | undefined
  readonly codeChallenge: string
  readonly hostName: string
  readonly isDecided: boolean
  /** Absent while nobody decided, and if they refused. */
  readonly allowed: AllowedLogin | undefined
  readonly codeSha256: Uint8Array | undefined
}

/** Command lines that wait to be confirmed. Works without a tenant: nobody has signed in yet. */
export class LoginStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  /** False if there are too many, or if the code is in use. */
  async start(login: NewLogin): Promise<boolean> {
    const row = await this.#transaction.row(start, [
      login.id,
      login.userCode ?? null,
      login.port ?? null,
      login.codeChallenge,
      login.hostName,
      login.address,
      login.network,
      new Date(login.createdAt),
      new Date(login.expiresAt),
      login.intervalSeconds,
      login.mostOfAddress,
      login.mostOfNetwork,
      login.most,
    ])
    return row?.is_started ?? false
  }

  /** By its id, or by any digest of its code. */
  async find(
    id: string | undefined,
    userCodes: readonly Uint8Array[],
    at: number,
  ): Promise<LoginRecord | undefined> {
    const row = await this.#transaction.row(find, [id ?? null, userCodes, new Date(at)])
    return (
      row && {
        id: row.id,
        port: row.port ?? undefined,
        hostName: row.host_name,
        address: row.address,
        createdAt: row.created_at.getTime(),
        expiresAt: row.expires_at.getTime(),
      }
    )
  }

  /** False if somebody has decided before, or it has expired. */
  async decide(id: string, { at, allowed }: LoginDecision): Promise<boolean> {
    const row = await this.#transaction.row(decide, [
      id,
      new Date(at),
      allowed?.keyId ?? null,
      allowed?.sessionId ?? null,
      allowed ? new Date(allowed.sessionEndsAt) : null,
      allowed?.providerSession ?? null,
      allowed?.codeSha256 ?? null,
    ])
    return row?.is_first ?? false
  }

  async read(id: string, at: number): Promise<WaitingLogin | undefined> {
    const row = await this.#transaction.row(read, [id, new Date(at)])
    if (!row) return undefined
    const { key_id: keyId, session_id: sessionId, session_ends_at: endsAt } = row
    return {
      port: row.port ?? undefined,
      codeChallenge: row.code_challenge,
      hostName: row.host_name,
      isDecided: row.decided_at !== null,
      allowed:
        keyId === null || sessionId === null || endsAt === null
          ? undefined
          : {
              keyId,
              sessionId,
              sessionEndsAt: endsAt.getTime(),
              providerSession: row.provider_session ?? undefined,
            },
      codeSha256: row.code_sha256 ?? undefined,
    }
  }

  /** How many seconds too early it asks; 0 if it waited long enough. */
  async poll(id: string, at: number): Promise<number> {
    return (await this.#transaction.row(poll, [id, new Date(at)]))?.seconds ?? 0
  }

  /** Works once. */
  async take(id: string): Promise<boolean> {
    return (await this.#transaction.row(take, [id]))?.is_first ?? false
  }
}
