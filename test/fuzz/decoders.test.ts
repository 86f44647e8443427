import { describe, expect, test } from 'bun:test'
import { PROTOCOLS } from '../../src/protocols/index.ts'
import { corpusOf } from './corpus.ts'
import { DECODERS, type Decoder } from './decoders.ts'
import { damage } from './mutate-bytes.ts'
import { seededRandom } from './random.ts'

const SEED = Number(process.env.FUZZ_SEED ?? 20_251_115)
const BYTES_PER_DECODER = 10_000_000

console.log(`fuzzing decoders with FUZZ_SEED=${SEED}`)

const subjects = PROTOCOLS.map((protocol) => ({ protocol, corpus: corpusOf(protocol) }))
const clients = subjects.flatMap(({ corpus }) => corpus.wellFormed.map(({ client }) => client))

type Subject = (typeof subjects)[number]

interface Tally {
  bytes: number
  taken: number
  refused: number
}

/** Damaged documents until enough bytes have been fed. A failure shows what it takes to see it again. */
function fuzz(decoder: Decoder, { protocol, corpus }: Subject): Tally {
  const entries = decoder.entriesOf(corpus)
  const random = seededRandom(SEED ^ Bun.hash.crc32(`${protocol.name} ${decoder.name}`))
  const trial = { protocol, corpus, clients, random }
  const tally: Tally = { bytes: 0, taken: 0, refused: 0 }
  while (tally.bytes < BYTES_PER_DECODER) {
    const bytes = damage(random.pick(entries), entries, random)
    try {
      tally[decoder.feed(bytes, trial) ? 'taken' : 'refused']++
    } catch (cause) {
      const trace = cause instanceof Error ? cause.stack : cause
      throw new Error(
        `FUZZ_SEED=${SEED} after ${tally.bytes} bytes ${trace}\nfed in base64: ${bytes.toString('base64')}`,
        { cause },
      )
    }
    tally.bytes += bytes.length
  }
  return tally
}

describe.each(subjects.map((subject) => [subject.protocol.name, subject] as const))('%s', (_, subject) => {
  const { tokenCounting } = subject.protocol
  const decoders = DECODERS.filter(({ name }) => name !== 'count' || tokenCounting !== undefined)

  test.each(decoders.map((decoder) => [decoder.name, decoder] as const))('%s, damaged', (_name, decoder) => {
    const { bytes, taken, refused } = fuzz(decoder, subject)
    expect(bytes).toBeGreaterThanOrEqual(BYTES_PER_DECODER)
    // Documents of only one kind would mean that the damage is too great, or that there is none.
    expect(Math.min(taken, refused)).toBeGreaterThan(100)
  })
})
