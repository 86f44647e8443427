import { describe, expect, test } from 'bun:test'
import { PROTOCOLS, protocolOf } from '../../../../protocols/index.ts'
import type { ClientRequest, Protocol } from '../../../../protocols/protocol.ts'
import type { Format } from '../../../../vocabulary/supply.ts'
import { A_PRICE, aRoute, aSupplier } from '../../../../vocabulary/testing/specimens.ts'
import { chooseLane } from './plan-lane.ts'

function laneOf(client: Protocol, formats: readonly Format[], isRelayable?: boolean) {
  const request = (isRelayable === undefined ? {} : { isRelayable }) as ClientRequest
  const route = {
    route: aRoute(),
    price: A_PRICE,
    cost: null,
    supplier: aSupplier(),
    formats,
    credentials: [],
  }
  const lane = chooseLane(client, request, route)
  return lane?.type === 'translate' ? `translate to ${lane.protocol.name}` : (lane?.type ?? null)
}

for (const client of PROTOCOLS) {
  const others = PROTOCOLS.filter((protocol) => protocol !== client).map(({ name }) => name)

  test(`a ${client.name} client is relayed to a supplier of that format, whatever else it supports`, () => {
    expect(laneOf(client, [client.name])).toBe('relay')
    expect(laneOf(client, [...others, client.name], true)).toBe('relay')
  })

  test(`a ${client.name} request that cannot be relayed is translated within its format`, () => {
    expect(laneOf(client, [...others, client.name], false)).toBe(`translate to ${client.name}`)
  })

  test(`a ${client.name} request is translated to the preferred format of other suppliers`, () => {
    for (const name of others) {
      const rest = others.filter((other) => other !== name)
      expect(laneOf(client, [name, ...rest])).toBe(`translate to ${name}`)
      expect(laneOf(client, ['images', name])).toBe(`translate to ${name}`)
    }
  })

  test(`there is no lane from ${client.name} to a supplier without a text format`, () => {
    expect(laneOf(client, ['images'])).toBeNull()
    expect(laneOf(client, [])).toBeNull()
  })
}

describe('a supplier with quirks', () => {
  const laneTo = (vendor: string, fits: boolean) => {
    const client = protocolOf('chat-completion')
    if (client === undefined) throw new Error('no chat')
    const supplier = aSupplier({ type: 'openai-compatible', options: { vendor } })
    const route = {
      route: aRoute(),
      price: A_PRICE,
      cost: null,
      supplier,
      formats: [client.name],
      credentials: [],
    }
    return chooseLane(client, { fits: () => fits } as unknown as ClientRequest, route)?.type
  }

  test('gets the client’s bytes when they fit, and its answers are rewritten when needed', () => {
    expect(laneTo('xai', true)).toBe('relay')
    expect(laneTo('mistral', true)).toBe('mend')
    expect(laneTo('plain', true)).toBe('relay')
  })

  test('gets a translated request when the client’s bytes do not fit', () => {
    expect(laneTo('xai', false)).toBe('translate')
    expect(laneTo('mistral', false)).toBe('translate')
    expect(laneTo('plain', false)).toBe('relay')
  })
})

test('every text format is a possible translation target', () => {
  for (const { name } of PROTOCOLS) expect(protocolOf(name)?.name).toBe(name)
})
