import type { Refusal } from '../../refusal.ts'
import { encodeError } from '../openai-style.ts'

export function encodeErrorFrame(refusal: Refusal): string {
  return `data: ${JSON.stringify(encodeError(refusal))}\n\n`
}
