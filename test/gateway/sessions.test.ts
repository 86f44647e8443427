import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Recording, readRecordings } from '../captures/recordings.ts'
import { chat } from '../support/chat.ts'
import { eventually } from '../support/eventually.ts'
import { BOOTSTRAP_KEY, OPERATOR_TOKEN, startTestGateway, type TestGateway } from '../support/test-gateway.ts'

interface Settled {
  readonly request_id: string
  readonly session: string | null
  readonly agent: string | null
  readonly parent_agent: string | null
}

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.stop())

/** Sends a request with these headers and returns its settlement. */
async function settle(headers: Readonly<Record<string, string>>): Promise<Settled> {
  const response = await chat(gateway.url, {}, { key: BOOTSTRAP_KEY, headers })
  expect(response.status).toBe(200)
  await response.arrayBuffer()
  const path = `/settlements/${response.headers.get('x-request-id')}`
  return eventually('the settlement', () => gateway.operator<Settled>('GET', path).catch(() => false))
}

async function idsOf(query: string): Promise<string[]> {
  const { data } = await gateway.operator<{ data: Settled[] }>('GET', `/settlements?${query}`)
  return data.map(({ request_id }) => request_id)
}

function idHeaders({ headers }: Recording): Record<string, string> {
  const named = Object.entries(headers).filter(([name]) => /session|thread|agent-id/.test(name))
  return Object.fromEntries(named.map(([name, value]) => [name, String(value)]))
}

const RECORDINGS = readRecordings()
const SUB_AGENT = {
  'x-claude-code-session-id': 'session-of-claude',
  'x-claude-code-agent-id': 'agent-2',
  'x-claude-code-parent-agent-id': 'agent-1',
}

describe('the session of a request', () => {
  test.each(['claude-code', 'codex'])('is kept from a recorded request of %s', async (client) => {
    const recording = RECORDINGS.find((one) => one.client === client && one.method === 'POST')
    if (recording === undefined) throw new Error(`There is no recording of ${client}.`)
    const headers = idHeaders(recording)
    const session = headers['x-claude-code-session-id'] ?? headers['session-id']
    expect(session).toBeString()
    expect(await settle(headers)).toMatchObject({ session, agent: null, parent_agent: null })
  })

  test('is null without a header, and when the header holds no id', async () => {
    const nothing = { session: null, agent: null, parent_agent: null }
    expect(await settle({})).toMatchObject(nothing)
    expect(await settle({ 'x-session-id': 'ann@example.com', 'x-agent-id': BOOTSTRAP_KEY })).toMatchObject(
      nothing,
    )
  })

  test('and its agents are filters of lists and exports, and no labels of metrics', async () => {
    const main = await settle({ 'x-claude-code-session-id': 'session-of-claude' })
    const sub = await settle(SUB_AGENT)
    expect(sub).toMatchObject({ session: 'session-of-claude', agent: 'agent-2', parent_agent: 'agent-1' })
    expect(await idsOf('session=session-of-claude')).toEqual([sub.request_id, main.request_id])
    expect(await idsOf('session=session-of-claude&agent=agent-2')).toEqual([sub.request_id])
    expect(await idsOf('agent=agent-2&model=sandbox-chat')).toEqual([sub.request_id])
    expect(await idsOf('session=another')).toEqual([])

    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` }
    const query = 'format=jsonl&session=session-of-claude'
    const lines = await fetch(`${gateway.url}/operator/v1/exports/settlements?${query}`, { headers })
    const exported = (await lines.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(exported.map(({ session, agent, parent_agent }) => [session, agent, parent_agent])).toEqual([
      ['session-of-claude', null, null],
      ['session-of-claude', 'agent-2', 'agent-1'],
    ])
    const metrics = await (await fetch(`${gateway.url}/metrics`, { headers })).text()
    expect(metrics).toContain('sandbox-chat')
    expect(metrics).not.toContain('session-of-claude')
    expect(metrics).not.toContain('agent-2')
  })
})
