import {
  parseJson,
  SCIM_DISCOVERY,
  SCIM_OPERATIONS,
  SkeinError,
  type Operation,
  type ScimOperation,
} from '@skein/contract'
import {
  createScimGroup,
  createScimUser,
  deleteScimGroup,
  deleteScimUser,
  listScimGroups,
  listScimUsers,
  patchScimGroup,
  patchScimUser,
  readScimGroup,
  readScimUser,
  replaceScimGroup,
  replaceScimUser,
  type EngineResources,
  type ListedGroup,
  type ScimRequest,
} from '@skein/engine'
import type { DirectoryUser } from '@skein/store'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { callerOf } from '../plugins/authentication.ts'
import { idOf, readScimQuery, wantsMembers } from './read-scim.ts'
import { scimDocuments } from './scim-documents.ts'
import { SCIM_TYPE, sendScimError } from './scim-errors.ts'
import { toScimGroup, toScimList, toScimUser } from './to-scim.ts'

const BASE = '/v1/scim'

/** Undefined for a response without a body. */
type Answer = (engine: EngineResources, request: FastifyRequest) => Promise<object | undefined>

/** SCIM 2.0 (RFC 7643 and 7644) for identity providers: another protocol than the API's, with its own errors. */
export function installScim(app: FastifyInstance, engine: EngineResources): void {
  const baseUrl = engine.publicUrl.replace(/\/+$/, '') + BASE
  const documents = scimDocuments(baseUrl)
  void app.register((scope: FastifyInstance, _options, done) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      ['application/scim+json', 'application/json'],
      { parseAs: 'buffer' },
      (_request, bytes, parsed) => parseBody(bytes, parsed),
    )
    scope.setErrorHandler((error, request, reply) => sendScimError(error, request, reply))
    for (const operation of SCIM_OPERATIONS) {
      serve(scope, operation, operation.path.replace('{id}', ':id'), answerFor(operation, baseUrl))
    }
    for (const [path, document] of documents) {
      serve(scope, SCIM_DISCOVERY, `${BASE}/${path.replaceAll(':', '::')}`, () => Promise.resolve(document))
    }
    done()
  })

  function serve(scope: FastifyInstance, operation: Operation, url: string, answer: Answer): void {
    scope.route({
      method: operation.method,
      url,
      bodyLimit: operation.bodyLimitBytes,
      config: { operation },
      handler: async (request, reply) => {
        const body = await answer(engine, request)
        void reply.header('cache-control', 'no-store')
        if (body === undefined) return reply.code(204).send()
        return reply
          .code(operation.method === 'POST' ? 201 : 200)
          .type(SCIM_TYPE)
          .send(JSON.stringify(body))
      },
    })
  }
}

function parseBody(bytes: string | Buffer, parsed: (error: Error | null, body?: unknown) => void): void {
  const result = parseJson(Buffer.from(bytes))
  if (result.ok) parsed(null, result.value)
  else {
    const message = `The body is not valid JSON: ${result.problem}.`
    parsed(new SkeinError('JSON_INVALID', { message }))
  }
}

function answerFor({ resource, action }: ScimOperation, baseUrl: string): Answer {
  return resource === 'User' ? userAnswer(action, baseUrl) : groupAnswer(action, baseUrl)
}

function userAnswer(action: ScimOperation['action'], baseUrl: string): Answer {
  const toScim = (user: DirectoryUser) => toScimUser(baseUrl, user)
  return async (engine, request) => {
    const by = senderOf(request)
    switch (action) {
      case 'list': {
        const query = readScimQuery(request)
        return toScimList(await listScimUsers(engine, by, query), query.startIndex, toScim)
      }
      case 'read':
        return toScim(await readScimUser(engine, by, idOf(request)))
      case 'create':
        return toScim(await createScimUser(engine, by, request.body))
      case 'replace':
        return toScim(await replaceScimUser(engine, by, idOf(request), request.body))
      case 'patch':
        return toScim(await patchScimUser(engine, by, idOf(request), request.body))
      case 'delete':
        await deleteScimUser(engine, by, idOf(request))
        return undefined
    }
  }
}

function groupAnswer(action: ScimOperation['action'], baseUrl: string): Answer {
  const toScim = (group: ListedGroup) => toScimGroup(baseUrl, group)
  return async (engine, request) => {
    const by = senderOf(request)
    switch (action) {
      case 'list': {
        const query = readScimQuery(request)
        const page = await listScimGroups(engine, by, query, wantsMembers(request))
        return toScimList(page, query.startIndex, toScim)
      }
      case 'read':
        return toScim(await readScimGroup(engine, by, idOf(request), wantsMembers(request)))
      case 'create':
        return toScim(await createScimGroup(engine, by, request.body))
      case 'replace':
        return toScim(await replaceScimGroup(engine, by, idOf(request), request.body))
      case 'patch':
        await patchScimGroup(engine, by, idOf(request), request.body)
        return undefined
      case 'delete':
        await deleteScimGroup(engine, by, idOf(request))
        return undefined
    }
  }
}

function senderOf(request: FastifyRequest): ScimRequest {
  const { id, ip } = request
  return { caller: callerOf(request), requestId: id, address: ip }
}
