import { Button, Group, TextInput } from '@mantine/core'
import type { KeyForm } from './key-fields.tsx'
import { toLocalField } from './key-form-values.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const SPANS = [7, 30, 90, 365] as const

export function ExpiryField({ form }: { readonly form: KeyForm }) {
  const choose = (days: number) =>
    form.setFieldValue('expiry', toLocalField(new Date(Date.now() + days * DAY_MS)))
  return (
    <fieldset className="key-part">
      <legend>Expiry</legend>
      <p className="key-part-words">
        From that minute on the key is refused with 401. A date in your own time zone; empty means never.
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
