import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LONGEST_BODY } from '../../src/manage/console/body-keeping.ts'
import { chat, say } from '../support/chat.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import {
  makeDataFolder,
  removeDataFolder,
  startTestGateway,
  type TestGateway,
} from '../support/test-gateway.ts'
import { addHousehold, askModel, type Household } from './support/account-stage.ts'
import { browserOf, readAudit } from './support/people.ts'

const DAY_MS = 86_400_000
const clock = createMovableClock()
const dataFolder = makeDataFolder()
let gateway: TestGateway
let house: Household

beforeAll(async () => {
  gateway = await startTestGateway({ clock, dataFolder })
  house = await addHousehold(gateway, 'House')
})
afterAll(async () => {
  await gateway.stop()
  removeDataFolder(dataFolder)
})

function call(name: string, body?: unknown) {
  const [method = '', path = ''] = name.split(' ')
  return house.owner.call(`${method} /accounts/${house.accountId}${path}`, body === undefined ? {} : { body })
}

describe('bodies', () => {
  test('are not stored unless the account enables it', async () => {
    expect((await call('GET /body-storage')).body).toEqual({ enabled: false, days: 7 })
    const requestId = await askModel(gateway, house)
    expect((await call(`GET /bodies/${requestId}`)).status).toBe(404)
    await call('PUT /body-storage', { enabled: true })
    expect((await call(`GET /bodies/${requestId}`)).status).toBe(404)
  })

  test('are stored as sent, whole and streamed, and sealed', async () => {
    await call('PUT /body-storage', { enabled: true, days: 3 })
    for (const stream of [false, true]) {
      const fields = { ...say('a most private answer'), stream }
      const response = await chat(gateway.url, fields, { key: house.secret })
      const answered = await response.text()
      const { body } = await call(`GET /bodies/${response.headers.get('x-request-id')}`)
      expect(JSON.parse(body.request)).toMatchObject({ model: 'sandbox-chat', stream })
      expect(body.response).toBe(answered)
      expect([body.request_cut, body.response_cut]).toEqual([false, false])
    }
    const files = ['turnpike.db', 'turnpike.db-wal'].map((name) => readFileSync(join(dataFolder, name)))
    for (const file of files) expect(file.includes('a most private answer')).toBe(false)
    const change = (await readAudit(gateway)).find(({ action }) => action === 'account.body_storage_changed')
    expect(change).toMatchObject({ actor: 'user:owner@house.example', after: { enabled: true, days: 3 } })
  })

  test('of audio are the fields of the request and the text, never the audio', async () => {
    await call('PUT /body-storage', { enabled: true, days: 3 })
    const authorization = `Bearer ${house.secret}`
    const spoken = await fetch(`${gateway.url}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox-speech', input: 'Hello', voice: 'alloy' }),
    })
    const form = new FormData()
    form.append('model', 'sandbox-transcribe')
    form.append('timestamp_granularities[]', 'word')
    form.append('timestamp_granularities[]', 'segment')
    form.append('file', new File([await spoken.arrayBuffer()], 'hello.wav'))
    const options = { method: 'POST', headers: { authorization }, body: form }
    const written = await fetch(`${gateway.url}/v1/audio/transcriptions`, options)
    const reply = await written.text()
    const kept = async ({ headers }: Response) =>
      (await call(`GET /bodies/${headers.get('x-request-id')}`)).body
    const speech = await kept(spoken)
    expect(JSON.parse(speech.request)).toEqual({ model: 'sandbox-speech', input: 'Hello', voice: 'alloy' })
    expect(speech.response).toBeFalsy()
    const transcript = await kept(written)
    expect(JSON.parse(transcript.request)).toEqual({
      model: 'sandbox-transcribe',
      'timestamp_granularities[]': ['word', 'segment'],
    })
    expect(transcript.response).toBe(reply)
  })

  test('that are long are cut', async () => {
    const padding = 'x'.repeat(LONGEST_BODY)
    const requestId = await askModel(gateway, house, { metadata: { padding } })
    const { body } = await call(`GET /bodies/${requestId}`)
    expect([body.request.length, body.request_cut]).toEqual([LONGEST_BODY, true])
  })

  test('of unanswered requests hold only the request', async () => {
    const fault = { type: 'status', status: 500 } as const
    gateway.sandbox.faults.set({ fault, model: 'sandbox-flaky' })
    const requestId = await askModel(gateway, house, { model: 'sandbox-flaky' })
    expect((await call(`GET /bodies/${requestId}`)).body.response).toBeNull()
  })

  test('survive a restart, and expire', async () => {
    const requestId = await askModel(gateway, house)
    await gateway.stop()
    gateway = await startTestGateway({ clock, dataFolder })
    const owner = await browserOf(gateway, 'owner@house.example')
    const kept = `GET /accounts/${house.accountId}/bodies/${requestId}`
    expect((await owner.call(kept)).status).toBe(200)
    const find = () => gateway.storage.findBody(house.accountId, requestId, clock.nowMs() - 3 * DAY_MS)
    expect(await find()).not.toBeNull()
    clock.advance(3 * DAY_MS + 1)
    const later = await browserOf(gateway, 'owner@house.example')
    expect((await later.call(kept)).status).toBe(404)
    expect(await find()).toBeNull()
    expect(
      await gateway.storage.deleteBodies(house.accountId, clock.nowMs() - 3 * DAY_MS, 1_000),
    ).toBeGreaterThan(2)
  })
})
