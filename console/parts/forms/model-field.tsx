import { Select } from '@mantine/core'
import type { Model } from '../../api/wire.ts'

export interface ModelFieldProps {
  readonly models: readonly Model[]
  readonly model: string
  readonly onChange: (model: string) => void
  readonly label?: string
}

/** A searchable select for models. */
export function ModelField({ models, model, onChange, label = 'Model' }: ModelFieldProps) {
  const chosen = models.find(({ id }) => id === model)
  return (
    <Select
      label={label}
      searchable
      allowDeselect={false}
      value={model === '' ? null : model}
      onChange={(value) => value !== null && onChange(value)}
      data={models.map(({ id, routeable }) => ({ value: id, label: routeable ? id : `${id} (unavailable)` }))}
      nothingFoundMessage="No matching models"
      placeholder={models.length === 0 ? 'No models available' : 'Choose a model'}
      error={chosen !== undefined && !chosen.routeable ? 'No supplier can serve it right now.' : null}
      maxDropdownHeight={320}
    />
  )
}
