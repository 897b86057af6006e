import {
  groupsWithRole,
  parseScimFilter,
  patchGroup,
  readGroup,
  ScimError,
  teamsByGroup,
  type MembersChange,
  type ScimCondition,
  type ScimGroup,
} from '@skein/core'
import type { DirectoryGroup, DirectoryMember } from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import type { EngineResources } from '../resources.ts'
import { requireOtherAdmins } from './end-access.ts'
import {
  changeDirectory,
  readDirectory,
  recordScim,
  type ChangingDirectory,
  type OpenDirectory,
  type ScimRequest,
} from './open-directory.ts'
import { findBy, requireById, requireUnique, toId, type ScimPage, type ScimQuery } from './scim-query.ts'

const MAX_GROUPS = 5_000
const MAX_MEMBERS = 20_000
/** In one response. A page ends before the group with which it would have more. */
const MAX_MEMBERS_OF_PAGE = MAX_MEMBERS
const FILTERS = ['displayName', 'externalId', 'id', 'members', 'members.value'] as const

export interface ListedGroup extends DirectoryGroup {
  /** Undefined if they were not asked for. */
  readonly members: readonly DirectoryMember[] | undefined
}

export function readScimGroup(
  engine: EngineResources,
  request: ScimRequest,
  id: string,
  withMembers: boolean,
): Promise<ListedGroup> {
  return readDirectory(engine, request, async (directory) => {
    const group = await requireById(directory.groups, id, 'group')
    return withMembers ? addMembers(directory, group) : { ...group, members: undefined }
  })
}

export function listScimGroups(
  engine: EngineResources,
  request: ScimRequest,
  { filter, startIndex, count }: ScimQuery,
  withMembers: boolean,
): Promise<ScimPage<ListedGroup>> {
  return readDirectory(engine, request, async (directory) => {
    const { groups } = directory
    if (filter !== undefined) {
      const found = await findMatch(directory, parseScimFilter(filter, FILTERS))
      const shown = found.slice(startIndex - 1, startIndex - 1 + count)
      return { total: found.length, resources: await toPage(directory, shown, withMembers) }
    }
    const total = await groups.count()
    const page = count === 0 ? [] : await groups.list(count, startIndex - 1)
    return { total, resources: await toPage(directory, page, withMembers) }
  })
}

export function createScimGroup(
  engine: EngineResources,
  request: ScimRequest,
  body: unknown,
): Promise<ListedGroup> {
  const { group, members } = readGroup(body)
  return changeDirectory(engine, request, async (changing) => {
    const { groups, at } = changing
    await requireUniqueGroup(changing, group)
    if ((await groups.count()) >= MAX_GROUPS) {
      throw new ScimError(
        403,
        `A directory has at most ${MAX_GROUPS} groups. Send only those that Skein needs.`,
      )
    }
    const id = uuidV7({ msecs: at })
    await groups.add(id, group, at)
    await applyMembers(changing, { id, before: undefined, after: group }, members)
    await recordScim(changing, 'createScimGroup', { kind: 'directory-group', name: group.displayName })
    return addMembers(changing, await requireById(changing.groups, id, 'group'))
  })
}

export function replaceScimGroup(
  engine: EngineResources,
  request: ScimRequest,
  id: string,
  body: unknown,
): Promise<ListedGroup> {
  return changeDirectory(engine, request, async (changing) => {
    await changeGroup(changing, id, 'replaceScimGroup', () => readGroup(body))
    return addMembers(changing, await requireById(changing.groups, id, 'group'))
  })
}

/** Answers nothing: adding one member to a large group must not return all of them. */
export function patchScimGroup(
  engine: EngineResources,
  request: ScimRequest,
  id: string,
  body: unknown,
): Promise<void> {
  return changeDirectory(engine, request, (changing) =>
    changeGroup(changing, id, 'patchScimGroup', (before) => patchGroup(before, body)),
  )
}

export function deleteScimGroup(engine: EngineResources, request: ScimRequest, id: string): Promise<void> {
  return changeDirectory(engine, request, async (changing) => {
    const { groups } = changing
    const group = await requireById(changing.groups, id, 'group')
    const members = [...(await groups.memberIds(group.id))]
    await groups.delete(group.id)
    await follow(changing, [group.displayName], { lost: members, touched: members })
    await recordScim(changing, 'deleteScimGroup', { kind: 'directory-group', name: group.displayName })
  })
}

