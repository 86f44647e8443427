import { Text } from '@mantine/core'
import type { Credential } from '../../api/wire.ts'
import { formatNumber, formatShort } from '../../parts/format.ts'
import type { CredentialHealth } from '../operator-suppliers/health.ts'

interface CapacityProps {
  readonly credential: Pick<Credential, 'rpm' | 'tpm'>
  readonly health: CredentialHealth | null
}

/** What is left of the credential's limits in the present minute, and what the supplier itself said. */
export function Capacity({ credential: { rpm, tpm }, health }: CapacityProps) {
  if (rpm === null && tpm === null && (health?.told ?? null) === null) return <>No limit</>
  return (
    <span className="two-lines numeral">
      {rpm !== null && (
        <span>
          {formatNumber(health?.remainingRequests ?? rpm)} of {formatNumber(rpm)} requests
        </span>
      )}
      {tpm !== null && (
        <span>
          {formatShort(health?.remainingTokens ?? tpm)} of {formatShort(tpm)} tokens
        </span>
      )}
      {health?.told && (
        <Text span size="xs" c="dimmed">
          It says: {told(health.told.requests, 'requests')}, {told(health.told.tokens, 'tokens')}
        </Text>
      )}
    </span>
  )
}

function told(value: number | null, what: string): string {
  return `${value === null ? '?' : formatShort(value)} ${what}`
}
