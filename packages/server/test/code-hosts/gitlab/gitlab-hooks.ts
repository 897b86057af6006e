/** Webhooks in the form that GitLab documents, with what it says besides made up. */

interface About {
  readonly path: string
  readonly iid: number
}

const project = (path: string) => ({
  id: 15,
  name: path.split('/').at(-1),
  web_url: `http://gitlab.test/${path}`,
  git_http_url: `http://gitlab.test/${path}.git`,
  visibility_level: 20,
  path_with_namespace: path,
  default_branch: 'main',
})

const user = { id: 1, name: 'Administrator', username: 'root', email: '[REDACTED]' }

export function mergeRequestHook({ path, iid }: About): object {
  return {
    object_kind: 'merge_request',
    event_type: 'merge_request',
    user,
    project: project(path),
    object_attributes: {
      id: 99,
      iid,
      target_branch: 'main',
      source_branch: 'skein/fix',
      source_project_id: 14,
      target_project_id: 14,
      state: 'opened',
      action: 'update',
      target: project(path),
    },
    labels: [],
    changes: { updated_at: { previous: '2026-11-15 09:00:00 UTC', current: new Date().toISOString() } },
  }
}

export function noteHook({ path, iid }: About, on: 'merge_request' | 'issue' = 'merge_request'): object {
  return {
    object_kind: 'note',
    event_type: 'note',
    user,
    project_id: 15,
    project: project(path),
    object_attributes: {
      id: 1244,
      note: 'The text is not used.',
      noteable_type: on === 'issue' ? 'Issue' : 'MergeRequest',
      internal: false,
      system: false,
      discussion_id: 'a'.repeat(40),
      created_at: new Date().toISOString(),
    },
    [on]: { id: 7, iid, source_branch: 'skein/fix', target_branch: 'main' },
  }
}

export function issueHook({ path, iid }: About): object {
  return {
    object_kind: 'issue',
    event_type: 'issue',
    user,
    project: project(path),
    object_attributes: { id: 301, iid, title: 'Slow', confidential: false, action: 'open', state: 'opened' },
    changes: { updated_at: { current: new Date().toISOString() } },
  }
}

export function pipelineHook(path: string, sha: string, ref: string): object {
  return {
    object_kind: 'pipeline',
    object_attributes: { id: 31, iid: 3, ref, tag: false, sha, status: 'failed', source: 'push' },
    merge_request: null,
    user,
    project: project(path),
    builds: [],
  }
}

export function pushHook(path: string, ref: string): object {
  return {
    object_kind: 'push',
    event_name: 'push',
    before: '9'.repeat(40),
    after: 'd'.repeat(40),
    ref,
    project_id: 15,
    project: project(path),
    commits: [],
    total_commits_count: 4,
  }
}
