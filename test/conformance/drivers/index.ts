import type { Driver } from '../talk.ts'
import { AI_SDK_DRIVERS } from './ai-sdk.ts'
import { CHAT_DRIVERS } from './chat-completion.ts'
import { GENERATION_DRIVERS } from './content-generation.ts'
import { MESSAGES_DRIVERS } from './messages.ts'
import { RESPONSES_DRIVERS } from './responses.ts'

/** The SDKs their vendors publish, each for its own format. */
export const OFFICIAL_DRIVERS: readonly Driver[] = [
  ...CHAT_DRIVERS,
  ...RESPONSES_DRIVERS,
  ...MESSAGES_DRIVERS,
  ...GENERATION_DRIVERS,
]

export { AI_SDK_DRIVERS }
