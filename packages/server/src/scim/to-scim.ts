import { formatTimestamp } from '@skein/contract'
import type { ListedGroup, ScimPage } from '@skein/engine'
import type { DirectoryUser } from '@skein/store'
import { LIST, SCHEMAS } from './scim-documents.ts'

/** The form of RFC 7643. Attributes without a value are left out. */
export function toScimUser(baseUrl: string, user: DirectoryUser): object {
  const { id, userName, externalId, active, displayName, givenName, familyName, email } = user
  const name = { ...(givenName !== '' && { givenName }), ...(familyName !== '' && { familyName }) }
  return {
    schemas: [SCHEMAS.user],
    id,
    ...(externalId !== '' && { externalId }),
    userName,
    active,
    ...(displayName !== '' && { displayName }),
    ...(Object.keys(name).length > 0 && { name }),
    ...(email !== '' && { emails: [{ value: email, type: 'work', primary: true }] }),
    meta: metaOf(baseUrl, 'User', user),
  }
}

export function toScimGroup(baseUrl: string, group: ListedGroup): object {
  const { id, displayName, externalId, members } = group
  return {
    schemas: [SCHEMAS.group],
    id,
    ...(externalId !== '' && { externalId }),
    displayName,
    ...(members && {
      members: members.map(({ userId, userName }) => ({ value: userId, display: userName })),
    }),
    meta: metaOf(baseUrl, 'Group', group),
  }
}

export function toScimList<Resource>(
  { total, resources }: ScimPage<Resource>,
  startIndex: number,
  toScim: (resource: Resource) => object,
): object {
  return {
    schemas: [LIST],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources.map(toScim),
  }
}

interface Dated {
  readonly id: string
  readonly createdAt: number
  readonly updatedAt: number
}

function metaOf(baseUrl: string, resourceType: string, { id, createdAt, updatedAt }: Dated): object {
  return {
    resourceType,
    created: formatTimestamp(createdAt),
    lastModified: formatTimestamp(updatedAt),
    location: `${baseUrl}/${resourceType}s/${id}`,
  }
}
