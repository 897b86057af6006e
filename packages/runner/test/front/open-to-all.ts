import type { FrontHandler, FrontService } from '../../src/front/front.ts'

/** A service that requires no token. */
export function openToAll(handle: FrontHandler): FrontService {
  return { knownToken: () => 'anyone', handle, turnAway: (_request, response) => void response.destroy() }
}
