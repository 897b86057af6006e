import type { FieldViolations } from '../../ui/field-violations.ts'
import type { SpawnForm } from './spawn-form.ts'

/** What every part of the form gets. */
export interface FormSectionProps {
  readonly form: SpawnForm
  readonly problems: FieldViolations
  readonly onChange: (change: Partial<SpawnForm>) => void
}
