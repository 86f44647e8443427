import { expect, test } from 'bun:test'
import type { OperatorMessage } from '../../vocabulary/observability/alert-channel.ts'
import { mailOf, slackBody, webhookBody } from './operator-message.ts'

const LOW: OperatorMessage = {
  id: 'msg_1',
  status: 'raised',
  kind: 'balance.low',
  accountId: 'acc_1',
  subject: 'acc_1',
  atMs: 0,
  data: { balance: '1.5' },
}

test('people read the name of the currency; programs get the amount alone', () => {
  const title = 'The balance of account acc_1 is low: 1.5 credits'
  expect(mailOf(LOW, 'credits').subject).toBe(`[Turnpike] ${title}`)
  expect(mailOf(LOW, 'credits').text).toStartWith(`${title}\n`)
  expect(slackBody(LOW, 'credits')).toContain(title)
  expect(webhookBody(LOW)).not.toContain('USDT')
})

test('the name of the currency cannot mark up a Slack message', () => {
  expect(slackBody(LOW, '<!channel>')).toContain('1.5 &lt;!channel&gt;')
})
