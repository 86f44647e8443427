import { Button, Code, Group, Stack } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useKey } from '../../api/keys.ts'
import type { ApiKey, IssuedKey } from '../../api/wire.ts'
import { useAccount } from '../../app/account.ts'
import { useUrlState } from '../../app/url-state.ts'
import { DetailPage } from '../../parts/detail-page.tsx'
import { IssuedKeyDialog } from '../../parts/keys/issued-key-dialog.tsx'
import { KeyActions } from '../../parts/keys/key-actions.tsx'
import { EditKey } from '../../parts/keys/key-form.tsx'
import { describeSecret } from '../../parts/keys/key-words.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { KeyFacts } from './key-facts.tsx'
import { KeyMoney } from './key-money.tsx'
import { KeyUsage } from './key-usage.tsx'
import { RecentRequests } from './recent-requests.tsx'

const BACK = { to: '/keys', label: 'API keys' } as const

export function Page() {
  const account = useAccount()
  const { id = '' } = useParams({ strict: false })
  return (
    <DetailPage query={useKey(account.id, id)} title="API key" back={BACK}>
      {(key) => <KeyPage account={account.id} apiKey={key} />}
    </DetailPage>
  )
}

interface KeyPageProps {
  readonly account: string
  readonly apiKey: ApiKey
}

function KeyPage({ account, apiKey }: KeyPageProps) {
  const [{ edit }, setAddress] = useUrlState({ edit: '' })
  const [issued, setIssued] = useState<IssuedKey | null>(null)
  const openEdit = () => setAddress({ edit: 'yes' })
  const isUsable = apiKey.state !== 'revoked'
  return (
    <>
      <PageHeader
        title={apiKey.name}
        heading={
          <Group gap="sm" component="span" className="key-heading">
            {apiKey.name}
            <StatusBadge state={apiKey.state} />
          </Group>
        }
        description={<Code>{describeSecret(apiKey)}</Code>}
        back={BACK}
        actions={
          isUsable && (
            <>
              <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={openEdit}>
                Edit
              </Button>
              <KeyActions account={account} apiKey={apiKey} onEdit={openEdit} onIssued={setIssued} />
            </>
          )
        }
      />
      <Stack gap="lg">
        <KeyMoney apiKey={apiKey} />
        <KeyUsage account={account} apiKey={apiKey} />
        <KeyFacts apiKey={apiKey} />
        <RecentRequests account={account} apiKey={apiKey} />
      </Stack>
      {edit !== '' && isUsable && (
        <EditKey account={account} apiKey={apiKey} onClose={() => setAddress({ edit: '' })} />
      )}
      {issued !== null && (
        <IssuedKeyDialog account={account} issued={issued} onClose={() => setIssued(null)} />
      )}
    </>
  )
}
