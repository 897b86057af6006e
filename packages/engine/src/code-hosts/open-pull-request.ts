import type { OpenPullRequestRequest, openPullRequest as operation, ResponseOf } from '@skein/contract'
import { SkeinError } from '@skein/contract'
import { cleanTitle, composeBody, isSameText, type Caller } from '@skein/core'
import { dashboardUrl } from '../agents/describe-agent.ts'
import { parseLease } from '../lease-id.ts'
import type { EngineResources } from '../resources.ts'
import { askCodeHost } from './ask-code-host.ts'
import { requireHeldRepository } from './held-workspace.ts'
import { readStarts } from './starts/read-starts.ts'

/** Has a pull request opened for the branch of a run's agent, or finds the one that is open. */
export async function openPullRequest(
  engine: EngineResources,
  caller: Caller,
  request: OpenPullRequestRequest,
  signal: AbortSignal,
): Promise<ResponseOf<typeof operation>> {
  const { url, title, body = '', draft = false, labels = [], reviewers = [], head, base } = request
  if (head === base) {
    throw new SkeinError('REQUEST_INVALID', {
      violations: [{ field: 'base', description: 'must be another branch than head' }],
    })
  }
  const { tenantId, agentId, runId, attempt } = parseLease(request.lease)
  const access = { tenantId, agentId, run: { runId, attempt }, until: 0 }
  const held = await requireHeldRepository(engine, caller, access, url)
  const { agent, codeHost, repository } = held
  const { workspace, ownerProvider, account, path } = agent.identity
  const name = path.join('/')
  const link = engine.publicUrl === '' ? '' : dashboardUrl(agent.identity, engine.publicUrl)
  const { issue, startLabels } = await readStarts(engine, tenantId, held)
  const text = composeBody(`${body.trim()}\n\n${issue}`, { agentId, name, url: link })
  const isAllowed = (label: string) => !startLabels.some((other) => isSameText(other, label.trim()))
  const refused = labels.filter((label) => !isAllowed(label))
  const opened = await askCodeHost(engine, {
    tenantId,
    codeHost,
    // Owners on GitLab have slashes of their own.
    key: [
      'pull-request',
      agentId,
      codeHost,
      encodeURIComponent(repository.owner),
      repository.name,
      head,
    ].join('/'),
    call: {
      type: 'open-pull-request',
      repository,
      wanted: { title: cleanTitle(title), body: text, draft, head, base },
      labels: [...new Set(labels.filter(isAllowed))],
      reviewers: [...new Set(reviewers)],
      agentId,
      workspace,
      account,
      ownerProvider,
      agent: name,
    },
    signal,
  })
  return {
    name: opened.name,
    number: opened.number,
    url: opened.url,
    title: opened.title,
    base: opened.base,
    draft: opened.draft,
    problems: [
      ...refused.map((label) => `Agents cannot set the label ${label}: it starts agents.`),
      ...(opened.problems ?? []),
    ],
  }
}
