import { TextArea } from '../../ui/field.tsx'
import { checkOutputSchema } from './check-spawn-form.ts'

/** Validates while typing. */
export function OutputSchemaField({
  value,
  error,
  onChange,
}: {
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}) {
  return (
    <TextArea
      label="Output schema"
      hint="Optional. A JSON Schema that the agent’s result must match."
      error={checkOutputSchema(value) ?? error}
      rows={value === '' ? 2 : 6}
      spellCheck={false}
      placeholder={'{ "type": "object", "properties": { … } }'}
      className="font-mono text-xs"
      value={value}
      onChange={({ target }) => onChange(target.value)}
      onBlur={() => {
        if (value.trim() !== '' && checkOutputSchema(value) === undefined)
          onChange(JSON.stringify(JSON.parse(value), null, 2))
      }}
    />
  )
}
