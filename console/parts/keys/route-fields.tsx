import { NativeSelect, Radio, Stack, TagsInput, Text } from '@mantine/core'
import type { Model } from '../../api/wire.ts'
import { isAllowed } from '../pick-model.ts'
import type { KeyForm } from './key-fields.tsx'

export interface RouteFieldsProps {
  readonly form: KeyForm
  readonly models: readonly Model[]
}

const MOST_MODELS = 1_000

export function ModelFields({ form, models }: RouteFieldsProps) {
  const { isNarrowed, allowlist } = form.values
  const allowed = models.filter(({ id }) => isAllowed(id, allowlist))
  return (
    <fieldset className="key-part">
      <legend>Models</legend>
      <Stack gap="sm">
        <Radio.Group
          aria-label="Models"
          value={isNarrowed ? 'some' : 'all'}
          onChange={(value) => form.setFieldValue('isNarrowed', value === 'some')}
        >
          <Stack gap="xs">
            <Radio value="all" label="All models" description="Also those that come later." />
            <Radio
              value="some"
              label="Only some"
              description="To this key all others do not exist: they are not listed, and asking for them gives 404."
            />
          </Stack>
        </Radio.Group>
        {isNarrowed && (
          <>
            <TagsInput
              label="Allowed models"
              description="An id, or a beginning followed by * for all that begin so. Press Enter after each."
              placeholder="gpt-5 or claude-*"
              data={suggestionsOf(models)}
              maxTags={MOST_MODELS}
              limit={50}
              // The list itself must be what scrolls, so that it belongs to the field for screen readers.
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
      </Stack>
    </fieldset>
  )
}

export function RouteFields({ form, models }: RouteFieldsProps) {
  const { provider } = form.values
  const suppliers = [...new Set(models.flatMap((model) => model.suppliers))].toSorted()
  const known = provider === '' || suppliers.includes(provider) ? suppliers : [provider, ...suppliers]
  return (
    <fieldset className="key-part">
      <legend>Suppliers</legend>
      <Stack gap="sm">
        <Radio.Group aria-label="Suppliers" {...form.getInputProps('routing')}>
          <Stack gap="xs">
            <Radio
              value="intelligent"
              label="Intelligent"
              description="The gateway chooses for each request and goes on to the next supplier when one fails."
            />
            <Radio
              value="specified_provider"
              label="One supplier"
              description="Everything goes there and nowhere else. When it is down, requests fail; models it does not have do not exist."
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
      </Stack>
    </fieldset>
  )
}

const MOST_LISTED = 4

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_LISTED).join(', ')
  return names.length > MOST_LISTED ? `${shown} and ${names.length - MOST_LISTED} more` : shown
}

/** The ids, and the beginnings that several of them share. */
function suggestionsOf(models: readonly Model[]): string[] {
  const ids = models.map(({ id }) => id)
  const beginnings = Map.groupBy(ids, (id) => /^[^-]+-/.exec(id)?.[0] ?? '')
  const patterns = [...beginnings]
    .filter(([beginning, own]) => beginning !== '' && own.length > 1)
    .map(([beginning]) => `${beginning}*`)
  return [...patterns, ...ids]
}
