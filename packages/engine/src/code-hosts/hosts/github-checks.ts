import type { Octokit } from '@octokit/core'
import { REVIEW_LIMITS, type HostCheck, type Repository } from '@skein/core'
import { CodeHostError, type HostFetch } from '../code-host.ts'
import { fieldsOf, idOf, textOf } from './to-conversation.ts'

type Ask = <Data>(call: () => Promise<{ data: Data }>) => Promise<Data>
type Fields = Readonly<Record<string, unknown>>

const FAILED: ReadonlySet<unknown> = new Set([
  'failure',
  'timed_out',
  'startup_failure',
  'action_required',
  'error',
])
const MAX_LOG = 1024 * 1024
/** Far more than an agent gets of it, whatever characters it has. */
const LOG_END_BYTES = 64 * 1024

/** Checks of a commit on GitHub: check runs, and statuses of those that use the older way. */
export class GitHubChecks {
  readonly #github: Octokit
  readonly #ask: Ask
  readonly #host: { readonly apiUrl: string; readonly fetch: HostFetch }

  constructor(github: Octokit, ask: Ask, host: { readonly apiUrl: string; readonly fetch: HostFetch }) {
    this.#github = github
    this.#ask = ask
    this.#host = host
  }

  async read({ owner, name: repo }: Repository, commit: string): Promise<HostCheck[]> {
    if (commit === '') return []
    const place = { owner, repo, ref: commit, per_page: 100 }
    const runs = await this.#readList(
      'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
      place,
      'check_runs',
    )
    const statuses = await this.#readList('GET /repos/{owner}/{repo}/commits/{ref}/status', place, 'statuses')
    const checks: HostCheck[] = []
    let logs = 0
    for (const run of runs) {
      const state =
        run['status'] !== 'completed' ? 'pending' : FAILED.has(run['conclusion']) ? 'failing' : 'passing'
      const isWanted = state === 'failing' && logs < REVIEW_LIMITS.checksPerRound
      if (isWanted) logs += 1
      checks.push({
        name: nameOf(run['name']),
        state,
        log: isWanted ? await this.#logOf(owner, repo, run) : '',
      })
    }
    for (const { context, state, description } of statuses) {
      const verdict = state === 'pending' ? 'pending' : FAILED.has(state) ? 'failing' : 'passing'
      checks.push({
        name: nameOf(context),
        state: verdict,
        log: textOf(description, REVIEW_LIMITS.logLength),
      })
    }
    return checks
  }

  /** A host without one of the two still has the other. */
  async #readList(
    route: string,
    place: Readonly<Record<string, string | number>>,
    field: string,
  ): Promise<Fields[]> {
    try {
      const found: unknown = await this.#ask(() => this.#github.request(route, place))
      const list = fieldsOf(found)[field]
      return Array.isArray(list) ? list.slice(0, 100).map(fieldsOf) : []
    } catch (error) {
      if (error instanceof CodeHostError && error.isFinal) return []
      throw error
    }
  }

  /** What the check reports, or the log of the job that it is. */
  async #logOf(owner: string, repo: string, run: Fields): Promise<string> {
    const { title, summary, text } = fieldsOf(run['output'])
    const reported = [title, summary, text].map((part) => textOf(part, MAX_LOG)).filter((part) => part !== '')
    if (reported.length > 0 || fieldsOf(run['app'])['slug'] !== 'github-actions') return reported.join('\n')
    try {
      const place = { owner, repo, job_id: Number(idOf(run['id'])) }
      const { headers } = await this.#github.request('GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs', {
        ...place,
        request: { redirect: 'manual' },
      })
      // The log is elsewhere, at an address that is its own credential. The host chooses it, and may be hostile.
      const { apiUrl, fetch } = this.#host
      const location = new URL(headers.location ?? '')
      const isElsewhere = location.origin !== new URL(apiUrl).origin
      const response = await fetch(location, { keepEnd: LOG_END_BYTES, isElsewhere })
      return response.ok ? textOf(await response.text(), MAX_LOG) : ''
    } catch {
      // A round without a log is better than no round.
      return ''
    }
  }
}

function nameOf(value: unknown): string {
  return textOf(value, 200)
}
