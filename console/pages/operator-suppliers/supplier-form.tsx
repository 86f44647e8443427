import { Checkbox, Group, NativeSelect, NumberInput, Stack, Switch, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { Format } from '../../../src/vocabulary/supply.ts'
import { api } from '../../api/client.ts'
import { ROUTES_KEY, SUPPLIERS_KEY, supplierCall } from '../../api/operator.ts'
import type { Supplier } from '../../api/wire.ts'
import { FormDrawer, sameNames } from '../../parts/forms/form-drawer.tsx'
import { countOrNull } from '../../parts/forms/rate-fields.tsx'
import { describeFormat } from '../../parts/models/supply-words.ts'
import { AccountPicker } from '../../parts/pickers/operator-pickers.tsx'

type Form = UseFormReturnType<Values>

interface SupplierFormProps {
  /** Null for a new one. */
  readonly supplier: Supplier | null
  readonly onClose: () => void
  /** Called instead of closing. */
  readonly onSaved?: (supplier: Supplier) => void
}

export function SupplierForm({ supplier, onClose, onSaved }: SupplierFormProps) {
  const isNew = supplier === null
  return (
    <FormDrawer
      title={isNew ? 'Add a supplier' : `Edit ${supplier.id}`}
      submitLabel={isNew ? 'Add supplier' : 'Save'}
      onClose={onClose}
      initialValues={valuesOf(supplier)}
      validate={{
        id: (id) => (/^[a-z0-9][a-z0-9-]*$/.test(id) ? null : 'Use lower-case letters, digits and hyphens'),
        base_url: (url) =>
          /^https?:\/\/[^/\s]+/.test(url) ? null : 'Enter an address that begins with https://',
        formats: (formats) => (formats.length === 0 ? 'Choose at least one' : null),
      }}
      send={(values) => api.put<Supplier>(supplierCall(values.id), bodyOf(values))}
      fields={sameNames('type', 'base_url', 'formats', 'account_id', 'connect_seconds')}
      done={isNew ? 'The supplier was added.' : 'The supplier was changed.'}
      refreshes={[SUPPLIERS_KEY, ROUTES_KEY]}
      onDone={onSaved ?? onClose}
    >
      {(_, form) => (
        <>
          <Address form={form} isNew={isNew} />
          <Options form={form} />
          <NativeSelect
            label="When a client leaves before the first byte"
            description="What the supplier charges for a request that is given up."
            data={abortChoices(form.values.type)}
            {...form.getInputProps('aborts')}
          />
          <Timeouts form={form} />
        </>
      )}
    </FormDrawer>
  )
}

const ABORTS: Readonly<Record<TypeFacts['aborts'], string>> = { free: 'Nothing', prompt: 'The prompt' }

function abortChoices(type: string) {
  const choices = Object.entries(ABORTS).map(([value, label]) => ({ value, label }))
  return [{ value: '', label: describeAborts({ type, aborts: null }) }, ...choices]
}

/** What the supplier charges for a request that is given up before the first byte. */
export function describeAborts({ type, aborts }: { type: string } & Pick<Supplier, 'aborts'>): string {
  if (aborts !== null) return ABORTS[aborts]
  const usual = SUPPLIER_TYPES[type]?.aborts
  const named = usual === undefined ? '' : `: ${ABORTS[usual].toLowerCase()}`
  return `Default${named}`
}

function Address({ form, isNew }: { readonly form: Form; readonly isNew: boolean }) {
  const facts = SUPPLIER_TYPES[form.values.type]
  return (
    <>
      <NativeSelect
        label="Type"
        data={Object.entries(SUPPLIER_TYPES).map(([value, { label }]) => ({ value, label }))}
        data-autofocus
        {...form.getInputProps('type')}
        onChange={(event) => {
          const type = event.currentTarget.value as Supplier['type']
          const formats = [...(SUPPLIER_TYPES[type]?.formats ?? [])]
          form.setValues({ type, formats, options: {} })
        }}
      />
      {isNew && (
        <TextInput
          label="ID"
          description="Keys and routes refer to it by this id. You cannot change it later."
          placeholder="acme"
          required
          {...form.getInputProps('id')}
        />
      )}
      <TextInput
        label="Base URL"
        description="As in the vendor’s SDK."
        placeholder={facts?.exampleUrl ?? ''}
        type="url"
        required
        {...form.getInputProps('base_url')}
      />
      <Checkbox.Group
        label="Formats"
        description="The formats this supplier supports."
        required
        {...form.getInputProps('formats')}
      >
        <Stack gap={8} mt={8}>
          {facts?.formats.map((format) => (
            <Checkbox key={format} value={format} label={describeFormat(format)} />
          ))}
        </Stack>
      </Checkbox.Group>
      <AccountPicker
        label="Only for account"
        description="Leave empty to share the supplier with all accounts."
        error={form.errors.account_id}
        value={form.values.account_id}
        onChange={(id) => form.setFieldValue('account_id', id)}
      />
      <Switch label="Used for requests" {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </>
  )
}

/** What a type of supplier takes besides its address. */
const OPTION_WORDS: Readonly<Record<string, string>> = {
  vendor: 'Vendor, to handle its peculiarities',
  organization: 'Organization at OpenAI',
  project: 'Project',
  region: 'Region',
  location: 'Location',
  api_version: 'API version',
  token_uri: 'Address for access tokens',
  betas: 'Beta features, separated by commas',
}

function Options({ form }: { readonly form: Form }) {
  const names = SUPPLIER_TYPES[form.values.type]?.options ?? []
  return names.map((name) => (
    <TextInput
      key={name}
      label={OPTION_WORDS[name] ?? `Option: ${name}`}
      value={form.values.options[name] ?? ''}
      onChange={(event) =>
        form.setFieldValue('options', { ...form.values.options, [name]: event.currentTarget.value })
      }
    />
  ))
}

function Timeouts({ form }: { readonly form: Form }) {
  const field = { min: 0.1, decimalScale: 1, suffix: ' s', placeholder: 'default' }
  return (
    <Group grow align="flex-start">
      <NumberInput label="Connect" {...field} {...form.getInputProps('connect_seconds')} />
      <NumberInput label="First byte" {...field} {...form.getInputProps('first_byte_seconds')} />
      <NumberInput label="Idle" {...field} {...form.getInputProps('idle_seconds')} />
    </Group>
  )
}

type Values = ReturnType<typeof valuesOf>

function valuesOf(supplier: Supplier | null) {
  return {
    id: supplier?.id ?? '',
    type: supplier?.type ?? ('openai-compatible' as const),
    base_url: supplier?.base_url ?? '',
    formats: [...(supplier?.formats ?? (['chat-completion'] as const))],
    account_id: supplier?.account_id ?? '',
    enabled: supplier?.enabled ?? true,
    options: supplier?.options ?? {},
    aborts: supplier?.aborts ?? ('' as const),
    connect_seconds: supplier?.timeouts.connect_seconds ?? '',
    first_byte_seconds: supplier?.timeouts.first_byte_seconds ?? '',
    idle_seconds: supplier?.timeouts.idle_seconds ?? '',
  }
}

function bodyOf(values: Values): Omit<Supplier, 'id'> {
  const account = values.account_id.trim()
  const options = Object.entries(values.options).filter(([, text]) => text.trim() !== '')
  return {
    type: values.type,
    base_url: values.base_url.trim(),
    formats: values.formats,
    source: account === '' ? 'shared' : 'byok',
    account_id: account || null,
    enabled: values.enabled,
    options: Object.fromEntries(options),
    aborts: values.aborts || null,
    timeouts: {
      connect_seconds: countOrNull(values.connect_seconds),
      first_byte_seconds: countOrNull(values.first_byte_seconds),
      idle_seconds: countOrNull(values.idle_seconds),
    },
  }
}

interface TypeFacts {
  readonly label: string
  readonly exampleUrl: string
  readonly formats: readonly Format[]
  readonly options: readonly string[]
  /** What suppliers of this type usually charge for a request that is given up. */
  readonly aborts: NonNullable<Supplier['aborts']>
}

// The build inserts the gateway's supplier types here.
declare const BUILT_IN_SUPPLIER_TYPES: Readonly<Record<string, TypeFacts>>

/** The supplier types the gateway can call, with their formats. */
const SUPPLIER_TYPES = BUILT_IN_SUPPLIER_TYPES

export function typeLabel(type: string): string {
  return SUPPLIER_TYPES[type]?.label ?? type
}
