import { splitPath } from '../repository.ts'
import { branchOf, fieldsOf, numberOf, textOf, type HostEvent } from './host-event.ts'

/** Those about confidential issues and internal comments have other names, and are about nothing here. */
const EVENTS: ReadonlySet<string> = new Set([
  'Issue Hook',
  'Job Hook',
  'Merge Request Hook',
  'Note Hook',
  'Pipeline Hook',
  'Push Hook',
])

/** The same for GitLab, which numbers issues and pull requests separately. */
export function parseGitLabEvent(event: string, body: unknown): HostEvent | undefined {
  if (!EVENTS.has(event)) return undefined
  const fields = fieldsOf(body)
  const about = fieldsOf(fields['object_attributes'])
  if (about['internal'] === true || about['confidential'] === true) return undefined
  const repository = splitPath(textOf(fieldsOf(fields['project'])['path_with_namespace'], 355))
  if (!repository) return undefined
  const isCheck = event === 'Pipeline Hook' || event === 'Job Hook'
  const isTag = about['tag'] === true || fields['tag'] === true
  const found = {
    repository,
    number: numberOf([
      fieldsOf(fields['merge_request'])['iid'],
      event === 'Merge Request Hook' ? about['iid'] : 0,
    ]),
    issue: numberOf([fieldsOf(fields['issue'])['iid'], event === 'Issue Hook' ? about['iid'] : 0]),
    commit: isCheck ? textOf(about['sha'] ?? fields['sha'], 64) : '',
    branch: isCheck
      ? isTag
        ? ''
        : textOf(about['ref'] ?? fields['ref'], 255)
      : branchOf(event === 'Push Hook' ? fields['ref'] : ''),
  }
  const isAboutSomething = found.number > 0 || found.issue > 0 || found.commit !== '' || found.branch !== ''
  return isAboutSomething ? found : undefined
}
