import { NativeSelect, Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import { api } from '../../api/client.ts'
import { ACCOUNTS_KEY, accountCall } from '../../api/operator-lists.ts'
import { type OperatorAccount, TIERS, type TierName } from '../../api/operator-shapes.ts'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { RateFields } from '../../parts/rate-fields.tsx'
import { countOrNull } from '../../parts/read-count.ts'
import { TimeField } from '../../parts/time-field.tsx'
import { useFormAction } from '../../parts/use-form-action.ts'

interface Values {
  readonly tier: TierName
  readonly rpm: number | string
  readonly tpm: number | string
  readonly expires_at: string
  readonly reason: string
}

interface AssignTierProps {
  readonly account: OperatorAccount
  readonly onClose: () => void
}

export function AssignTier({ account, onClose }: AssignTierProps) {
  const { tier_assignment: now } = account
  const form = useForm<Values>({
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
    (values: Values) =>
      api.put(accountCall(account.id, '/tier'), {
        tier: values.tier,
        rpm: countOrNull(values.rpm),
        tpm: countOrNull(values.tpm),
        expires_at: values.expires_at || null,
        reason: values.reason.trim(),
      }),
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
      <NativeSelect label="Tier" data={[...TIERS]} data-autofocus {...form.getInputProps('tier')} />
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
