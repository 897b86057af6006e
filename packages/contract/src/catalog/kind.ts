import { Type, type Static, type TObject, type TProperties } from 'typebox'
import { MAYBE_NAME_PATTERN } from '../facts/names.ts'
import { REFERENCE } from '../facts/schema-marks.ts'
import { Choice, inline, Int64, Name, response, Text, Timestamp } from '../schemas/primitives.ts'

export const InputFormat = Choice(
  ['INPUT_FORMAT_UNSPECIFIED', 'INPUT_FORMAT_YAML', 'INPUT_FORMAT_MARKDOWN'],
  'How people write documents of the kind.',
  { $id: 'InputFormat' },
)
export type InputFormat = Static<typeof InputFormat>

export const ResourceMetadata = response(
  'ResourceMetadata',
  {
    name: Text('The resource’s name within its kind.'),
    createTime: Timestamp('When it was first written.'),
    updateTime: Timestamp('When it was last written.'),
    updatedBy: Text('The account that wrote it last.'),
    generation: Int64('The version; 0 for a built-in.'),
  },
  { description: 'What the service records about a resource. Ignored in a write.' },
)

export type ResourceMetadata = Static<typeof ResourceMetadata>

export interface Kind {
  readonly kind: string
  /** One sentence, for the reference and the list of kinds. */
  readonly summary: string
  readonly inputFormat: 'INPUT_FORMAT_YAML' | 'INPUT_FORMAT_MARKDOWN'
  /** Markdown kinds: the field for the text after the front matter. */
  readonly bodyField?: string
  /** The response field that returns a secret once. It is never stored or returned again. */
  readonly oneTimeSecret?: string
  readonly schema: TObject
  /** A complete document, for the reference. */
  readonly example: Readonly<Record<string, unknown>>
}

export function documentSchema<Properties extends TProperties>(description: string, properties: Properties) {
  return Type.Object(
    { ...properties, metadata: Type.Optional(inline(ResourceMetadata, { readOnly: true })) },
    { additionalProperties: false, description },
  )
}

/** The name of another resource, or empty. The service checks that it exists. */
export const Reference = (kind: string, description: string) =>
  Type.String({
    pattern: MAYBE_NAME_PATTERN,
    default: '',
    description,
    [REFERENCE]: kind,
  })

export const RequiredReference = (kind: string, description: string) =>
  Name(description, { [REFERENCE]: kind })

/** Raising it makes the service create another key. */
export const KeyVersion = (description: string) =>
  Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1, description })

/** Set by the service; ignored in a write. */
export const serverSet = { readOnly: true }

/** Accepted in a write, never returned. */
export const neverRead = { writeOnly: true }

export const description = Text('For the people who read the catalog.', { default: '', maxLength: 4096 })
