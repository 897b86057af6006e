import { isSameText } from '@skein/core'
import type { CodeHost } from './code-host.ts'
import type { OpenPullRequest } from './host-call.ts'
import { unlessRefused } from './unless-refused.ts'

/**
 * Adds labels and asks for reviews. Both can be repeated. Returns what the host does not want: the pull request is open all
 * the same.
 */
export async function addressPullRequest(
  host: CodeHost,
  number: number,
  // A call that an older server recorded has neither.
  { repository, labels = [], reviewers = [] }: Pick<OpenPullRequest, 'repository'> & Partial<OpenPullRequest>,
): Promise<string[]> {
  const problems: string[] = []
  if (labels.length > 0) {
    const refusal = await unlessRefused(async () => {
      const has = await host.addLabels(repository, number, labels)
      const missing = labels.filter((label) => !has.some((name) => isSameText(name, label)))
      if (missing.length > 0) problems.push(`The repository has no label ${missing.join(', ')}.`)
    })
    if (refusal !== '') problems.push(`No label was added. ${refusal}`)
  }
  if (reviewers.length > 0) {
    const refusal = await unlessRefused(() => host.requestReview(repository, number, reviewers))
    if (refusal !== '') problems.push(`No review was requested. ${refusal}`)
  }
  return problems
}
