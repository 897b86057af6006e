import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ProgramSetup } from '../../src/backends/backend.ts'
import { answerRequest } from '../../src/backends/codex/approvals.ts'
import { trustsNobody } from '../../src/backends/codex/authorities.ts'
import { transcriptPath } from '../../src/backends/codex/codex-home.ts'
import { makeConfig } from '../../src/backends/codex/config.ts'
import { makeEnvironment } from '../../src/backends/codex/environment.ts'
import { errorOfTurn } from '../../src/backends/codex/errors.ts'
import { findCodex } from '../../src/backends/codex/find-program.ts'
import {
  readInstructions,
  replaceInstructions,
  wrapInstructions,
} from '../../src/backends/codex/instructions.ts'
import { toStrictSchema } from '../../src/backends/codex/strict-schema.ts'

const setup: ProgramSetup = {
  model: 'any',
  effort: '',
  tier: '',
  fastMode: false,
  instructions: '',
  outputSchema: undefined,
  session: undefined,
  workDir: '/srv/agents/a "b"/work',
  stateDir: '/srv/agents/state',
  gateway: { url: 'http://127.0.0.1:4000/model/v1', token: 'gateway-token' },
  tools: [{ name: 'skein', url: 'http://127.0.0.1:4000/tools', token: 'tools-token' }],
  sandbox: {} as ProgramSetup['sandbox'],
  variables: { SKEIN_GATEWAY_TOKEN: 'another', HTTP_PROXY: 'http://proxy:1', NO_PROXY: 'example.test' },
  hideSecrets: (text) => text,
}

test('the settings distrust the work directory and hold no token', () => {
  const config = makeConfig(setup)
  expect(config).toContain('["projects"."/srv/agents/a \\"b\\"/work"]\n"trust_level" = "untrusted"')
  expect(config).toContain('"base_url" = "http://127.0.0.1:4000/model/v1"')
  expect(config).not.toMatch(/gateway-token|tools-token/)
})

test('databases that nobody needs afterwards are in memory, where the sandbox has some', () => {
  expect(makeConfig(setup, '/dev/shm')).toContain('"sqlite_home" = "/dev/shm/codex"')
  expect(makeConfig(setup)).not.toContain('sqlite_home')
})

test.for([
  [{}, true],
  [{ SSL_CERT_FILE: '/work/authorities.pem' }, false],
  [{ CODEX_CA_CERTIFICATE: '/work/authorities.pem' }, false],
] as const)('with the variables %o, that the program trusts nobody is %s', ([variables, expected]) => {
  expect(trustsNobody({ variables })).toBe(expected)
  // What an agent says itself, its commands are told too.
  expect(makeConfig({ ...setup, variables }).includes('SSL_CERT_FILE')).toBe(expected)
})

test('variables of an agent cannot take the place of ours, and our hosts need no proxy', () => {
  expect(makeEnvironment(setup, '/home')).toEqual({
    LANG: 'C.UTF-8',
    HTTP_PROXY: 'http://proxy:1',
    NO_PROXY: 'example.test,127.0.0.1',
    no_proxy: '127.0.0.1',
    CODEX_HOME: '/home',
    SKEIN_GATEWAY_TOKEN: 'gateway-token',
    SKEIN_TOOLS_TOKEN_0: 'tools-token',
  })
})

test.for([
  ['rateLimitExceeded', 'Slow down.', { kind: 'rate-limit', message: 'Slow down.' }],
  ['cyberPolicy', 'No.', { kind: 'refused', message: 'No.' }],
  ['unauthorized', 'No.', { kind: 'auth', message: 'No.', httpStatus: 401 }],
  ['other', 'unexpected status 402 Payment Required: x', { kind: 'budget', httpStatus: 402 }],
  [{ responseTooManyFailedAttempts: { httpStatusCode: 429 } }, 'x', { kind: 'rate-limit', httpStatus: 429 }],
  [{ responseStreamDisconnected: { httpStatusCode: null } }, 'stream closed', { kind: 'network' }],
  [null, 'x', { kind: 'network', message: 'x' }],
  [
    'other',
    '{"error":{"message":"No such thing.","type":"invalid_request_error","code":null}}',
    { kind: 'bad-request', message: 'No such thing.', httpStatus: 400 },
  ],
] as const)('the error %o with "%s" gets its class', ([codexErrorInfo, message, error]) => {
  expect(errorOfTurn({ message, codexErrorInfo })).toMatchObject(error)
})

