import type { Resource } from '@skein/client'
import { findKind, KINDS, publishedSchema } from '@skein/contract'
import { describe, expect, it } from 'vitest'
import { readAuditSearch, toAuditFilter } from '../src/pages/audit/audit-search.ts'
import {
  createDocumentCheck,
  formatPath,
  locateViolations,
  parsePath,
} from '../src/pages/catalog/editor/check-document.ts'
import { countChanges, diffTexts } from '../src/ui/text/diff-texts.ts'
import { makeTemplate } from '../src/pages/catalog/editor/document-template.ts'
import { isOutdated, isTouched, rebaseDraft, startDraft } from '../src/pages/catalog/editor/draft.ts'
import { filterResources } from '../src/pages/catalog/filter-resources.ts'
import { findOneTime, presumeHeld } from '../src/catalog/find-one-time.ts'
import { findNextPage } from '../src/ui/next-page.ts'
import { formatEditable, readEditable, readKind, type EditedKind } from '../src/catalog/resource-text.ts'
import { listSchemaFields } from '../src/pages/catalog/editor/schema-fields.ts'
import { lineAt } from '../src/pages/catalog/editor/text-line.ts'
import { readToken, tokenState } from '../src/pages/tokens/token-facts.ts'
import { checkTokenForm, toTokenDocument } from '../src/pages/tokens/token-form.ts'

/** A kind as the service describes it. */
function describeKind(name: string): EditedKind {
  const kind = findKind(name)
  if (!kind) throw new Error(`no kind ${name}`)
  const { summary, inputFormat, bodyField = '', oneTimeSecret = '' } = kind
  const schema = publishedSchema(kind)
  return readKind({ kind: name, summary, inputFormat, bodyField, oneTimeSecret, schema })
}

function markDay(day: string, daysLater: number): string {
  return `${day}+${daysLater}`
}

function named(name: string, description: string): Resource {
  return { kind: 'persona', name, generation: '1', isBuiltIn: false, document: { description } }
}

function findProblems(kindName: string, text: string): string[] {
  const kind = describeKind(kindName)
  const problems = createDocumentCheck(kind.jsonSchema)(readEditable(kind, 'x', text))
  return problems.map(({ from, message }) => `${lineAt(text, from)}: ${message}`)
}

describe('the text of a document', () => {
  it.each(KINDS.map(({ kind, example }) => [kind, example] as const))(
    'of the kind %s is its example, there and back, and fits the schema',
    (name, example) => {
      const kind = describeKind(name)
      const text = formatEditable(kind, example)
      expect(readEditable(kind, 'x', text).document).toEqual(example)
      expect(findProblems(name, text)).toEqual([])
    },
  )

  it('shows nothing that only the service sets', () => {
    const kind = describeKind('token')
    const text = formatEditable(kind, {
      role: 'member',
      account: 'ada',
      keyId: 'k',
      metadata: { generation: '3' },
    })
    expect(text).toBe('role: member\naccount: ada\n')
  })

  it('may begin with kind and name, as a file of a repository does, if they are the same', () => {
    const kind = describeKind('profile')
    const read = readEditable(kind, 'ci', 'kind: profile\nname: ci\ncontact: ops\n')
    expect(read.document).toEqual({ contact: 'ops' })
    expect(read.problems).toEqual([])
    expect(readEditable(kind, 'ci', 'kind: pool\nname: cd\n').problems).toHaveLength(2)
  })
})

describe('validation while typing', () => {
  it('says what breaks the schema, at its line', () => {
    const text = 'repos:\n  - url: 4\n    foo: 1\n  - baseBranch: main\nbar: 1\n'
    expect(findProblems('workspace', text)).toEqual([
      '2: repos[0].url must be of the type string.',
      '3: Unknown field: repos[0].foo.',
      '4: repos[1] is missing the field url.',
      '5: Unknown field: bar.',
    ])
  })

  it('says what cannot be read, at its line', () => {
    expect(findProblems('workspace', 'description: ok\nmodel: [\n')[0]).toMatch(/^[23]: /)
  })

  it('names the choices of a field', () => {
    expect(findProblems('environment', 'network: everything\n')).toEqual([
      '1: network must be one of "none","gateway","open".',
    ])
  })

  it('puts what the service finds at its line', () => {
    const text = 'repos:\n  - url: a\n    credential: missing\n'
    const [problem] = locateViolations(
      { 'repos[0].credential': 'there is no secret named missing' },
      readEditable(describeKind('workspace'), 'x', text),
    )
    expect(lineAt(text, problem?.from ?? 0)).toBe(3)
  })

  it('reads the paths that it writes', () => {
    for (const path of [['repos', 0, 'url'], ['description'], ['a', 1, 2]])
      expect(parsePath(formatPath(path))).toEqual(path)
  })
})

describe('a template', () => {
  it.each(KINDS.map(({ kind }) => kind))('of the kind %s can be read, and has no unknown field', (name) => {
    const problems = findProblems(name, makeTemplate(describeKind(name)))
    expect(problems.filter((problem) => problem.includes('no field'))).toEqual([])
  })

  it('has what a new secret needs', () => {
    expect(makeTemplate(describeKind('secret'))).toBe('description: ""\nvalue: ""\n')
  })
})

describe('the help next to the editor', () => {
  it('has every field that people write, with those inside it', () => {
    const fields = listSchemaFields(describeKind('workspace').schema)
    expect(fields.map(({ path }) => path)).toContain('repos[].url')
    expect(fields.find(({ path }) => path === 'repos[].url')?.isRequired).toBe(true)
    expect(fields.some(({ path }) => path.startsWith('metadata'))).toBe(false)
    expect(fields.find(({ path }) => path === 'pool')).toMatchObject({
      type: 'string',
      defaultText: 'empty',
      note: 'The name of the pool.',
    })
  })
})

