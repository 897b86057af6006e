/** Every operation of the contract, for requests without credentials. */
export const ENDPOINTS: readonly (readonly [method: string, path: string])[] = [
  ['POST', '/v1/agent/queue'],
  ['POST', '/v1/agent/queue/remove'],
  ['POST', '/v1/agent/clear-follow-ups'],
  ['POST', '/v1/agent/stop-turn'],
  ['POST', '/v1/agent/kill'],
  ['POST', '/v1/agents'],
  ['POST', '/v1/catalog/persona/any'],
  ['GET', '/v1/catalog/persona/default'],
  ['POST', '/v1/agent/spawn'],
  ['POST', '/v1/agent/status'],
  ['POST', '/v1/agent/wait'],
  ['GET', '/v1/whoami'],
]

/** The operations on one agent, with what they need besides `agentId`. */
export const AGENT_OPERATIONS: readonly (readonly [path: string, more: object])[] = [
  ['/v1/agent/queue', { description: 'x' }],
  ['/v1/agent/queue/remove', { followUpId: 'x' }],
  ['/v1/agent/clear-follow-ups', {}],
  ['/v1/agent/stop-turn', { runId: '1' }],
  ['/v1/agent/kill', {}],
  ['/v1/agent/status', {}],
  ['/v1/agent/wait', {}],
]
