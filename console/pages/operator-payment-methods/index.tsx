import { Switch, Textarea, TextInput } from '@mantine/core'
import { IconCreditCardPay } from '@tabler/icons-react'
import type { PaymentMethods } from '../../../src/vocabulary/records/payment-method.ts'
import type { Sent } from '../../../src/vocabulary/shape.ts'
import type { PaymentMethod } from '../../api/wire.ts'
import { OnBadge } from '../../parts/layout/status-badge.tsx'
import { PositionField, RecordName, RecordPage } from '../../parts/record-page.tsx'
import type { Column } from '../../parts/tables/table-panel.tsx'

export function Page() {
  return (
    <RecordPage
      slug="payment-methods"
      title="Payment methods"
      description="The ways to pay that customers see on their billing page. You record the payments yourself."
      noun="payment method"
      icon={IconCreditCardPay}
      purpose="Describe how customers pay you: a bank account, a wallet, or a link to a payment page."
      exampleId="bank-transfer"
      columns={COLUMNS}
      valuesOf={valuesOf}
      bodyOf={bodyOf}
      validate={{
        id: (id) => (id.trim() === '' ? 'Enter an id' : null),
        name: (name) => (name.trim() === '' ? 'Enter the name that customers see' : null),
        text: (text) => (text.trim() === '' ? 'Enter instructions for the customer' : null),
        link: (link) =>
          /^(https:\/\/.+)?$/.test(link.trim()) ? null : 'Enter an address that begins with https://',
      }}
      fields={(field) => (
        <>
          <TextInput label="Name" placeholder="Bank transfer" required {...field('name')} />
          <Textarea
            label="Text"
            description="Instructions for the customer, in plain text."
            autosize
            minRows={4}
            maxRows={16}
            maxLength={2_000}
            required
            {...field('text')}
          />
          <TextInput
            label="Link"
            description="Where the customer pays. Optional."
            placeholder="https://pay.example.com"
            type="url"
            {...field('link')}
          />
          <PositionField {...field('position')} />
          <Switch label="Shown to customers" {...field('enabled', { type: 'checkbox' })} />
        </>
      )}
    />
  )
}

const COLUMNS: readonly Column<PaymentMethod>[] = [
  {
    head: 'Payment method',
    cell: (row) => <RecordName {...row} />,
  },
  { head: 'State', cell: ({ enabled }) => <OnBadge isOn={enabled} on="Shown" off="Hidden" /> },
  { head: 'Link', from: 'md', cell: ({ link }) => link },
  { head: 'Position', isNumeric: true, from: 'sm', cell: ({ position }) => position },
]

type Values = ReturnType<typeof valuesOf>

function valuesOf(method: PaymentMethod | null) {
  return {
    id: method?.id ?? '',
    name: method?.name ?? '',
    text: method?.text ?? '',
    link: method?.link ?? '',
    position: method?.position ?? 0,
    enabled: method?.enabled ?? true,
  }
}

function bodyOf({ name, text, link, position, enabled }: Values): Sent<typeof PaymentMethods.body> {
  return {
    name: name.trim(),
    text: text.trim(),
    link: link.trim() || null,
    position: Number(position),
    enabled,
  }
}
