import { Button } from '@mantine/core'
import type { Account } from '../../api/wire.ts'
import { Facts } from '../../parts/facts.tsx'
import { Money } from '../../parts/money.tsx'
import { Panel } from '../../parts/panel.tsx'
import { TimeStamp } from '../../parts/time-stamp.tsx'

interface SettingsProps {
  readonly account: Account
  readonly onEdit: () => void
}

export function Settings({ account, onEdit }: SettingsProps) {
  return (
    <Panel
      title="Settings"
      actions={
        <Button variant="default" size="sm" onClick={onEdit}>
          Edit
        </Button>
      }
    >
      <Facts
        facts={[
          {
            label: 'Credit line',
            value: account.credit_line === null ? 'Unlimited' : <Money amount={account.credit_line} />,
          },
          {
            label: 'Alert below',
            value: account.balance_alert === null ? 'No alert' : <Money amount={account.balance_alert} />,
          },
          { label: 'E-mail', value: account.email ?? 'None' },
          { label: 'Created', value: <TimeStamp at={account.created_at} /> },
        ]}
      />
    </Panel>
  )
}
