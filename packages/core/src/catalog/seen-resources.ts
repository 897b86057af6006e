import { integration, pullRequest, type Kind } from '@skein/contract'
import { listedWorkspaces, seesTeam, seesWorkspace, type Viewer } from '../access/teams.ts'
import type { Document } from './document.ts'
import { findReferences } from './references.ts'

/**
 * Whether a caller may know of a resource. A team is seen by its members, and whatever is about workspaces only by
 * those who see all of them.
 */
export function seesResource(viewer: Viewer, kind: Kind, name: string, document: Document): boolean {
  if (!viewer.teams) return true
  if (kind.kind === 'team') return seesTeam(viewer, name)
  if (kind.kind === 'workspace') return seesWorkspace(viewer, name)
  if (kind.kind === 'budget') return seesBudget(viewer, document)
  const about = workspacesIn(kind, document)
  // Without a list, it is about every workspace: its state and its log tell about their agents.
  if (kind.kind === integration.kind && about.length === 0) return listedWorkspaces(viewer) === undefined
  return about.every((workspace) => seesWorkspace(viewer, workspace))
}

/** What is spent by everyone, by an account or under a label tells about workspaces that may be hidden. */
function seesBudget(viewer: Viewer, { team }: Document): boolean {
  if (typeof team === 'string' && team !== '') return seesTeam(viewer, team)
  return listedWorkspaces(viewer) === undefined
}

function workspacesIn(kind: Kind, document: Document): string[] {
  if (kind.kind === pullRequest.kind) return [String(document['workspace'])]
  return findReferences(kind, document)
    .filter((reference) => reference.kind === 'workspace')
    .map(({ name }) => name)
}
