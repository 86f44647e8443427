import {
  Button,
  Group,
  NativeSelect,
  NumberInput,
  Radio,
  SimpleGrid,
  Stack,
  Switch,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { ReactNode } from 'react'
import { useModels } from '../../api/models.ts'
import { useOverview } from '../../api/overview.ts'
import type { Model } from '../../api/wire.ts'
import { rangeOf } from '../charts/range-picker.tsx'
import { CURRENCY } from '../text/currency.ts'
import { formatNumber } from '../text/format.ts'
import { isAllowed } from '../text/pick-model.ts'
import { type KeyFormValues, toLocalField } from './key-form-values.ts'

type KeyForm = UseFormReturnType<KeyFormValues>

interface KeyFieldsProps {
  readonly form: KeyForm
  readonly account: string
}

/** All settings of a key, with explanations. */
export function KeyFields({ form, account }: KeyFieldsProps) {
  const models = useModels(account).data?.data ?? []
  return (
    <Stack gap="xl">
      <TextInput
        label="Name"
        description="What uses this key, such as “CI” or “Claude Code on my laptop”."
        placeholder="CI"
        data-autofocus
        maxLength={200}
        {...form.getInputProps('name')}
      />
      <LimitFields form={form} />
      <BudgetFields form={form} />
      <ModelFields form={form} models={models} />
      <RouteFields form={form} models={models} />
      <RateFields form={form} account={account} />
      <ExpiryField form={form} />
      <Switch
        label="Use shared suppliers when your own fail"
        description="Only for models you have your own credential for. Off: the request fails. On: it goes to a shared supplier, at that supplier’s price."
        {...form.getInputProps('sharedFallback', { type: 'checkbox' })}
      />
    </Stack>
  )
}

function RateFields({ form, account }: KeyFieldsProps) {
  const limits = useOverview(account, rangeOf('24h')).data?.account.limits
  return (
    <fieldset className="key-part">
      <legend>Requests and tokens a minute</legend>
      <p className="key-part-words">
        Keeps one program from using up the limits that all keys of the account share. Requests over the limit
        get 429 and work again within a minute. Leave empty to use the account’s limits.
      </p>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <NumberInput
          label="Requests (RPM)"
          placeholder={placeholderOf(limits?.rpm)}
          {...COUNT}
          {...form.getInputProps('rpm')}
        />
        <NumberInput
          label="Tokens (TPM)"
          placeholder={placeholderOf(limits?.tpm)}
          {...COUNT}
          {...form.getInputProps('tpm')}
        />
      </SimpleGrid>
    </fieldset>
  )
}

const COUNT = {
  min: 1,
  allowDecimal: false,
  allowNegative: false,
  thousandSeparator: ',',
  hideControls: true,
} as const

/** A group of related settings. */
function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <fieldset className="key-part">
      <legend>{title}</legend>
      <Stack gap="sm">{children}</Stack>
    </fieldset>
  )
}

function placeholderOf(limit: number | null | undefined): string {
  return typeof limit === 'number' ? `at most ${formatNumber(limit)}` : 'no limit'
}

const DAY_MS = 24 * 60 * 60 * 1_000
const SPANS = [7, 30, 90, 365] as const

function ExpiryField({ form }: { readonly form: KeyForm }) {
  const choose = (days: number) =>
    form.setFieldValue('expiry', toLocalField(new Date(Date.now() + days * DAY_MS)))
  return (
    <fieldset className="key-part">
      <legend>Expiry</legend>
      <p className="key-part-words">
        From this time on, the key is refused with 401. In your time zone; leave empty for no expiry.
      </p>
      <TextInput type="datetime-local" aria-label="Expires at" {...form.getInputProps('expiry')} />
      <Group gap={6} mt="xs">
        {SPANS.map((days) => (
          <Button key={days} size="compact-xs" variant="default" onClick={() => choose(days)}>
            in {days} days
          </Button>
        ))}
        <Button size="compact-xs" variant="default" onClick={() => form.setFieldValue('expiry', '')}>
          never
        </Button>
      </Group>
    </fieldset>
  )
}

interface FieldsProps {
  readonly form: KeyForm
}

const PERIODS = [
  { value: 'daily', label: 'a day' },
  { value: 'weekly', label: 'a week' },
  { value: 'monthly', label: 'a month' },
  { value: 'forever', label: 'in total' },
]

