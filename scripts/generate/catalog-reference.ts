import { KINDS, type Kind } from '../../packages/contract/src/index.ts'
import { REFERENCE } from '../../packages/contract/src/facts.ts'
import { blocks, code, fence, GENERATED, linkTo, table } from './markdown.ts'
import {
  descriptionOf,
  fieldsOf,
  isSchema,
  limitText,
  typeText,
  type Field,
  type Schema,
} from './schema-text.ts'
import { toYaml } from './yaml.ts'

const intro = `The catalog contains everything you configure, as documents. A document has a **kind** and a **name**, and each write creates a new **generation** of it.

- Write with \`POST /v1/catalog/{kind}/{name}\`, read with \`GET\`. On the wire a document is base64-encoded JSON in the field \`payload\`; [api.md](api.md#catalog) has examples.
- A field with a default can be omitted. A field that is not in the table is rejected.
- Fields that the service sets are ignored in a write, so you can read a document, change it and send it back.
- A referenced resource must exist when the document is written, and cannot be deleted while it is referenced.
- Built-ins have generation 0. A tenant's own resource with the same name replaces a built-in.

Every document also has \`metadata\`, set by the service: \`name\`, \`createTime\`, \`updateTime\`, \`updatedBy\` and \`generation\`.`

export function catalogReference(): string {
  return blocks(
    GENERATED,
    '# Catalog',
    intro,
    table(
      ['Kind', 'What it is'],
      KINDS.map(({ kind, summary }) => [linkTo(kind), summary]),
    ),
    ...KINDS.map(section),
  )
}

function section(kind: Kind): string {
  const fields = fieldsOf(kind.schema).filter(({ name }) => !/^metadata\b/.test(name))
  return blocks(
    `## ${kind.kind}`,
    kind.summary,
    writtenAs(kind),
    secretNote(kind),
    table(['Field', 'Type', 'Default', 'Meaning'], fields.map(row)),
    referenceNote(kind),
    kind.bodyField === undefined
      ? fence('yaml', toYaml(kind.example).trim())
      : asMarkdown(kind, kind.bodyField),
  )
}

function writtenAs({ bodyField }: Kind): string {
  if (bodyField === undefined) return 'Written as YAML.'
  return `Written as Markdown: the fields are the front matter, and the text below it is ${code(bodyField)}.`
}

function secretNote({ oneTimeSecret }: Kind): string {
  if (oneTimeSecret === undefined) return ''
  return `**One-time secret:** the response to the write that creates it contains ${code(oneTimeSecret)}. It cannot be read again.`
}

function row({ name, schema, isRequired }: Field): string[] {
  return [
    code(name),
    typeText(schema, () => {
      throw new Error(`${name} refers to a named type, which the published schema of a kind does not have`)
    }),
    defaultText(schema, isRequired),
    [descriptionOf(schema), ownershipText(schema), limitText(schema)].join(' ').trim(),
  ]
}

function defaultText(schema: Schema, isRequired: boolean): string {
  if ('default' in schema) return schema['default'] === '' ? 'empty' : code(JSON.stringify(schema['default']))
  if (schema['readOnly'] === true) return ''
  return isRequired ? 'required' : 'none'
}

function ownershipText(schema: Schema): string {
  if (schema['readOnly'] === true) return 'Set by the service.'
  return schema['writeOnly'] === true ? 'Never returned.' : ''
}

function referenceNote(kind: Kind): string {
  const targets = fieldsOf(kind.schema).flatMap(({ name, schema }) => {
    const target = referenceWithin(schema)
    return target === undefined ? [] : [`${linkTo(target)} in ${code(name)}`]
  })
  return targets.length === 0 ? '' : `Refers to: ${targets.join(', ')}.`
}

/** A reference, or a list or map of references. */
function referenceWithin(schema: Schema): string | undefined {
  const target = schema[REFERENCE]
  if (typeof target === 'string') return target
  const { items, patternProperties } = schema
  const parts = [items, ...(isSchema(patternProperties) ? Object.values(patternProperties) : [])]
  return parts
    .filter(isSchema)
    .map(referenceWithin)
    .find((found) => found !== undefined)
}

function asMarkdown({ example }: Kind, bodyField: string): string {
  const { [bodyField]: body, ...front } = example
  return fence('markdown', `---${toYaml(front)}\n---\n\n${String(body)}`)
}
