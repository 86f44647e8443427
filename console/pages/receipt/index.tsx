import { Button, Text } from '@mantine/core'
import { IconPrinter } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { accountPath, getQuery } from '../../api/client.ts'
import type { Receipt } from '../../api/wire.ts'
import { useAccount } from '../../app/account.ts'
import { DetailPage } from '../../parts/layout/detail-page.tsx'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { Facts } from '../../parts/layout/panel.tsx'
import { formatUtc } from '../../parts/text/format.ts'
import { Money } from '../../parts/text/money.tsx'

const BACK = { to: '/billing', label: 'Billing' } as const

export function Page() {
  const { id: account } = useAccount()
  const { id = '' } = useParams({ strict: false })
  const path = accountPath(account, `/payments/${encodeURIComponent(id)}/receipt`)
  return (
    <DetailPage
      query={useQuery(getQuery<Receipt>([account, 'payments', id], path))}
      title="Receipt"
      back={BACK}
    >
      {(receipt) => <ReceiptSheet receipt={receipt} />}
    </DetailPage>
  )
}

/** One sheet of paper. On the screen it has a button that the printer leaves out. */
function ReceiptSheet({ receipt }: { readonly receipt: Receipt }) {
  const { seller_text: seller, account_email: email } = receipt
  return (
    <>
      <PageHeader
        title="Receipt"
        back={BACK}
        actions={
          <Button leftSection={<IconPrinter size={16} aria-hidden />} onClick={() => window.print()}>
            Print
          </Button>
        }
      />
      <section className="receipt panel" aria-label="Receipt">
        {seller !== null && <Text className="kept-lines receipt-seller">{seller}</Text>}
        <Facts
          facts={[
            { label: 'Received from', value: receipt.account_name },
            ...(email === null ? [] : [{ label: 'E-mail', value: email }]),
            { label: 'Account', value: receipt.account_id },
            { label: 'Payment', value: receipt.id },
            { label: 'Date', value: formatUtc(receipt.created_at) },
            { label: 'Reference', value: receipt.reference },
            ...(receipt.note === null ? [] : [{ label: 'Method or note', value: receipt.note }]),
          ]}
        />
        <div className="receipt-total">
          <Text fw={600}>Paid</Text>
          <Text fw={700} size="xl">
            <Money amount={receipt.amount} isExact />
          </Text>
        </div>
      </section>
    </>
  )
}