function LimitFields({ form }: FieldsProps) {
  return (
    <Part title="Usage limit">
      <Switch
        label="Stop at an amount"
        description="Once it is spent, requests are refused until the period ends. Days start at midnight UTC, weeks on Monday, months on the first."
        {...form.getInputProps('hasLimit', { type: 'checkbox' })}
      />
      {form.values.hasLimit && (
        <Group align="flex-start" gap="sm" grow>
          <TextInput
            label={`At most, in ${CURRENCY}`}
            inputMode="decimal"
            placeholder="e.g. 5"
            {...form.getInputProps('limitAmount')}
          />
          <NativeSelect label="Period" data={PERIODS} {...form.getInputProps('limitPeriod')} />
        </Group>
      )}
    </Part>
  )
}

function BudgetFields({ form }: FieldsProps) {
  return (
    <Part title="Budget">
      <Switch
        label="Warn about monthly spending"
        description="Never blocks requests. You get an alert at each threshold, under Billing and at your webhook."
        {...form.getInputProps('hasBudget', { type: 'checkbox' })}
      />
      {form.values.hasBudget && (
        <>
          <TextInput
            label={`Budget a month, in ${CURRENCY}`}
            inputMode="decimal"
            placeholder="e.g. 100"
            {...form.getInputProps('budgetAmount')}
          />
          <TagsInput
            label="Warn at, in percent"
            description="Press Enter after each."
            maxTags={20}
            {...form.getInputProps('thresholds')}
          />
        </>
      )}
    </Part>
  )
}

interface RouteFieldsProps {
  readonly form: KeyForm
  readonly models: readonly Model[]
}

const MAX_MODELS = 1_000

function ModelFields({ form, models }: RouteFieldsProps) {
  const { isNarrowed, allowlist } = form.values
  const allowed = models.filter(({ id }) => isAllowed(id, allowlist))
  return (
    <Part title="Models">
      <Radio.Group
        aria-label="Models"
        value={isNarrowed ? 'some' : 'all'}
        onChange={(value) => form.setFieldValue('isNarrowed', value === 'some')}
      >
        <Stack gap="xs">
          <Radio value="all" label="All models" description="Including models added later." />
          <Radio
            value="some"
            label="Only some"
            description="Other models are not listed for this key, and requests for them get 404."
          />
        </Stack>
      </Radio.Group>
      {isNarrowed && (
        <>
          <TagsInput
            label="Allowed models"
            description="A model id, or a prefix followed by *. Press Enter after each."
            placeholder="gpt-5 or claude-*"
            data={suggestionsOf(models)}
            maxTags={MAX_MODELS}
            limit={50}
            // The list itself must scroll, so that screen readers associate it with the field.
            withScrollArea={false}
            classNames={{ options: 'suggestions' }}
            splitChars={[',', ' ']}
            clearable
            clearButtonProps={{ 'aria-label': 'Remove all' }}
            {...form.getInputProps('allowlist')}
          />
          {allowlist.length > 0 && (
            <Text size="sm" c="dimmed" aria-live="polite">
              Allows {allowed.length} of {models.length} models
              {allowed.length > 0 && `: ${listed(allowed.map(({ id }) => id))}`}.
            </Text>
          )}
        </>
      )}
    </Part>
  )
}

function RouteFields({ form, models }: RouteFieldsProps) {
  const { provider } = form.values
  const suppliers = [...new Set(models.flatMap((model) => model.suppliers))].toSorted()
  const known = provider === '' || suppliers.includes(provider) ? suppliers : [provider, ...suppliers]
  return (
    <Part title="Suppliers">
      <Radio.Group aria-label="Suppliers" {...form.getInputProps('routing')}>
        <Stack gap="xs">
          <Radio
            value="intelligent"
            label="Intelligent"
            description="The gateway chooses a supplier for each request and tries the next one if it fails."
          />
          <Radio
            value="specified_provider"
            label="One supplier"
            description="All requests go to this supplier. If it is down, requests fail. Models it does not serve are unavailable."
          />
        </Stack>
      </Radio.Group>
      {form.values.routing === 'specified_provider' && (
        <NativeSelect
          label="Supplier"
          data={[{ value: '', label: 'Choose…' }, ...known]}
          {...form.getInputProps('provider')}
        />
      )}
    </Part>
  )
}

const MAX_LISTED = 4

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_LISTED).join(', ')
  return names.length > MAX_LISTED ? `${shown} and ${names.length - MAX_LISTED} more` : shown
}

/** The ids, and the prefixes that several of them share. */
function suggestionsOf(models: readonly Model[]): string[] {
  const ids = models.map(({ id }) => id)
  const beginnings = Map.groupBy(ids, (id) => /^[^-]+-/.exec(id)?.[0] ?? '')
  const patterns = [...beginnings]
    .filter(([beginning, own]) => beginning !== '' && own.length > 1)
    .map(([beginning]) => `${beginning}*`)
  return [...patterns, ...ids]
}
