import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { format, resolveConfig } from 'prettier'

/**
 * Writes what GitHub says about the operations that we use: their parameters and bodies, from its own API description.
 * Tests check every request to GitHub against it. Only these are kept: the package has 410 MB. Run it after adding an
 * operation, or to check against a newer description.
 */
const SOURCE = '@octokit/openapi@23.0.2'
const FILE = new URL('../packages/server/test/code-hosts/github-operations.json', import.meta.url)

const USED = [
  'GET /repos/{owner}/{repo}/installation',
  'POST /app/installations/{installation_id}/access_tokens',
  'GET /repos/{owner}/{repo}/pulls',
  'POST /repos/{owner}/{repo}/pulls',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}',
  'PATCH /repos/{owner}/{repo}/pulls/{pull_number}',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}/comments',
  'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews',
  'POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers',
  'GET /repos/{owner}/{repo}/issues',
  'GET /repos/{owner}/{repo}/issues/{issue_number}',
  'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
  'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
  'GET /repos/{owner}/{repo}/issues/{issue_number}/events',
  'POST /repos/{owner}/{repo}/issues/{issue_number}/labels',
  'GET /repos/{owner}/{repo}/collaborators/{username}/permission',
  'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
  'GET /repos/{owner}/{repo}/commits/{ref}/status',
  'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs',
  'GET /user',
  'GET /user/memberships/orgs',
  'GET /user/teams',
  'DELETE /applications/{client_id}/token',
]

type Fields = Readonly<Record<string, unknown>>

const KEPT = [
  'type',
  'enum',
  'required',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
]
const CHOICES = ['oneOf', 'anyOf', 'allOf']

const description = await readDescription()
const operations = Object.fromEntries(USED.map((name) => [name, extract(name)]))
const text = await format(JSON.stringify({ source: SOURCE, operations }), {
  ...(await resolveConfig(FILE)),
  parser: 'json',
})
if (!process.argv.includes('--check')) await writeFile(FILE, text)
else if ((await readFile(FILE, 'utf8')) !== text) {
  console.error('github-operations.json is stale: run npm run generate:github')
  process.exitCode = 1
}

async function readDescription(): Promise<Fields> {
  const run = promisify(execFile)
  const folder = await mkdtemp(join(tmpdir(), 'skein-github-'))
  try {
    await run('npm', ['pack', SOURCE, '--silent', '--pack-destination', folder])
    await run('sh', ['-c', 'tar -xzf *.tgz package/generated/api.github.com.json'], { cwd: folder })
    const file = join(folder, 'package', 'generated', 'api.github.com.json')
    return fieldsOf(JSON.parse(await readFile(file, 'utf8')))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Parameters in the path and in the query, and the body: each as a schema that allows nothing besides. */
function extract(name: string): Fields {
  const [method = '', path = ''] = name.split(' ')
  const item = fieldsOf(fieldsOf(description['paths'])[path])
  const operation = fieldsOf(item[method.toLowerCase()])
  if (Object.keys(operation).length === 0) throw new Error(`GitHub does not describe ${name}`)
  const parameters = [...listOf(item['parameters']), ...listOf(operation['parameters'])].map(resolve)
  const inPlace = (place: string): Fields => {
    const found = parameters.filter((parameter) => parameter['in'] === place)
    return {
      type: 'object',
      properties: Object.fromEntries(found.map(({ name: key, schema }) => [key, toStrict(schema)])),
      required: found.filter(({ required }) => required === true).map(({ name: key }) => key),
      additionalProperties: false,
    }
  }
  const { content, required = false } = resolve(operation['requestBody'])
  const { schema } = fieldsOf(fieldsOf(content)['application/json'])
  return {
    path: inPlace('path'),
    query: inPlace('query'),
    ...(schema !== undefined && { body: toStrict(schema), isBodyRequired: required }),
  }
}

/** Without words, references and OpenAPI's own notations. GitHub ignores fields that it does not know; we don't. */
function toStrict(value: unknown): Fields {
  const schema = resolve(value)
  const strict: Record<string, unknown> = {}
  for (const key of KEPT) if (schema[key] !== undefined) strict[key] = schema[key]
  for (const key of CHOICES) if (schema[key] !== undefined) strict[key] = listOf(schema[key]).map(toStrict)
  if (schema['items'] !== undefined) strict['items'] = toStrict(schema['items'])
  if (schema['properties'] !== undefined) {
    const properties = Object.entries(fieldsOf(schema['properties']))
    strict['properties'] = Object.fromEntries(properties.map(([key, field]) => [key, toStrict(field)]))
    strict['additionalProperties'] = false
  }
  if (schema['nullable'] === true && typeof schema['type'] === 'string')
    strict['type'] = [schema['type'], 'null']
  return strict
}

function resolve(value: unknown): Fields {
  const fields = fieldsOf(value)
  const reference = fields['$ref']
  if (typeof reference !== 'string') return fields
  const parts = reference.replace('#/', '').split('/')
  return resolve(parts.reduce<unknown>((found, part) => fieldsOf(found)[part], description))
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
