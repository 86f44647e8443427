import { textDensity } from '../../../conversation/token-estimate.ts'
import type {
  CompactionRules,
  CompactionSealer,
  Protocol,
  RequestAddress,
} from '../../../protocols/protocol.ts'
import { isBounded } from '../../admission/prepared-request.ts'
import type { StateParts } from '../../state/reply-state.ts'
import { LARGE_BODY_CHARACTERS, yieldLoop } from '../../yield-loop.ts'
import { compactionSealer } from './compact-seal.ts'
import type { ReadText } from './prepared-text.ts'
import { writeBody } from './write-body.ts'

export interface CompactedParts extends Pick<ReadText, 'keepReply' | 'bodies'> {
  readonly rules: CompactionRules
  readonly protocol: Protocol
  readonly address: RequestAddress
  readonly state: StateParts
}

/** Reads a request whose input has compaction items, or asks for one. */
export async function readCompacted(body: unknown, parts: CompactedParts): Promise<ReadText> {
  const { rules, protocol, address, state, keepReply, bodies } = parts
  const sealer = sealerFor(state)
  if (rules.isTriggered(body)) return readCompaction(body, sealer, parts)
  const { body: opened, supplier } = rules.open(body, sealer)
  const bodyText = writeBody(opened)
  if (bodyText.length > LARGE_BODY_CHARACTERS) await yieldLoop()
  const request = protocol.readRequest(opened, bodyText, address)
  if (bodyText.length > LARGE_BODY_CHARACTERS) await yieldLoop()
  const tokensPerCharacter = densityOf(opened, state)
  return { request, bodyText, body: opened, tokensPerCharacter, keepReply, bodies, supplier }
}

export function sealerFor({ gateway, caller }: StateParts): CompactionSealer {
  return compactionSealer(gateway.secrets, caller.account.id)
}

/** Reads a request that compacts its conversation. */
export async function readCompaction(
  body: unknown,
  sealer: CompactionSealer,
  { rules, state, keepReply, bodies }: Omit<CompactedParts, 'protocol' | 'address'>,
): Promise<ReadText> {
  const { body: opened, supplier } = rules.open(body, sealer)
  const { request, text, body: summarizing, native } = rules.read(opened, body, sealer)
  if (text.length > LARGE_BODY_CHARACTERS) await yieldLoop()
  const tokensPerCharacter = densityOf(summarizing, state)
  return {
    request,
    bodyText: text,
    body: summarizing,
    tokensPerCharacter,
    keepReply,
    bodies,
    supplier,
    compaction: native,
  }
}

function densityOf(body: unknown, { caller }: StateParts): number | null {
  return isBounded(caller) ? textDensity(body) : null
}
