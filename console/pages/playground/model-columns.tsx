import { ActionIcon, Button, Group } from '@mantine/core'
import { IconColumns, IconX } from '@tabler/icons-react'
import { ModelField, type ModelFieldProps } from '../../parts/forms/model-field.tsx'

const MOST_MODELS = 4

export interface ModelColumnsProps extends Pick<ModelFieldProps, 'models'> {
  /** The models that are asked, all different. */
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}

/** One model, or up to four that get the same messages. */
export function ModelColumns({ models, chosen, onChange }: ModelColumnsProps) {
  const free = models.filter(({ id }) => !chosen.includes(id))
  const spare = free.find(({ routeable }) => routeable) ?? free[0]
  return (
    <div className="model-columns">
      {chosen.map((model, index) => (
        <Group key={model} gap="xs" wrap="nowrap" align="flex-end">
          <div className="model-column">
            <ModelField
              label={chosen.length === 1 ? 'Model' : `Model ${index + 1}`}
              models={[...models.filter(({ id }) => id === model), ...free]}
              model={model}
              onChange={(value) => onChange(chosen.map((each) => (each === model ? value : each)))}
            />
          </div>
          {chosen.length > 1 && (
            <ActionIcon
              variant="default"
              size="lg"
              aria-label={`Remove ${model}`}
              onClick={() => onChange(chosen.filter((each) => each !== model))}
            >
              <IconX size={16} aria-hidden />
            </ActionIcon>
          )}
        </Group>
      ))}
      {chosen.length === 0 && <ModelField models={models} model="" onChange={(value) => onChange([value])} />}
      {chosen.length > 0 && chosen.length < MOST_MODELS && spare !== undefined && (
        <Button
          variant="default"
          leftSection={<IconColumns size={16} aria-hidden />}
          onClick={() => onChange([...chosen, spare.id])}
        >
          {chosen.length === 1 ? 'Compare models' : 'Add a model'}
        </Button>
      )}
    </div>
  )
}
