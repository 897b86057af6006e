import { setTimeout as pause } from 'node:timers/promises'
import { Skein } from '@skein/client'
import { ScriptedRunner, startTestServer } from '@skein/testkit'
import { CancelledFailure } from '@temporalio/activity'
import type { Attempt, Cancellation } from '../src/attempt.ts'

/** A real service with a runner that executes scripts. */
export interface World {
  readonly skein: Skein
  close(): Promise<void>
}

export async function startWorld(): Promise<World> {
  const server = await startTestServer()
  const tenant = await server.createTenant()
  const baseUrl = await server.app.listen({ port: 0, host: '127.0.0.1' })
  const token = { account: 'robot', role: 'runner', pools: ['default'] }
  const { document } = await tenant.operator.write('token', 'runner', token, { justification: 'a test' })
  const runner = new ScriptedRunner({ baseUrl, apiKey: String(document['key']), heartbeatMs: 200 }).start()
  return {
    skein: new Skein({ baseUrl, apiKey: tenant.admin.key ?? '' }),
    async close() {
      await runner.stop()
      await server.close()
    },
  }
}

/** An attempt that a test cancels as Temporal would. */
export class TestAttempt implements Attempt {
  readonly #controller = new AbortController()
  #cancellation: Cancellation = 'other'
  readonly cause
  readonly number
  readonly previousDetails
  readonly heartbeatTimeoutMs = 4_000
  readonly beats: unknown[] = []
  isOpen = true

  constructor(workflowId: string, options: { number?: number; previousDetails?: unknown } = {}) {
    this.cause = { namespace: 'default', workflowId, runId: `run-of-${workflowId}`, activityId: '1' }
    this.number = options.number ?? 1
    this.previousDetails = options.previousDetails
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  cancel(cancellation: Cancellation): void {
    this.#cancellation = cancellation
    this.#controller.abort(new CancelledFailure(cancellation))
  }

  heartbeat(details: unknown): void {
    this.beats.push(details)
  }

  cancellation(): Cancellation {
    return this.#cancellation
  }

  async isWorkflowOpen(): Promise<boolean> {
    await pause(1)
    return this.isOpen
  }
}
