import { NativeSelect, PasswordInput, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { ownSupplierCalls } from '../../api/own-suppliers.ts'
import type { ChosenAccount } from '../../app/account.ts'
import { type Closable, FormDrawer } from '../../parts/forms/form-drawer.tsx'
import { PRESETS, type Preset, settingsOf, suggestId } from './presets.ts'

interface Values {
  readonly vendor: string
  readonly id: string
  readonly base_url: string
  readonly secret: string
}

const [FIRST] = PRESETS

/** Two calls: the supplier, then its credential. On a retry, the first call changes nothing. */
export function AddSupplier({ account, onClose }: Closable & { readonly account: ChosenAccount }) {
  return (
    <FormDrawer
      title="Add a supplier"
      submitLabel="Add"
      onClose={onClose}
      initialValues={{
        vendor: 'openai',
        id: FIRST === undefined ? '' : suggestId(FIRST, account.name),
        base_url: '',
        secret: '',
      }}
      validate={{
        id: (id) => (/^[a-z0-9][a-z0-9-]*$/.test(id) ? null : 'Use lower-case letters, digits and hyphens'),
        secret: (secret) => (secret.trim() === '' ? 'Paste the key' : null),
        base_url: (url, { vendor }) =>
          vendor === 'other' && !/^https:\/\/\S+$/.test(url.trim())
            ? 'Enter an address that begins with https://'
            : null,
      }}
      send={(values) => addSupplier(account.id, values)}
      done={({ id }) => `${id} is in use from the next request on.`}
      refreshes={[
        [account.id, 'own-suppliers'],
        [account.id, 'models'],
      ]}
    >
      {(_, form) => <Fields form={form} accountName={account.name} />}
    </FormDrawer>
  )
}

interface FieldsProps {
  readonly form: UseFormReturnType<Values>
  readonly accountName: string
}

function Fields({ form, accountName }: FieldsProps) {
  const preset = presetOf(form.values.vendor)
  return (
    <>
      <NativeSelect
        label="Vendor"
        data={PRESETS.map(({ id, label }) => ({ value: id, label }))}
        {...form.getInputProps('vendor')}
        onChange={(event) => {
          const { value } = event.currentTarget
          form.setValues({ vendor: value, id: suggestId(presetOf(value), accountName) })
        }}
      />
      {preset.settings === null && (
        <TextInput
          label="Address"
          description="As in the supplier’s SDK, usually with /v1 at the end."
          placeholder="https://llm.example.com/v1"
          {...form.getInputProps('base_url')}
        />
      )}
      <PasswordInput
        label="Secret"
        description={`${preset.keyHint} Stored encrypted and never shown again.`}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('secret')}
      />
      <TextInput
        label="Name"
        description="Shown in requests and used in the route policy of a key. You cannot change it later."
        {...form.getInputProps('id')}
      />
    </>
  )
}

async function addSupplier(account: string, { vendor, id, base_url, secret }: Values) {
  const calls = ownSupplierCalls(account)
  const supplier = await calls.save(id, settingsOf(presetOf(vendor), base_url))
  await calls.addCredential(id, { secret: secret.trim() })
  return supplier
}

function presetOf(id: string): Preset {
  const preset = PRESETS.find((each) => each.id === id)
  if (preset === undefined) throw new Error(`Unknown preset: ${id}.`)
  return preset
}
