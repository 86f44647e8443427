import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { RefusedSupply, type SupplyText } from '../../manage/ports/supply-application.ts'
import { formatUsdt } from '../../vocabulary/money.ts'
import { readSupply } from './read-supply.ts'

const SECRET = 'sk-live-Abcdef0123456789'

const WHOLE = `
suppliers:
  - id: acme
    type: openai-compatible
    base_url: https://\${HOST}/v1
    formats: [chat-completion, responses]
    enabled: false
    options: { api_version: 2024-10-21 }
    timeouts: { connect_seconds: 2.5, idle_seconds: null }
    prune: true
    credentials:
      - label: main
        secret: \${ACME_KEY}
        rpm: 600
        weight: 2
        state: disabled
models:
  - id: vendor/gpt-5
    owned_by: vendor
    display_name: "GPT $\${5}"
    kinds: [text]
    input_token_limit: 400000
    capabilities: { vision: true }
    routes:
      - supplier: acme
        upstream_model: gpt-5
        price: { input: 1.250, output: "10", cache_read: 0.1 }
        priority: 0
`

const VARIABLES = { HOST: 'api.acme.example', ACME_KEY: SECRET, UNUSED: 'other', EMPTY: '' }

function read(text: string, variables: SupplyText['variables'] = VARIABLES) {
  return readSupply({ text, name: 'supply.yaml', variables })
}

function refusal(text: string): string {
  try {
    read(text)
  } catch (error) {
    if (error instanceof RefusedSupply) return error.message
    throw error
  }
  throw new Error('the text was taken')
}

test('reads a complete file, in the names and units of the operator API', () => {
  const { document, pruneSuppliers, references } = read(WHOLE)
  expect(pruneSuppliers).toEqual(['acme'])
  expect(references).toEqual(['HOST', 'ACME_KEY'])
  expect(document.suppliers).toEqual([
    {
      id: 'acme',
      type: 'openai-compatible',
      baseUrl: 'https://api.acme.example/v1',
      formats: ['chat-completion', 'responses'],
      source: 'shared',
      accountId: null,
      enabled: false,
      options: { api_version: '2024-10-21' },
      aborts: null,
      timeouts: { connectMs: 2_500, firstByteMs: null, idleMs: null },
      credentials: [{ label: 'main', secret: SECRET, rpm: 600, tpm: null, weight: 2, state: 'disabled' }],
    },
  ])
  expect(document.models).toEqual([
    {
      id: 'vendor/gpt-5',
      ownedBy: 'vendor',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the escape gives the signs themselves.
      displayName: 'GPT ${5}',
      description: '',
      kinds: ['text'],
      inputTokenLimit: 400_000,
      outputTokenLimit: null,
      rpm: null,
      tpm: null,
      capabilities: { vision: true },
      routes: [
        {
          supplierId: 'acme',
          upstreamModel: 'gpt-5',
          formats: null,
          cost: null,
          priceSource: 'manual',
          price: {
            inputNanoPerMillion: 1_250_000_000n,
            outputNanoPerMillion: 10_000_000_000n,
            cacheReadNanoPerMillion: 100_000_000n,
            cacheWriteNanoPerMillion: 1_250_000_000n,
            imageNano: 0n,
          },
          rpm: null,
          tpm: null,
          priority: 0,
          enabled: true,
        },
      ],
    },
  ])
})

test.each(['', '# suppliers: []\n', '---\n', '{}'])('an empty file configures nothing: %j', (text) => {
  expect(read(text).document).toEqual({ suppliers: [], models: [], wildcards: [], aliases: [] })
})

function refer(name: string): string {
  return `\${${name}}`
}

/** The whole file with one piece of it replaced. */
function spoil(piece: string, by: string): string {
  expect(WHOLE).toContain(piece)
  return WHOLE.replace(piece, by)
}

