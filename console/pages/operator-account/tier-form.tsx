import { NativeSelect, Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { TierAssign } from '../../../src/vocabulary/account.ts'
import type { Sent } from '../../../src/vocabulary/shape.ts'
import { TIER_NAMES } from '../../../src/vocabulary/words.ts'
import { api } from '../../api/client.ts'
import { ACCOUNTS_KEY, accountCall } from '../../api/operator.ts'
import type { Account } from '../../api/wire.ts'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { RateFields } from '../../parts/rate-fields.tsx'
import { countOrNull } from '../../parts/read-count.ts'
import { TimeField } from '../../parts/time-field.tsx'
import { useFormAction } from '../../parts/use-form-action.ts'

interface AssignTierProps {
  readonly account: Account
  readonly onClose: () => void
}

export function AssignTier({ account, onClose }: AssignTierProps) {
  const { tier_assignment: now } = account
  const form = useForm({
    initialValues: {
      tier: now?.tier ?? account.tier,
      rpm: now?.rpm ?? '',
      tpm: now?.tpm ?? '',
      expires_at: now?.expires_at ?? '',
      reason: now?.reason ?? '',
    },
    validate: {
      reason: (reason) => (reason.trim() === '' ? 'Say why; it is kept in the audit log' : null),
      expires_at: (at) => (at !== '' && Date.parse(at) <= Date.now() ? 'This is in the past' : null),
    },
  })
  const assign = useFormAction(
    form,
    (values) =>
      api.put(accountCall(account.id, '/tier'), {
        tier: values.tier,
        rpm: countOrNull(values.rpm),
        tpm: countOrNull(values.tpm),
        expires_at: values.expires_at || null,
        reason: values.reason.trim(),
      } satisfies Sent<typeof TierAssign>),
    {
      done: 'The tier is in force.',
      refreshes: [ACCOUNTS_KEY],
      onDone: onClose,
    },
  )
  return (
    <FormDrawer
      title={`Assign a tier to ${account.name}`}
      onClose={onClose}
      submitLabel="Assign"
      {...assign.drawer}
    >
      <NativeSelect label="Tier" data={[...TIER_NAMES]} data-autofocus {...form.getInputProps('tier')} />
      <RateFields description="Empty: as the tier says." inputProps={(field) => form.getInputProps(field)} />
      <TimeField
        label="Ends"
        description="In your time zone. Empty: it lasts until somebody ends it."
        {...form.getInputProps('expires_at')}
        value={form.values.expires_at}
      />
      <Textarea label="Reason" required autosize minRows={2} {...form.getInputProps('reason')} />
    </FormDrawer>
  )
}
