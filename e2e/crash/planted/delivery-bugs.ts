import type { Bug } from './bug.ts'

const START_RUN = 'packages/engine/src/runs/start-run.ts'

/** Messages that are lost, repeated, early or out of order. */
export const DELIVERY_BUGS: readonly Bug[] = [
  {
    name: 'lost-on-delivery',
    what: 'A runner gets one message fewer than was delivered.',
    edits: [
      {
        file: START_RUN,
        find: 'describeAssignment(assigning, agent, messages, stored)',
        replace:
          'describeAssignment(assigning, agent, run.attempt === 1 ? messages.slice(0, Math.max(1, messages.length - 1)) : messages, stored)',
      },
    ],
  },
  {
    name: 'retry-without-messages',
    what: 'The second attempt of a run gets no messages.',
    edits: [
      {
        file: START_RUN,
        find: 'if (attempt > 1) return reader.messagesOfRun(agentId, runId)',
        replace: 'if (attempt > 1) return []',
      },
    ],
  },
  {
    name: 'handed-out-again',
    what: 'After a lost lease the retry gets what is queued as well, and the next run gets it again.',
    edits: [
      {
        file: START_RUN,
        find: 'if (attempt > 1) return reader.messagesOfRun(agentId, runId)',
        replace: `if (attempt > 1) return [
        ...(await reader.messagesOfRun(agentId, runId)),
        ...(await reader.messages(agentId, agent.queue.map((queued) => queued.followUpId))),
      ]`,
      },
    ],
  },
  {
    name: 'order-swapped',
    what: 'A run gets its newest message first.',
    edits: [
      {
        file: 'packages/core/src/runs/start-run.ts',
        find: 'return [first, ...(end === -1 ? others : others.slice(0, end))]',
        replace: 'return [first, ...(end === -1 ? others : others.slice(0, end))].reverse()',
      },
    ],
  },
  {
    name: 'deferred-early',
    what: 'A message is delivered a second before its time.',
    edits: [
      {
        file: 'packages/core/src/follow-ups/deliver-deferred.ts',
        find: '(message.deliverAt ?? 0) > now)',
        replace: '(message.deliverAt ?? 0) > now + 1000)',
      },
      {
        file: 'packages/engine/src/runs/sweeper.ts',
        find: 'takeDueTimers(transaction, BATCH, clock.now())',
        replace: 'takeDueTimers(transaction, BATCH, clock.now() + 1000)',
      },
    ],
  },
  {
    name: 'deferred-forgotten',
    what: 'Nobody hears what became of a deferred message whose agent ended before its time.',
    edits: [
      {
        file: 'packages/core/src/agent/phases.ts',
        find: 'of [...queue, ...deferred]) {',
        replace: 'of deferred.length > 9 ? deferred : queue) {',
      },
    ],
  },
  {
    name: 'clear-takes-deferred',
    what: 'Clearing the queue also discards messages whose time is still to come.',
    edits: [
      {
        file: 'packages/core/src/follow-ups/clear-follow-ups.ts',
        find: "for (const { followUpId } of agent.queue) change.emit({ type: 'follow-up.cleared', followUpId })\n  const parentChange",
        replace:
          "for (const { followUpId } of [...agent.queue, ...agent.deferred]) change.emit({ type: 'follow-up.cleared', followUpId })\n  const parentChange",
      },
    ],
  },
]
