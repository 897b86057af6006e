import type { Resource } from '@skein/client'
import { backendName } from '@skein/contract/facts'
import { useId } from 'react'
import { Card } from '../../ui/card.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { findViolation } from '../../ui/field-violations.ts'
import type { FormSectionProps } from './form-section.ts'
import { chooseModel, listModels, type Backend } from './model-choices.ts'
import { OutputSchemaField } from './output-schema-field.tsx'

/** How the agent works: persona, model and related settings. */
export function SettingsSection({
  form,
  problems,
  onChange,
  workspace,
  personas,
  backends,
}: FormSectionProps & {
  readonly workspace: Resource | undefined
  readonly personas: readonly Resource[]
  readonly backends: readonly Backend[]
}) {
  const modelList = useId()
  const workspacePersona = readText(workspace, 'persona')
  const persona = personas.find(({ name }) => name === (form.persona || workspacePersona || 'default'))
  const { model, backend } = chooseModel(
    [form.model.trim(), readText(persona, 'model'), readText(workspace, 'model')],
    backends,
  )
  const noBackend =
    backends.length > 0 && backend === undefined ? `No backend in the catalog offers ${model}.` : undefined
  return (
    <Card title="Settings">
      <div className="grid gap-4 p-4 sm:grid-cols-2">
        <SelectField
          label="Persona"
          hint={readText(persona, 'description') || 'How the agent behaves.'}
          error={findViolation(problems, 'agent')}
          choices={[
            { value: '', label: `Workspace default (${workspacePersona || 'default'})` },
            ...personas.map(({ name }) => ({ value: name, label: name })),
          ]}
          value={form.persona}
          onChange={({ target }) => onChange({ persona: target.value })}
        />
        <TextField
          label="Model"
          hint={backend === undefined ? undefined : `Runs ${model} with ${backendName(backend.name)}.`}
          error={findViolation(problems, 'model') ?? noBackend}
          list={modelList}
          placeholder={form.model === '' ? model : undefined}
          autoComplete="off"
          spellCheck={false}
          value={form.model}
          onChange={({ target }) => onChange({ model: target.value })}
        />
        <datalist id={modelList}>
          {listModels(backends).map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </datalist>
        <SelectField
          label="Reasoning effort"
          hint="How much the model thinks."
          error={findViolation(problems, 'reasoningEffort')}
          choices={listChoices(backend?.efforts ?? [], form.reasoningEffort)}
          value={form.reasoningEffort}
          onChange={({ target }) => onChange({ reasoningEffort: target.value })}
        />
        <SelectField
          label="Service tier"
          hint={
            backend?.tiers.length === 0
              ? `${backendName(backend.name)} has no tiers.`
              : 'Trades speed for price.'
          }
          error={findViolation(problems, 'serviceTier')}
          choices={listChoices(backend?.tiers ?? [], form.serviceTier)}
          disabled={backend?.tiers.length === 0 && form.serviceTier === ''}
          value={form.serviceTier}
          onChange={({ target }) => onChange({ serviceTier: target.value })}
        />
        <SelectField
          label="Fast mode"
          hint="Faster, at a higher price."
          choices={[
            { value: '', label: 'Persona default' },
            { value: 'on', label: 'On' },
            { value: 'off', label: 'Off' },
          ]}
          value={form.fastMode}
          onChange={({ target: { value } }) =>
            onChange({ fastMode: value === 'on' || value === 'off' ? value : '' })
          }
        />
        <div className="sm:col-span-2">
          <OutputSchemaField
            value={form.outputSchema}
            error={findViolation(problems, 'outputSchema')}
            onChange={(outputSchema) => onChange({ outputSchema })}
          />
        </div>
      </div>
    </Card>
  )
}

/** A choice made for another model stays visible, so that nothing changes silently. */
function listChoices(offered: readonly string[], chosen: string) {
  const names = chosen === '' || offered.includes(chosen) ? offered : [...offered, chosen]
  return [
    { value: '', label: 'Persona default' },
    ...names.map((name) => ({
      value: name,
      label: offered.includes(name) ? name : `${name} (not offered by this backend)`,
    })),
  ]
}

function readText(resource: Resource | undefined, field: string): string {
  const value = resource?.document[field]
  return typeof value === 'string' ? value : ''
}
