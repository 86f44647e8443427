import { formatTime } from '../../vocabulary/clock.ts'
import type { OperatorMessage } from '../../vocabulary/observability/alert-channel.ts'
import { OperatorMessage as MessageShape } from '../../vocabulary/observability/alert-channel.ts'

type Data = OperatorMessage['data']

const said = (data: Data, name: string) => String(data[name] ?? '?')

/** What each kind says to a person. */
const TITLES: Readonly<Record<string, (data: Data, message: OperatorMessage, currency: string) => string>> = {
  'credential.disabled': (data) =>
    `${said(data, 'supplier')} refused a credential, which is now disabled (${said(data, 'label')}, …${said(data, 'last_four')})`,
  'route.unpriced': (data) => `The route of ${said(data, 'model')} to ${said(data, 'supplier')} has no price`,
  'usage.implausible': (data) => `${said(data, 'supplier')} reported usage that cannot be true`,
  'balance.low': (data, { accountId }, currency) =>
    `The balance of account ${accountId ?? '?'} is low: ${said(data, 'balance')} ${currency}`,
  'budget.threshold': (data) =>
    `Key ${said(data, 'key_name')} has spent ${said(data, 'threshold')}% of its budget`,
  'key.limit_reached': (data) => `Key ${said(data, 'key_name')} has reached its usage limit`,
  'circuit.open': (data) => `${said(data, 'supplier')} fails for ${said(data, 'model')}: its circuit is open`,
  'journal.waiting': (data) =>
    `Settlements of node ${said(data, 'node')} wait for the database: ${said(data, 'waiting')}, the oldest for ${said(data, 'oldest_seconds')} s`,
  'node.lost': (data) => `Node ${said(data, 'node')} is lost`,
  'sink.failing': (data) => `Sink ${said(data, 'sink')} fails: ${said(data, 'failure')}`,
  test: () => 'This is a test',
}

/** One line. The currency is what people call it. */
export function titleOf(message: OperatorMessage, currency: string): string {
  const title = TITLES[message.kind]?.(message.data, message, currency) ?? message.kind
  return message.status === 'resolved' ? `Resolved: ${title}` : title
}

/** The body of a call to a webhook. Every try sends the same bytes, so that receivers can detect duplicates. */
export function webhookBody(message: OperatorMessage): string {
  return JSON.stringify(MessageShape.show(message))
}

/** The body of a call to a webhook of Slack, or of a program that takes the same. */
export function slackBody(message: OperatorMessage, currency: string): string {
  const title = titleOf(message, currency)
  const icon = message.status === 'resolved' ? ':white_check_mark:' : ':warning:'
  const facts = factsOf(message).map(([name, value]) => ({
    type: 'mrkdwn',
    text: `*${escapeSlack(name)}*\n${escapeSlack(value)}`,
  }))
  return JSON.stringify({
    text: `${icon} ${escapeSlack(title)}`,
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: `${icon} *${escapeSlack(title)}*` } },
      // Slack takes at most ten fields of a section.
      ...(facts.length > 0 ? [{ type: 'section', fields: facts.slice(0, 10) }] : []),
      {
        type: 'context',
        elements: [{ type: 'mrkdwn', text: `${message.kind} · ${formatTime(message.atMs)}` }],
      },
    ],
  })
}

export function mailOf(
  message: OperatorMessage,
  currency: string,
): { readonly subject: string; readonly text: string } {
  const title = titleOf(message, currency).replaceAll(/\s+/g, ' ')
  const facts = factsOf(message).map(([name, value]) => `${name}: ${value}`)
  const lines = [title, '', ...facts, '', `${message.kind}, ${formatTime(message.atMs)}, ${message.id}`]
  return { subject: `[Turnpike] ${title.slice(0, 180)}`, text: `${lines.join('\n')}\n` }
}

function factsOf({ accountId, data }: OperatorMessage): [string, string][] {
  const facts = Object.entries(data).map(([name, value]): [string, string] => [name, textOf(value)])
  return accountId === null ? facts : [['account', accountId], ...facts]
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.slice(0, 500)
}

/** The characters that Slack reads as its own. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
