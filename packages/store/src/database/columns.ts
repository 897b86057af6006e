/** What the driver makes of a value of each type. */
interface Values {
  readonly boolean: boolean
  readonly bytea: Uint8Array
  /** Text, because a number would lose digits. */
  readonly bigint: string
  readonly float8: number
  readonly int: number
  readonly json: unknown
  readonly jsonb: unknown
  readonly text: string
  readonly 'text[]': string[]
  readonly timestamptz: Date
  readonly uuid: string
}

type PlainType = keyof Values
type NullableType = `${PlainType}?`

/** A column of which we know more than PostgreSQL does. */
interface MeantColumn<Value> {
  readonly type: PlainType | NullableType
  /** Never there: it carries the type. */
  readonly value?: Value
}

/** A type of PostgreSQL, with a question mark where the value can be null. */
type Column = PlainType | NullableType | MeantColumn<unknown>

export type ColumnsOfRow = Readonly<Record<string, Column>>

export type RowOf<Columns extends ColumnsOfRow> = {
  readonly [Name in keyof Columns]: ValueOf<Columns[Name]>
}

type ValueOf<Of extends Column> =
  Of extends MeantColumn<infer Value>
    ? Value
    : Of extends PlainType
      ? Values[Of]
      : Of extends `${infer Type extends PlainType}?`
        ? Values[Type] | null
        : never

/** What is in the JSON of a column, or which texts there are: the one promise that no test compares. */
export function meant<Value>(type: null extends Value ? NullableType : PlainType): MeantColumn<Value> {
  return { type }
}

export function isNullable(column: Column): boolean {
  return nameOf(column).endsWith('?')
}

/** The type as PostgreSQL knows it. */
export function typeOf(column: Column): string {
  return nameOf(column).replace(/\?$/, '')
}

function nameOf(column: Column): string {
  return typeof column === 'string' ? column : column.type
}
