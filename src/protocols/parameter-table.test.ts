import { expect, test } from 'bun:test'
import Type from 'typebox'
import { DEFAULT_PARAMETERS, type ParameterName } from '../conversation/parameters.ts'
import {
  copied,
  NO_FIELD,
  optionalOrNull,
  type ParameterEncoding,
  parameter,
  parameterTable,
} from './parameter-table.ts'

interface Encoding extends ParameterEncoding {
  readonly takesSeed: boolean
}

type Tested = 'seed' | 'stop' | 'temperature' | 'topK' | 'choices' | 'cacheKey'
const TESTED: readonly string[] = [
  'seed',
  'stop',
  'temperature',
  'topK',
  'choices',
  'cacheKey',
] satisfies Tested[]
const ELSEWHERE = { members: {}, encode: 'elsewhere' } as const
const OTHERS = Object.fromEntries(
  Object.keys(DEFAULT_PARAMETERS).flatMap((name) => (TESTED.includes(name) ? [] : [[name, ELSEWHERE]])),
) as Record<Exclude<ParameterName, Tested>, typeof ELSEWHERE>

const TABLE = parameterTable<Encoding>()({
  seed: copied('seed', Type.Integer(), { isTaken: ({ takesSeed }) => takesSeed, strippable: 'seed' }),
  stop: parameter(
    { stop: optionalOrNull(Type.Array(Type.String())), halt: optionalOrNull(Type.String()) },
    {
      decode: ({ stop, halt }) => stop ?? (halt ? [halt] : []),
      encode: ({ body }, stop) => {
        body.stop = stop
      },
      strippable: ['stop', 'halt'],
    },
  ),
  between: {
    encode: ({ body }: Encoding) => {
      body.between = true
    },
  },
  temperature: copied('temperature', Type.Number()),
  topK: NO_FIELD,
  choices: NO_FIELD,
  cacheKey: { members: {}, encode: 'ignored' },
  ...OTHERS,
})

function encode(given: Partial<typeof DEFAULT_PARAMETERS>, takesSeed = true) {
  const encoding = { body: {}, dropped: new Set<string>(), takesSeed }
  TABLE.encode({ ...DEFAULT_PARAMETERS, ...given }, encoding)
  return { members: Object.entries(encoding.body), dropped: [...encoding.dropped] }
}

test('collects the members and the strippable paths of its rows', () => {
  expect(Object.keys(TABLE.members)).toEqual(['seed', 'stop', 'halt', 'temperature'])
  expect(TABLE.strippable).toEqual(['seed', 'stop', 'halt'])
})

test('decodes what the client sent and uses defaults for the rest', () => {
  expect(TABLE.decode({ seed: 0, halt: 'x', temperature: null, top_k: 3 })).toEqual({
    ...DEFAULT_PARAMETERS,
    seed: 0,
    stop: ['x'],
  })
})

test('encodes parameters that are set, in the order of the rows', () => {
  expect(encode({ temperature: 0, seed: 0, stop: ['x'], topP: 1 })).toEqual({
    members: [
      ['seed', 0],
      ['stop', ['x']],
      ['between', true],
      ['temperature', 0],
    ],
    dropped: [],
  })
  expect(encode({ stop: [] }).members).toEqual([['between', true]])
})

test('reports the public names of parameters that are not taken or have no field', () => {
  expect(encode({ seed: 1, topK: 1, choices: 2, cacheKey: 'k' }, false)).toEqual({
    members: [['between', true]],
    dropped: ['seed', 'top_k', 'n'],
  })
  expect(encode({ choices: 1 }).dropped).toEqual([])
})