describe('a difference', () => {
  it('marks lines, and leaves out what is far from a change', () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`)
    const rows = diffTexts(lines.join('\n'), lines.with(10, 'new').join('\n'))
    expect(countChanges(rows)).toEqual({ added: 1, removed: 1 })
    expect(rows.filter(({ type }) => type === 'gap')).toHaveLength(2)
    expect(rows).toHaveLength(2 + 3 + 2 + 3)
  })

  it('is nothing between equal texts, with or without a last line break', () => {
    expect(countChanges(diffTexts('a\nb', 'a\nb\n'))).toEqual({ added: 0, removed: 0 })
  })

  it('takes a new document as all added', () => {
    expect(diffTexts('', 'a\nb\n').map(({ type }) => type)).toEqual(['added', 'added'])
  })
})

describe('a draft', () => {
  const first = { generation: '1', text: 'one\n' }
  const second = { generation: '2', text: 'two\n' }

  it('is touched by typing, and untouched again when it is typed back', () => {
    const draft = startDraft(first)
    expect(isTouched(draft)).toBe(false)
    expect(isTouched({ ...draft, text: 'mine\n' })).toBe(true)
    expect(isTouched(startDraft({ generation: '0', text: '' }, 'template'))).toBe(false)
  })

  it('keeps your own text when it is merged with what someone else wrote', () => {
    const draft = { ...startDraft(first), text: 'mine\n' }
    expect(isOutdated(draft, second)).toBe(true)
    const rebased = rebaseDraft(draft, second)
    expect(rebased).toMatchObject({ base: second, text: 'mine\n' })
    expect(isOutdated(rebased, second)).toBe(false)
  })
})

describe('tokens', () => {
  const document = { role: 'member', account: 'ada', expireTime: '2026-11-15T00:00:00Z', keyVersion: 2 }
  const token = readToken({ kind: 'token', name: 'ci', generation: '3', isBuiltIn: false, document })

  it('work until they expire or are revoked', () => {
    const expiry = Date.parse('2026-11-15T00:00:00Z')
    expect(tokenState(token, expiry - 1)).toBe('works')
    expect(tokenState(token, expiry)).toBe('expired')
    expect(tokenState({ ...token, isRevoked: true }, 0)).toBe('revoked')
  })

  it('expire after the days that were asked for, and have pools for runners only', () => {
    const form = {
      name: 'ci',
      role: 'member',
      account: ' ada ',
      description: '',
      expiresInDays: '1',
      pools: ['p'],
    }
    expect(toTokenDocument(form, 0)).toEqual({
      role: 'member',
      account: 'ada',
      expireTime: '1970-01-02T00:00:00.000Z',
    })
    expect(toTokenDocument({ ...form, role: 'runner', expiresInDays: '' }, 0)).toEqual({
      role: 'runner',
      account: 'ada',
      pools: ['p'],
    })
    const wrong = { ...form, account: '', expiresInDays: 'x', role: 'runner', pools: [] }
    expect(Object.keys(checkTokenForm(wrong))).toEqual(['account', 'expireTime', 'pools'])
  })

  it('return the key in the response only', () => {
    expect(findOneTime({ role: 'member', key: 'skn_x', keyId: 'a' }, { role: 'member', keyId: 'a' })).toEqual(
      {
        key: 'skn_x',
      },
    )
  })
})

describe('an answer whose resource cannot be read afterwards', () => {
  it.each(KINDS.map(({ kind, example, oneTimeSecret = '' }) => [kind, example, oneTimeSecret] as const))(
    'of the kind %s shows its secret, and no field that a user wrote',
    (name, example, secret) => {
      const answer = { ...example, ...(secret !== '' && { [secret]: 'once' }), metadata: {} }
      const held = presumeHeld(describeKind(name).schema, answer, {})
      expect(findOneTime(answer, held)).toEqual(secret === '' ? {} : { [secret]: 'once' })
      expect(held).toEqual({ ...example, metadata: {} })
    },
  )

  it('shows nothing that was there before', () => {
    const { schema } = describeKind('token')
    const answer = { role: 'member', keyId: 'a' }
    expect(findOneTime(answer, presumeHeld(schema, answer, { keyId: 'a' }))).toEqual({})
  })
})

describe('the filters of the audit log', () => {
  it('come from the URL, and invalid ones are dropped', () => {
    expect(readAuditSearch({ kind: 'persona', name: '', from: '2026-11-15', to: 'soon', x: 1 })).toEqual({
      kind: 'persona',
      from: '2026-11-15',
    })
  })

  it('include the whole last day', () => {
    expect(toAuditFilter({ account: 'ada', from: '2026-11-01', to: '2026-11-02' }, markDay)).toEqual({
      account: 'ada',
      startTime: '2026-11-01+0',
      endTime: '2026-11-02+1',
    })
  })
})

describe('lists', () => {
  it('are filtered by every word in name or description', () => {
    const resources = [named('reviewer', 'Reads code'), named('writer', 'Writes docs')]
    expect(filterResources(resources, 'CODE rev').map(({ name }) => name)).toEqual(['reviewer'])
    expect(filterResources(resources, ' ')).toHaveLength(2)
  })

  it('end with the page that names no other', () => {
    expect(findNextPage({ nextPageToken: 'more' })).toBe('more')
    expect(findNextPage({ nextPageToken: '' })).toBeUndefined()
  })
})
