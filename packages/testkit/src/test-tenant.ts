import type { Role, Tenant } from '@skein/contract'
import type { FastifyInstance } from 'fastify'
import { TestClient } from './test-client.ts'

interface TenantFacts {
  readonly id: string
  readonly tenant: Tenant
  readonly adminKey: string
  readonly operatorKey: string
}

/** A tenant with an admin and an operator, and keys of any other role on demand. */
export class TestTenant {
  readonly #app: FastifyInstance
  readonly id: string
  readonly tenant: Tenant
  readonly admin: TestClient
  readonly operator: TestClient

  constructor(app: FastifyInstance, { id, tenant, adminKey, operatorKey }: TenantFacts) {
    this.#app = app
    this.id = id
    this.tenant = tenant
    this.admin = new TestClient(app, adminKey)
    this.operator = new TestClient(app, operatorKey)
  }

  /** As query parameters of an operation. */
  get query(): Record<string, string> {
    return { 'ref.tenant.provider': this.tenant.provider, 'ref.tenant.org': this.tenant.org }
  }

  /** A client with a new key of this role. */
  async as(role: Role, account = 'bob'): Promise<TestClient> {
    const name = `${role}-${account}`.toLowerCase()
    const { document, text } = await this.admin.write('token', name, { account, role })
    if (typeof document['key'] !== 'string') throw new Error(`No key for ${name}: ${text}`)
    return this.client(document['key'])
  }

  client(key: string): TestClient {
    return new TestClient(this.#app, key)
  }
}
