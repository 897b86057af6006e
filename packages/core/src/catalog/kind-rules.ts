import { parseDuration, type FieldViolation, type Kind } from '@skein/contract'
import { LEAST_MACHINE, MACHINE_LIMITS, matchesModel } from '@skein/contract/facts'
import { activationViolations } from '../agent/activation.ts'
import { integrationViolations } from '../automations/notifications/integration-violations.ts'
import { triggerViolations } from '../automations/triggers/trigger-violations.ts'
import { budgetViolations } from '../budgets/budget-scope.ts'
import { isDocument, type Document } from './document.ts'
import { scheduleViolations } from './schedule-violations.ts'
import { parseDocument } from './parse-document.ts'
import { teamViolations } from './team-members.ts'

/** Rules a schema cannot express. The document has already passed its schema. */
export function kindViolations(
  kind: Kind,
  document: Document,
  current: Document | undefined,
  /** The result of checking the output schema. Checked beforehand, because it can take long. */
  outputSchemaProblem?: string,
): FieldViolation[] {
  const rule = RULES[kind.kind]
  return rule ? [...rule(document, current, outputSchemaProblem)] : []
}

type Rule = (
  document: Document,
  current: Document | undefined,
  outputSchemaProblem: string | undefined,
) => Iterable<FieldViolation>

const RULES: Readonly<Record<string, Rule>> = {
  *persona({ outputSchema, tasks }, current, outputSchemaProblem) {
    // Fields outside the update mask aren't written, so they aren't validated.
    const isWritten = outputSchema !== '' && outputSchema !== current?.['outputSchema']
    if (isWritten && outputSchemaProblem !== undefined)
      yield { field: 'outputSchema', description: outputSchemaProblem }
    if (Array.isArray(tasks)) yield* activationViolations(tasks.filter(isDocument))
  },
  *token(document, current) {
    yield* revokedIsFinal(document, current)
    yield* versionOnlyGrows(document, current)
    if (document['role'] !== 'runner' && Array.isArray(document['pools']) && document['pools'].length > 0) {
      yield { field: 'pools', description: 'only for the role runner' }
    }
  },
  directory: (document, current) => versionOnlyGrows(document, current),
  'share-link': (document, current) => revokedIsFinal(document, current),
  team: (document) => teamViolations(document),
  budget: (document) => budgetViolations(document),
  schedule: (document) => scheduleViolations(document),
  *integration(document, current) {
    yield* versionOnlyGrows(document, current)
    yield* integrationViolations(parseDocument('integration', '', document))
  },
  *'code-host'({ type, url, apiUrl, appId, gitCredential }) {
    yield* urlViolations('url', url)
    if (apiUrl !== '') yield* urlViolations('apiUrl', apiUrl)
    if (type === 'github' && appId === '') yield { field: 'appId', description: 'required for github' }
    if (type !== 'github' && appId !== '') yield { field: 'appId', description: 'only for github' }
    if (type === 'github' && gitCredential !== '') {
      yield { field: 'gitCredential', description: 'not for github, which issues one for each run' }
    }
  },
  *'workload-identity'({ issuer }) {
    yield* issuerViolations(issuer)
  },
  *'identity-provider'(document) {
    yield* peopleSourceViolations(document)
    const { sessionDuration } = document
    const durationMs = parseDuration(String(sessionDuration)) ?? 0
    if (durationMs < SHORTEST_SESSION_MS || durationMs > LONGEST_SESSION_MS) {
      yield { field: 'sessionDuration', description: 'must be from 300s to 604800s' }
    }
  },
  *workspace({ repos, hostStarts }) {
    if (isDocument(hostStarts)) yield* hostStartViolations(hostStarts, repos)
    for (const [index, repo] of (Array.isArray(repos) ? repos.filter(isDocument) : []).entries()) {
      if (repo['codeHost'] !== '' && repo['credential'] !== '') {
        yield {
          field: `repos[${index}].credential`,
          description: 'not with a codeHost, which issues its own',
        }
      }
    }
  },
  *trigger(document, current) {
    yield* versionOnlyGrows(document, current)
    yield* triggerViolations(parseDocument('trigger', '', document))
  },
  *secret({ value }, current) {
    if (current === undefined && value === undefined) yield { field: 'value', description: 'required' }
  },
  *'vm-profile'(document) {
    for (const field of MACHINE_LIMITS) {
      const value = Number(document[field])
      if (value === 0 || value >= LEAST_MACHINE[field]) continue
      yield { field, description: `must be at least ${LEAST_MACHINE[field]}, or 0 for no limit` }
    }
  },
  *environment({ network, providerTools, betas }) {
    for (const [field, value] of Object.entries({ providerTools, betas })) {
      if (network !== 'open' && Array.isArray(value) && value.length > 0) {
        yield { field, description: 'only with the network policy open' }
      }
    }
  },
  *backend({ models, defaultModel }) {
    if (
      !Array.isArray(models) ||
      models.some((pattern) => matchesModel(String(pattern), String(defaultModel)))
    )
      return
    yield { field: 'defaultModel', description: 'must match one of the models' }
  },
}

