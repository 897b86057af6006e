import type { Bug } from '../../crash/planted/bug.ts'

const WORKER = 'packages/engine/src/automations/webhooks/endpoint-worker.ts'
const TRIGGERS = 'packages/store/migrations/0004_triggers.sql'
const CARRY_OUT = 'packages/engine/src/automations/schedules/carry-out-firing.ts'

/** Plausible bugs that the test must notice. */
export const BUGS: readonly Bug[] = [
  {
    name: 'outbox-beyond-the-horizon',
    what: 'A change that commits late is skipped.',
    edits: [
      {
        file: 'packages/store/src/automations/webhooks/outbox-reader.ts',
        find: "changes('xid < pg_snapshot_xmin(pg_current_snapshot()) and id > $3::bigint')",
        replace: "changes('id > $3::bigint')",
      },
    ],
  },
  {
    name: 'moved-before-the-answer',
    what: 'A lane moves on as soon as its event is sent, not when it is answered.',
    edits: [
      {
        file: 'packages/core/src/automations/webhooks/lane-outcome.ts',
        find: "const stay = { type: 'retry', nextSequence: head.sequence, waitingSince: head.waitingSince } as const",
        replace:
          "const stay = { type: 'retry', nextSequence: head.sequence + 1n, waitingSince: head.waitingSince } as const",
      },
    ],
  },
  {
    name: 'unfenced-hold',
    what: 'Two servers send to one endpoint.',
    edits: [
      {
        file: 'packages/store/functions/endpoints.sql',
        find: "where d.due_at <= now() and d.due_at < 'infinity' and d.held_until <= now() and d.tenant_id <> all (",
        replace: 'where d.tenant_id <> all (',
      },
      {
        file: 'packages/store/src/automations/webhooks/endpoint-store.ts',
        find: 'where tenant_id = skein_current_tenant() and integration = $1 and token = $2`,\n)\n\nconst release',
        replace:
          'where tenant_id = skein_current_tenant() and integration = $1 and $2::bigint is not null`,\n)\n\nconst release',
      },
    ],
  },
  {
    name: 'circuit-never-closes',
    what: 'Once a receiver was down, nothing is sent to it any more.',
    edits: [
      {
        file: WORKER,
        find: 'this.#mayProbe = isOpen(held.circuit)',
        replace: 'this.#mayProbe = false',
      },
    ],
  },
  {
    name: 'failure-taken-for-a-delivery',
    what: 'A lane goes on behind an event that failed, if its circuit is closed again.',
    edits: [
      {
        file: WORKER,
        find: "outcome.type !== 'continue' || lane.rest.length === 0",
        replace: "outcome.type === 'give-up' || outcome.attempts > 0 || lane.rest.length === 0",
      },
    ],
  },
  {
    name: 'retry-with-a-new-id',
    what: 'A receiver cannot recognise an event that it already has.',
    edits: [
      {
        file: 'packages/engine/src/automations/webhooks/send-event.ts',
        find: 'id: messageId(lane.agentId, event.sequence),',
        replace: 'id: `${messageId(lane.agentId, event.sequence)}_${lane.attempts}_${at}`,',
      },
    ],
  },
  {
    name: 'released-without-looking',
    what: 'Events that arrive while an endpoint is released wait forever.',
    edits: [
      {
        file: 'packages/store/functions/endpoints.sql',
        find: "due_at = case when next_due is null then 'infinity' else greatest(next_due, not_before) end",
        replace: "due_at = 'infinity'",
      },
    ],
  },
  {
    name: 'message-not-noted',
    what: 'What is in a message is not written down before it is sent.',
    edits: [
      {
        file: 'packages/engine/src/automations/notifications/message-worker.ts',
        find: 'if (!begun) await messages.compose(integration, id, lanes)',
        replace: '',
      },
    ],
  },
  {
    name: 'deduplication-outside-the-transaction',
    what: 'Copies of a request that arrive at the same time each start an agent.',
    edits: [
      {
        file: TRIGGERS,
        find: 'create unique index trigger_delivery_sender_key',
        replace: 'create index trigger_delivery_sender_key',
      },
      {
        file: TRIGGERS,
        find: 'create unique index trigger_delivery_body_key',
        replace: 'create index trigger_delivery_body_key',
      },
    ],
  },
  {
    name: 'timer-re-armed-from-now',
    what: 'Each firing delays all that follow.',
    edits: [
      {
        file: 'packages/core/src/automations/schedules/due-firings.ts',
        find: 'return { fire, decidedUntil: fire.at(-1)?.dueAt ?? decidedBefore, next }',
        replace: 'return { fire, decidedUntil: fire.length > 0 ? now : decidedBefore, next }',
      },
      {
        file: 'packages/core/src/automations/schedules/schedule-timing.ts',
        find: 'after + everyMs - modulo(after - anchorAt, everyMs)',
        replace: 'after + everyMs',
      },
    ],
  },
  {
    name: 'replace-without-stop',
    what: 'The agent that a firing replaces works on.',
    edits: [{ file: CARRY_OUT, find: 'await this.#killReplaced()', replace: '' }],
  },
  {
    name: 'queue-without-waiting',
    what: 'A firing does not wait for the agent of the one before.',
    edits: [
      {
        file: 'packages/core/src/automations/schedules/overlap.ts',
        find: "if (policy === 'allow') return 'go'",
        replace: "if (policy === 'allow' || policy === 'queue') return 'go'",
      },
    ],
  },
]
