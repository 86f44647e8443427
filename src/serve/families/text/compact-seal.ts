import { GatewayError } from '../../../errors/gateway-error.ts'
import type { CompactedContext, CompactionSealer } from '../../../protocols/protocol.ts'
import { SealError, type SealedPlace, type Sealer } from '../../../rules/access/server-secret.ts'

/** How the gateway's own items begin. Suppliers' values are other encodings of random bytes. */
const PREFIX = 'turnpike-compaction.'

/** Seals compaction items with the server secret for one account. No other account can open them. */
export function compactionSealer(secrets: Sealer, accountId: string): CompactionSealer {
  const place: SealedPlace = { table: 'compaction_items', column: 'encrypted_content', id: accountId }
  return {
    seal: (context) => PREFIX + secrets.seal(JSON.stringify(context), place),
    open: (sealed) => {
      if (!sealed.startsWith(PREFIX)) return null
      try {
        return JSON.parse(secrets.open(sealed.slice(PREFIX.length), place)) as CompactedContext
      } catch (error) {
        if (error instanceof SealError) throw unreadable()
        throw error
      }
    },
  }
}

function unreadable(): GatewayError {
  return new GatewayError(
    'invalid_request',
    'This compaction item was altered, or belongs to another account or another gateway. Compact the conversation again.',
  )
}
