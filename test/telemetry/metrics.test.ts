import { afterAll, beforeAll, expect, test } from 'bun:test'
import { chat } from '../support/chat.ts'
import { eventually } from '../support/eventually.ts'
import { BOOTSTRAP_KEY, OPERATOR_TOKEN, startTestGateway, type TestGateway } from '../support/test-gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.stop())

const scrape = (token: string) =>
  fetch(`${gateway.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })

test('served requests appear in the metrics', async () => {
  await (await chat(gateway.url, {}, { key: BOOTSTRAP_KEY })).text()
  const text = await eventually('counting', async () => {
    const body = await (await scrape(OPERATOR_TOKEN)).text()
    return body.includes('turnpike_settlements_total{') && body
  })
  expect(text).toContain('model="sandbox-chat",supplier="sandbox-openai",outcome="completed"} 1')
  expect(text).toContain('turnpike_attempts_total{supplier="sandbox-openai",result="answered"} 1')
  expect(text).toContain('turnpike_live_streams 0')
  expect(text).not.toContain(BOOTSTRAP_KEY)
})

test('refuses to show them to anyone else', async () => {
  expect((await scrape(BOOTSTRAP_KEY)).status).toBe(401)
  expect((await fetch(`${gateway.url}/metrics`)).status).toBe(401)
})