test('a syntax error is reported once, without those that follow from it', () => {
  const message = refusal(spoil('    type: openai-compatible', '\ttype: openai-compatible'))
  expect(message.split('\n').slice(1)).toEqual(['  supply.yaml:4:1 A tab is used to indent; use spaces.'])
})

test('a misspelled field is not reported as missing as well', () => {
  const message = refusal(spoil('base_url:', 'baseurl:'))
  expect(message.split('\n')).toHaveLength(2)
})

test('a supplier may leave its formats to its type, and a route its token price where only images are made', () => {
  const text = `
suppliers: [{ id: acme, type: openai, base_url: 'https://x.example' }]
models:
  - id: painter
    owned_by: us
    kinds: [image]
    routes: [{ supplier: acme, upstream_model: p, price: { image: 0.04 } }]
`
  const { document } = read(text)
  expect(document.suppliers[0]?.formats).toBeNull()
  expect(document.models[0]?.routes[0]?.price).toMatchObject({
    inputNanoPerMillion: null,
    imageNano: 40_000_000n,
  })
  expect(refusal(text.replace('[image]', '[text, image]'))).toContain(
    'models[0].routes[0].price.input: is missing; it takes a decimal amount',
  )
})

describe('a mistake is reported with line, column and field:', () => {
  const MISTAKES: [what: string, text: string, report: string][] = [
    [
      'a word that is not one of the choices',
      spoil('type: openai-compatible', 'type: opnai'),
      '4:11 suppliers[0].type: got a text of 5 characters; it takes one of openai, ',
    ],
    [
      'a choice inside a list',
      spoil('[chat-completion, responses]', '[chat-completion, resp]'),
      '6:32 suppliers[0].formats[1]: got a text of 4 characters; it takes one of chat-completion, ',
    ],
    [
      'a list in which one is there twice',
      spoil('[chat-completion, responses]', '[responses, responses]'),
      '6:5 suppliers[0].formats: got a list of 2; it takes a list of one or more of ',
    ],
    [
      'a missing field',
      spoil('    type: openai-compatible\n', ''),
      '3:5 suppliers[0].type: is missing; it takes one of',
    ],
    [
      'an unknown field',
      spoil('base_url:', 'base_uri:'),
      '5:15 suppliers[0].base_uri: is not a known field; did you mean base_url?',
    ],
    [
      'an unknown field that is like none',
      spoil('base_url:', 'location: x\n    base_url:'),
      '5:15 suppliers[0].location: is not a known field; known here: id, type, base_url, ',
    ],
    [
      'a word like one of the choices',
      spoil('type: openai-compatible', 'type: opnai'),
      'voyage, sandbox. Did you mean openai?',
    ],
    [
      'a word for true that YAML no longer knows',
      spoil('enabled: false', 'enabled: no'),
      '7:14 suppliers[0].enabled: got a text of 2 characters; it takes true or false. Did you mean false?',
    ],
    [
      'fields where a list should be',
      spoil('[chat-completion, responses]', '{ chat-completion: true }'),
      'Begin each item of the list with "- ".',
    ],
    [
      'a line that is indented too far',
      spoil('    type: openai-compatible', '      type: openai-compatible'),
      '4:1 This line is indented too far; names that belong together begin in the same column.',
    ],
    [
      'a line that is indented too little',
      spoil('    type: openai-compatible', '   type: openai-compatible'),
      '4:1 The indentation does not fit; names that belong together begin in the same column.',
    ],
    [
      'a name without a colon',
      spoil('type: openai-compatible', 'type openai-compatible'),
      '4:5 A name without a colon; write "name: value".',
    ],
    [
      'a text with a colon',
      spoil('type: openai-compatible', 'type: openai: compatible'),
      '4:11 A text with a colon and a space in it; put the text in quotes.',
    ],
    [
      'a number out of range',
      spoil('rpm: 600', 'rpm: 0'),
      '14:14 suppliers[0].credentials[0].rpm: got 0; it takes a whole number from 1 to 2000000000 or null.',
    ],
    [
      'a fraction of a request',
      spoil('rpm: 600', 'rpm: 1.5'),
      'credentials[0].rpm: got 1.5; it takes a whole number',
    ],
    [
      'nothing where a list should be',
      spoil('    routes:\n', '    routes:\n    rpm: 1\n    ignored:\n'),
      'models[0].routes: got nothing; it takes a list of routes.',
    ],
    [
      'a field named twice',
      spoil('enabled: false', 'enabled: false\n    enabled: true'),
      '8:5 suppliers[0].enabled: is there twice, first in line 7; remove one of them.',
    ],
    [
      'a number that is none',
      spoil('weight: 2', 'weight: .nan'),
      '15:17 suppliers[0].credentials[0].weight: is not a number that can be kept exactly.',
    ],
    [
      'a number without end',
      spoil('weight: 2', 'weight: 1e400'),
      'weight: is not a number that can be kept exactly.',
    ],
    [
      'a number no float holds',
      spoil('input_token_limit: 400000', 'input_token_limit: 90071992547409930'),
      'input_token_limit: is not a number that can be kept exactly.',
    ],
    [
      'an exponent in a price',
      spoil('input: 1.250', 'input: 1e3'),
      '27:25 models[0].routes[0].price.input: got a text of 3 characters; it takes a decimal amount',
    ],
    [
      'ten decimals in a price',
      spoil('input: 1.250', 'input: 0.1234567891'),
      'price.input: got a text of 12 characters; it takes a decimal amount',
    ],
    [
      'a negative price',
      spoil('input: 1.250', 'input: -1'),
      'price.input: got a text of 2 characters; it takes a decimal amount',
    ],
    [
      'a price without output',
      spoil(', output: "10"', ''),
      '27:9 models[0].routes[0].price.output: is missing; it takes a decimal amount such as 1.25',
    ],
    [
      'a variable that is not set',
      spoil(refer('ACME_KEY'), refer('ACME_KY')),
      '13:17 suppliers[0].credentials[0].secret: needs the environment variable ACME_KY, which is not set.',
    ],
    [
      'a variable that is empty',
      spoil(refer('ACME_KEY'), refer('EMPTY')),
      'secret: needs the environment variable EMPTY, which is not set.',
    ],
    [
      'a variable every object has',
      spoil(refer('ACME_KEY'), refer('constructor')),
      'secret: needs the environment variable constructor, which is not set.',
    ],
    [
      'a reference that does not end',
      spoil(refer('ACME_KEY'), `"${refer('ACME KEY')}"`),
      '13:17 suppliers[0].credentials[0].secret: has "${" without a name',
    ],
    [
      'a reference in braces without quotes',
      spoil('{ api_version: 2024-10-21 }', `{ api_version: ${refer('HOST')} }`),
      '8:30 A sign that cannot stand here; inside braces',
    ],
    [
      'an alias',
      spoil('weight: 2', 'weight: &two 2\n        tpm: *two'),
      '16:14 suppliers[0].credentials[0].tpm: is an alias; write the value itself.',
    ],
    ['a tag', spoil('weight: 2', 'weight: !double 2'), '15:17 A tag (!name) that is not known'],
    [
      'a name that is no text',
      spoil('weight: 2', '? [a]\n        : 2'),
      'suppliers[0].credentials[0]: has a name that is not a text',
    ],
    ['a tab', spoil('    enabled: false', '\tenabled: false'), '7:1 A tab is used to indent'],
    ['a bracket that is not closed', spoil('[text]', '[text'), 'The indentation does not fit, or a bracket'],
    ['a second document', `${WHOLE}---\nmodels: []\n`, 'A second document begins here'],
    [
      'a list instead of the whole',
      '- a\n',
      '1:1 got a list of 1; it takes suppliers, models, wildcards and aliases.',
    ],
    [
      'a text instead of the whole',
      'hello',
      '1:1 got a text of 5 characters; it takes suppliers, models, wildcards and aliases.',
    ],
    [
      'what lies too deep',
      spoil('{ vision: true }', `${'[ '.repeat(30)}${' ]'.repeat(30)}`),
      'is nested too deeply.',
    ],
  ]
  for (const [what, text, report] of MISTAKES) {
    test(what, () => {
      const message = refusal(text)
      expect(message).toStartWith('supply.yaml cannot be applied; nothing was changed:\n  supply.yaml:')
      expect(message).toContain(report)
    })
  }

  test('all mistakes of a file together', () => {
    const text = 'suppliers:\n  - id: 5\n    type: x\nmodels:\n  - id: m\n    rpm: -1\n    routes: [{}]\n'
    const fields = refusal(text)
      .split('\n')
      .slice(1)
      .map((line) => line.split(' ')[3])
    expect(fields).toEqual([
      'suppliers[0].base_url:',
      'suppliers[0].id:',
      'suppliers[0].type:',
      'models[0].owned_by:',
      'models[0].rpm:',
      'models[0].routes[0].supplier:',
      'models[0].routes[0].upstream_model:',
    ])
  })

  test('but only the first ones when there are many', () => {
    const lines = refusal(`suppliers: [${'{}, '.repeat(50)}]`).split('\n')
    expect(lines).toHaveLength(22)
    expect(lines.at(-1)).toBe('  and 130 more')
  })
})

