import { describe, expect, test } from 'bun:test'
import { ANSWERS } from './answers.ts'
import { CONVERSATIONS } from './conversations.ts'
import { canWrite, FORMATS, writeRequest } from './formats.ts'
import { expectLinear, MAX_GROWTH, measure } from './measure.ts'
import { answerWorks, encodeWork, requestWorks } from './works.ts'

/** Each list is measured at this length and at four times as many; more finds what grows slower, and takes longer. */
const ITEMS = Number(process.env.SCALING_ITEMS ?? 500)

const FEW = 8

/**
 * What a request or an answer costs grows with its length and not with the square of it, whatever part of it is long:
 * each list of each format, on each lane. A translation is a decoding and an encoding, so that each format is measured
 * once for either. A new format needs its line in `formats.ts`.
 */
test('measures what grows with the square of a list as such', () => {
  const compareAll = (items: number) => () => {
    let equal = 0
    const list = Array.from({ length: items }, (_, at) => `item ${at}`)
    for (const one of list) for (const other of list) if (one === other) equal += 1
    return equal
  }
  expect(measure({ name: 'pairs', prepare: compareAll }, ITEMS * 4).growth).toBeGreaterThan(MAX_GROWTH)
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
