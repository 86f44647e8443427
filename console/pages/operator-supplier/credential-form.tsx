import { NumberInput, PasswordInput, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import type { Sent } from '../../../src/vocabulary/shape.ts'
import type { CredentialChange } from '../../../src/vocabulary/supply.ts'
import { api } from '../../api/client.ts'
import { credentialCall, ROUTES_KEY, SUPPLIERS_KEY, supplierCall } from '../../api/operator.ts'
import type { Credential } from '../../api/wire.ts'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { RateFields } from '../../parts/rate-fields.tsx'
import { countOrNull } from '../../parts/read-count.ts'
import { useFormAction } from '../../parts/use-form-action.ts'

type Values = ReturnType<typeof valuesOf>

interface CredentialFormProps {
  readonly supplier: string
  /** Null for a new one. */
  readonly credential: Credential | null
  readonly onClose: () => void
}

export function CredentialForm({ supplier, credential, onClose }: CredentialFormProps) {
  const isNew = credential === null
  const form = useForm({
    initialValues: valuesOf(credential),
    validate: {
      secret: (secret) => (isNew && secret.trim() === '' ? 'Paste the key the supplier gave you' : null),
      weight: (weight) => (Number(weight) > 0 ? null : 'Enter a number above zero'),
    },
  })
  const save = useFormAction(
    form,
    (values) =>
      isNew
        ? api.post(supplierCall(supplier, '/credentials'), {
            ...bodyOf(values),
            secret: values.secret.trim(),
          })
        : api.patch(credentialCall(credential.id), bodyOf(values)),
    {
      done: isNew ? 'The credential was added.' : 'The credential was changed.',
      refreshes: [SUPPLIERS_KEY, ROUTES_KEY],
      onDone: onClose,
    },
  )
  return (
    <FormDrawer
      title={isNew ? `Add a credential to ${supplier}` : 'Edit the credential'}
      onClose={onClose}
      submitLabel={isNew ? 'Add credential' : 'Save'}
      {...save.drawer}
    >
      {isNew && (
        <PasswordInput
          label="Secret"
          description="Stored encrypted and never shown again."
          required
          data-autofocus
          autoComplete="off"
          {...form.getInputProps('secret')}
        />
      )}
      <TextInput label="Label" description="To tell it from others." {...form.getInputProps('label')} />
      <Limits form={form} />
    </FormDrawer>
  )
}

function Limits({ form }: { readonly form: UseFormReturnType<Values> }) {
  return (
    <>
      <RateFields
        description="What the supplier allows it."
        placeholder="No limit"
        inputProps={(field) => form.getInputProps(field)}
      />
      <NumberInput
        label="Weight"
        description="How often it is chosen, compared with the others."
        min={0}
        step={0.5}
        {...form.getInputProps('weight')}
      />
    </>
  )
}

function valuesOf(credential: Credential | null) {
  return {
    secret: '',
    label: credential?.label ?? '',
    rpm: credential?.rpm ?? '',
    tpm: credential?.tpm ?? '',
    weight: credential?.weight ?? 1,
  }
}

function bodyOf({ label, rpm, tpm, weight }: Values): Sent<typeof CredentialChange> {
  return {
    label: label.trim() || null,
    rpm: countOrNull(rpm),
    tpm: countOrNull(tpm),
    weight: Number(weight),
  }
}
