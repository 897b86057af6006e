import type { Resource } from '../../answers.ts'
import type { Api } from '../../api.ts'
import { shown, type Book } from '../../book.ts'

export async function builtins(book: Book, api: Api): Promise<void> {
  for (const [kind, name] of [
    ['backend', 'a'],
    ['backend', 'b'],
    ['persona', 'default'],
    ['environment', 'default'],
    ['workspace', 'default'],
    ['quota', 'default'],
    ['vm-profile', 'default'],
  ] as const) {
    const builtIn = await api.read(kind, name)
    book.row(
      `the builtin ${kind}/${name} is read with generation "0"`,
      builtIn.status === 200 && builtIn.json.generation === '0',
      shown(builtIn),
    )
  }
  const shadow = await api.write('vm-profile', 'default', { cpus: 4 }, { ifGenerationMatch: '0' })
  book.row(
    'a builtin can be shadowed, with ifGenerationMatch 0',
    shadow.status === 200 &&
      (await api.read('vm-profile', 'default')).json.generation === shadow.json.generation &&
      shadow.json.generation !== '0',
    shown(shadow),
  )
  await api.delete('vm-profile', 'default')
  book.equal(
    'without the shadow the builtin is back',
    (await api.read('vm-profile', 'default')).json.generation,
    '0',
  )
  const again = await api.write('vm-profile', 'default', { cpus: 4 }, { ifGenerationMatch: '0' })
  book.row(
    'generations are never used twice, not after a deletion either',
    again.status === 200 && BigInt(again.json.generation) > BigInt(shadow.json.generation),
    shown(again),
  )
  await api.delete('vm-profile', 'default')
}

export async function kinds(book: Book, api: Api): Promise<void> {
  const all = (
    await api.get<{ kinds: { kind: string; inputFormat: string; schema?: { properties?: object } }[] }>(
      '/v1/catalog',
    )
  ).json.kinds
  for (const kind of [
    'workspace',
    'persona',
    'environment',
    'profile',
    'pool',
    'vm-profile',
    'token',
    'share-link',
    'integration',
    'secret',
    'quota',
    'backend',
  ]) {
    const known = all.find((each) => each.kind === kind)
    const wanted = kind === 'persona' ? 'INPUT_FORMAT_MARKDOWN' : 'INPUT_FORMAT_YAML'
    book.row(
      `the kind ${kind} exists, with inputFormat ${wanted} and a schema`,
      known?.inputFormat === wanted && typeof known.schema?.properties === 'object',
      known?.inputFormat,
    )
  }
  const formats = {
    'quota/default': 'INPUT_FORMAT_YAML',
    'backend/a': 'INPUT_FORMAT_YAML',
    'workspace/sample': 'INPUT_FORMAT_YAML',
    'persona/default': 'INPUT_FORMAT_MARKDOWN',
  }
  for (const [ref, format] of Object.entries(formats))
    book.equal(
      `the read of ${ref} says ${format}`,
      (await api.get<Resource>(`/v1/catalog/${ref}`)).json.inputFormat,
      format,
    )
}
