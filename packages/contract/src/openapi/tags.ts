import type { Operation } from '../operations/operation.ts'

/** Descriptions of the tags. */
export const TAGS: Readonly<Record<Operation['tag'], string>> = {
  identity: 'Who the caller is.',
  tenants: 'For operators: create, suspend, export and delete tenants.',
  sessions: 'Sign in with a browser, and read what a share link shows.',
  catalog: 'Workspaces, personas, tokens and other documents, versioned.',
  audit: 'Who changed what, when and why.',
  agents: 'Spawn agents, read their status, wait for them, stop and kill them.',
  'follow-ups': 'Messages to an agent: queued, deferred, removed and cleared.',
  tasks: 'The checklist of an agent.',
  timeline: 'Everything that happened to an agent, to read or to watch.',
  automations: 'Webhooks and notifications, triggers and schedules: their state, logs and replays.',
  runners: 'The protocol between the service and the runners that execute agents.',
}
