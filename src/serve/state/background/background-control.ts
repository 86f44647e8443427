import { GatewayError } from '../../../errors/gateway-error.ts'
import type { Protocol } from '../../../protocols/protocol.ts'
import type { StateRules } from '../../../protocols/state-rules.ts'
import type { Caller } from '../../admission/prepared-request.ts'
import type { Gateway } from '../../gateway.ts'
import type { Exchange, Reply } from '../../ports/exchange.ts'
import type { ReplyKey, ReplyObject } from '../../ports/state/background-store.ts'
import { followReply } from './background-follower.ts'

interface CancelParts {
  readonly rules: StateRules['background']
  readonly gateway: Gateway
}

/** Cancels a reply, on whichever node it is made. Does nothing when it has ended. */
export async function cancelRunning(
  key: ReplyKey,
  reply: ReplyObject,
  { rules, gateway }: CancelParts,
): Promise<void> {
  if (!rules.isBackground(reply)) {
    throw new GatewayError('invalid_request', 'Cannot cancel a synchronous response.')
  }
  const found = await gateway.replies.findBackground(key)
  if (found === null || found.runningOn === null) return
  const running = { ...key, nodeId: found.runningOn }
  await gateway.replies.endBackground(running, {
    status: 'cancelled',
    reply: rules.withStatus(reply, 'cancelled'),
  })
  // Another node notices it at its next beat.
  gateway.background.find(key)?.leave()
}

interface Resumed {
  readonly id: string
  readonly reply: ReplyObject
  readonly caller: Caller
  readonly gateway: Gateway
  readonly exchange: Exchange
  readonly protocol: Pick<Protocol, 'heartbeat'> & { readonly state: StateRules }
}

/** Sends the events after the last one that the client has. */
export async function resumeReply({
  id,
  reply,
  caller,
  gateway,
  exchange,
  protocol,
}: Resumed): Promise<Reply> {
  const { background: rules } = protocol.state
  const after = readStart(exchange.query.get('starting_after'))
  const key = { accountId: caller.account.id, id }
  gateway.background.requireFollower(key.accountId)
  const found = rules.isBackground(reply) ? await gateway.replies.findBackground(key) : null
  if (found === null || !found.isStreamed) {
    const message = 'Only a background response that was created with stream set to true can be streamed.'
    throw new GatewayError('invalid_request', message, { param: 'stream' })
  }
  return followReply({ key, after, rules, heartbeat: protocol.heartbeat ?? '', exchange, gateway })
}

function readStart(text: string | null): number {
  if (text === null) return -1
  const number = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number
  throw new GatewayError('invalid_request', 'starting_after must be the number of an event.', {
    param: 'starting_after',
  })
}
