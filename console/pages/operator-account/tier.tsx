import { Alert, Button } from '@mantine/core'
import { api } from '../../api/client.ts'
import { ACCOUNTS_KEY, accountCall } from '../../api/operator.ts'
import type { Account, TierAssignment } from '../../api/wire.ts'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { Facts } from '../../parts/facts.tsx'
import { formatNumber } from '../../parts/format.ts'
import { Panel } from '../../parts/panel.tsx'
import { TimeStamp } from '../../parts/time-stamp.tsx'
import { useAction } from '../../parts/use-action.ts'

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
          ? 'Earned by payments, at the full hour. An assigned tier outranks it until it ends.'
          : 'Assigned by an operator. It outranks the earned tier until it ends.'
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
      {assignment === null ? (
        <Facts
          facts={[
            { label: 'In force', value: account.tier },
            { label: 'Earned', value: account.earned_tier },
          ]}
        />
      ) : (
        <Assignment account={account} assignment={assignment} />
      )}
    </Panel>
  )
}

function Assignment({ account, assignment }: Pick<TierProps, 'account'> & { assignment: TierAssignment }) {
  const isOver = assignment.expires_at !== null && Date.parse(assignment.expires_at) <= Date.now()
  return (
    <>
      {isOver && (
        <Alert color="yellow" mb="md">
          This assignment is over; the earned tier is in force.
        </Alert>
      )}
      <Facts
        facts={[
          { label: 'Assigned', value: assignment.tier },
          { label: 'Earned', value: account.earned_tier },
          {
            label: 'Ends',
            value:
              assignment.expires_at === null ? 'Not by itself' : <TimeStamp at={assignment.expires_at} />,
          },
          { label: 'Reason', value: assignment.reason },
          { label: 'Own requests a minute', value: ownLimit(assignment.rpm) },
          { label: 'Own tokens a minute', value: ownLimit(assignment.tpm) },
          { label: 'Assigned by', value: assignment.assigned_by },
        ]}
      />
    </>
  )
}

function ownLimit(value: number | null): string {
  return value === null ? 'As the tier says' : formatNumber(value)
}

function EndAssignment({ account }: Pick<TierProps, 'account'>) {
  const end = useAction(() => api.delete(accountCall(account.id, '/tier')), {
    done: `${account.earned_tier} is in force again.`,
    refreshes: [ACCOUNTS_KEY],
  })
  return (
    <ConfirmAction
      title="End the assignment?"
      confirmLabel="End it"
      onConfirm={() => end.runAndWait(undefined)}
      trigger={(open) => (
        <Button variant="default" size="sm" onClick={open}>
          End
        </Button>
      )}
    >
      {account.name} falls back to {account.earned_tier} with the next request. Its limits may become lower
      than what it uses now.
    </ConfirmAction>
  )
}
