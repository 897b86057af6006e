import { blocks, code, table } from './markdown.ts'
import {
  descriptionOf,
  fieldsOf,
  isSchema,
  limitText,
  typeText,
  type Mention,
  type Schema,
} from './schema-text.ts'

/** Collects the named schemas a page mentions, and describes each once. */
export class NamedTypes {
  readonly #schemas = new Map<string, Schema>()

  readonly mention: Mention = (name, schema) => {
    this.#schemas.set(name, schema)
  }

  /** Describing a type can mention others: continues until all are described. */
  describe(): string {
    const described = new Map<string, string>()
    for (const [name, schema] of this.#schemas) {
      if (!described.has(name)) described.set(name, this.#section(name, schema))
    }
    return blocks(...[...described].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text))
  }

  #section(name: string, schema: Schema): string {
    const { $id: _name, ...unnamed } = schema
    return blocks(`### ${name}`, descriptionOf(unnamed), this.#body(unnamed))
  }

  #body(schema: Schema): string {
    if (Array.isArray(schema['enum'])) return schema['enum'].map(enumLine).join('\n')
    if (Array.isArray(schema['anyOf'])) return this.#variants(schema['anyOf'].filter(isSchema))
    return table(
      ['Field', 'Type', 'Meaning'],
      fieldsOf(schema).map((field) => [
        code(field.name),
        typeText(field.schema, this.mention),
        [descriptionOf(field.schema), limitText(field.schema)].join(' ').trim(),
      ]),
    )
  }

  /** The variants of a union with different `type`: common fields first, then what each adds. */
  #variants(variants: readonly Schema[]): string {
    const fields = variants.map((variant) => fieldsOf(variant))
    const isShared = (name: string): boolean =>
      fields.every((own) => own.some((field) => field.name === name))
    const shared = (fields[0] ?? []).filter((field) => field.name !== 'type' && isShared(field.name))
    const text = (field: (typeof shared)[number]): string =>
      `${code(field.name)} (${typeText(field.schema, this.mention)})`
    const rows = fields.map((own) => [
      typeText(own.find((field) => field.name === 'type')?.schema ?? {}, this.mention),
      own
        .filter((field) => !isShared(field.name))
        .map(text)
        .join(', '),
    ])
    return blocks(
      `Each has ${['`type`', ...shared.map(text)].join(', ')}, and by type:`,
      table(['Type', 'Adds'], rows),
    )
  }
}

function enumLine(value: unknown): string {
  return `- ${value === '' ? 'empty' : code(String(value))}`
}
