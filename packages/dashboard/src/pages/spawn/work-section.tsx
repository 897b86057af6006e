import type { Resource } from '@skein/client'
import { defaultWorkspace } from '@skein/contract/facts'
import { Card } from '../../ui/card.tsx'
import { SelectField, TextArea, TextField } from '../../ui/field.tsx'
import { findViolation } from '../../ui/field-violations.ts'
import type { FormSectionProps } from './form-section.ts'

/** The task, its workspace and the agent's name. */
export function WorkSection({
  form,
  problems,
  onChange,
  workspaces,
  parentName,
}: FormSectionProps & { readonly workspaces: readonly Resource[]; readonly parentName: string | undefined }) {
  return (
    <Card title="Task">
      <div className="flex flex-col gap-4 p-4">
        <TextArea
          label="Task"
          hint="Markdown. The more context you give, the fewer questions it asks."
          error={findViolation(problems, 'description')}
          rows={7}
          required
          value={form.description}
          onChange={({ target }) => onChange({ description: target.value })}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
              event.currentTarget.form?.requestSubmit()
          }}
        />
        <TextArea
          label="Expected result"
          hint="Optional, such as: a pull request with a passing test."
          error={findViolation(problems, 'expectedOutput')}
          rows={2}
          value={form.expectedOutput}
          onChange={({ target }) => onChange({ expectedOutput: target.value })}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          {parentName === undefined ? (
            <SelectField
              label="Workspace"
              hint={describe(workspaces, form.workspace) ?? 'Sets the repositories and the environment.'}
              error={findViolation(problems, 'agentId.workspace')}
              choices={[
                {
                  value: '',
                  label: `Choose for me (${defaultWorkspace(workspaces.map(({ name }) => name))})`,
                },
                ...workspaces.map(({ name }) => ({ value: name, label: name })),
              ]}
              value={form.workspace}
              onChange={({ target }) => onChange({ workspace: target.value })}
            />
          ) : (
            <TextField
              label="Parent"
              hint="The child gets its workspace and owner."
              value={parentName}
              readOnly
            />
          )}
          <TextField
            label="Name"
            hint="Optional. Generated if left empty."
            error={findViolation(problems, 'agentId.agent')}
            autoComplete="off"
            spellCheck={false}
            value={form.name}
            onChange={({ target }) => onChange({ name: target.value })}
          />
        </div>
      </div>
    </Card>
  )
}

function describe(resources: readonly Resource[], name: string): string | undefined {
  const description = resources.find((resource) => resource.name === name)?.document['description']
  return typeof description === 'string' && description !== '' ? description : undefined
}
