import { createHash } from 'node:crypto'

export interface User {
  readonly id: number
  readonly username: string
  readonly state: string
  readonly bot: boolean
}

export interface Note {
  readonly id: number
  readonly author: User
  body: string
  readonly system: boolean
  readonly internal: boolean
  readonly createdAt: string
  updatedAt: string
  readonly position?: object
}

export interface Discussion {
  readonly id: string
  isThread: boolean
  isResolved: boolean
  readonly notes: Note[]
}

export interface MergeRequest {
  readonly iid: number
  title: string
  description: string
  state: 'opened' | 'merged' | 'closed'
  readonly sourceBranch: string
  targetBranch: string
  readonly sourceProject: number
  readonly author: User
  hasConflicts: boolean
  readonly labels: Set<string>
  readonly reviewers: Map<number, { readonly user: User; state: string }>
  readonly discussions: Discussion[]
  pipeline?: Pipeline
}

interface Pipeline {
  readonly id: number
  readonly sha: string
  readonly ref?: string
  readonly status: string
  readonly yaml_errors?: string
  readonly jobs: readonly { id: number; name: string; status: string; allow_failure: boolean; log: string }[]
  readonly statuses?: readonly object[]
}

export interface Issue {
  readonly iid: number
  title: string
  description: string
  state: 'opened' | 'closed'
  readonly author: User
  readonly confidential: boolean
  readonly labels: Set<string>
  readonly assignees: User[]
  readonly notes: Note[]
  readonly labelEvents: object[]
  readonly createdAt: string
  updatedAt: string
}

export interface Project {
  readonly id: number
  readonly path: string
  readonly members: Map<number, number>
  readonly mergeRequests: MergeRequest[]
  readonly issues: Issue[]
  readonly commits: Map<string, readonly string[]>
}

export interface Token {
  readonly user: User
  readonly scopes: readonly string[]
  /** A token of a project reaches nothing else. */
  readonly project: string
}

/** As GitLab finds them: carriage returns are gone by then. */
export function quickActionsOf(text: string): string[] {
  return [...text.replaceAll('\r', '').matchAll(/^\/(\w+)(?: [^\n]*)?\s*$/gm)].map(([line]) => line.trim())
}

export function shaOf(text: string): string {
  return createHash('sha1').update(text).digest('hex')
}

export function toUser({ id, username, state }: User): object {
  return { id, username, name: username.toUpperCase(), state, web_url: `http://gitlab.test/${username}` }
}

export function toNote(note: Note, resolved?: boolean): object {
  const { id, author, body, system, internal, createdAt, updatedAt, position } = note
  return {
    id,
    type: position ? 'DiffNote' : null,
    body,
    author: toUser(author),
    created_at: createdAt,
    updated_at: updatedAt,
    system,
    resolvable: resolved !== undefined,
    ...(resolved !== undefined && { resolved }),
    ...(position && { position }),
    confidential: internal,
    internal,
    imported: false,
    imported_from: 'none',
  }
}

export function toDiscussion({ id, isThread, isResolved, notes }: Discussion): object {
  return {
    id,
    individual_note: !isThread,
    notes: notes.map((note) => toNote(note, isThread && !note.system ? isResolved : undefined)),
  }
}

/** What operations need of the whole. */
export interface GitLabState {
  readonly headOf: (project: string, branch: string) => Promise<string | undefined>
  findUser(username: string): User | undefined
  userOf(id: number): User | undefined
  mergeRequest(path: string, iid: number): MergeRequest
  write(author: User, body: string): Note
  /** Carries out the quick actions in a text. */
  obey(text: string, on: { state: string; labels: Set<string> }): void
}
