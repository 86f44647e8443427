import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { balanceOf, openAccount } from '../support/accounts.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

const SECRET = 'processor-secret-for-tests'
const PAGE = join(import.meta.dirname, '../../docs/money/payments.md')
const EXAMPLE = /### Example: a checkout provider[\s\S]*?```ts\n([\s\S]*?)```/
const GATEWAY_IN_EXAMPLE = 'https://gateway.example.com'

type ReportPayment = (session: { id: string; amountInCents: number; accountId: string }) => Promise<void>

let gateway: TestGateway
let folder: string
let reportPayment: ReportPayment
beforeAll(async () => {
  gateway = await startTestGateway({ environment: { TURNPIKE_PAYMENT_WEBHOOK_SECRET: SECRET } })
  folder = mkdtempSync(join(tmpdir(), 'turnpike-example-'))
  const [, code = ''] = EXAMPLE.exec(readFileSync(PAGE, 'utf8')) ?? []
  expect(code).toContain(GATEWAY_IN_EXAMPLE)
  const file = join(folder, 'report-payment.ts')
  writeFileSync(file, code.replace(GATEWAY_IN_EXAMPLE, gateway.url))
  process.env.TURNPIKE_PAYMENT_WEBHOOK_SECRET = SECRET
  const example = (await import(file)) as { reportPayment: ReportPayment }
  reportPayment = example.reportPayment
})
afterAll(async () => {
  delete process.env.TURNPIKE_PAYMENT_WEBHOOK_SECRET
  rmSync(folder, { recursive: true, force: true })
  await gateway.stop()
})

test('the documented checkout example credits a paid session once', async () => {
  const accountId = await openAccount(gateway, '0')
  const session = { id: 'cs_1', amountInCents: 1_205, accountId }
  await reportPayment(session)
  // A provider repeats what it is not sure of.
  await reportPayment(session)
  expect(await balanceOf(gateway, accountId)).toBe('12.05')
})

test('the documented checkout example makes the provider try again when the gateway refuses', async () => {
  const unknown = { id: 'cs_2', amountInCents: 500, accountId: 'acc_unknown' }
  await expect(reportPayment(unknown)).rejects.toThrow('answered 404')
})
