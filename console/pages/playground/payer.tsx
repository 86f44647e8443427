import { Text } from '@mantine/core'
import { useMemo } from 'react'
import { useOverview } from '../../api/overview.ts'
import type { Model } from '../../api/wire.ts'
import { useAccount } from '../../app/account.ts'
import { rangeOf } from '../../parts/charts/range-picker.tsx'
import { Money } from '../../parts/text/money.tsx'

export interface PayerProps {
  /** The models that are asked. */
  readonly asked: readonly Pick<Model, 'id' | 'source'>[]
}

/** Whose money a request spends, beside the button that sends it. */
export function Payer({ asked }: PayerProps) {
  const account = useAccount()
  // Its balance is refreshed by the events of the account.
  const range = useMemo(() => rangeOf('24h'), [])
  const paying = useOverview(account.id, range).data?.account
  const own = asked.filter(({ source }) => source === 'byok').length
  if (asked.length > 0 && own === asked.length) {
    return (
      <Text size="xs" c="dimmed" className="playground-payer">
        Your own credential is used: the supplier bills you.
      </Text>
    )
  }
  const isMixed = own > 0 || asked.some(({ source }) => source === 'mixed')
  return (
    <Text size="xs" c="dimmed" className="playground-payer">
      Charged to {paying?.name ?? account.name}, with the key “Playground”
      {paying !== undefined && (
        <>
          , balance <Money amount={paying.balance} />
        </>
      )}
      .{isMixed && ' Where your own credential is used, the supplier bills you.'}
    </Text>
  )
}
