import { Card } from '../../ui/card.tsx'
import { CheckField, TextField } from '../../ui/field.tsx'
import { findViolation } from '../../ui/field-violations.ts'
import type { FormSectionProps } from './form-section.ts'
import { makeRandomId } from '../../format/random-id.ts'
import { RowList } from './row-list.tsx'

/** The initial checklist, the budget and labels. */
export function PlanSection({ form, problems, onChange }: FormSectionProps) {
  const { tasks, labels } = form
  return (
    <Card title="Tasks and limits">
      <div className="flex flex-col gap-5 p-4">
        <RowList
          label="Tasks"
          itemName="task"
          hint="The initial checklist. The agent cannot complete while tasks are open."
          error={findViolation(problems, 'tasks')}
          addLabel="Add a task"
          rows={tasks}
          onAdd={() => onChange({ tasks: [...tasks, { key: makeRandomId(), subject: '' }] })}
          onRemove={(key) => onChange({ tasks: tasks.filter((task) => task.key !== key) })}
          renderRow={(row, position) => (
            <div className="flex-1">
              <TextField
                label={`Task ${position}`}
                isLabelHidden
                placeholder="What to do, in one line"
                value={row.subject}
                onChange={({ target }) =>
                  onChange({
                    tasks: tasks.map((task) =>
                      task.key === row.key ? { ...task, subject: target.value } : task,
                    ),
                  })
                }
              />
            </div>
          )}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Budget in US dollars"
            hint="Covers the agent and its children. Empty: no limit."
            error={findViolation(problems, 'maxCost')}
            inputMode="decimal"
            autoComplete="off"
            placeholder="5.00"
            value={form.maxCost}
            onChange={({ target }) => onChange({ maxCost: target.value })}
          />
          <CheckField
            className="sm:pt-7"
            label="Complete automatically"
            hint="When a run ends with no open tasks."
            checked={form.autoComplete}
            onChange={({ target }) => onChange({ autoComplete: target.checked })}
          />
        </div>
        <RowList
          label="Labels"
          itemName="label"
          hint="For finding the agent later, such as team = payments."
          error={findViolation(problems, 'labels')}
          addLabel="Add a label"
          rows={labels}
          onAdd={() => onChange({ labels: [...labels, { key: makeRandomId(), name: '', value: '' }] })}
          onRemove={(key) => onChange({ labels: labels.filter((label) => label.key !== key) })}
          renderRow={(row, position) => (
            <>
              {(['name', 'value'] as const).map((part) => (
                <div key={part} className="min-w-0 flex-1">
                  <TextField
                    label={`Label ${position}, ${part}`}
                    isLabelHidden
                    placeholder={part === 'name' ? 'team' : 'payments'}
                    spellCheck={false}
                    value={row[part]}
                    onChange={({ target }) =>
                      onChange({
                        labels: labels.map((label) =>
                          label.key === row.key ? { ...label, [part]: target.value } : label,
                        ),
                      })
                    }
                  />
                </div>
              ))}
            </>
          )}
        />
      </div>
    </Card>
  )
}
