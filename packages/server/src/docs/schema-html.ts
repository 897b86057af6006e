import { fields, items, text, type ApiDocument, type Schema } from './api-document.ts'
import { html, inline, joined, NOTHING, type Html } from './html.ts'

const REFERENCE = '#/components/schemas/'

const FORMATS: Readonly<Record<string, string>> = {
  int64: 'int64, as a string',
  'date-time': 'timestamp',
  'google-duration': 'duration',
}

/** The name of the referenced schema. */
export function referenceOf(schema: Schema): string | undefined {
  const target = text(schema['$ref'])
  return target.startsWith(REFERENCE) ? target.slice(REFERENCE.length) : undefined
}

/** A short description of the schema's type. */
export function typeHtml(schema: Schema): Html {
  const name = referenceOf(schema)
  if (name !== undefined) return html`<a href="#type-${name}">${name}</a>`
  const choices = items(schema['enum'])
  if (choices.length > 0)
    return joined(
      choices.map((value) => html`<code>${String(value)}</code>`),
      ' ',
    )
  const parts = items(schema['anyOf'])
  if (parts.length > 0)
    return joined(
      parts.map((part) => typeHtml(fields(part))),
      ' or ',
    )
  if (schema['const'] === '') return html`empty`
  if ('const' in schema) return html`<code>${String(schema['const'])}</code>`
  if ('items' in schema) return html`list of ${typeHtml(fields(schema['items']))}`
  const values = fields(schema['additionalProperties'])
  if (Object.keys(values).length > 0) return html`map to ${typeHtml(values)}`
  const format = text(schema['format'])
  if (format !== '') return html`${FORMATS[format] ?? format}`
  return html`${text(schema['contentEncoding']) || text(schema['type']) || 'any'}`
}

interface Row {
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
}

/** An object's fields, each followed by those of its unnamed nested object. */
function rowsOf(schema: Schema, prefix = ''): Row[] {
  const required = items(schema['required'])
  return Object.entries(fields(schema['properties'])).flatMap(([key, value]) => {
    const property = fields(value)
    const name = `${prefix}${key}`
    const inner = 'items' in property ? fields(property['items']) : property
    const below = rowsOf(inner, `${name}${'items' in property ? '[]' : ''}.`)
    return [{ name, schema: property, isRequired: required.includes(key) }, ...below]
  })
}

interface TableOptions {
  readonly document: ApiDocument
  /** Requests only: a response always has all its fields. */
  readonly marksRequired: boolean
}

export function fieldTable(title: string, schema: Schema, options: TableOptions): Html {
  return rowTable(title, rowsOf(schema), options)
}

export function rowTable(title: string, rows: readonly Row[], options: TableOptions): Html {
  if (rows.length === 0) return NOTHING
  return html`<table>
    <caption>
      ${title}
    </caption>
    <thead>
      <tr>
        <th scope="col">Field</th>
        <th scope="col">Type</th>
        <th scope="col">Meaning</th>
      </tr>
    </thead>
    <tbody>
      ${rows.map((row) => rowHtml(row, options))}
    </tbody>
  </table>`
}

function rowHtml({ name, schema, isRequired }: Row, { document, marksRequired }: TableOptions): Html {
  const named = document.schemas.get(referenceOf(schema) ?? '')
  const meaning = text(schema['description']) || text(named?.['description'])
  const required = marksRequired && isRequired ? html` <strong class="required">required</strong>` : NOTHING
  return html`<tr>
    <th scope="row"><code>${name}</code>${required}</th>
    <td>${typeHtml(schema)}</td>
    <td>${inline(meaning)} ${limitText(schema)}</td>
  </tr> `
}

const COUNT = new Intl.NumberFormat('en')

/** The limits of a value, as sentences. */
function limitText(schema: Schema): string {
  const bound = (key: string): string => (typeof schema[key] === 'number' ? COUNT.format(schema[key]) : '')
  const [minimum, maximum, more] = [bound('minimum'), bound('maximum'), bound('exclusiveMinimum')]
  const [bytes, length] = [bound('x-skein-max-bytes'), bound('maxLength')]
  return [
    minimum !== '' && maximum !== '' && `From ${minimum} to ${maximum}.`,
    more !== '' && maximum !== '' && `More than ${more}, at most ${maximum}.`,
    bytes !== '' && `At most ${bytes} bytes.`,
    bytes === '' && length !== '' && `At most ${length} characters.`,
    bound('maxItems') !== '' && `At most ${bound('maxItems')} items.`,
    bound('maxProperties') !== '' && `At most ${bound('maxProperties')} keys.`,
  ]
    .filter((sentence) => sentence !== false)
    .join(' ')
}
