import { describe, expect, test } from 'bun:test'
import { PROTOCOLS } from '../../src/protocols/index.ts'
import type { Protocol } from '../../src/protocols/protocol.ts'
import { type Corpus, corpusOf } from './corpus.ts'
import { DECODERS, type Decoder } from './decoders.ts'
import { damage } from './mutate-bytes.ts'
import { seededRandom } from './random.ts'

const SEED = Number(process.env.FUZZ_SEED ?? 20_251_115)
const BYTES_PER_DECODER = 10_000_000

console.log(`fuzzing decoders with FUZZ_SEED=${SEED}`)

const corpora = new Map(PROTOCOLS.map((protocol) => [protocol, corpusOf(protocol)]))
const clients = [...corpora].map(([protocol, { requests, addresses }]) => {
  const text = requests[0]?.bytes.toString() ?? ''
  return protocol.readRequest(JSON.parse(text), text, addresses[0]).client
})

interface Tally {
  bytes: number
  taken: number
  refused: number
}

/** Damaged documents until enough bytes have been fed. A failure shows what it takes to see it again. */
function fuzz(decoder: Decoder, protocol: Protocol, share: number): Tally {
  const corpus = corpora.get(protocol) as Corpus
  const entries = decoder.entriesOf(corpus)
  const random = seededRandom(SEED ^ Bun.hash.crc32(`${protocol.name} ${decoder.name}`))
  const trial = { protocol, corpus, clients, random }
  const tally: Tally = { bytes: 0, taken: 0, refused: 0 }
  while (tally.bytes < share) {
    const bytes = damage(random.pick(entries), entries, random)
    try {
      tally[decoder.feed(bytes, trial) ? 'taken' : 'refused']++
    } catch (cause) {
      throw new Error(`FUZZ_SEED=${SEED}: ${bytes.toString('base64')}`, { cause })
    }
    tally.bytes += bytes.length
  }
  return tally
}

describe.each(DECODERS.map((decoder) => [decoder.name, decoder] as const))('%s', (name, decoder) => {
  const protocols = PROTOCOLS.filter(({ tokenCounting }) => name !== 'count' || tokenCounting !== undefined)
  let fed = 0

  test.each(protocols.map((protocol) => [protocol.name, protocol] as const))('%s', (_, protocol) => {
    const startedAt = performance.now()
    const tally = fuzz(decoder, protocol, BYTES_PER_DECODER / protocols.length)
    fed += tally.bytes
    console.log(name, protocol.name, tally, Math.round(performance.now() - startedAt))
    // Documents of only one kind would mean that the damage is too great, or none.
    expect(Math.min(tally.taken, tally.refused)).toBeGreaterThan(100)
  })

  test('was fed enough', () => {
    expect(fed).toBeGreaterThanOrEqual(BYTES_PER_DECODER)
  })
})