test('every approval is given, nobody is asked anything, and the rest is not supported', () => {
  expect(answerRequest('item/commandExecution/requestApproval', {})).toEqual({ decision: 'accept' })
  expect(answerRequest('item/fileChange/requestApproval', {})).toEqual({ decision: 'accept' })
  expect(answerRequest('mcpServer/elicitation/request', {})).toMatchObject({ action: 'decline' })
  const permissions = { network: { enabled: true }, fileSystem: null }
  expect(answerRequest('item/permissions/requestApproval', { permissions })).toEqual({
    permissions: { network: { enabled: true } },
    scope: 'session',
  })
  expect(answerRequest('item/tool/call', {})).toBeUndefined()
})

test('a transcript is only ever looked for among the transcripts', async () => {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'skein-state-')))
  try {
    const path = join(dir, 'state/codex/sessions/2026/rollout-1.jsonl')
    await mkdir(join(dir, 'state'))
    await symlink(join(dir, 'state'), join(dir, 'link'))
    for (const stateDir of [join(dir, 'state'), join(dir, 'link')]) {
      expect(await transcriptPath(stateDir, path)).toBe('codex/sessions/2026/rollout-1.jsonl')
      for (const other of ['/etc/passwd', join(dir, 'state/codex/config.toml'), '', null]) {
        expect(await transcriptPath(stateDir, other)).toBe('')
      }
    }
  } finally {
    await rm(dir, { recursive: true })
  }
})

function transcriptOf(items: readonly object[]): string {
  const lines = items.map((payload) => JSON.stringify({ type: 'response_item', payload }))
  return [...lines, '{"cut":'].join('\n')
}

test('the instructions of a transcript are the last ones, even if they are quoted elsewhere', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'skein-transcript-'))
  try {
    const path = join(dir, 'rollout.jsonl')
    const begin = {
      type: 'message',
      role: 'developer',
      content: [{ type: 'input_text', text: wrapInstructions('One\n"quoted".') }],
    }
    const quote = { type: 'message', role: 'user', content: [{ text: wrapInstructions('A "developer"?') }] }
    await writeFile(path, transcriptOf([quote]))
    expect(await readInstructions(path)).toBe('')
    await writeFile(path, transcriptOf([begin, quote]))
    expect(await readInstructions(path)).toBe('One\n"quoted".')
    await writeFile(path, transcriptOf([begin, replaceInstructions('Two.'), quote]))
    expect(await readInstructions(path)).toBe('Two.')
  } finally {
    await rm(dir, { recursive: true })
  }
})

const strict = {
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
}

test('a schema in which all is required and nothing else allowed can be enforced', () => {
  const nested = {
    ...strict,
    properties: { a: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/b' }] } },
    $defs: { b: { type: 'array', items: strict } },
  }
  expect(toStrictSchema({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...nested })).toEqual(
    nested,
  )
})

test.for([
  { ...strict, required: [] },
  { ...strict, additionalProperties: true },
  { ...strict, properties: { a: { type: 'object' } } },
  { ...strict, properties: { a: { type: 'string', minLength: 1 } } },
  { ...strict, properties: { a: { type: 'array', items: { type: ['object', 'null'] } } } },
  { ...strict, allOf: [] },
  { type: 'array', items: strict },
  {},
])('the schema %o cannot be enforced', (schema) => {
  expect(toStrictSchema(schema)).toBeUndefined()
})

test('a program that is not there is named, with how to get it', () => {
  expect(() => findCodex('/nowhere/codex')).toThrow(/\/nowhere\/codex.*npm install @openai\/codex@/)
})

test('a program of one’s own is shown alone, when its package is not around it', () => {
  expect(findCodex(process.execPath)).toMatchObject({ root: findCodex(process.execPath).program })
  expect(findCodex().program.startsWith(findCodex().root)).toBe(true)
})
