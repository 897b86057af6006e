/** An example for those who have none. */
export interface FirstDocument {
  readonly kind: 'integration' | 'trigger' | 'schedule' | 'workspace'
  readonly title: string
  readonly purpose: string
  readonly file: string
  readonly document: string
}

export const FIRST_INTEGRATION: FirstDocument = {
  kind: 'integration',
  title: 'No integrations yet',
  purpose: 'A webhook sends events of agents to another system; a chat or e-mail tells people.',
  file: 'hook.yaml',
  document: `kind: integration
name: chat
url: https://hooks.example.com/skein
events:
  - run.ended
  - agent.phase-changed
`,
}

export const FIRST_TRIGGER: FirstDocument = {
  kind: 'trigger',
  title: 'No triggers yet',
  purpose: 'A trigger starts an agent, or sends it a message, when another system sends a request.',
  file: 'tickets.yaml',
  document: `kind: trigger
name: tickets
verification:
  type: github
condition: body.action == 'opened'
profile: night-shift
workspace: shop
spawn:
  description: |
    Fix the problem that this ticket describes. Push a branch.
    {{ body.issue.title }}
    {{ body.issue.body }}
`,
}

export const FIRST_SCHEDULE: FirstDocument = {
  kind: 'schedule',
  title: 'No schedules yet',
  purpose: 'A schedule starts an agent, or sends it a message, at certain times.',
  file: 'nightly.yaml',
  document: `kind: schedule
name: nightly-deps
cron: 30 2 * * *
timeZone: Europe/Berlin
profile: night-shift
workspace: shop
spawn:
  description: Update the dependencies. Run the tests. Push a branch.
`,
}

export const FIRST_HOST_START: FirstDocument = {
  kind: 'workspace',
  title: 'No repository starts agents yet',
  purpose: 'With hostStarts in a workspace, a label or a mention in an issue starts an agent.',
  file: 'starts.yaml',
  document: `kind: workspace
name: shop
repos:
  - url: https://github.com/acme/shop.git
    codeHost: github
hostStarts:
  mention: skein
  label: agent
  profile: night-shift
`,
}
