import { Alert, Button, NativeSelect, Textarea } from '@mantine/core'
import type { TierAssign } from '../../../src/vocabulary/account.ts'
import type { Sent } from '../../../src/vocabulary/shape.ts'
import { api } from '../../api/client.ts'
import { ACCOUNTS_KEY, accountCall, useTierNames } from '../../api/operator.ts'
import type { Account, TierAssignment } from '../../api/wire.ts'
import { ConfirmAction } from '../../parts/forms/confirm-action.tsx'
import { type Closable, FormDrawer } from '../../parts/forms/form-drawer.tsx'
import { countOrNull, RateFields } from '../../parts/forms/rate-fields.tsx'
import { TimeField } from '../../parts/forms/time-field.tsx'
import { type Fact, Facts, Panel } from '../../parts/layout/panel.tsx'
import { formatNumber } from '../../parts/text/format.ts'
import { TimeStamp } from '../../parts/text/time-stamp.tsx'

interface TierProps {
  readonly account: Account
  readonly onAssign: () => void
}

export function Tier({ account, onAssign }: TierProps) {
  const { tier_assignment: assignment } = account
  return (
    <Panel
      title="Tier"
      description={
        assignment === null
          ? 'Earned by payments and updated every full hour. An assigned tier takes precedence until it ends.'
          : 'Assigned by an operator. It takes precedence over the earned tier until it ends.'
      }
      actions={
        <>
          {assignment !== null && <EndAssignment account={account} />}
          <Button variant="default" size="sm" onClick={onAssign}>
            {assignment === null ? 'Assign a tier' : 'Change'}
          </Button>
        </>
      }
    >
      {isOver(assignment) && (
        <Alert color="yellow" mb="md">
          This assignment has ended. The earned tier applies.
        </Alert>
      )}
      <Facts facts={factsOf(account)} />
    </Panel>
  )
}

function isOver(assignment: TierAssignment | null): boolean {
  const end = assignment?.expires_at ?? null
  return end !== null && Date.parse(end) <= Date.now()
}

function factsOf(account: Account): readonly Fact[] {
  const { tier, tier_due: due, earned_tier, tier_assignment: assignment } = account
  const earned = {
    label: 'Earned',
    value: due === null ? earned_tier : `${earned_tier}; ${due} from the next full hour`,
  }
  if (assignment === null) return [{ label: 'Current', value: tier }, earned]
  const { expires_at: end } = assignment
  return [
    { label: 'Assigned', value: assignment.tier },
    earned,
    { label: 'Ends', value: end === null ? 'Never' : <TimeStamp at={end} /> },
    { label: 'Reason', value: assignment.reason },
    { label: 'Custom requests a minute', value: ownLimit(assignment.rpm) },
    { label: 'Custom tokens a minute', value: ownLimit(assignment.tpm) },
    { label: 'Assigned by', value: assignment.assigned_by },
  ]
}

function ownLimit(value: number | null): string {
  return value === null ? 'Same as tier' : formatNumber(value)
}

function EndAssignment({ account }: Pick<TierProps, 'account'>) {
  return (
    <ConfirmAction
      title="End the assignment?"
      confirmLabel="End assignment"
      onConfirm={() => api.delete(accountCall(account.id, '/tier'))}
      done={`${account.earned_tier} applies again.`}
      refreshes={[ACCOUNTS_KEY]}
      trigger={{ size: 'sm', children: 'End' }}
    >
      {account.name} returns to {account.earned_tier} from the next request on. Its limits may then be lower
      than its current usage.
    </ConfirmAction>
  )
}

export function AssignTier({ account, onClose }: Closable & { readonly account: Account }) {
  const { tier_assignment: now } = account
  const tier = now?.tier ?? account.tier
  const tierNames = useTierNames(tier)
  return (
    <FormDrawer
      title={`Assign a tier to ${account.name}`}
      submitLabel="Assign"
      onClose={onClose}
      initialValues={{
        tier,
        rpm: now?.rpm ?? '',
        tpm: now?.tpm ?? '',
        expires_at: now?.expires_at ?? '',
        reason: now?.reason ?? '',
      }}
      validate={{
        reason: (reason) => (reason.trim() === '' ? 'Enter a reason for the audit log' : null),
        expires_at: (at) => (at !== '' && Date.parse(at) <= Date.now() ? 'Enter a time in the future' : null),
      }}
      send={(values) =>
        api.put(accountCall(account.id, '/tier'), {
          tier: values.tier,
          rpm: countOrNull(values.rpm),
          tpm: countOrNull(values.tpm),
          expires_at: values.expires_at || null,
          reason: values.reason.trim(),
        } satisfies Sent<typeof TierAssign>)
      }
      done="The tier was assigned."
      refreshes={[ACCOUNTS_KEY]}
    >
      {(field, { values }) => (
        <>
          <NativeSelect label="Tier" data={tierNames} data-autofocus {...field('tier')} />
          <RateFields description="Leave empty to use the tier’s limits." inputProps={field} />
          <TimeField
            label="Ends"
            description="In your time zone. Leave empty for no end."
            {...field('expires_at')}
            value={values.expires_at}
          />
          <Textarea label="Reason" required autosize minRows={2} {...field('reason')} />
        </>
      )}
    </FormDrawer>
  )
}
