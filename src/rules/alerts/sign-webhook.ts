import { createHmac } from 'node:crypto'

/**
 * The value of `turnpike-signature`. The time is signed too, so that a call somebody caught cannot be sent again later.
 */
export function signWebhook(body: string, secret: string, nowMs: number): string {
  const timestamp = Math.floor(nowMs / 1_000)
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  return `t=${timestamp},v1=${signature}`
}
