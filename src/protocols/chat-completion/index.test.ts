import { expect, test } from 'bun:test'
import { GatewayError } from '../../errors/gateway-error.ts'
import { PROTOCOLS } from '../index.ts'
import { chatCompletion } from './index.ts'
import { UsageTap } from './stream/tap-usage.ts'

test('is registered', () => expect(PROTOCOLS).toContain(chatCompletion))

test('an error inside a stream is one frame, without [DONE]', () => {
  const error = new GatewayError('provider_error', 'The supplier failed.\nBadly.')
  const frame =
    'data: {"error":{"message":"The supplier failed.\\nBadly.","type":"provider_error","code":"provider_error","param":null}}\n\n'
  expect(new UsageTap({ keepsUsageChunk: true }).fail(error)).toBe(frame)
})

test('the heartbeat is a comment line without a blank line', () =>
  expect(chatCompletion.heartbeat).toBe(': ka\n'))
