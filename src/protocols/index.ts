import { chatCompletion } from './chat-completion/index.ts'
import type { Protocol } from './protocol.ts'

/** Every wire format this gateway speaks. A new one is its folder and one line here. */
export const PROTOCOLS: readonly Protocol[] = [chatCompletion]
