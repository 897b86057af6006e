import { expect, test } from 'vitest'
import { routeChanges, type AgentEvents } from '../../../src/automations/webhooks/route-changes.ts'

function changeAt(sequence: bigint): AgentEvents {
  return {
    agentId: 'id',
    identity: { workspace: 'shop', ownerProvider: 'PROVIDER_CODEHOST_OAUTH', account: 'ada', path: ['a'] },
    labels: {},
    firstSequence: sequence,
    types: ['follow-up.queued'],
    topics: [undefined],
  }
}

test('a range contains every event, also if the transaction of a later one began first', () => {
  const hook = {
    name: 'hook',
    filter: { events: ['*'], workspaces: [], labels: {}, tree: '', account: '' },
  }
  for (const order of [
    [10n, 11n, 12n],
    [11n, 12n, 10n],
    [12n, 11n, 10n],
  ]) {
    expect(routeChanges([hook], order.map(changeAt))).toEqual([
      { integration: 'hook', agentId: 'id', firstSequence: 10n, lastSequence: 12n },
    ])
  }
})
