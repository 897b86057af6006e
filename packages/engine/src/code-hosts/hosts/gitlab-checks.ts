import { REVIEW_LIMITS, type HostCheck } from '@skein/core'
import { CodeHostError } from '../code-host.ts'
import type { Fields, GitLabApi } from './gitlab-api.ts'
import { fieldsOf, idOf, textOf } from './to-conversation.ts'

/** Far more than an agent gets of it, whatever characters it has. */
const LOG_END_BYTES = 64 * 1024
const MAX_LOG = 64 * 1024
/** Of a pipeline that has come to its end, or waits for a person. */
const SETTLED: ReadonlySet<unknown> = new Set(['success', 'failed', 'canceled', 'skipped', 'manual'])
const WAITING: ReadonlySet<unknown> = new Set([
  'created',
  'waiting_for_resource',
  'waiting_for_callback',
  'preparing',
  'pending',
  'running',
  'canceling',
  'scheduled',
])
/** Colours, and where GitLab folds a log. */
// eslint-disable-next-line no-control-regex -- it is what logs contain
const DECORATION = /\u001B\[[0-9;?]*[A-Za-z]|section_(?:start|end):[0-9]+:[^\r\n]*\r?/g

/** Jobs of the newest pipeline of a merge request, and what other programs say about its commit. */
export async function readChecks(
  api: GitLabApi,
  project: string,
  commit: string,
  pull: Fields,
): Promise<HostCheck[]> {
  const pipeline = fieldsOf(pull['head_pipeline'])
  const id = idOf(pipeline['id'])
  if (commit === '' || id === '' || !(await isOfCommit(api, project, commit, pipeline))) return []
  const jobs = await unlessRefused(() => api.list(`${project}/pipelines/${id}/jobs`, { per_page: 100 }), [])
  const statuses = await unlessRefused(
    () =>
      api.list(`${project}/repository/commits/${commit}/statuses`, {
        pipeline_id: Number(id),
        per_page: 100,
      }),
    [],
  )
  const names = new Set(jobs.map(({ name }) => name))
  const others = statuses.filter(({ name, pipeline_id: of }) => String(of) === id && !names.has(name))
  const isSettled = SETTLED.has(pipeline['status'])
  const checks: HostCheck[] = []
  let logs = 0
  for (const job of jobs) {
    const state = stateOf(job, isSettled)
    const isWanted = state === 'failing' && logs < REVIEW_LIMITS.checksPerRound
    if (isWanted) logs += 1
    checks.push({ name: nameOf(job), state, log: isWanted ? await readLog(api, project, job) : '' })
  }
  for (const status of others) {
    const log = textOf(status['description'], REVIEW_LIMITS.logLength)
    checks.push({ name: nameOf(status), state: stateOf(status, isSettled), log })
  }
  return checks.concat(ofPipeline(pipeline, checks))
}

/** A pipeline can fail without a job that does: its configuration is wrong, or one that it started failed. */
function ofPipeline(pipeline: Fields, checks: readonly HostCheck[]): HostCheck[] {
  if (!SETTLED.has(pipeline['status'])) {
    const isPending = checks.some(({ state }) => state === 'pending')
    return isPending ? [] : [{ name: 'pipeline', state: 'pending', log: '' }]
  }
  if (pipeline['status'] !== 'failed' || checks.some(({ state }) => state === 'failing')) return []
  const log = textOf(pipeline['yaml_errors'], REVIEW_LIMITS.logLength)
  return [{ name: 'pipeline', state: 'failing', log }]
}

/**
 * After a push it may still be the one before. A pipeline can also run on what merging would result in: then the newest
 * commit is a parent of its own.
 */
async function isOfCommit(
  api: GitLabApi,
  project: string,
  commit: string,
  { sha, ref }: Fields,
): Promise<boolean> {
  if (sha === commit) return true
  const merged = textOf(sha, 64)
  if (!/^[0-9a-f]{40,64}$/.test(merged) || !textOf(ref, 255).startsWith('refs/merge-requests/')) return false
  const { parent_ids: parents } = (await api.find(`${project}/repository/commits/${merged}`)) ?? {}
  return Array.isArray(parents) && parents.includes(commit)
}

function stateOf({ status, allow_failure: mayFail }: Fields, isSettled: boolean): HostCheck['state'] {
  if (status === 'failed') return mayFail === true ? 'passing' : 'failing'
  // Of a pipeline that waits for a person, what comes later waits too.
  return WAITING.has(status) && !isSettled ? 'pending' : 'passing'
}

function nameOf({ name }: Fields): string {
  return textOf(name, 200)
}

/** A round without a log is better than no round. */
async function readLog(
  api: GitLabApi,
  project: string,
  { id, failure_reason: reason }: Fields,
): Promise<string> {
  const said = textOf(reason, 200)
  const log = await unlessRefused(() => api.readEnd(`${project}/jobs/${idOf(id)}/trace`, LOG_END_BYTES), '')
  const text = textOf(log.replaceAll(DECORATION, ''), MAX_LOG).trim()
  return text === '' ? said : text
}

/** A token that may not read pipelines still works: then there are none. */
async function unlessRefused<Result>(read: () => Promise<Result>, otherwise: Result): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof CodeHostError && error.isFinal) return otherwise
    throw error
  }
}
