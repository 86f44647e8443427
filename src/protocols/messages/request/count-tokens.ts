import { findTopLevelMembers } from '../../../wire/json-members.ts'
import { asObject } from '../../../wire/json-values.ts'
import type { CountRequest, TokenCounting } from '../../protocol.ts'
import { measurePrompt } from './count-prompt.ts'
import { prepareRelay } from './relay-body.ts'
import { validateCount } from './validate.ts'

export const tokenCounting: TokenCounting = {
  paths: ['/v1/messages/count_tokens'],
  read: readCount,
  asksSupplier: true,
  decode: (body) => {
    const tokens = asObject(body)?.input_tokens
    return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : null
  },
}

function readCount(body: unknown, text: string): CountRequest {
  const request = validateCount(body)
  const members = findTopLevelMembers(text)
  return {
    facts: { model: request.model, ...measurePrompt(request, members) },
    relayBody: prepareRelay(request.model, text, members),
    encode: (tokens) => ({ input_tokens: tokens }),
  }
}
