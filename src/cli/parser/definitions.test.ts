import { describe, expect, test } from 'bun:test'
import { ONLY } from '../command.ts'
import { allDefinitions, run } from '../run.ts'
import { completionFor } from './completion.ts'
import { examplesOf, splitExample } from './examples.ts'
import { parseWords } from './parse-words.ts'
import { flagsOf, wordsOf } from './usage.ts'

const PLACES = allDefinitions().flatMap((definition) =>
  Object.entries(definition.actions).map(([word, action]) => ({ definition, word, action })),
)

async function type(...args: string[]) {
  const text = { printed: '', complaints: '' }
  const status = await run(args, {
    print: (more) => {
      text.printed += more
    },
    printError: (more) => {
      text.complaints += more
    },
    untilInterrupted: async () => {},
  })
  return { status, ...text }
}

describe('every command', () => {
  test('explains itself, with usage, flags and an example', async () => {
    for (const { definition, word, action } of PLACES) {
      const path = [definition.name, word].filter((part) => part !== ONLY)
      const { status, printed } = await type(...path, '--help')
      expect([status, printed]).toEqual([0, expect.stringContaining(`Usage: turnpike ${path.join(' ')}`)])
      expect(printed).toMatch(/\nExamples:\n {2}\S/)
      for (const { name } of flagsOf(action)) expect(printed).toContain(`--${name}`)
      expect((await type(...path, '-h')).printed).toBe(printed)
      expect((await type('help', ...path)).printed).toBe(printed)
    }
  })

  test('says what each of its words and flags means', () => {
    const silent = PLACES.flatMap(({ definition, word, action }) =>
      [...wordsOf(action), ...flagsOf(action)]
        .filter(({ note }) => note === '')
        .map(({ name }) => `${definition.name} ${word} ${name}`),
    )
    expect(silent).toEqual([])
  })

  test('has examples that it understands', () => {
    for (const { definition, word } of PLACES) {
      for (const line of examplesOf(definition, word)) {
        const words = splitExample(line)
        const args = words.slice(words.lastIndexOf('turnpike') + 1)
        const redirected = args.indexOf('>')
        const parsed = parseWords(allDefinitions(), redirected < 0 ? args : args.slice(0, redirected), {
          version: '1',
        })
        if (!('help' in parsed)) expect([line, parsed.word]).toEqual([line, word])
      }
    }
  })
})

describe('a mistake', () => {
  test.each([
    [['acounts'], 'Did you mean accounts?'],
    [['accounts', 'shwo'], 'Did you mean show?'],
    [['accounts', 'create', '--nmae', 'x'], "Unknown option '--nmae'. Did you mean --name?"],
    [['accounts', 'adjust', 'a', '--amount', '--reason'], "Option '--amount' needs a value"],
  ])('%j: %s', async (args, expected) => {
    const { status, complaints } = await type(...args)
    expect([status, complaints]).toEqual([2, expect.stringContaining(expected)])
    expect(complaints).toMatch(/^[^\n]+\n$/)
  })

  test('is JSON for programs, with the same exit status', async () => {
    const { status, printed, complaints } = await type('accounts', 'shwo', '--json')
    expect([status, printed]).toEqual([2, ''])
    expect(JSON.parse(complaints)).toEqual({
      error: { message: expect.stringContaining('Did you mean show?'), code: 'misused' },
    })
  })
})

describe('an action', () => {
  const definition = {
    name: 'x',
    summary: 'x',
    actions: {
      do: {
        summary: 'do',
        words: ['what'],
        optional: ['amount', 'route'],
        repeated: ['route'],
        switches: ['dry-run'],
        aliases: ['make'],
      },
    },
  }
  const parse = (...args: string[]) => parseWords([definition], ['x', ...args])

  test('takes negative amounts, repeated flags, switches, and its earlier name', () => {
    const words = ['make', 'w', '--amount', '-2.5', '--route', 'a', '--route=b', '--dry-run', '--json']
    expect(parse(...words)).toEqual({
      word: 'do',
      given: {
        asJson: true,
        texts: new Map([
          ['what', 'w'],
          ['amount', '-2.5'],
          ['route', 'b'],
        ]),
        lists: new Map([
          ['amount', ['-2.5']],
          ['route', ['a', 'b']],
        ]),
        switches: new Set(['dry-run', 'json']),
      },
    })
  })

  test('does not list its earlier name', () => {
    const parsed = parse('--help')
    expect('help' in parsed && parsed.help).not.toContain('make')
  })
})

describe('completion', () => {
  const CASES: readonly (readonly [string[], string])[] = [
    [['acc'], 'accounts'],
    [['accounts', 'up'], 'update'],
    [['accounts', 'adjust', 'a', '--rea'], '--reason'],
    [['export', 'led'], 'ledger'],
    [['export', 'ledger', '--format', 'j'], 'jsonl'],
    [['completion', 'f'], 'fish'],
  ]

  test('offers commands, words, flags and values in bash', async () => {
    const asks = CASES.map(([words]) => {
      const quoted = ['turnpike', ...words].map((word) => `'${word}'`).join(' ')
      return `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _turnpike; echo "\${COMPREPLY[*]}"`
    })
    const script = `${completionFor('bash', allDefinitions())}\n${asks.join('\n')}\n`
    const output = await Bun.$`bash --norc -c ${script}`.text()
    expect(output.trimEnd().split('\n')).toEqual(CASES.map(([, expected]) => expected))
  })

  test.if(Bun.which('fish') !== null)('offers the same in fish', async () => {
    const asks = CASES.map(([words]) => `complete -C 'turnpike ${words.join(' ')}'`)
    const script = `${completionFor('fish', allDefinitions())}\n${asks.join('\n')}\n`
    const output = await Bun.$`fish --no-config -c ${script}`.text()
    expect(
      output
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t')[0]),
    ).toEqual(CASES.map(([, expected]) => expected))
  })

  test.if(Bun.which('zsh') !== null)('can be read by zsh', async () => {
    const script = completionFor('zsh', allDefinitions())
    expect((await Bun.$`zsh -f -n -c ${script}`.nothrow().quiet()).exitCode).toBe(0)
  })
})
