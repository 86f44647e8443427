import type { Format } from '../vocabulary/supply.ts'
import { chatCompletion } from './chat-completion/index.ts'
import type { Protocol } from './protocol.ts'

/** Every wire format this gateway speaks. A new one is its folder and one line here. */
export const PROTOCOLS: readonly Protocol[] = [chatCompletion]

const byName = new Map(PROTOCOLS.map((protocol) => [protocol.name, protocol]))

export function protocolOf(name: Format): Protocol | undefined {
  return byName.get(name)
}
