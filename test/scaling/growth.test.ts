import { describe, expect, test } from 'bun:test'
import { ANSWERS } from './answers.ts'
import { CONVERSATIONS } from './conversations.ts'
import { canWrite, FORMATS, writeRequest } from './formats.ts'
import { editWork, generationWork, IMAGE_FORMS, IMAGE_REQUESTS, imageReplyWork } from './images.ts'
import { expectLinear, MAX_GROWTH, measure, type Work } from './measure.ts'
import { pairsOf, retellWorks, translateWork } from './pairs.ts'
import { answerWorks, encodeWork, requestWorks } from './works.ts'

/** Each list is measured at this length and at four times as many; more finds what grows slower, and takes longer. */
const ITEMS = Number(process.env.SCALING_ITEMS ?? 500)

const FEW = 8

/**
 * What a request or an answer costs grows with its length and not with the square of it, whatever part of it is long:
 * each list of each format, on each lane. A translation is a decoding and an encoding, so that each format is measured
 * once for either; what a pair of formats adds (adapted tools, stand-ins for what the other has no word for,
 * lists only the client's format has) is measured per pair. A new format needs its line in `formats.ts`.
 */
test('detects quadratic growth', () => {
  const compareAll = (items: number) => () => {
    let equal = 0
    const list = Array.from({ length: items }, (_, at) => `item ${at}`)
    for (const one of list) for (const other of list) if (one === other) equal += 1
    return equal
  }
  expect(measure({ name: 'pairs', prepare: compareAll }, ITEMS * 2).growth).toBeGreaterThan(MAX_GROWTH)
})

describe.each(FORMATS.map((format) => [format.protocol.name, format] as const))('%s', (_, format) => {
  test.each(Object.entries(CONVERSATIONS))('takes a request with many %s in linear time', (_list, write) => {
    const works = [encodeWork(format, write)]
    if (canWrite(format, write(FEW)))
      works.push(...requestWorks(format, (items) => writeRequest(format, write(items))))
    expectLinear(works, ITEMS)
  })

  test.each(Object.entries(format.own))('takes a request with many %s in linear time', (_list, write) => {
    expectLinear(
      requestWorks(format, (items) => ({ ...writeRequest(format, {}), ...write(items) })),
      ITEMS,
    )
  })

  test.each(Object.entries(ANSWERS))('takes an answer with many %s in linear time', (_list, write) => {
    expectLinear(answerWorks(format, write), ITEMS)
  })
})

/** The lists that are not carried over one to one: names, ids, groups, signatures and schemas are fitted. */
const FITTED_LISTS = [
  'thoughts',
  'tool rounds',
  'results in another order',
  'grouped tools',
  'tools with names to replace',
  'free-text tools',
  'allowed tools',
  'answer schema definitions',
]
/** A pair has many lists, and a busy machine takes its time. */
const PATIENCE_MS = 300_000
const FITTED_ANSWERS = ['thoughts', 'tool calls', 'citations']

describe.each(
  pairsOf(FORMATS).map((pair) => [pair.client.protocol.name, pair.supplier.protocol.name, pair] as const),
)('%s to %s', (_client, _supplier, pair) => {
  const { client } = pair

  test(
    'translates every list of a request in linear time',
    () => {
      const common = FITTED_LISTS.map((name) => [name, CONVERSATIONS[name] ?? unknownList(name)] as const)
      const works = common
        .filter(([, write]) => canWrite(client, write(FEW)))
        .map(([name, write]) =>
          named(
            name,
            translateWork(pair, (items) => writeRequest(client, write(items))),
          ),
        )
      const own = Object.entries(client.own).map(([name, write]) =>
        named(
          name,
          translateWork(pair, (items) => ({ ...writeRequest(client, {}), ...write(items) })),
        ),
      )
      expectLinear([...works, ...own], ITEMS)
    },
    PATIENCE_MS,
  )

  test(
    'translates every list of an answer in linear time',
    () => {
      const works = FITTED_ANSWERS.flatMap((name) =>
        retellWorks(pair, ANSWERS[name] ?? unknownList(name)).map((work) => named(name, work)),
      )
      expectLinear(works, ITEMS)
    },
    PATIENCE_MS,
  )
})

describe('images', () => {
  test.each(Object.entries(IMAGE_REQUESTS))('takes a request with many %s in linear time', (_, write) => {
    expectLinear([generationWork(write)], ITEMS * 4)
  })

  test.each(Object.entries(IMAGE_FORMS))('takes a form with many %s in linear time', (_, write) => {
    expectLinear([editWork(write)], ITEMS * 4)
  })

  test('takes an answer with many images in linear time', () => {
    expectLinear([imageReplyWork], ITEMS * 4)
  })
})

function named(list: string, work: Work): Work {
  return { ...work, name: `${list}: ${work.name}` }
}

function unknownList(name: string): never {
  throw new Error(`there is no list ${name}`)
}
