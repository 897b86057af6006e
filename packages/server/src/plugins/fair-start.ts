import type { FastifyInstance, FastifyRequest } from 'fastify'
import { FairStart, laneOf } from '../fair-start/fair-start.ts'

const starts = new WeakMap<FastifyInstance, FairStart>()
const laneOfRequest = new WeakMap<FastifyRequest, string>()

export function installFairStart(app: FastifyInstance): void {
  const start = new FairStart()
  starts.set(app, start)
  app.addHook('preValidation', (request) => waitForTurn(request, 0))
  app.addHook('onSend', async (request, _reply, payload) => {
    const lane = laneOfRequest.get(request)
    if (lane !== undefined && typeof payload === 'string') start.charge(lane, payload.length)
  })
}

/** Runs before the body is parsed and before any work for the caller. Callers without a valid key wait by address. */
export async function waitForTurn(request: FastifyRequest, bytes: number): Promise<void> {
  if (laneOfRequest.has(request) || !request.routeOptions.config.operation) return
  const { caller, ip } = request
  const lane = caller ? laneOf(caller.tenantId, caller.role === 'runner') : ip
  laneOfRequest.set(request, lane)
  await starts.get(request.server)?.enter(lane, bytes)
}