async function changeGroup(
  changing: ChangingDirectory,
  id: string,
  operation: string,
  change: (before: ScimGroup) => { readonly group: ScimGroup; readonly members: MembersChange },
): Promise<void> {
  const before = await requireById(changing.groups, id, 'group')
  const { group: after, members } = change(before)
  await requireUniqueGroup(changing, after, before.id)
  await changing.groups.update(before.id, after, changing.at)
  await applyMembers(changing, { id: before.id, before, after }, members)
  await recordScim(changing, operation, { kind: 'directory-group', name: after.displayName })
}

interface ChangedGroup {
  readonly id: string
  readonly before: ScimGroup | undefined
  readonly after: ScimGroup
}

async function applyMembers(
  changing: ChangingDirectory,
  { id, before, after }: ChangedGroup,
  change: MembersChange,
): Promise<void> {
  const { groups, users } = changing
  const current = await groups.memberIds(id)
  const lost = change.isReplaced
    ? [...current].filter((userId) => !change.added.has(userId))
    : [...change.removed].filter((userId) => current.has(userId))
  const gained = [...change.added].filter((userId) => !current.has(userId))
  if (gained.length > 0 && (await users.existing(gained)).size < gained.length) {
    throw new ScimError(400, 'A member is no user of the directory.', 'invalidValue')
  }
  if (current.size - lost.length + gained.length > MAX_MEMBERS) {
    throw new ScimError(400, `A group has at most ${MAX_MEMBERS} members.`, 'tooMany')
  }
  await groups.dropMembers(id, lost)
  await groups.addMembers(id, gained)
  const isRenamed = before !== undefined && before.displayName !== after.displayName
  const names = isRenamed ? [before.displayName, after.displayName] : [after.displayName]
  const everyone = [...current, ...gained]
  await follow(
    changing,
    names,
    isRenamed ? { lost: everyone, touched: everyone } : { lost, touched: [...lost, ...gained] },
  )
}

/** What a change of groups with these names means for people: teams change at once, a role at the next sign-in. */
async function follow(
  changing: ChangingDirectory,
  names: readonly string[],
  { lost, touched }: { readonly lost: readonly string[]; readonly touched: readonly string[] },
): Promise<void> {
  const { groups, people, provider, directory, at } = changing
  if (touched.length === 0) return
  const teams = teamsByGroup(provider, directory.groupsClaim)
  if (teams.some(({ value }) => names.includes(value))) await groups.assignTeams(touched, teams)
  const withRole = groupsWithRole(provider, directory.groupsClaim)
  if (!names.some((name) => withRole.has(name))) return
  if (lost.length > 0) await requireOtherAdmins(changing, await people.findListed(lost))
  await groups.endSessions(touched, at)
}

function requireUniqueGroup({ groups }: OpenDirectory, group: ScimGroup, own?: string): Promise<void> {
  const { displayName: name, externalId } = group
  return requireUnique(groups, { name, externalId, own }, { what: 'group', nameAttribute: 'displayName' })
}

/** At most one: a group is found by what is unique, and its members only narrow it down. */
async function findMatch(
  { groups }: OpenDirectory,
  conditions: readonly ScimCondition[],
): Promise<DirectoryGroup[]> {
  const key = conditions.find(({ attribute }) => !attribute.startsWith('members'))
  if (!key) {
    throw new ScimError(
      400,
      'Members can be asked for only together with the id or displayName of a group.',
      'invalidFilter',
    )
  }
  const found = await findBy(groups, key)
  if (!found) return []
  for (const { attribute, value } of conditions) {
    if (!(await meets(groups, found, attribute, value))) return []
  }
  return [found]
}

async function meets(
  groups: OpenDirectory['groups'],
  group: DirectoryGroup,
  attribute: string,
  value: string,
): Promise<boolean> {
  if (attribute === 'displayname') return group.displayName.toLowerCase() === value.toLowerCase()
  if (attribute === 'externalid') return group.externalId === value
  if (attribute === 'id') return group.id === value.toLowerCase()
  const member = toId(value)
  return member !== undefined && groups.hasMember(group.id, member)
}

async function addMembers({ groups }: OpenDirectory, group: DirectoryGroup): Promise<ListedGroup> {
  return { ...group, members: await groups.members(group.id, MAX_MEMBERS) }
}

async function toPage(
  directory: OpenDirectory,
  groups: readonly DirectoryGroup[],
  withMembers: boolean,
): Promise<ListedGroup[]> {
  if (!withMembers) return groups.map((group) => ({ ...group, members: undefined }))
  const page: ListedGroup[] = []
  let room = MAX_MEMBERS_OF_PAGE
  for (const group of groups) {
    const listed = await addMembers(directory, group)
    room -= listed.members?.length ?? 0
    if (room < 0 && page.length > 0) break
    page.push(listed)
  }
  return page
}
