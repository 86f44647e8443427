import { Select } from '@mantine/core'
import type { Model } from '../../api/wire.ts'

export interface ModelFieldProps {
  readonly models: readonly Model[]
  readonly model: string
  readonly onChange: (model: string) => void
}

/** Finds one of many models by typing. */
export function ModelField({ models, model, onChange }: ModelFieldProps) {
  const chosen = models.find(({ id }) => id === model)
  return (
    <Select
      label="Model"
      searchable
      allowDeselect={false}
      value={model === '' ? null : model}
      onChange={(value) => value !== null && onChange(value)}
      data={models.map(({ id, routeable }) => ({ value: id, label: routeable ? id : `${id} (not now)` }))}
      nothingFoundMessage="No model of this name"
      placeholder={models.length === 0 ? 'No model can be used yet' : 'Choose a model'}
      error={chosen !== undefined && !chosen.routeable ? 'No supplier can serve it right now.' : null}
      maxDropdownHeight={320}
    />
  )
}