describe('no secret is printed', () => {
  const PLACES = [
    `suppliers: [{ type: ${SECRET} }]`,
    `suppliers: [{ ${SECRET} }]`,
    `suppliers:\n  ${SECRET}: 3`,
    `${SECRET}`,
    `*${SECRET}`,
    `!${SECRET} x`,
    `%${SECRET} x\n---\na: 1`,
    `"${SECRET}`,
    `a: "\\q${SECRET}"`,
    `a: x\n}${SECRET}`,
    `a: @${SECRET}`,
    `a: b: ${SECRET}`,
    `suppliers: [{ id: "\${ACME_KEY}", type: "\${ACME_KEY}", credentials: "\${ACME_KEY}" }]`,
  ]
  for (const [index, text] of PLACES.entries()) {
    test(`wherever it stands (${index})`, () => expect(refusal(text)).not.toContain(SECRET.slice(8)))
  }

  test('a number in its place neither', () => {
    expect(refusal('suppliers: [{ credentials: [{ label: a, secret: 12345 }] }]')).not.toContain('12345')
  })
})

describe('a malicious file is refused quickly', () => {
  const TEXTS: [what: string, text: string][] = [
    ['nested brackets', '['.repeat(100_000)],
    ['nested lists', '- '.repeat(20_000)],
    [
      'aliases of aliases',
      `a: &a [1,1]\n${'bcdefghi'.replace(/./g, (name, index: number) => `${name}: &${name} [*${'abcdefgh'[index]},*${'abcdefgh'[index]}]\n`)}`,
    ],
    ['too much of it', `# ${'x'.repeat(1_100_000)}`],
    ['many names', Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`).join('\n')],
    ['a name of objects', '__proto__: { suppliers: [] }'],
  ]
  for (const [what, text] of TEXTS) test(what, () => expect(refusal(text)).toContain('cannot be applied'))
})

test('a price is read exactly, to the last digit, quoted or not', () => {
  const amount = fc
    .tuple(fc.integer({ min: 0, max: 999_999 }), fc.integer({ min: 0, max: 999_999_999 }))
    .map(([whole, fraction]) => `${whole}.${String(fraction).padStart(9, '0')}`)
  fc.assert(
    fc.property(amount, fc.boolean(), (written, isQuoted) => {
      const { document } = read(spoil('1.250', isQuoted ? `'${written}'` : written))
      const price = document.models[0]?.routes[0]?.price
      expect(formatUsdt(price?.inputNanoPerMillion ?? -1n)).toBe(written.replace(/\.?0+$/, ''))
    }),
  )
})

/** The whole file with this price, and a cost when it is given. */
function priced(price: string, cost = 'null'): string {
  return spoil(
    'price: { input: 1.250, output: "10", cache_read: 0.1 }',
    `price: ${price}\n        cost: ${cost}`,
  )
}

function moneyOf(text: string) {
  const route = read(text).document.models[0]?.routes[0]
  return { price: route?.price, cost: route?.cost }
}

describe('rates', () => {
  const digits = '0.123456789'
  const nano = 123_456_789n

  test('keep the digits of every YAML number: those of variants, of images and of the cost', () => {
    const rates = `{ input: ${digits}, output: 3, cache_write_1h: ${digits}, audio_input: 6, web_search: 0.01,
          images: [{ size: 1024x1024, price: ${digits} }], variants: [
            { when: { prompt_above: 200000 }, input: ${digits}, cache_write_12h: 9 },
            { when: { tier: flex, hours: 16:30-00:30, from: 2027-01-01T00:00:00Z }, images: [{ price: ${digits} }] },
          ] }`
    const expected = {
      inputNanoPerMillion: nano,
      outputNanoPerMillion: 3_000_000_000n,
      cacheReadNanoPerMillion: nano,
      cacheWriteNanoPerMillion: nano,
      imageNano: 0n,
      cacheWrite1hNanoPerMillion: nano,
      audioInputNanoPerMillion: 6_000_000_000n,
      webSearchNano: 10_000_000n,
      imageRates: [{ size: '1024x1024', quality: null, imageNano: nano }],
      variants: [
        {
          when: { promptAbove: 200_000 },
          inputNanoPerMillion: nano,
          cacheWrite12hNanoPerMillion: 9_000_000_000n,
        },
        {
          when: { tier: 'flex' as const, hours: '16:30-00:30', fromMs: Date.UTC(2027, 0) },
          imageRates: [{ size: null, quality: null, imageNano: nano }],
        },
      ],
    }
    expect(moneyOf(priced(rates, rates))).toEqual({ price: expected, cost: expected })
  })

  test.each([
    [
      '{ input: 1, output: 2, variants: [{ when: { tier: turbo } }] }',
      'variants[0].when.tier: got a text of 5 characters; it takes one of flex, priority, fast, batch.',
    ],
    [
      '{ input: 1, output: 2, variants: [{ input: 1 }] }',
      'variants[0].when: is missing; it takes conditions such as {"prompt_above": 200000}.',
    ],
    [
      '{ input: 1, output: 2, variants: [{ when: { hours: 9-17 } }] }',
      'variants[0].when.hours: got a text of 4 characters; it takes two UTC times of day such as "16:30-00:30".',
    ],
    [
      '{ input: 1, output: 2, variants: [{ when: { from: 2027-01-01 } }] }',
      'variants[0].when.from: must be an RFC 3339 time such as "2027-01-01T00:00:00Z".',
    ],
    [
      '{ input: 1, output: 2, cache_write_1h: -1 }',
      'cache_write_1h: got a text of 2 characters; it takes a decimal amount such as 1.25, not negative and with at most 9 decimals.',
    ],
    [
      '{ input: 1, output: 2, images: [{ price: 0.0000000001 }] }',
      'images[0].price: got a text of 12 characters; it takes a decimal amount such as 1.25, not negative and with at most 9 decimals.',
    ],
  ])('%s is refused at its place', (rates, problem) => {
    for (const field of ['price', 'cost']) {
      const text = field === 'price' ? priced(rates) : priced('{ input: 1, output: 2 }', rates)
      expect(refusal(text)).toMatch(/^ {2}supply\.yaml:\d+:\d+ /m)
      expect(refusal(text)).toContain(` models[0].routes[0].${field}.${problem}`)
    }
  })

  test('a cost has token rates too', () => {
    expect(refusal(priced('{ input: 1, output: 2 }', '{ input: 1 }'))).toContain(
      'models[0].routes[0].cost.output: is missing',
    )
  })
})
