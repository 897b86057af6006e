/** The JavaScript type of each column type, as the driver returns it. */
interface Values {
  readonly boolean: boolean
  readonly bytea: Uint8Array
  /** A string, because a number would lose digits. */
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

/** A column whose type we know more precisely than PostgreSQL does. */
interface MeantColumn<Value> {
  readonly type: PlainType | NullableType
  /** Never set: carries the type. */
  readonly value?: Value
}

/** A PostgreSQL type, with a question mark if the value can be null. */
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

/** Declares the content of a JSON column, or the possible strings of a text column. No test verifies this part. */
export function meant<Value>(type: null extends Value ? NullableType : PlainType): MeantColumn<Value> {
  return { type }
}

export function isNullable(column: Column): boolean {
  return nameOf(column).endsWith('?')
}

/** The type's name in PostgreSQL. */
export function typeOf(column: Column): string {
  return nameOf(column).replace(/\?$/, '')
}

function nameOf(column: Column): string {
  return typeof column === 'string' ? column : column.type
}
