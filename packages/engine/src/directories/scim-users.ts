import { listedValue, parseScimFilter, patchUser, readUser, ScimError, type ScimUser } from '@skein/core'
import type { DirectoryUser } from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import type { EngineResources } from '../resources.ts'
import { endAccess } from './end-access.ts'
import {
  changeDirectory,
  readDirectory,
  recordScim,
  type ChangingDirectory,
  type OpenDirectory,
  type ScimRequest,
} from './open-directory.ts'
import { findBy, requireById, requireUnique, type ScimPage, type ScimQuery } from './scim-query.ts'

const MAX_USERS = 50_000
const FILTERS = ['userName', 'externalId', 'id'] as const

export function readScimUser(
  engine: EngineResources,
  request: ScimRequest,
  id: string,
): Promise<DirectoryUser> {
  return readDirectory(engine, request, (directory) => requireById(directory.users, id, 'user'))
}

export function listScimUsers(
  engine: EngineResources,
  request: ScimRequest,
  { filter, startIndex, count }: ScimQuery,
): Promise<ScimPage<DirectoryUser>> {
  return readDirectory(engine, request, async ({ users }) => {
    if (filter === undefined) {
      const total = await users.count()
      return { total, resources: count === 0 ? [] : await users.list(count, startIndex - 1) }
    }
    const conditions = parseScimFilter(filter, FILTERS)
    const [{ attribute, value } = { attribute: '', value: '' }] = conditions
    const found = await findBy(users, { attribute, value })
    const isMatch =
      found && conditions.every((condition) => meets(found, condition.attribute, condition.value))
    const resources = isMatch ? [found] : []
    return { total: resources.length, resources: resources.slice(startIndex - 1, startIndex - 1 + count) }
  })
}

export function createScimUser(
  engine: EngineResources,
  request: ScimRequest,
  body: unknown,
): Promise<DirectoryUser> {
  const user = readUser(body)
  return changeDirectory(engine, request, async (changing) => {
    const { users, at } = changing
    await requireUniqueUser(changing, user)
    if ((await users.count()) >= MAX_USERS) {
      throw new ScimError(403, `A directory has at most ${MAX_USERS} users. Assign fewer people to Skein.`)
    }
    const id = uuidV7({ msecs: at })
    await users.add(id, user, at)
    await follow(changing, id, user)
    await recordScim(changing, 'createScimUser', { kind: 'directory-user', name: user.userName })
    return requireById(changing.users, id, 'user')
  })
}

export function replaceScimUser(
  engine: EngineResources,
  request: ScimRequest,
  id: string,
  body: unknown,
): Promise<DirectoryUser> {
  return changeUser(engine, request, id, 'replaceScimUser', (before) => readUser(body, before))
}

export function patchScimUser(
  engine: EngineResources,
  request: ScimRequest,
  id: string,
  body: unknown,
): Promise<DirectoryUser> {
  return changeUser(engine, request, id, 'patchScimUser', (before) => patchUser(before, body))
}

export function deleteScimUser(engine: EngineResources, request: ScimRequest, id: string): Promise<void> {
  return changeDirectory(engine, request, async (changing) => {
    const { users, people } = changing
    const user = await requireById(changing.users, id, 'user')
    await link(changing, user.id, user)
    await endAccess(changing, id)
    // If the directory lists the person again, they are recognised by the same value.
    await people.unlink(id)
    await users.delete(id)
    await recordScim(changing, 'deleteScimUser', { kind: 'directory-user', name: user.userName })
  })
}

function changeUser(
  engine: EngineResources,
  request: ScimRequest,
  id: string,
  operation: string,
  change: (before: ScimUser) => ScimUser,
): Promise<DirectoryUser> {
  return changeDirectory(engine, request, async (changing) => {
    const before = await requireById(changing.users, id, 'user')
    const after = change(before)
    await requireUniqueUser(changing, after, id)
    await changing.users.update(id, after, changing.at)
    await follow(changing, id, after)
    await recordScim(changing, operation, { kind: 'directory-user', name: after.userName })
    return requireById(changing.users, id, 'user')
  })
}

/** What the user's state means for the person, if they have signed in before. */
async function follow(changing: ChangingDirectory, id: string, user: ScimUser): Promise<void> {
  const value = await link(changing, id, user)
  if (user.active) await changing.people.activate(id, value)
  else await endAccess(changing, id)
}

/** Recognises those who signed in before. Returns what by. */
async function link(changing: ChangingDirectory, id: string, user: ScimUser): Promise<string> {
  const { people, directory, provider, name } = changing
  const value = listedValue(directory, user[directory.userAttribute])
  // A person's subject is known even if they signed in before there was a directory.
  const issuer = directory.claim === 'sub' ? provider.issuer : undefined
  if (value !== '') await people.link(name, id, { value, issuer })
  return value
}

function requireUniqueUser({ users }: OpenDirectory, user: ScimUser, own?: string): Promise<void> {
  const { userName: name, externalId } = user
  return requireUnique(users, { name, externalId, own }, { what: 'user', nameAttribute: 'userName' })
}

function meets(user: DirectoryUser, attribute: string, value: string): boolean {
  if (attribute === 'username') return user.userName.toLowerCase() === value.toLowerCase()
  return attribute === 'externalid' ? user.externalId === value : user.id === value.toLowerCase()
}
