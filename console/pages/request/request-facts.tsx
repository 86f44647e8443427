import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useKeys } from '../../api/keys.ts'
import type { Settlement } from '../../api/wire.ts'
import { useAccount } from '../../app/account.ts'
import { formatNumber } from '../../parts/format.ts'
import { Facts } from '../../parts/panel.tsx'
import { TimeStamp } from '../../parts/time-stamp.tsx'

const PROVENANCE: Readonly<Record<Settlement['provenance'], string>> = {
  supplier: 'Told by the supplier',
  counted: 'Counted by the gateway from what was delivered',
  estimated: 'Estimated by the gateway',
}

interface SettlementProps {
  readonly settlement: Settlement
}

export function UsageFacts({ settlement: { usage, provenance } }: SettlementProps) {
  const facts = [
    { label: 'Input', value: formatNumber(usage.input) },
    { label: 'Read from cache', value: formatNumber(usage.cache_read) },
    { label: 'Written to cache', value: formatNumber(usage.cache_write) },
    { label: 'Output', value: formatNumber(usage.output) },
    { label: 'Of that thinking', value: formatNumber(usage.reasoning) },
    ...(usage.images > 0 ? [{ label: 'Pictures', value: formatNumber(usage.images) }] : []),
    { label: 'Where the figures are from', value: PROVENANCE[provenance] },
  ]
  return <Facts facts={facts} />
}

export function RequestFacts({ settlement }: SettlementProps) {
  const account = useAccount()
  const keys = useKeys(account.id)
  const { key_id, model, supplier, client_format, supplier_format, stream, started_at } = settlement
  const name = keys.rows.find(({ id }) => id === key_id)?.name ?? key_id
  const how =
    supplier_format === null
      ? '–'
      : supplier_format === client_format
        ? `${supplier_format}, relayed as it is`
        : `${supplier_format}, translated`
  return (
    <Facts
      facts={[
        {
          label: 'Key',
          value: (
            <Anchor
              inherit
              renderRoot={(props) => <Link to="/keys/$id" params={{ id: key_id }} {...props} />}
            >
              {name}
            </Anchor>
          ),
        },
        {
          label: 'Model',
          value: (
            <Anchor inherit renderRoot={(props) => <Link to="/requests" search={{ model }} {...props} />}>
              {model}
            </Anchor>
          ),
        },
        { label: 'Supplier', value: supplier ?? 'None' },
        { label: 'Client spoke', value: client_format },
        { label: 'Supplier spoke', value: how },
        { label: 'Answer', value: stream ? 'Streamed' : 'Whole' },
        { label: 'Began', value: <TimeStamp at={started_at} /> },
      ]}
    />
  )
}
