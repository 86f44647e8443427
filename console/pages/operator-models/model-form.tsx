import { Checkbox, Group, JsonInput, NumberInput, Textarea, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import type { Sent } from '../../../src/vocabulary/shape.ts'
import type { ModelPut } from '../../../src/vocabulary/supply.ts'
import { MODEL_KINDS } from '../../../src/vocabulary/words.ts'
import { api } from '../../api/client.ts'
import { MODELS_KEY, modelCall } from '../../api/operator.ts'
import type { CatalogModel } from '../../api/wire.ts'
import { RateFields } from '../../parts/rate-fields.tsx'
import { countOrNull } from '../../parts/read-count.ts'
import { ReviewDrawer } from '../../parts/review-drawer.tsx'
import { useFormAction } from '../../parts/use-form-action.ts'
import { checkCapabilities, readCapabilities } from './read-capabilities.ts'

interface ModelFormProps {
  /** Null for a new one. */
  readonly model: CatalogModel | null
  readonly onClose: () => void
  /** Instead of closing. */
  readonly onSaved?: (model: CatalogModel) => void
}

export function ModelForm({ model, onClose, onSaved }: ModelFormProps) {
  const form = useForm({
    initialValues: valuesOf(model),
    validate: {
      id: (id) => (id.trim() === '' ? 'Enter what clients send as model' : null),
      owned_by: (text) => (text.trim() === '' ? 'Enter who made the model' : null),
      kinds: (kinds) => (kinds.length === 0 ? 'Choose at least one' : null),
      capabilities: checkCapabilities,
    },
  })
  const save = useFormAction(
    form,
    (values) => api.put<CatalogModel>(modelCall(values.id.trim()), bodyOf(values)),
    {
      done: model === null ? 'The model was added.' : 'The model was changed.',
      refreshes: [MODELS_KEY],
      onDone: onSaved ?? onClose,
    },
  )
  return (
    <ReviewDrawer
      title={model === null ? 'Add a model' : `Edit ${model.id}`}
      onClose={onClose}
      before={model === null ? null : bodyOf(valuesOf(model))}
      after={() => bodyOf(form.values)}
      isValid={() => !form.validate().hasErrors}
      onSave={() => save.submit(form.values)}
      isSaving={save.isRunning}
      error={save.error}
    >
      {model === null && (
        <TextInput
          label="Id"
          description="What clients send as model. Slashes are allowed; it cannot be changed later."
          placeholder="acme/large"
          required
          data-autofocus
          {...form.getInputProps('id')}
        />
      )}
      <TextInput label="Made by" required {...form.getInputProps('owned_by')} />
      <TextInput
        label="Name"
        description="For people. Empty: the id."
        {...form.getInputProps('display_name')}
      />
      <Textarea label="Description" autosize minRows={2} {...form.getInputProps('description')} />
      <Checkbox.Group label="Kinds" required {...form.getInputProps('kinds')}>
        <Group mt={8}>
          {MODEL_KINDS.map((kind) => (
            <Checkbox key={kind} value={kind} label={kind} />
          ))}
        </Group>
      </Checkbox.Group>
      <Limits form={form} />
      <JsonInput
        label="Capabilities"
        description='What is known of the model beyond the defaults, such as {"vision": false}.'
        autosize
        minRows={4}
        maxRows={16}
        formatOnBlur
        validationError={checkCapabilities(form.values.capabilities)}
        spellCheck={false}
        className="mono-input"
        {...form.getInputProps('capabilities')}
      />
    </ReviewDrawer>
  )
}

function Limits({ form }: { readonly form: UseFormReturnType<Values> }) {
  const field = { min: 1, allowDecimal: false, thousandSeparator: ',' }
  return (
    <>
      <Group grow align="flex-start">
        <NumberInput
          label="Input tokens at most"
          placeholder="Not known"
          {...field}
          {...form.getInputProps('input_token_limit')}
        />
        <NumberInput
          label="Output tokens at most"
          placeholder="Not known"
          {...field}
          {...form.getInputProps('output_token_limit')}
        />
      </Group>
      <RateFields placeholder="No limit" inputProps={(name) => form.getInputProps(name)} />
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
