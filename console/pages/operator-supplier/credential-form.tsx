import { NumberInput, PasswordInput, Text, TextInput } from '@mantine/core'
import type { Sent } from '../../../src/vocabulary/shape.ts'
import type { CredentialChange } from '../../../src/vocabulary/supply.ts'
import { api } from '../../api/client.ts'
import { credentialCall, ROUTES_KEY, SUPPLIERS_KEY, supplierCall } from '../../api/operator.ts'
import type { Credential } from '../../api/wire.ts'
import { type Closable, FormDrawer } from '../../parts/forms/form-drawer.tsx'
import { countOrNull, RateFields } from '../../parts/forms/rate-fields.tsx'

type Values = ReturnType<typeof valuesOf>

interface CredentialFormProps {
  readonly supplier: string
  /** Null for a new one. */
  readonly credential: Credential | null
  readonly onClose: () => void
  /** Called instead of closing. */
  readonly onSaved?: () => void
}

export function CredentialForm({ supplier, credential, onClose, onSaved }: CredentialFormProps) {
  const isNew = credential === null
  return (
    <FormDrawer
      title={isNew ? `Add a credential to ${supplier}` : 'Edit the credential'}
      submitLabel={isNew ? 'Add credential' : 'Save'}
      onClose={onClose}
      initialValues={valuesOf(credential)}
      validate={{
        secret: (secret) => (isNew && secret.trim() === '' ? 'Paste the key the supplier gave you' : null),
        weight: (weight) => (Number(weight) > 0 ? null : 'Enter a number above zero'),
      }}
      send={(values) =>
        isNew
          ? api.post(supplierCall(supplier, '/credentials'), {
              ...bodyOf(values),
              secret: values.secret.trim(),
            })
          : api.patch(credentialCall(credential.id), bodyOf(values))
      }
      done={isNew ? 'The credential was added.' : 'The credential was changed.'}
      refreshes={[SUPPLIERS_KEY, ROUTES_KEY]}
      onDone={onSaved ?? onClose}
    >
      {(field) => (
        <>
          {isNew && <PasswordInput label="Secret" {...SECRET} {...field('secret')} />}
          <TextInput label="Label" description="A name to recognise it by." {...field('label')} />
          <RateFields
            description="The supplier’s limits for this credential."
            placeholder="No limit"
            inputProps={field}
          />
          <NumberInput
            label="Weight"
            description="How often it is chosen, compared with the others."
            min={0}
            step={0.5}
            {...field('weight')}
          />
        </>
      )}
    </FormDrawer>
  )
}

const SECRET = {
  description: 'Stored encrypted and never shown again.',
  required: true,
  'data-autofocus': true,
  autoComplete: 'off',
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

export function ReplaceSecret({ credential, onClose }: Closable & { readonly credential: Credential }) {
  return (
    <FormDrawer
      title={`Replace the secret of ${credential.label ?? credential.id}`}
      submitLabel="Replace"
      onClose={onClose}
      initialValues={{ secret: '' }}
      validate={{ secret: (secret) => (secret.trim() === '' ? 'Paste the new key' : null) }}
      send={({ secret }) => api.patch(credentialCall(credential.id), { secret: secret.trim() })}
      done="The new secret is used from the next request on."
      refreshes={[SUPPLIERS_KEY, ROUTES_KEY]}
    >
      {(field) => (
        <>
          <Text size="sm" c="dimmed">
            The old secret is deleted immediately and cannot be restored. The id, limits and weight stay the
            same.
          </Text>
          <PasswordInput label="New secret" {...SECRET} {...field('secret')} />
        </>
      )}
    </FormDrawer>
  )
}
