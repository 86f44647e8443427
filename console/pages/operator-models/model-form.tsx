import { Checkbox, Group, JsonInput, NumberInput, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { Sent } from '../../../src/vocabulary/shape.ts'
import type { ModelPut } from '../../../src/vocabulary/supply.ts'
import { MODEL_KINDS } from '../../../src/vocabulary/words.ts'
import { api } from '../../api/client.ts'
import { MODELS_KEY, modelCall } from '../../api/operator.ts'
import type { CatalogModel } from '../../api/wire.ts'
import { countOrNull, RateFields } from '../../parts/forms/rate-fields.tsx'
import { ReviewDrawer } from '../../parts/forms/review-drawer.tsx'
import { describeKind } from '../../parts/models/supply-words.ts'

interface ModelFormProps {
  /** Null for a new one. */
  readonly model: CatalogModel | null
  readonly onClose: () => void
  /** Called instead of closing. */
  readonly onSaved?: (model: CatalogModel) => void
}

export function ModelForm({ model, onClose, onSaved }: ModelFormProps) {
  const isNew = model === null
  return (
    <ReviewDrawer
      title={isNew ? 'Add a model' : `Edit ${model.id}`}
      isNew={isNew}
      onClose={onClose}
      initialValues={valuesOf(model)}
      validate={{
        id: (id) => (id.trim() === '' ? 'Enter the id that clients send' : null),
        owned_by: (text) => (text.trim() === '' ? 'Enter who made the model' : null),
        kinds: (kinds) => (kinds.length === 0 ? 'Choose at least one' : null),
        capabilities: checkCapabilities,
      }}
      bodyOf={bodyOf}
      send={(values) => api.put<CatalogModel>(modelCall(values.id.trim()), bodyOf(values))}
      done={isNew ? 'The model was added.' : 'The model was changed.'}
      refreshes={[MODELS_KEY]}
      onDone={onSaved ?? onClose}
    >
      {(field, { values }) => (
        <>
          {isNew && (
            <TextInput
              label="ID"
              description="The model id that clients send. Slashes are allowed. You cannot change it later."
              placeholder="acme/large"
              required
              data-autofocus
              {...field('id')}
            />
          )}
          <TextInput label="Made by" required data-autofocus={!isNew || undefined} {...field('owned_by')} />
          <TextInput
            label="Name"
            description="Shown to people. Leave empty to use the id."
            {...field('display_name')}
          />
          <Textarea label="Description" autosize minRows={2} {...field('description')} />
          <Checkbox.Group label="Kinds" required {...field('kinds')}>
            <Group mt={8}>
              {MODEL_KINDS.map((kind) => (
                <Checkbox key={kind} value={kind} label={describeKind(kind)} />
              ))}
            </Group>
          </Checkbox.Group>
          <Limits field={field} />
          <Capabilities text={values.capabilities} inputProps={field('capabilities')} />
        </>
      )}
    </ReviewDrawer>
  )
}

function Capabilities({ text, inputProps }: { readonly text: string; readonly inputProps: object }) {
  return (
    <JsonInput
      label="Capabilities"
      description='How the model differs from the defaults, such as {"vision": false}.'
      autosize
      minRows={4}
      maxRows={16}
      formatOnBlur
      validationError={checkCapabilities(text)}
      spellCheck={false}
      className="mono-input"
      {...inputProps}
    />
  )
}

const COUNT = { min: 1, allowDecimal: false, thousandSeparator: ',', placeholder: 'Unknown' }

function Limits({ field }: { readonly field: UseFormReturnType<Values>['getInputProps'] }) {
  return (
    <>
      <Group grow align="flex-start">
        <NumberInput label="Maximum input tokens" {...COUNT} {...field('input_token_limit')} />
        <NumberInput label="Maximum output tokens" {...COUNT} {...field('output_token_limit')} />
      </Group>
      <RateFields placeholder="No limit" inputProps={field} />
    </>
  )
}

type Values = ReturnType<typeof valuesOf>

function valuesOf(model: CatalogModel | null) {
  return {
    id: model?.id ?? '',
    owned_by: model?.owned_by ?? '',
    display_name: model?.display_name ?? '',
    description: model?.description ?? '',
    kinds: [...(model?.kinds ?? (['text'] as const))],
    input_token_limit: model?.input_token_limit ?? '',
    output_token_limit: model?.output_token_limit ?? '',
    rpm: model?.rpm ?? '',
    tpm: model?.tpm ?? '',
    capabilities: JSON.stringify(model?.capabilities ?? {}, null, 2),
  }
}

function bodyOf(values: Values): Sent<typeof ModelPut> {
  return {
    owned_by: values.owned_by.trim(),
    display_name: values.display_name.trim() || values.id.trim(),
    description: values.description.trim(),
    kinds: values.kinds,
    input_token_limit: countOrNull(values.input_token_limit),
    output_token_limit: countOrNull(values.output_token_limit),
    rpm: countOrNull(values.rpm),
    tpm: countOrNull(values.tpm),
    capabilities: readCapabilities(values.capabilities) ?? {},
  }
}

/** Parses a JSON object. Null if the text is not one. */
function readCapabilities(text: string): Readonly<Record<string, unknown>> | null {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}

/** The error message for the text. Null if it is valid. */
function checkCapabilities(text: string): string | null {
  if (readCapabilities(text) !== null) return null
  try {
    JSON.parse(text)
    return 'Enter an object in braces, such as {"vision": false}'
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : String(error)}`
  }
}
