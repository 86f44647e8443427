import { Anchor, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { accountPath, getQuery } from '../../api/client.ts'
import type { Whole } from '../../api/operator.ts'
import type { PaymentMethod } from '../../api/wire.ts'
import { ErrorNotice } from '../../parts/layout/error-notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { PaymentList } from './lists.tsx'

interface OfAccount {
  readonly account: string
}

export function Payments({ account }: OfAccount) {
  return (
    <Stack gap="lg">
      <WaysToPay account={account} />
      <PaymentList account={account} />
    </Stack>
  )
}

/** The operator's payment methods. Renders nothing if there are none. */
function WaysToPay({ account }: OfAccount) {
  const path = accountPath(account, '/payment-methods')
  const { data, error, refetch } = useQuery(
    getQuery<Whole<PaymentMethod>>([account, 'payment-methods'], path),
  )
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  const methods = data?.data ?? []
  if (methods.length === 0) return null
  return (
    <Panel title="Ways to pay" description="Payments are added to your balance as soon as they are recorded.">
      <Stack gap="lg">
        {methods.map((method) => (
          <Method key={method.id} method={method} />
        ))}
      </Stack>
    </Panel>
  )
}

function Method({ method: { name, text, link } }: { readonly method: PaymentMethod }) {
  return (
    <Stack gap={4} maw={680}>
      <Text fw={550}>{name}</Text>
      <Text size="sm" className="kept-lines">
        {text}
      </Text>
      {link !== null && (
        <Anchor href={link} target="_blank" rel="noopener noreferrer" size="sm" className="kept-lines">
          {link}
        </Anchor>
      )}
    </Stack>
  )
}
