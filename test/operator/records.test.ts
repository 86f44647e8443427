import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type GatewayUnderTest, startGateway } from './gateway-under-test.ts'

let gateway: GatewayUnderTest
beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.close())

const TRANSFER = { name: 'Bank transfer', text: 'Put your account id in the reference.' }
const STORED = { id: 'bank-transfer', ...TRANSFER, link: null, position: 0, enabled: true }

const put = (id: string, body: object) => gateway.ask(`PUT /payment-methods/${id}`, body)
const ids = async (query = '') => {
  const { body } = await gateway.ask(`GET /payment-methods${query}`)
  return { ids: body.data.map(({ id }: { id: string }) => id), cursor: body.next_cursor }
}

describe('a plain record', () => {
  test('is created, shown, replaced and deleted', async () => {
    expect((await put('bank-transfer', TRANSFER)).body).toEqual(STORED)
    expect((await gateway.ask('GET /payment-methods/bank-transfer')).body).toEqual(STORED)
    const link = 'https://pay.example.com/acme?from=turnpike'
    await put('bank-transfer', { ...TRANSFER, link, position: 5, enabled: false })
    expect((await gateway.ask('GET /payment-methods')).body.data).toEqual([
      { ...STORED, link, position: 5, enabled: false },
    ])
    // What is left out has its default again: the record is replaced.
    expect((await put('bank-transfer', TRANSFER)).body).toEqual(STORED)
    expect((await gateway.ask('DELETE /payment-methods/bank-transfer')).body).toEqual({
      id: 'bank-transfer',
      deleted: true,
    })
    expect((await ids()).ids).toEqual([])
  })

  test('leaves an audit event for each change, and none when nothing changes', async () => {
    await put('bank-transfer', TRANSFER)
    await put('bank-transfer', TRANSFER)
    await put('bank-transfer', { ...TRANSFER, enabled: false })
    await gateway.ask('DELETE /payment-methods/bank-transfer')
    const { data } = (await gateway.ask('GET /audit')).body
    expect(data.toReversed()).toMatchObject([
      { action: 'payment_method.created', subject: 'bank-transfer', before: null, after: STORED },
      { action: 'payment_method.changed', before: STORED, after: { ...STORED, enabled: false } },
      { action: 'payment_method.deleted', before: { ...STORED, enabled: false }, after: null },
    ])
    expect(data).toHaveLength(3)
  })

  test('is listed by position, then id, page by page', async () => {
    for (const [id, position] of Object.entries({ card: 9, cash: 10, wire: 0, app: 9 })) {
      await put(id, { ...TRANSFER, position })
    }
    expect(await ids()).toEqual({ ids: ['wire', 'app', 'card', 'cash'], cursor: null })
    const first = await ids('?limit=2')
    expect(first.ids).toEqual(['wire', 'app'])
    expect(await ids(`?limit=2&cursor=${first.cursor}`)).toEqual({ ids: ['card', 'cash'], cursor: null })
  })

  test('leaves the configuration in force as it is', async () => {
    const before = gateway.configuration.current()
    await put('bank-transfer', TRANSFER)
    expect(gateway.configuration.current()).toBe(before)
  })

  test.each(['GET', 'DELETE'])('%s of an unknown id is not found', async (method) => {
    const { status, body } = await gateway.ask(`${method} /payment-methods/cash`)
    expect([status, body.error.code]).toEqual([404, 'not_found'])
    expect(body.error.message).toBe('There is no payment method "cash".')
  })

  test.each([
    ['name', {}],
    ['name', { name: '' }],
    ['text', { text: 'x'.repeat(2_001) }],
    ['link', { link: 'http://pay.example.com' }],
    ['link', { link: 'javascript:alert(1)' }],
    ['link', { link: 'https://user:secret@pay.example.com' }],
    ['position', { position: -1 }],
    ['enabled', { enabled: 'yes' }],
    ['colour', { colour: 'red' }],
  ])('with a wrong %s is refused: %j', async (param, wrong) => {
    const sent = Object.keys(wrong).length === 0 ? { text: 'x' } : { ...TRANSFER, ...wrong }
    const { status, body } = await put('bank-transfer', sent)
    expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', param])
    expect((await ids()).ids).toEqual([])
  })

  test.each(['Bank', '-bank', 'bank%20transfer', 'x'.repeat(65)])('with the id %s is refused', async (id) => {
    const { status, body } = await put(id, TRANSFER)
    expect([status, body.error.param]).toEqual([400, 'id'])
  })
})