function* hostStartViolations(
  { mention, label, assignee }: Document,
  repos: unknown,
): Generator<FieldViolation> {
  if (mention === '' && label === '' && assignee === '') {
    yield { field: 'hostStarts.mention', description: 'set mention, label or assignee' }
  }
  const isHosted = Array.isArray(repos) && repos.filter(isDocument).some((repo) => repo['codeHost'] !== '')
  if (!isHosted) yield { field: 'hostStarts', description: 'needs a repository with a codeHost' }
}

/** Nobody is between us and these, so that a provider can be tried without a certificate. */
const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost'])
const SHORTEST_SESSION_MS = 5 * 60_000
const LONGEST_SESSION_MS = 7 * 24 * 3_600_000

/** What the schema's pattern cannot tell. */
function* urlViolations(field: string, url: unknown): Generator<FieldViolation> {
  const parsed = URL.parse(String(url))
  if (!parsed) yield { field, description: 'is not a URL' }
  else if (parsed.username !== '' || parsed.password !== '') {
    yield { field, description: 'must not contain a password: put it into a secret' }
  } else if (parsed.hash !== '') yield { field, description: 'must not contain a fragment' }
}

function* revokedIsFinal(document: Document, current: Document | undefined): Generator<FieldViolation> {
  if (current?.['revoked'] === true && document['revoked'] !== true) {
    yield { field: 'revoked', description: 'a revocation is final: delete this one and create another' }
  }
}

function* versionOnlyGrows(document: Document, current: Document | undefined): Generator<FieldViolation> {
  if (current && Number(document['keyVersion']) < Number(current['keyVersion'])) {
    yield { field: 'keyVersion', description: `must not be lower than ${String(current['keyVersion'])}` }
  }
}

/** Either an issuer or a code host. Anybody can have an account at a code host, so it takes an organization. */
function* peopleSourceViolations(document: Document): Iterable<FieldViolation> {
  const { issuer, codeHost, organizations, opensPullRequests, emailDomains, hostedDomains } = document
  if (codeHost === '') {
    if (issuer === '') yield { field: 'issuer', description: 'required without a codeHost' }
    else yield* issuerViolations(issuer)
    if (hasEntries(organizations)) yield { field: 'organizations', description: 'only with a codeHost' }
    if (opensPullRequests === true) yield { field: 'opensPullRequests', description: 'only with a codeHost' }
    return
  }
  if (issuer !== '') yield { field: 'issuer', description: 'not with a codeHost' }
  if (!hasEntries(organizations)) {
    yield { field: 'organizations', description: 'must name at least one with a codeHost' }
  }
  for (const [field, domains] of Object.entries({ emailDomains, hostedDomains })) {
    if (hasEntries(domains)) yield { field, description: 'not with a codeHost, which attests no address' }
  }
}

function hasEntries(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0
}

function* issuerViolations(issuer: unknown): Iterable<FieldViolation> {
  yield* urlViolations('issuer', issuer)
  if (URL.canParse(String(issuer)) && !isProtected(String(issuer))) {
    yield { field: 'issuer', description: 'must begin with https://' }
  }
}

/** Whether nobody between us and it can read along. */
export function isProtected(url: string): boolean {
  const parsed = URL.parse(url)
  return parsed?.protocol === 'https:' || (parsed?.protocol === 'http:' && LOOPBACK.has(parsed.hostname))
}
