import { ConfigError } from '@skein/contract'

export interface S3Address {
  /** The start of every object's URL, including the prefix. */
  readonly base: string
  /** Where the bucket's objects are listed. */
  readonly bucket: string
  /** What every object's key begins with: empty, or ends with a slash. */
  readonly prefix: string
  readonly region: string
}

const OPTIONS = ['region', 'endpoint', 'pathStyle']
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/

/**
 * Parses `s3://bucket/prefix?region=…&endpoint=…&pathStyle=…`. Region and endpoint default to the usual S3
 * variables. AWS wants the bucket in the host name; other servers usually take it in the path.
 */
export function parseS3Address(url: URL, env: Readonly<NodeJS.ProcessEnv>, setting: string): S3Address {
  try {
    return parse(url, env)
  } catch (error) {
    // Doesn't include the address: it may contain a secret.
    if (error instanceof AddressError)
      throw new ConfigError(`The URL of the blob store (${setting}) ${error.message}.`)
    throw error
  }
}

class AddressError extends Error {}

function parse(url: URL, env: Readonly<NodeJS.ProcessEnv>): S3Address {
  const { hostname: bucket, searchParams } = url
  if (url.username !== '' || url.password !== '')
    throw bad('must not contain credentials: put them into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY')
  if (url.port !== '' || !BUCKET.test(bucket) || bucket.includes('..'))
    throw bad('must be s3://bucket/prefix; for a server that is not Amazon’s, add ?endpoint=https://…')
  const unknown = [...searchParams.keys()].find((name) => !OPTIONS.includes(name))
  if (unknown !== undefined) throw bad(`supports the options ${OPTIONS.join(', ')}, not ${unknown}`)
  const region =
    firstGiven(searchParams.get('region'), env['AWS_REGION'], env['AWS_DEFAULT_REGION']) ?? 'us-east-1'
  const given = firstGiven(searchParams.get('endpoint'), env['AWS_ENDPOINT_URL_S3'], env['AWS_ENDPOINT_URL'])
  const endpoint = parseEndpoint(given ?? `https://s3.${region}.amazonaws.com`)
  const isPathStyle = readFlag(searchParams.get('pathStyle')) ?? (given !== undefined || bucket.includes('.'))
  const host = isPathStyle ? endpoint.host : `${bucket}.${endpoint.host}`
  const root = [`${endpoint.protocol}//${host}`, ...(isPathStyle ? [encodeURIComponent(bucket)] : [])]
  const path = parsePrefix(url.pathname)
  return {
    base: [...root, ...path.map(encodeURIComponent)].join('/'),
    bucket: root.join('/'),
    prefix: path.map((part) => `${part}/`).join(''),
    region,
  }
}

/** An empty variable counts as not set. */
function firstGiven(...values: readonly (string | null | undefined)[]): string | undefined {
  return values.find((value) => typeof value === 'string' && value !== '') ?? undefined
}

function parseEndpoint(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url?.pathname === '/' && url.search === '' && url.hash === '' && url.username === ''
  if (!url || !isPlain || !['http:', 'https:'].includes(url.protocol))
    throw bad('needs an endpoint such as https://storage.example.com:9000, without a path')
  return url
}

function parsePrefix(pathname: string): string[] {
  const parts = pathname.split('/').filter(Boolean).map(decodeURIComponent)
  if (parts.some((part) => part === '.' || part === '..' || part.includes('/')))
    throw bad('has a prefix that is not valid')
  return parts
}

function readFlag(text: string | null): boolean | undefined {
  if (text === null) return undefined
  if (text !== 'true' && text !== 'false') throw bad('must have true or false for pathStyle')
  return text === 'true'
}

function bad(what: string): AddressError {
  return new AddressError(what)
}
